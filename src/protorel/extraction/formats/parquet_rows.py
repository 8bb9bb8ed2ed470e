"""Parquet: one row per triple, asserted or uncertain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from protorel.extraction.formats.rows import COLUMNS, triple_rows
from protorel.extraction.triples import Extraction

_ROWS_AT_A_TIME = 5_000
_KINDS = {"start": pa.int64(), "stop": pa.int64(), "probability": pa.float64()}
_KINDS |= {"asserted": pa.bool_(), "calibrated": pa.bool_()}
SCHEMA = pa.schema([(name, _KINDS.get(name.rpartition("_")[2], pa.string())) for name in COLUMNS])


def write(extractions: Iterable[Extraction], path: Path, _: Counter[str]) -> None:
    """Write the rows in groups, as they come."""
    rows = triple_rows(extractions)
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        while some := list(islice(rows, _ROWS_AT_A_TIME)):
            writer.write_table(pa.Table.from_pylist(some, schema=SCHEMA))
