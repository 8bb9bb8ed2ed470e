"""Relations given by their words alone.

python examples/zero_shot.py
"""

from protorel import RelationModel

RELATIONS = {
    "acquired_by": ("acquired by", "company that bought this company"),
    "side_effect": ("side effect", "unwanted effect of this drug"),
}
QUESTIONS = [
    {"text": "GitHub was acquired by Microsoft in 2018.", "head": "GitHub", "tail": "Microsoft"},
    {"text": "Aspirin may cause stomach bleeding.", "head": "Aspirin", "tail": "stomach bleeding"},
    {"text": "Aspirin is sold in Germany.", "head": "Aspirin", "tail": "Germany"},
]


def main() -> None:
    model = RelationModel.from_pretrained("protorel-small").with_relations(RELATIONS)
    for question, answer in zip(QUESTIONS, model.predict(QUESTIONS), strict=True):
        said = answer.relation or "none of the relations"
        print(f"{question['text']} {said} ({answer.probability:.2f})")


if __name__ == "__main__":
    main()
