"""The record of a run, `protorel.json`: how it was made. Reading it does not need torch."""

from __future__ import annotations

import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from protorel.io import READ_BACK, Sha256, checked, is_there, printable, read_json, sha256, shown
from protorel.recipes import ReadoutName, SimilarityName
from protorel.statements import BadInput

RUN_VERSION = 1
RECORD = "protorel.json"
CLASSIFIER = "classifier.safetensors"
"""The file of a run that was tuned on labels."""
Count = Annotated[int, Field(ge=0, lt=2**53)]
Size = Annotated[int, Field(ge=1, lt=2**31)]
Seconds = Annotated[float, Field(ge=0)]
FileName = Annotated[str, Field(pattern=r"^\w[\w.-]{0,200}$")]
"""The name of a file in the folder itself, never a path."""


class _Part(BaseModel):
    """A part of the record; only the fields that are read back are typed. Other versions may have fewer or more."""

    model_config = READ_BACK


class EncoderPart(_Part):
    """The kind of encoder, and the sizes that its weights do not show."""

    kind: str
    readout: ReadoutName | None = None
    words: Size | None = None
    word_width: Size | None = None
    position_width: Count | None = None
    channels: Size | None = None
    window: Size | None = None
    hidden: Size | None = None
    heads: Size | None = None
    cell: str | None = None
    farthest: Count | None = None
    padding_id: Count | None = None
    dropout: float | None = Field(default=None, ge=0, lt=1)


class MethodPart(_Part):
    """The few-shot method that a run was tuned with; `protorel.fewshot` checks its settings."""

    width: Size
    settings: dict[str, Any]


class RecipePart(_Part):
    """The recipe, as far as it is read back; its other fields differ between versions."""

    name: str | None = None
    kind: str | None = None
    encoder: str | None = None
    precision: str | None = None
    judged_by: str | None = None
    similarity: SimilarityName | None = None
    metric: str | None = None


class SharedPart(_Part):
    """The number of training statements with one kind of overlap with a test set."""

    train_statements: Count


class TestSetPart(_Part):
    """A test set that the training data were decontaminated of."""

    name: str
    fingerprint: str
    may_share: list[str] = []
    shared: dict[str, SharedPart] | None = None


class EarlierPart(_Part):
    """What the model that a training started from was trained on."""

    name: str
    apart_from: list[str]
    relations: list[str]


class LeakagePart(_Part):
    """Known overlap with test sets."""

    apart_from: list[TestSetPart] = []
    removed: Count | None = None
    started_from: EarlierPart | None = None


class DataPart(_Part):
    """The data of a training."""

    fingerprint: str | None = None
    statements: Count
    relations: Count
    unlabelled: Count
    rejected: list[Any]


class DevPart(_Part):
    """The statements that chose the best epoch."""

    statements: Count


class ResultsPart(_Part):
    """The results of a training."""

    steps: Count | None = None
    epochs: Count | None = None
    best_epoch: Count | None = None
    dev_scores: list[float] | None = None


class StatementsPart(_Part):
    """The training statements that a run keeps as evidence."""

    kept: Count
    of: Count
    """How many distinct ones the training had."""


class BlendedPart(_Part):
    """A run whose weights were averaged with others."""

    run: str
    fingerprint: str


class LowRankPart(_Part):
    """The encoder that a run is kept as a difference to, how far that was cut down, and the run that it came from."""

    base: str
    base_sha256: Sha256
    rank: Size
    bits: Size
    run: str
    fingerprint: str


class RunRecord(_Part):
    """The record of a run, `protorel.json`: recipe, data, leakage, results, versions, and the hash of every file.

    A model that was loaded from a run has it as `model.record`. A part that the run does not have is None.

    Raises:
        pydantic.ValidationError: A part is not what its field says.

    >>> from protorel import RunRecord
    >>> record = RunRecord.model_validate(
    ...     {"files": {}, "encoder": {"kind": "cnn"}, "max_length": 64, "recipe": {"name": "smoke"}}
    ... )
    >>> record.encoder.kind, record.recipe.name, record.data
    ('cnn', 'smoke', None)
    """

    files: dict[FileName, Sha256]
    """The SHA-256 of every file of the model."""
    encoder: EncoderPart
    max_length: Annotated[int, Field(ge=1, le=2**20)]
    method: MethodPart | None = None
    phrase: str | None = None
    recipe: RecipePart | None = None
    precision: dict[str, Any] | None = None
    data: DataPart | None = None
    dev: DevPart | None = None
    leakage: LeakagePart | None = None
    results: ResultsPart | None = None
    seconds: Seconds | None = None
    blend: list[BlendedPart] | None = None
    started_from: dict[str, Any] | None = None
    low_rank: LowRankPart | None = None
    """Set for a run that `compress_run` made, and for a full run that was written from one."""
    versions: dict[str, str] | None = None
    training_statements: StatementsPart | None = None
    """Set for a run that keeps training statements as evidence."""
    added: dict[str, str] = {}
    """Relations that were added without training, and what their prototypes were made from."""

    def as_written(self) -> dict[str, Any]:
        """Return the record as it is on disk, fields of other versions included."""
        return self.model_dump(mode="json", exclude_unset=True)


class TrainedRecord(RunRecord):
    """The record of a run that our training made and that a later command can continue."""

    recipe: RecipePart
    data: DataPart
    leakage: LeakagePart
    results: ResultsPart


def is_run(folder: Path) -> bool:
    """Tell whether a folder is a run, finished or not."""
    try:
        return (folder / RECORD).is_file() or (folder / "state").is_dir()
    except OSError as problem:  # no permission to look into it, or a name that no file can have
        raise BadInput(f"{printable(str(folder))}: cannot be read ({problem.strerror or problem})") from problem


def read_record(folder: Path) -> dict[str, Any]:
    """Read a run's record as a dictionary, see `load_record`."""
    return load_record(folder).as_written()


def load_record(folder: Path) -> RunRecord:
    """Read a run's record. Nothing else opens the file.

    Raises:
        BadInput: The run has not finished, or a field of the record is not what `RunRecord` says.
    """
    place = folder / RECORD
    if not place.is_file():
        raise BadInput(f"{folder}: this run has not finished; repeat the command that started it with --resume")
    record = read_json(place)
    found = record.get("format") if isinstance(record, dict) else None
    if not isinstance(record, dict) or found != RUN_VERSION:
        kind = shown(found) if isinstance(record, dict) else type(record).__name__
        raise BadInput(f"{place}: expected run format {RUN_VERSION}, got {kind}")
    return checked(record, RunRecord, where=str(place))


def check_hash(path: Path, expected: str, *, of: str) -> None:
    """Refuse a file of a run or a checkpoint that is missing, cannot be read, or was changed."""
    if not is_there(path):
        raise BadInput(f"{path}: this file of the {of} is missing")
    found = sha256(path)
    if found != expected:
        raise BadInput(
            f"{path}: this file of the {of} is damaged or was changed: "
            f"expected sha256 {expected[:16]}…, got {found[:16]}…"
        )


def versions() -> dict[str, str]:
    """Return the versions of the libraries that a result depends on, and the git revision of protorel in a checkout."""
    found = {name: version(name) for name in ("protorel", "torch", "transformers", "tokenizers", "numpy")}
    return {**found, "revision": _revision()}


@cache
def _revision() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
