"""Triples as flat rows, for CSV and Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from protorel.extraction.triples import Extraction, Triple

COLUMNS = (
    *("document", "head", "head_start", "head_stop", "head_type", "head_id", "relation"),
    *("tail", "tail_start", "tail_stop", "tail_type", "tail_id"),
    *("probability", "reverse_probability", "asserted", "calibrated", "evidence"),
)


def triple_rows(extractions: Iterable[Extraction]) -> Iterator[dict[str, Any]]:
    """Yield one row per triple, asserted or uncertain, with the columns of `COLUMNS`; evidence is JSON."""
    for extraction in extractions:
        for triples, asserted in ((extraction.triples, True), (extraction.uncertain, False)):
            yield from (_row(extraction, triple, asserted=asserted) for triple in triples)


def _row(extraction: Extraction, triple: Triple, *, asserted: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"document": extraction.document, "relation": triple.relation}
    for side, mention in (("head", triple.head), ("tail", triple.tail)):
        row[side] = mention.text
        row |= {f"{side}_{name}": getattr(mention, name) for name in ("start", "stop", "type", "id")}
    row["probability"], row["reverse_probability"] = round(triple.probability, 6), round(triple.reverse_probability, 6)
    row["asserted"], row["calibrated"] = asserted, extraction.calibrated
    row["evidence"] = json.dumps([one.as_json() for one in triple.evidence], ensure_ascii=False, allow_nan=False)
    return row
