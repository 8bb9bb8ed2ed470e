"""A schema thins answers, counts what it drops by reason, and refuses what no schema can say."""

from __future__ import annotations

import pytest
from tests.extraction.conftest import RuleModel, balanced, capitalised, said

from protorel.extraction import Extractor, Schema
from protorel.statements import BadInput

TYPES = {"Ada": "PERSON", "Bo": "person", "Lunsk": "GPE", "Oster": "GPE"}


def typed(text):
    return [(one.start, one.stop, TYPES.get(one.text)) for one in capitalised(text)]


def extract(text, rule, schema, *, relations=("met", "born_in", "parent", "child", "spouse")):
    return Extractor(RuleModel(rule, relations), entities=typed, schema=schema)(text)


BORN = {"born_in": {"head_types": ["PERSON"], "tail_types": "GPE"}}


def test_a_pair_whose_types_fit_no_relation_is_not_asked():
    model = RuleModel(lambda _: {"born_in": 0.9}, ["born_in"])
    found = Extractor(model, entities=typed, schema=BORN)("Oster is near Lunsk.")
    assert model.asked == []
    assert found.counts["wrong_types"] == 2
    assert balanced(found.counts)


def test_an_order_whose_types_fit_no_relation_is_counted_and_never_answered():
    found = extract("Ada left Lunsk.", lambda _: {"born_in": 0.9}, BORN, relations=["born_in"])
    assert said(found) == [("Ada", "born_in", "Lunsk")]
    assert found.triples[0].reverse_probability == 0.9
    assert found.counts["wrong_types"] == 1
    assert balanced(found.counts)


def test_a_relation_whose_types_do_not_fit_is_dropped_and_the_others_stay():
    found = extract("Ada met Bo.", lambda _: {"born_in": 0.9, "met": 0.8}, BORN)
    assert said(found) == [("Ada", "met", "Bo"), ("Bo", "met", "Ada")]
    assert found.counts["relation_wrong_types"] == 2


def test_an_unknown_type_fits_everything():
    found = extract("Zed left Lunsk.", lambda _: {"born_in": 0.9}, BORN)
    assert said(found) == [("Zed", "born_in", "Lunsk")]


def test_a_symmetric_relation_is_said_once_by_its_more_probable_order():
    rule = lambda one: {"spouse": 0.8 if one.head_text == "Ada" else 0.9}  # noqa: E731
    found = extract("Ada married Bo.", rule, {"spouse": {"symmetric": True}})
    assert said(found) == [("Bo", "spouse", "Ada")]
    assert found.counts["symmetric_duplicate"] == 1


def test_an_inverse_is_said_once_and_need_be_declared_on_one_side_only():
    rule = lambda one: {"parent": 0.9} if one.head_text == "Ada" else {"child": 0.7}  # noqa: E731
    found = extract("Ada raised Bo.", rule, {"parent": {"inverse": "child"}})
    assert said(found) == [("Ada", "parent", "Bo")]
    assert found.counts["inverse_duplicate"] == 1


def test_of_one_head_at_most_one_tail_is_kept_and_it_may_be_named_twice():
    chances = {"Lunsk": 0.7, "Oster": 0.9}
    rule = lambda one: {"born_in": chances.get(one.tail_text, 0.0)} if one.head_text == "Ada" else {}  # noqa: E731
    text = "Ada left Lunsk. Ada was born in Oster. So Ada is of Oster."
    found = extract(text, rule, {"born_in": {"at_most_one_per": "head"}})
    assert said(found) == [("Ada", "born_in", "Oster"), ("Ada", "born_in", "Oster")]
    assert found.counts["functional"] == 1


def test_of_one_tail_at_most_one_head_is_kept():
    rule = lambda one: {"born_in": 0.9 if one.head_text == "Bo" else 0.6} if one.tail_text == "Lunsk" else {}  # noqa: E731
    found = extract("Ada and Bo left Lunsk.", rule, {"born_in": {"at_most_one_per": ["tail"]}})
    assert said(found) == [("Bo", "born_in", "Lunsk")]


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ([], "expected a mapping of relations to rules, got a list"),
        ({"met": ["PERSON"]}, "met: expected a mapping with head_types"),
        ({"met": {"head_type": "PERSON"}}, "got 'head_type'. Did you mean 'head_types'?"),
        ({"met": {"symmetric": "maybe"}}, "symmetric: expected true or false, got 'maybe'"),
        ({"met": {"at_most_one_per": "pair"}}, "expected head or tail, got 'pair'"),
        ({"met": {"head_types": 5}}, "head_types: expected a name or a list of names"),
        ({"met": {"inverse": "met"}}, "met: is its own inverse. Write symmetric: true"),
        ({"met": {"inverse": "spouse", "symmetric": True}}, "expected symmetric or inverse, got both"),
        (
            {"met": {"inverse": "parent"}, "parent": {"inverse": "child"}, "child": {"inverse": "met"}},
            "parent, inverse: expected 'met', whose inverse it is, got 'child'. Inverses come in pairs",
        ),
        ({"met": {"inverse": "spouse"}, "spouse": {"symmetric": True}}, "got symmetric: true"),
        ({"born_on": {}}, "expected relations of the model, got 'born_on'. Did you mean 'born_in'?"),
        ({"met": {"inverse": "spuose"}}, "got 'spuose'. Did you mean 'spouse'?"),
    ],
)
def test_what_no_schema_can_say_is_refused_in_one_line(model, schema, problem):
    with pytest.raises(BadInput) as raised:
        Extractor(model, entities=capitalised, schema=schema)
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_schema_file_is_yaml_in_which_names_are_text(tmp_path):
    path = tmp_path / "schema.yaml"
    path.write_text("P19:\n  head_types: [PERSON, NO]\n  symmetric: false\n569: {inverse: 570}\n")
    schema = Schema.load(path)
    assert schema.rule("P19").head_types == {"person", "no"}
    assert schema.rule("570").inverse == "569"


@pytest.mark.parametrize(
    ("text", "problem"), [("a: [", "is not YAML"), ("a: 1\na: 2", "'a' twice"), ("", "got nothing")]
)
def test_a_schema_file_that_cannot_be_read_is_named(tmp_path, text, problem):
    path = tmp_path / "schema.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match=problem) as raised:
        Schema.load(path)
    assert str(raised.value).startswith(str(path))
