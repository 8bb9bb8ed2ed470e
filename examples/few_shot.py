"""Relations given by a few examples: answers, and how often they are right, with an interval.

python examples/few_shot.py
"""

from collections.abc import Sequence

from protorel import RelationModel, SmallWorldSettings, Statement, build_small_world, few_shot_accuracy


def main() -> None:
    # An invented world with known truth; none of its relations was seen in training.
    world = build_small_world(SmallWorldSettings(statements_per_relation=10, held_out_per_relation=30))
    statements = world.test_relations
    model = RelationModel.from_pretrained("protorel-small")

    relations = world.held_out_relations[::3][:3]
    examples = [one for name in relations for one in of(statements, name)[:5]]
    queries = [one for name in relations for one in of(statements, name)[5:7]]
    few = model.with_relations(examples=examples)
    for query, answer in zip(queries, few.predict(queries, among=relations, top=1), strict=True):
        best, probability = answer.ranked[0]
        print(f"{query.text}\n    {best} ({probability:.2f}), right: {query.relation}")

    vectors = model.encode(statements)
    labels = [str(one.relation) for one in statements]
    for shot in (1, 5):
        found = few_shot_accuracy(vectors, labels, way=5, shot=shot, episodes=2000)
        print(f"5-way {shot}-shot accuracy: {found.accuracy}")


def of(statements: Sequence[Statement], relation: str) -> list[Statement]:
    return [one for one in statements if one.relation == relation]


if __name__ == "__main__":
    main()
