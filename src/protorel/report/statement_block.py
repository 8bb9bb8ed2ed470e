"""The statements of a map as a block of text for the page: JSON, compressed, in base64, so that nothing acts in it."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protorel.report.content import AuditedLabels, Layout, StatementMap
from protorel.report.painted import pieces
from protorel.report.palette import hues, outlines
from protorel.report.projection import sampled
from protorel.report.safe_text import short
from protorel.statements import Statement

MOST_STATEMENTS = 50_000
MOST_BYTES = 18_000_000
"""The largest block before base64, which makes it a third larger."""
_SIDE = 65_535
"""Places are whole numbers from 0 to this on the longer side."""
_LONGEST, _AROUND = 360, 80
_NAME, _ID, _REASON = 80, 80, 300
_TRUTH = {None: "-", True: "t", False: "f"}


def statement_block(found: StatementMap, names: Mapping[str, str]) -> tuple[str, int]:
    """Return the block, and how many statements it holds: all, or sampled ones if they are too many or too long.

    Args:
        found: The statements and their places.
        names: Readable name of each relation.
    """
    count = min(len(found.statements), MOST_STATEMENTS)
    while True:
        rows = sampled(len(found.statements), count, seed=0)
        rows = rows[_placed(found, rows)] if len(found.statements) else rows[:0]
        text = json.dumps(_columns(found, rows, names), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        # The time stamp of gzip would make equal content give different pages.
        packed = gzip.compress(text.encode("utf-8"), compresslevel=6, mtime=0)
        if len(packed) <= MOST_BYTES or count <= 1:
            return base64.b64encode(packed).decode("ascii"), len(rows)
        count = int(count * min(0.95 * MOST_BYTES / len(packed), 0.9))


def _placed(found: StatementMap, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which statements have a finite place in every layout."""
    finite = np.ones(len(rows), dtype=bool)
    for layout in found.layouts:
        finite &= np.isfinite(layout.places[rows]).all(axis=1)
    return finite


def _columns(found: StatementMap, rows: NDArray[np.int64], names: Mapping[str, str]) -> dict[str, Any]:
    statements = [found.statements[row] for row in rows.tolist()]
    relations = _relations(found, statements)
    cropped = [_cropped(statement) for statement in statements]
    return {
        "relations": [[short(one, _NAME), short(names.get(one) or one, _NAME)] for one in relations],
        "palette": hues(),
        "shapes": outlines(),
        "texts": [text for text, _ in cropped],
        "spans": [end for _, ends in cropped for end in ends],
        "ids": [short(statement.id, _ID) for statement in statements],
        "relation": [relations.get(statement.relation or "", -1) for statement in statements],
        "truth": "".join(_TRUTH[statement.expresses] for statement in statements),
        "audit": None if found.audited is None else _audit(found.audited, rows, relations),
        "layouts": [_layout(layout, rows, relations) for layout in found.layouts],
    }


def _relations(found: StatementMap, statements: Sequence[Statement]) -> dict[str, int]:
    """Number the relations: those with a prototype first, then those of labels and of predictions."""
    starred = (relation for layout in found.layouts for relation in layout.stars)
    labels = (statement.relation for statement in statements if statement.relation)
    predicted = () if found.audited is None else (relation for relation in found.audited.predicted if relation)
    return {one: number for number, one in enumerate(dict.fromkeys((*starred, *labels, *predicted)))}


def _cropped(statement: Statement) -> tuple[str, list[int]]:
    """Return the text to show, and where head and tail start and stop in it, in UTF-16 units as in JavaScript."""
    parts: list[str] = []
    ends = {"head": [0, 0], "tail": [0, 0]}
    at = 0
    for piece in pieces(statement, whole=_LONGEST, around=_AROUND):
        parts.append(piece.text)
        stop = at + len(piece.text.encode("utf-16-le")) // 2
        for role, inside in (("head", piece.in_head), ("tail", piece.in_tail)):
            if inside:
                ends[role] = [ends[role][0] if ends[role][1] else at, stop]
        at = stop
    return "".join(parts), [*ends["head"], *ends["tail"]]


def _audit(audited: AuditedLabels, rows: NDArray[np.int64], relations: Mapping[str, int]) -> dict[str, Any]:
    scores = audited.scores[rows]
    known = np.isfinite(scores)
    thousandths = np.where(known, np.clip(np.nan_to_num(scores), 0, 1) * 1000, -1).round().astype(int)
    return {
        "scores": thousandths.tolist(),
        "issues": "".join("1" if issue else "0" for issue in audited.issues[rows].tolist()),
        "predicted": [relations.get(audited.predicted[row], -1) for row in rows.tolist()],
        "reasons": [short(audited.reasons[row], _REASON) for row in rows.tolist()],
    }


def _layout(layout: Layout, rows: NDArray[np.int64], relations: Mapping[str, int]) -> dict[str, Any]:
    """Return places as whole numbers, with one scale for both axes, so that distances can be compared."""
    stars = {one: at for one, at in layout.stars.items() if np.isfinite(at).all()}
    both = np.concatenate([layout.places[rows].reshape(-1, 2), np.asarray([*stars.values()]).reshape(-1, 2)])
    if not len(both):
        both = np.zeros((1, 2))
    # In halves: the difference of two finite numbers may overflow.
    halves = both / 2
    lows, highs = halves.min(axis=0), halves.max(axis=0)
    longest = max(float((highs - lows).max()), 1e-300)
    whole = np.rint((halves - lows) / longest * _SIDE).astype(np.int64)
    whole[:, 1] = whole[:, 1].max() - whole[:, 1]  # upwards on paper is downwards on a screen
    size = np.maximum(np.rint((highs - lows) / longest * _SIDE), 1).astype(int)
    places = whole[: len(rows)].reshape(-1)
    return {
        "run": short(layout.run, _NAME),
        "projection": short(layout.projection, _NAME),
        "size": size.tolist(),
        "places": places.tolist(),
        "stars": [[relations[one], *at] for one, at in zip(stars, whole[len(rows) :].tolist(), strict=False)],
    }
