"""Evidence of the training: a table written by hand, and runs that have nothing to say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from protorel.audit.training_evidence import training_evidence
from protorel.io import BadInput


@pytest.fixture
def run(tmp_path):
    rows = [  # out of order, as batches come
        ("b", 30, 0.2), ("a", 10, -0.5), ("b", 10, 0.4), ("a", 30, 0.5), ("a", 20, 0.3),
        ("c", 10, 0.6), ("c", 20, -0.2), ("other", 10, 0.9),
    ]  # fmt: skip
    table = {
        "id": [row[0] for row in rows],
        "step": pa.array([row[1] for row in rows], pa.int32()),
        "margin": pa.array([row[2] for row in rows], pa.float32()),
    }
    pq.write_table(pa.table(table), tmp_path / "training_dynamics.parquet")
    return tmp_path


@pytest.fixture
def statements(about):
    one = about("Ada met Bo.", "Ada", "Bo", "met")
    return [replace(one, id=id) for id in "abcd"]


def test_each_statement_gets_the_figures_of_its_own_margins(run, statements):
    found = training_evidence(run, statements)
    assert found is not None
    assert found.learned_step.tolist()[:3] == [20, 10, np.inf]  # stayed positive from there; was not at the last step
    assert found.mean_margin.tolist()[:3] == pytest.approx([0.1, 0.3, 0.2])
    assert found.variability.tolist()[:3] == pytest.approx([np.std([-0.5, 0.3, 0.5]), 0.1, 0.4])
    for column in (found.learned_step, found.mean_margin, found.variability):
        assert np.isnan(column[3])  # the training did not see it
        assert column.dtype == np.float32


def test_the_order_of_the_data_does_not_matter(run, statements):
    forwards, backwards = training_evidence(run, statements), training_evidence(run, statements[::-1])
    assert forwards is not None
    assert backwards is not None
    np.testing.assert_array_equal(forwards.mean_margin, backwards.mean_margin[::-1])


def test_ids_that_repeat_or_are_missing_and_other_data_say_nothing(run, statements, tmp_path):
    assert training_evidence(run, [*statements, statements[0]]) is None
    assert training_evidence(run, [*statements, replace(statements[0], id=None)]) is None
    assert training_evidence(run, [replace(one, id=f"new {one.id}") for one in statements]) is None
    assert training_evidence(tmp_path / "no_run", statements) is None


def test_a_damaged_file_is_one_line(run, statements):
    path = run / "training_dynamics.parquet"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(BadInput, match=r"training_dynamics.parquet: expected a Parquet file, got damaged") as caught:
        training_evidence(run, statements)
    assert "\n" not in str(caught.value)


def test_a_file_without_margins_is_one_line(run, statements):
    pq.write_table(pa.table({"id": ["a"]}), run / "training_dynamics.parquet")
    with pytest.raises(BadInput, match=r"expected the columns id, step and margin, got no step"):
        training_evidence(run, statements)
