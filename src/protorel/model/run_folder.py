"""A run folder on disk: a model that Hugging Face tools can open, and what protorel adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from safetensors import SafetensorError

from protorel.batches import StatementTokenizer
from protorel.encoders import WORD_KINDS, RelationEncoder, Source, TransformerEncoder, load_word_encoder
from protorel.fewshot import EpisodeMethod, load_method, save_method
from protorel.fewshot.learned import WEIGHTS as METHOD
from protorel.fewshot.learned import method_record
from protorel.geometry import Prototypes
from protorel.io.disk_errors import disk_errors
from protorel.io.files import in_the_making, made_folder, sha256, write_json
from protorel.model.classifier import Classifier
from protorel.model.run_record import CLASSIFIER, RECORD, RUN_VERSION, read_record, versions
from protorel.statements import BadInput, Phrase


class RunParts(NamedTuple):
    """What a run folder holds of a model."""

    encoder: RelationEncoder
    tokenizer: StatementTokenizer
    prototypes: Prototypes
    max_length: int
    classifier: Classifier | None
    method: EpisodeMethod | None
    phrase: str | None


def save_run(parts: RunParts, folder: Path, *, record: Mapping[str, Any]) -> None:
    """Write a model into a folder, its record last: a folder whose record names the files' hashes is whole."""
    with made_folder(folder), disk_errors(folder), in_the_making(folder / "model") as beside:
        beside.mkdir()
        parts.encoder.save_weights(beside)
        parts.tokenizer.save(beside)
        parts.prototypes.save(beside)
        if parts.classifier is not None:
            parts.classifier.save(beside)
        if parts.method is not None:
            save_method(parts.method, beside)
        files = {path.name: sha256(path) for path in sorted(beside.iterdir())}
        for name in files:
            (beside / name).replace(folder / name)
    write_json(
        folder / RECORD,
        {
            **record,
            "format": RUN_VERSION,
            "encoder": dict(parts.encoder.settings),
            "max_length": parts.max_length,
            "method": method_record(parts.method) if parts.method is not None else None,
            "phrase": parts.phrase,
            "versions": versions(),
            "files": files,
        },
    )


def load_run(folder: Path, *, readout: str | None = None) -> RunParts:
    """Read a finished run; a missing or changed file is named."""
    record = read_record(folder)
    for name, wanted in record["files"].items():
        path = folder / name
        if not path.is_file():
            raise BadInput(f"{path}: this file of the run is missing")
        if (found := sha256(path)) != wanted:
            raise BadInput(f"{path}: has sha256 {found[:16]}…, the run's record wants {wanted[:16]}…; it was changed")
    settings = record["encoder"]
    encoder: RelationEncoder
    try:
        if word_kind := WORD_KINDS.get(settings["kind"]):
            tokenizer = StatementTokenizer.load(folder, markers=word_kind.markers)
            encoder = load_word_encoder(folder, settings)
        else:
            tokenizer = StatementTokenizer.load(folder, markers=True)
            source = Source(str(folder), local=True)
            encoder = TransformerEncoder.load(source, readout=readout or settings["readout"], tokenizer=tokenizer)
    except (SafetensorError, KeyError, TypeError) as problem:
        raise BadInput(f"{folder}: the encoder cannot be read back ({problem})") from problem
    classifier = Classifier.load(folder) if CLASSIFIER in record["files"] else None
    method = load_method(folder, record.get("method") or {}) if METHOD in record["files"] else None
    learned = (classifier, method, _phrase(record.get("phrase"), folder))
    return RunParts(encoder, tokenizer, Prototypes.load(folder), record["max_length"], *learned)


def _phrase(told: Any, folder: Path) -> str | None:
    """Return what a record says of a phrase, after a look at it: somebody may have changed it by hand."""
    if told is not None and not isinstance(told, str):
        raise BadInput(f"{folder / RECORD}: phrase is of type {type(told).__name__}, text or nothing is wanted")
    try:
        return None if told is None else Phrase(told).template
    except BadInput as problem:
        raise BadInput(f"{folder / RECORD}: {problem}") from problem
