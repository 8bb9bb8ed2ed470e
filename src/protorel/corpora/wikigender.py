"""WikiGenderBias: one JSON object, with the people and their relations for each split (Gaut et al., 2020).

    {"train": [{"entity1": "Ada Kroll", "gender_of_entity1": "Female",
                "relations": [{"relation_name": "spouse", "entity2": "Bela Tarn", "sentences": ["Ada Kroll met Tarn ."],
                               "positions": [{"entity1": [0, 10], "entity2": [14, 18]}]}]}],
     "dev": [...], "male_test": [...], "female_test": [...]}

A row is a sentence. Positions are [start, stop) in characters, but one that starts at 0 stops one character too late
(after the space, or inside the next word), so its last character is left out. An entity that was not found has
[-1, -1] or [0, 0], and some pairs share one position: these rows are rejected. `NA` is kept as a label, because it was
annotated. The document is the person's article, the source is `wikigender/PART`; ids are
`FILE:PART-PERSON-RELATION-SENTENCE`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from protorel.corpora.json_input import a_list, a_range, a_text, an_object, field_in, shown, whole_object
from protorel.corpora.rows import Reject, Row
from protorel.statements import Span, Statement, StatementError


class _Common(NamedTuple):
    """The fields that the sentences about one person and one relation share."""

    id: str
    document: str
    source: str


def read_wikigender(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each sentence, and a reject for each malformed part, person or relation."""
    for part, people in whole_object(path, "WikiGenderBias' object of parts, each with its people").items():
        try:
            found = a_list(people, "", f"a list of people in part {a_text(part, '')!r}")
        except StatementError as problem:
            yield Reject(path.name, None, part, problem.reason, shown(people))
            continue
        for index, person in enumerate(found):
            yield from _rows_of_person(path, person, part, index)


def _rows_of_person(path: Path, value: object, part: str, number: int) -> Iterator[Row]:
    place = f"{part}[{number}]"
    try:
        person = an_object(value, "", ("entity1", "relations"))
        name = a_text(person["entity1"], "entity1")
        relations = a_list(person["relations"], "relations", "a list of relations")
    except StatementError as problem:
        yield Reject(path.name, None, field_in(place, problem, {}), problem.reason, shown(value))
        return
    for index, relation in enumerate(relations):
        common = _Common(f"{path.stem}:{part}-{number}-{index}", name, f"wikigender/{part}")
        yield from _rows_of_relation(path, relation, f"{place}.relations[{index}]", common)


def _rows_of_relation(path: Path, value: object, place: str, common: _Common) -> Iterator[Row]:
    try:
        given = an_object(value, "", ("relation_name", "sentences", "positions"))
        relation = a_text(given["relation_name"], "relation_name")
        sentences = a_list(given["sentences"], "sentences", "a list of sentences")
        positions = a_list(given["positions"], "positions", "a list of positions")
        if len(sentences) != len(positions):
            raise StatementError("positions", f"expected one per sentence, {len(sentences)}, got {len(positions)}")
    except StatementError as problem:
        yield Reject(path.name, None, field_in(place, problem, {}), problem.reason, shown(value))
        return
    for index, (sentence, position) in enumerate(zip(sentences, positions, strict=True)):
        try:
            yield _statement(sentence, position, relation, index, common)
        except StatementError as problem:
            names = {"text": f"sentences[{index}]", "relation": "relation_name"}
            names |= {"head": f"positions[{index}].entity1", "tail": f"positions[{index}].entity2"}
            content = f"{shown(position)} {shown(sentence)}"
            yield Reject(path.name, None, field_in(place, problem, names), problem.reason, content)


def _statement(sentence: object, position: object, relation: str, index: int, common: _Common) -> Statement:
    text = a_text(sentence, f"sentences[{index}]")
    places = an_object(position, f"positions[{index}]", ("entity1", "entity2"))
    head, tail = (_span(places[entity], f"positions[{index}].{entity}") for entity in ("entity1", "entity2"))
    id = f"{common.id}-{index}"
    return Statement(text, head, tail, relation, id, document=common.document, source=common.source)


def _span(value: object, field: str) -> Span:
    start, stop = a_range(value, field)
    if start < 0 or start >= stop:
        raise StatementError(field, f"[{start}, {stop}] is empty: the entity was not found in the sentence")
    return Span(start, stop - 1) if start == 0 else Span(start, stop)
