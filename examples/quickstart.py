"""A sentence in, triples out; then one more relation from three examples, without training.

python examples/quickstart.py
"""

from protorel import Extractor, RelationModel


def side_effect(text: str, head: str, tail: str) -> dict[str, str]:
    return {"text": text, "head": head, "tail": tail, "relation": "side_effect"}


def main() -> None:
    model = RelationModel.from_pretrained("protorel-small")
    text = "Marie Curie, a physicist born in Warsaw, won the Nobel Prize in Physics with her husband Pierre Curie."
    found = Extractor(model)(text)
    for triple in found.triples:
        print(triple)
    print(len(found.uncertain), "uncertain ones")

    more = model.with_relations(
        examples=[
            side_effect("Brisk can cause headaches.", head="Brisk", tail="headaches"),
            side_effect("Dizziness may follow Halidol.", head="Halidol", tail="Dizziness"),
            side_effect("He took Norvex and felt nausea.", head="Norvex", tail="nausea"),
        ]
    )
    questions = [
        {"text": "Aspirin may cause bleeding.", "head": "Aspirin", "tail": "bleeding"},
        {"text": "Aspirin is sold in Germany.", "head": "Aspirin", "tail": "Germany"},
    ]
    for question, answer in zip(questions, more.predict(questions), strict=True):
        print(f"{question['text']} {answer.relation} ({answer.probability:.2f})")


if __name__ == "__main__":
    main()
