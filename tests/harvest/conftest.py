"""What tests of the harvest share."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from protorel.harvest.gazetteer.build import build_gazetteer
from protorel.harvest.gazetteer.gazetteer import Gazetteer

GazetteerOf = Callable[[Iterable[tuple[str, str, str]]], Gazetteer]


@pytest.fixture
def gazetteer_of(tmp_path: Path) -> GazetteerOf:
    """Build a gazetteer of (name, entity, kind); entities whose id ends in `person` have a type."""

    def build(rows: Iterable[tuple[str, str, str]]) -> Gazetteer:
        listed = list(rows)
        names = {column: [row[at] for row in listed] for at, column in enumerate(("name", "entity", "kind"))}
        pq.write_table(pa.table(names), tmp_path / "names.parquet")
        persons = sorted({entity for _, entity, _ in listed if entity.endswith("person")})
        kinds = pa.table({"entity": pa.array(persons, pa.string()), "kind": ["person"] * len(persons)})
        pq.write_table(kinds, tmp_path / "kinds.parquet")
        return build_gazetteer(tmp_path / "names.parquet", tmp_path / "gazetteer", entities=tmp_path / "kinds.parquet")

    return build


@pytest.fixture
def spark_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip, with the reason, where Spark cannot run."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'protorel[spark]'")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java 17 or newer, and there is no java on the path")
    # A few rows are not worth a compiler that optimises.
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
