"""A run folder on disk: a model that Hugging Face tools can open, and what protorel adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from protorel.batches import StatementTokenizer
from protorel.encoders import WORD_KINDS, RelationEncoder, Source, TransformerEncoder, load_word_encoder
from protorel.fewshot import WEIGHTS as METHOD
from protorel.fewshot import EpisodeMethod, load_method, method_record, save_method
from protorel.geometry import Prototypes
from protorel.io import disk_errors, in_the_making, made_folder, sha256, write_json
from protorel.model.classifier import Classifier
from protorel.model.run_record import CLASSIFIER, RECORD, RUN_VERSION, RunRecord, check_hash, versions
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


def load_run(folder: Path, parsed: RunRecord, *, readout: str | None = None) -> RunParts:
    """Read a finished run; a missing or changed file is named, and so is one that does not fit the others."""
    record = parsed.as_written()
    for name, wanted in record["files"].items():
        check_hash(folder / name, wanted, of="run")
    tokenizer, encoder = _load_encoder(folder, record["encoder"], readout)
    parts = RunParts(
        encoder,
        tokenizer,
        Prototypes.load(folder),
        record["max_length"],
        Classifier.load(folder) if CLASSIFIER in record["files"] else None,
        load_method(folder, record.get("method") or {}) if METHOD in record["files"] else None,
        _phrase(record.get("phrase"), folder),
    )
    _check_fit(parts, folder, own_readout=readout in (None, record["encoder"].get("readout")))
    return parts


def _load_encoder(
    folder: Path, settings: Mapping[str, Any], readout: str | None
) -> tuple[StatementTokenizer, RelationEncoder]:
    try:
        if word_kind := WORD_KINDS.get(settings["kind"]):
            return StatementTokenizer.load(folder, markers=word_kind.markers), load_word_encoder(folder, settings)
        tokenizer = StatementTokenizer.load(folder, markers=True)
        source = Source(str(folder), local=True)
        wanted = readout or settings["readout"]
        return tokenizer, TransformerEncoder.load(source, readout=wanted, tokenizer=tokenizer)
    except BadInput:
        raise
    except Exception as problem:  # whatever the libraries make of files that they did not write
        reason = " ".join(str(problem).split())[:200]
        raise BadInput(f"{folder}: the encoder cannot be read back ({type(problem).__name__}: {reason})") from problem


def _check_fit(parts: RunParts, folder: Path, *, own_readout: bool) -> None:
    """Refuse parts that come from different models: one was put there by hand."""
    record, width = folder / RECORD, parts.encoder.width
    most = getattr(parts.encoder, "most_tokens", None)
    if most is not None and parts.max_length > most:
        raise BadInput(f"{record}: max_length: expected at most the encoder's {most} tokens, got {parts.max_length}")
    known, used = parts.encoder.settings.get("words"), parts.tokenizer.layout.vocabulary_size
    if known is not None and known < used:
        raise BadInput(f"{record}: encoder.words: expected the tokenizer's {used} words, got {known}")
    if not own_readout:
        return
    widths = {"prototypes.safetensors": parts.prototypes.vectors.shape[1]}
    if parts.classifier is not None:
        widths[CLASSIFIER] = parts.classifier.width
    if parts.method is not None and parts.method.needs == "vectors":
        widths[METHOD] = parts.method.width
    for name, found in widths.items():
        if found != width:
            raise BadInput(f"{folder / name}: expected the encoder's width {width}, got {found}")


def _phrase(told: str | None, folder: Path) -> str | None:
    """Return what a record says of a phrase, after a look at it: a user may have changed it by hand."""
    try:
        return None if told is None else Phrase(told).template
    except BadInput as problem:
        raise BadInput(f"{folder / RECORD}: phrase: {problem}") from problem
