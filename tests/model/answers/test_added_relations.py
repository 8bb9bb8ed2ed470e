from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.statements import BadInput, Descriptions, Relation, RelationVocabulary, Statement

PEOPLE = ["ada", "bela", "cora", "dora", "emil", "fritz", "gerd", "hans"]
TOWNS = ["lunsk", "oster", "mere", "tarn", "kroll", "pim"]
VERBS = {"born_in": "was born in", "died_in": "died in", "lives_in": "lives in", "no_relation": "once saw"}
NAMES = {"born_in": "place of birth", "died_in": "place of death", "lives_in": "residence"}


def statement(person: str, verb: str, town: str, relation: str | None, *, document: str = "d") -> Statement:
    text = f"{person} {verb} {town}"
    return Statement(text, (0, len(person)), (len(text) - len(town), len(text)), relation, document=document)


PAIRS = [
    statement(person, verb, town, relation, document=f"d{number % 12}")
    for number, (person, town) in enumerate((p, t) for p in PEOPLE for t in TOWNS)
    for relation, verb in VERBS.items()
]


@pytest.fixture
def model(transformer) -> RelationModel:
    """A calibrated model of three relations with names."""
    vectors = [
        F.normalize(transformer.encode([one for one in PAIRS if one.relation == relation]), dim=-1).mean(0)
        for relation in NAMES
    ]
    relations = RelationVocabulary(Relation(id, name) for id, name in NAMES.items())
    learned = replace(transformer, prototypes=Prototypes.of(relations, torch.stack(vectors)))
    return learned.calibrated(PAIRS)


EXAMPLES = [replace(one, relation="moved_to") for one in PAIRS if one.relation == "died_in"][:3]


def test_a_relation_by_examples_is_their_mean_direction_and_answers_at_once(model):
    more = model.without_relations(["died_in"]).with_relations(examples=EXAMPLES)
    assert more.relations.ids == ("born_in", "lives_in", "moved_to")
    assert more.prototypes.origins == ("learned", "learned", "examples")
    mean = F.normalize(F.normalize(model.encode(EXAMPLES), dim=-1).mean(0), dim=-1)
    torch.testing.assert_close(more.prototypes.vectors[-1], mean, atol=1e-5, rtol=1e-4)
    [answer] = more.predict(EXAMPLES[:1])
    assert 0 < dict(answer.ranked)["moved_to"] < 1
    assert answer.calibrated


def test_a_relation_by_words_is_the_direction_of_its_texts(model):
    more = model.with_relations({"works_for": ("employer", "organisation that employs the person")})
    words = model.encode_wordings([("employer", "employer: organisation that employs the person")])
    torch.testing.assert_close(more.prototypes.vectors[-1:], words, atol=1e-5, rtol=1e-4)
    assert more.prototypes.origins[-1] == "words"
    assert more.relations[3] == Relation("works_for", "employer", "organisation that employs the person")


def test_words_and_examples_count_alike(model):
    more = model.with_relations({"moved_to": "destination"}, examples=EXAMPLES)
    [words] = model.encode_wordings([("destination",)])
    mean = F.normalize(F.normalize(model.encode(EXAMPLES), dim=-1).mean(0), dim=-1)
    torch.testing.assert_close(more.prototypes.vectors[-1], F.normalize(words + mean, dim=-1), atol=1e-5, rtol=1e-4)
    assert more.prototypes.origins[-1] == "words_and_examples"


def test_a_new_prototype_is_as_probable_as_one_that_stands_as_far_above_ordinary_statements(model):
    more = model.with_relations(examples=EXAMPLES)
    line, z = model.calibration.added["examples"], more.prototypes.vectors[-1]
    cosines = F.normalize(model.encode(PAIRS), dim=-1) @ z
    mean, spread = cosines.mean().item(), cosines.std(unbiased=False).item()
    for cosine in (mean, mean + 2 * spread):
        expected = line.slope * (cosine - mean) / spread + line.offset
        assert more.calibration.slope[-1] * cosine + more.calibration.offset[-1] == pytest.approx(expected, abs=0.05)


def test_the_examples_of_a_simulated_relation_are_not_among_the_statements_that_its_map_is_fitted_to(
    model, monkeypatch
):
    from protorel.model.answers import added_relations

    sizes = {}
    monkeypatch.setattr(added_relations, "fit_line", lambda scores, _: sizes.setdefault(len(scores), (1.0, 0.0)))
    vectors = model.encode(PAIRS)
    labels = np.asarray([[one.relation == relation for relation in NAMES] for one in PAIRS])
    added_relations.simulate_added(model, vectors, labels, model.calibration.background)
    everything = len(PAIRS) * len(NAMES)
    assert set(sizes) == {everything, everything - added_relations.SHOTS * len(NAMES)}


def test_what_was_added_is_saved_and_marked(model, tmp_path):
    more = model.with_relations({"works_for": "employer"})
    more.save_pretrained(tmp_path / "run")
    again = RelationModel.from_pretrained(tmp_path / "run")
    assert again.prototypes.origins == ("learned",) * 3 + ("words",)
    assert again.calibration.as_json() == more.calibration.as_json()
    assert again.record.added == {"works_for": "words"}
    again.without_relations(["works_for"]).save_pretrained(tmp_path / "run")
    assert RelationModel.from_pretrained(tmp_path / "run").record.added == {}


def test_the_answers_about_old_relations_do_not_change(model):
    more = model.with_relations({"works_for": "employer"}).without_relations(["works_for"])
    for one, other in zip(model.predict(PAIRS[:8]), more.predict(PAIRS[:8]), strict=True):
        assert one == other


@pytest.mark.parametrize("given", [["moved_to"], [Relation("moved_to", "destination")], {"moved_to": "destination"}])
def test_relations_come_as_names_as_relations_or_as_a_mapping(model, given):
    assert model.with_relations(given).relations.ids[-1] == "moved_to"


def test_a_model_without_calibration_takes_relations_too(model):
    plain = replace(model, calibration=None)
    more = plain.with_relations(examples=EXAMPLES)
    assert more.calibration is None
    assert torch.isfinite(more.prototypes.radius[-1])
    assert not more.predict(PAIRS[:1])[0].calibrated


@pytest.mark.parametrize(
    ("relations", "examples", "said"),
    [
        ({"born_in": "x"}, (), "got 'born_in'. Remove it first"),
        (None, (), "expected at least one relation to add, got none"),
        ({"new": ""}, (), "new: expected a name, a description or examples, got none of them"),
        (["new"], [replace(EXAMPLES[0], relation="now")], "row 0: expected one of the relations to add, got 'now'"),
        (None, [replace(EXAMPLES[0], relation=None)], "row 0: expected the relation that the example is for"),
        ("new", (), "expected a list or a mapping of relations, got the text 'new'"),
        ([3], (), "expected ids or Relations, got"),
        ({"new": 3}, (), "new: expected a name or"),
    ],
)
def test_what_cannot_be_added_is_one_line(model, relations, examples, said):
    with pytest.raises(BadInput) as caught:
        model.with_relations(relations, examples=examples)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_model_can_be_given_names_for_its_relations(model):
    named = model.with_descriptions(Descriptions.of({"born_in": Relation("born_in", "birthplace")}))
    assert [one.name for one in named.relations] == ["birthplace", "place of death", "residence"]
    assert named.predict(PAIRS[:3]) == model.predict(PAIRS[:3])


def test_only_known_relations_can_be_removed(model):
    with pytest.raises(BadInput, match="did you mean 'born_in'"):
        model.without_relations(["borne_in"])
    with pytest.raises(BadInput, match="expected a list of relations, got the text 'born_in'"):
        model.without_relations("born_in")
