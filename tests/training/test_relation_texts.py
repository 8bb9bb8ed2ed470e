"""Pretraining with the texts of relations beside their statements."""

from __future__ import annotations

import pytest
import torch

from protorel.batches import text_rows
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.geometry import Prototypes
from protorel.model import RelationModel, read_record
from protorel.statements import ENGLISH, BadInput, Descriptions, Interrupted, Phrase, Relation
from protorel.training import load_recipe, pretrain, read_journal
from protorel.training.steps.relation_texts import TextsOfRelations


def described(names) -> Descriptions:
    return Descriptions.of({name: Relation(name, name.replace("_", " ")) for name in names}, name="words.yaml")


@pytest.fixture(scope="module")
def names(statements) -> list[str]:
    return sorted({statement.relation for statement in statements})


def zero_shot(model, statements, names) -> float:
    """Return the share of statements that lie nearest to their own relation's text."""
    texts = model.encode_wordings(described(names).wordings(names))
    vectors = torch.nn.functional.normalize(model.encode(statements), dim=-1)
    nearest = (vectors @ texts.T).argmax(1).tolist()
    return sum(names[i] == s.relation for i, s in zip(nearest, statements, strict=True)) / len(statements)


def test_statements_learn_to_lie_near_their_relations_text(tmp_path):
    world = build_small_world(SmallWorldSettings(noise=0, statements_per_relation=12, held_out_per_relation=1))
    names = sorted({statement.relation for statement in world.train})
    wanted = [
        "encoder=cnn", "cnn.channels=32", "cnn.most_frequent_words=200", "steps=60", "learning_rate=0.005",
        "relations_per_batch=11", "head_factor=3", "max_length=48", "chunks=2", "objective.text.weight=1",
    ]  # fmt: skip
    recipe = load_recipe("col_final", wanted)
    model = pretrain(world.train, tmp_path / "run", recipe, descriptions=described(names))
    assert zero_shot(model, world.train, names) > 5 / len(names)
    lines = list(read_journal(tmp_path / "run"))
    assert lines[-1]["terms"]["text"] < 0.8 * lines[0]["terms"]["text"]
    told = read_record(tmp_path / "run")["descriptions"]
    assert told == {
        "name": "words.yaml", "fingerprint": described(names).fingerprint, "phrase": None,
        "relations_described": len(names),
    }  # fmt: skip


def test_stopping_and_resuming_gives_the_same_weights_and_other_texts_are_refused(data, names, recipe, tmp_path):
    settings = recipe("steps=4", "checkpoint_every=2", "objective.text.weight=1")
    texts = described(names[:10])

    def stop(step, steps, **_):
        if step == 2:
            raise Interrupted("enough")

    whole = pretrain(data, tmp_path / "whole", settings, descriptions=texts)
    with pytest.raises(Interrupted):
        pretrain(data, tmp_path / "cut", settings, descriptions=texts, watch=stop)
    with pytest.raises(BadInput, match=r"started with other --descriptions\. Resume it with the same"):
        pretrain(data, tmp_path / "cut", settings, descriptions=described(names), resume=True)
    again = pretrain(data, tmp_path / "cut", settings, descriptions=texts, resume=True)
    assert again.fingerprint == whole.fingerprint


def test_only_the_texts_of_a_batchs_described_relations_are_encoded(tiny_encoder, tiny_tokenizer):
    texts = TextsOfRelations(described(["born", "died"]), ["born", "lives", "died"], tiny_tokenizer, max_length=16)
    asked = torch.tensor([2, 1, 2, 0])
    found = texts.encode(tiny_encoder, asked, chunks=2, device=torch.device("cpu"))
    assert found.relations.tolist() == [0, 2]
    assert found.vectors.shape == (2, tiny_encoder.width)
    assert texts.encode(tiny_encoder, torch.tensor([1, 1]), chunks=2, device=torch.device("cpu")) is None
    with pytest.raises(
        BadInput, match=r"words\.yaml: expected at least one of the 1 relations of the data, such as 'x', got none"
    ):
        TextsOfRelations(described(["born"]), ["x"], tiny_tokenizer, max_length=16)


def test_texts_without_their_term_and_the_term_without_texts_are_refused(data, names, recipe, tmp_path):
    with pytest.raises(BadInput, match="Give their names and descriptions with --descriptions"):
        pretrain(data, tmp_path / "a", recipe("objective.text.weight=1"))
    with pytest.raises(BadInput, match=r"words\.yaml: no term of the objective reads descriptions"):
        pretrain(data, tmp_path / "b", recipe(), descriptions=described(names))
    assert not (tmp_path / "a").exists()


def test_texts_are_given_in_the_order_asked_for_and_again_where_asked_again(tiny_encoder, tiny_tokenizer):
    names = ["born", "died", "lives"]
    texts = TextsOfRelations(described(names), names, tiny_tokenizer, max_length=16)
    cpu = torch.device("cpu")
    alone = [texts.encode(tiny_encoder, torch.tensor([i]), chunks=1, device=cpu).vectors[0] for i in range(3)]
    together = texts.encode_all(tiny_encoder, torch.tensor([2, 0, 2, 1]), chunks=2, device=cpu)
    torch.testing.assert_close(together, torch.stack([alone[i] for i in (2, 0, 2, 1)]), atol=1e-5, rtol=1e-5)
    with pytest.raises(BadInput, match="some relations of an episode have no text"):
        TextsOfRelations(described(["born"]), names, tiny_tokenizer, max_length=16).encode_all(
            tiny_encoder, torch.tensor([0, 1]), chunks=1, device=cpu
        )


def test_training_reads_a_relation_by_the_same_wordings_as_the_model_does(tiny_encoder, tiny_tokenizer):
    words = {"born": Relation("born", "born", "born in lunsk"), "died": Relation("died", "died")}
    words["lives"] = Relation("lives", "lives", "where ada lives")
    known = Descriptions.of(words)
    names = ["born", "x", "died", "lives"]
    texts = TextsOfRelations(known, names, tiny_tokenizer, max_length=16)
    tiny_encoder.eval()
    found = texts.encode(tiny_encoder, torch.tensor([3, 0, 2, 1]), chunks=2, device=torch.device("cpu"))
    model = RelationModel(tiny_encoder, tiny_tokenizer, Prototypes.none(tiny_encoder.width), 16)
    assert found.relations.tolist() == [0, 2, 3]
    expected = model.encode_wordings(known.wordings(["born", "died", "lives"]))
    torch.testing.assert_close(found.vectors, expected, atol=1e-5, rtol=1e-5)


def test_a_made_up_statement_is_read_as_statements_are_and_counts_as_much_as_a_text(tiny_encoder, tiny_tokenizer):
    known = Descriptions.of({"born": Relation("born", "born", "in lunsk"), "died": Relation("died", "", "in oster")})
    known = known.phrased(ENGLISH)
    model = RelationModel(tiny_encoder.eval(), tiny_tokenizer, Prototypes.none(tiny_encoder.width), 32)
    rows = text_rows(["born", "born: in lunsk", "in oster"], tiny_tokenizer, max_length=32)
    texts = model.encode_rows(rows, texts=True)
    statement = model.encode([Phrase(ENGLISH).of(known.relations["born"])])
    parts = torch.nn.functional.normalize(torch.cat([texts[:2], statement]), dim=-1)
    expected = torch.nn.functional.normalize(torch.stack([parts.sum(0), texts[2]]), dim=-1)
    torch.testing.assert_close(model.encode_wordings(known.wordings(["born", "died"])), expected)
    read = TextsOfRelations(known, ["x", "born", "died"], tiny_tokenizer, max_length=32)
    found = read.encode(tiny_encoder, torch.tensor([2, 0, 1]), chunks=1, device=torch.device("cpu"))
    assert found.relations.tolist() == [1, 2]
    torch.testing.assert_close(found.vectors, expected)


def test_a_run_remembers_the_phrase_that_it_learned_with(data, names, recipe, tmp_path):
    settings = recipe("steps=2", "objective.text.weight=1", f"phrase='{ENGLISH}'")
    model = pretrain(data, tmp_path / "run", settings, descriptions=described(names))
    assert model.phrase == RelationModel.from_pretrained(tmp_path / "run").phrase == ENGLISH
    assert read_record(tmp_path / "run")["descriptions"]["phrase"] == ENGLISH
    plain = pretrain(
        data, tmp_path / "plain", recipe("steps=2", "objective.text.weight=1"), descriptions=described(names)
    )
    assert plain.phrase is None
    assert plain.fingerprint != model.fingerprint


def test_a_phrase_that_nothing_reads_or_that_lacks_a_place_is_refused(data, recipe, tmp_path):
    with pytest.raises(BadInput, match="no term of the objective reads the names of relations"):
        pretrain(data, tmp_path / "run", recipe(f"phrase='{ENGLISH}'"))
    with pytest.raises(BadInput, match=r"phrase: expected \{head\}, \{name\} and \{tail\}"):
        recipe("phrase='{head} and {tail}'")
