"""Cells, tables and spaces of relations that are made by hand, in no time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from matplotlib.text import Text

from protorel.statements import Span, Statement
from protorel_paper.figures.relation_space import RelationSpace
from protorel_paper.tables.rows import Row, Table
from protorel_paper.tables.summary.paired import packed


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def table() -> Table:
    rows = (
        Row("first", "First", "somebody", (80.0, None)),
        Row("mtb", "MTB", "somebody", (81.0, 70.0), pretrain="mtb", tune="fewrel"),
        Row("col_final", "COL Final", "somebody", (90.0, 71.0), pretrain="col_final", tune="fewrel"),
    )
    return Table("tableX", "Table X: a test", ("5w1s", "10w1s"), rows, people={"5w1s": 92.22}, notes=("A note.",))


@pytest.fixture
def make_cell():
    """Make a finished cell: `right` holds episodes × ways, what was answered right; runs come with their seconds."""

    def make(row, right, *, column="5w1s", seed=0, per_relation=None, pretrained=(), tuned=(), seconds=6.0):
        pretrained, tuned = dict(pretrained), dict(tuned)
        begun = [{"encoder": "tiny"} for _ in pretrained] + [{"start": {"encoder": "tiny"}} for _ in tuned]
        right = np.asarray(right, dtype=bool)
        values = right.mean(axis=1)
        return {
            "task": "reproduction",
            "table": "tableX",
            "row": row,
            "setting": column,
            "seed": seed,
            "settings": {
                "budget": "smoke",
                "runs": begun,
                "judged": {"way": right.shape[1]},
                "judged_by": {"val": "f"},
            },
            "figures": {column: {"value": float(values.mean()), "margin": 0.01, "count": len(values)}},
            "per_relation": per_relation or {f"r{i}": float(one) for i, one in enumerate(right.mean(axis=0))},
            "right_of_each_episode": packed(right),
            "data": {"name": "val", "statements": 10, "relations": right.shape[1]},
            "runs": [{"name": name, "seconds": spent} for name, spent in (pretrained | tuned).items()],
            "seconds": seconds,
        }

    return make


@pytest.fixture(scope="session")
def make_space() -> Callable[..., RelationSpace]:
    """Gives the function that makes a space of named relations, each a cloud around a prototype of its own."""

    def make(names=("born in", "lives in", "founded", "leads"), *, each=15, width=16, seed=0, text=None, **more):
        generator = torch.Generator().manual_seed(seed)
        prototypes = F.normalize(torch.randn(len(names), width, generator=generator), dim=-1)
        own = torch.arange(len(names)).repeat_interleave(each)
        noise = 0.25 * torch.randn(len(own), width, generator=generator)
        told = text or "Ada Kroll, whom nobody asked, went to Lunsk."
        tail = told.index("Lunsk")
        statement = Statement(told, Span(0, 9), Span(tail, tail + 5))
        known = {"name": "made", "fingerprint": "f" * 64}
        space = RelationSpace(
            relations=tuple(names),
            names=tuple(names),
            statements=tuple(replace(statement, expresses=bool(i % 5)) for i in range(len(own))),
            own=own,
            vectors=F.normalize(prototypes[own] + noise, dim=-1),
            prototypes=prototypes,
            learned=True,
            no_relation=None,
            run=known,
            data=known,
        )
        return replace(space, **more)

    return make


@pytest.fixture(scope="session")
def overlapping() -> Callable[..., list[tuple[str, str]]]:
    """Gives the function that finds texts of a drawn figure that lie on each other or leave it."""

    def find(figure, texts, *, air=1.0):
        renderer = figure.canvas.get_renderer()
        figure.draw_without_rendering()
        boxes = [(one.get_text(), Text.get_window_extent(one, renderer)) for one in texts if one.get_text().strip()]
        wide, high = figure.canvas.get_width_height()
        outside = [
            (name, "outside")
            for name, box in boxes
            if not (-1 <= box.x0 < box.x1 <= wide + 1 and -1 <= box.y0 < box.y1 <= high + 1)
        ]
        # A pixel or so is not a collision: letters are measured off the raster and drawn on it.
        pairs = combinations([(name, box.padded(-air, -1)) for name, box in boxes if box.width > 2 * air], 2)
        return outside + [(one, other) for (one, box), (other, its) in pairs if box.overlaps(its)]

    return find
