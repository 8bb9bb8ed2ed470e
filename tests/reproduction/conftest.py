"""Cells and tables that are made by hand, in no time."""

from __future__ import annotations

import numpy as np
import pytest

from protorel.reproduction.packed import packed
from protorel.reproduction.rows import Row, Table


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
