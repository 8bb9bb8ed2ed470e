"""Relations in a spaCy pipeline: through `nlp`, through `nlp.pipe`, through `DocBin` and back from a folder."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from protorel.model import Prediction, RelationModel
from protorel.statements import BadInput, RelationVocabulary

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'protorel[extract]'")

from spacy.tokens import DocBin  # noqa: E402

from protorel.integrations import RelationComponent, make_component  # noqa: E402

ROOT = Path(__file__).parents[2]


class InOrder:
    """A model by a rule: what comes first met what comes next."""

    relations = RelationVocabulary(["met", "spouse"])

    def __init__(self):
        self.calls = 0

    def predict(self, statements, **_):
        self.calls += 1
        sure = [0.9 if one.head.start < one.tail.start else 0.1 for one in statements]
        return [Prediction("met", p, (), (("met", p),), 1 - p, 1 - p, calibrated=True) for p in sure]


@pytest.fixture
def model(monkeypatch):
    made = InOrder()
    monkeypatch.setattr(RelationModel, "from_pretrained", classmethod(lambda *_: made))
    return made


@pytest.fixture
def nlp(model):
    pipeline = spacy.blank("en")
    patterns = [{"label": "PERSON", "pattern": name} for name in ("Ada", "Bo")] + [
        {"label": "CARDINAL", "pattern": "two"}
    ]
    pipeline.add_pipe("entity_ruler").add_patterns(patterns)
    pipeline.add_pipe("protorel", config={"model": "stand-in"})
    return pipeline


def test_a_doc_has_its_relations_as_plain_values(nlp):
    doc = nlp("🙂 Ada met two of Bo.")
    [found] = doc._.relations
    assert found["relation"] == "met"
    assert doc.char_span(found["tail"]["start"], found["tail"]["stop"]).text == "Bo"
    assert found["head"] == {"start": 2, "stop": 5, "text": "Ada", "type": "PERSON", "id": None}
    assert doc._.relation_counts["entities"] == 2


def test_many_docs_come_in_order_and_are_asked_together(nlp, model):
    texts = ["Ada met Bo.", "Nobody.", "Bo saw Ada.", ""] * 5
    docs = list(nlp.pipe(texts))
    assert [doc.text for doc in docs] == texts
    assert [len(doc._.relations) for doc in docs] == [1, 0, 1, 0] * 5
    assert docs[2]._.relations[0]["head"]["text"] == "Bo"
    assert model.calls == 1
    assert [nlp(text)._.relations for text in texts[:4]] == [doc._.relations for doc in docs[:4]]


def test_a_doc_bin_keeps_the_relations(nlp):
    stored = DocBin(store_user_data=True, docs=nlp.pipe(["Ada met Bo."])).to_bytes()
    [doc] = DocBin().from_bytes(stored).get_docs(nlp.vocab)
    assert doc._.relations[0]["tail"]["text"] == "Bo"


def test_a_pipeline_is_saved_with_its_config_and_loads_again(nlp, tmp_path):
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert len(again("Ada met Bo.")._.relations) == 1
    assert again.get_pipe_config("protorel")["model"] == "stand-in"


def test_the_component_requires_entities(nlp):
    assert nlp.get_pipe_meta("protorel").requires == ["doc.ents"]
    assert isinstance(nlp.get_pipe("protorel"), RelationComponent)
    bare = spacy.blank("en")
    bare.add_pipe("protorel", config={"model": "stand-in"})
    assert "protorel" in bare.analyze_pipes()["problems"]
    assert bare.analyze_pipes()["problems"]["protorel"] == ["doc.ents"]


def test_a_schema_is_checked_when_the_component_is_made(model):
    pipeline = spacy.blank("en")
    with pytest.raises(BadInput, match="expected relations of the model, got 'mett'"):
        pipeline.add_pipe("protorel", config={"model": "stand-in", "schema": {"mett": {"symmetric": True}}})


def test_spacy_finds_the_component_by_an_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["spacy_factories"]["protorel"].partition(":")
    assert getattr(import_module(module), name) is make_component
