"""Relations of a run as vectors: which are taken, how many, and what stands for prototypes."""

from collections import Counter

import pytest
import torch

from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.statements import BadInput, DataSet, Descriptions, Relation, RelationVocabulary, Span, Statement
from protorel_paper.figures.relation_space import open_space, sample


def statements(**counts):
    return [
        Statement(f"Ada Kroll of {relation} number {n}.", Span(0, 9), Span(13, 13 + len(relation)), relation)
        for relation, count in counts.items()
        for n in range(count)
    ]


@pytest.fixture
def run(tmp_path, monkeypatch, tiny_encoder, tiny_tokenizer):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))

    def save(*relations):
        generator = torch.Generator().manual_seed(0)
        vectors = torch.randn(len(relations), tiny_encoder.width, generator=generator)
        prototypes = Prototypes.of(RelationVocabulary(relations), vectors)
        RelationModel(tiny_encoder, tiny_tokenizer, prototypes, 48).save_pretrained(tmp_path / "run")
        return tmp_path / "run"

    return save


def test_the_relations_with_most_statements_are_taken_and_known_ones_only(run):
    folder = run("rare", "some", "many")
    data = DataSet.of("made", statements(rare=2, unknown=9, many=5, some=3))
    space = open_space(folder, data, relations=2, each=4)
    assert space.relations == ("many", "some")
    assert [len([one for one in space.statements if one.relation == name]) for name in space.relations] == [4, 3]
    assert [space.relations[place] for place in space.own] == [one.relation for one in space.statements]
    assert space.learned
    model = RelationModel.from_pretrained(folder)
    expected = model.prototypes.vectors[[model.relations.index(name) for name in space.relations]]
    torch.testing.assert_close(space.prototypes, expected)
    encoded = torch.nn.functional.normalize(model.encode(space.statements), dim=-1)
    torch.testing.assert_close(space.vectors, encoded)


def test_where_the_run_knows_none_the_means_stand_for_prototypes(run):
    space = open_space(run("other"), DataSet.of("made", statements(a=3, b=3)), each=0)
    assert not space.learned
    for place in range(2):
        mean = torch.nn.functional.normalize(space.vectors[space.own == place].mean(0), dim=-1)
        torch.testing.assert_close(space.prototypes[place], mean)


def test_names_come_from_descriptions_then_from_the_run_then_from_the_id(run):
    folder = run(Relation("a", "from the run"), Relation("b", "hidden"), Relation("c"))
    told = Descriptions.of({"b": Relation("b", "told"), "c": Relation("c", description="no name")})
    space = open_space(folder, DataSet.of("made", statements(a=4, b=3, c=2)), descriptions=told)
    assert space.names == ("from the run", "told", "c")


def test_run_and_data_are_named_by_fingerprint_and_not_by_path(run, tmp_path):
    space = open_space(run("a", "b"), DataSet.of("made", statements(a=2, b=2)))
    assert (space.run["name"], space.data["name"]) == ("run", "made")
    assert str(tmp_path) not in str(space.run) + str(space.data)
    assert space.data["statements"] == 4


def test_the_first_relations_alone_are_the_space_without_the_others(make_space):
    space = make_space(("a", "b", "c", "d"), each=3)
    first = space.first(2)
    assert first.names == ("a", "b")
    torch.testing.assert_close(first.vectors, space.vectors[:6])
    assert first.own.tolist() == [0, 0, 0, 1, 1, 1]
    assert space.first(9).names == space.names


def test_one_relation_is_no_figure(run):
    with pytest.raises(BadInput, match="made: expected statements of at least 2 relations, got 1"):
        open_space(run("a"), DataSet.of("made", statements(a=3)))


def test_every_statement_has_the_same_chance_to_be_drawn():
    given = statements(a=8)
    seen = Counter(one.text for seed in range(400) for one in sample(given, each=2, seed=seed)[0]["a"])
    assert len(seen) == 8
    assert all(60 < count < 140 for count in seen.values())


def test_a_draw_keeps_counts_leaves_unlabelled_out_and_is_the_same_by_seed():
    given = [*statements(a=7, b=2), Statement("Ada Kroll met nobody.", Span(0, 9), Span(14, 20))]
    drawn, counts = sample(given, each=3, seed=1)
    assert counts == {"a": 7, "b": 2}
    assert {name: len(held) for name, held in drawn.items()} == {"a": 3, "b": 2}
    assert sample(given, each=3, seed=1)[0] == drawn
    assert len(sample(given, each=0, seed=1)[0]["a"]) == 7
