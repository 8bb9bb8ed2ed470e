"""A run folder on disk: an encoder that Hugging Face tools can open, and the files that protorel adds."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from protorel.batches import StatementTokenizer
from protorel.encoders import WORD_KINDS, RelationEncoder, Source, TransformerEncoder, load_word_encoder
from protorel.fewshot import WEIGHTS as METHOD
from protorel.fewshot import EpisodeMethod, load_method, method_record, save_method
from protorel.geometry import Prototypes
from protorel.io import disk_errors, in_the_making, made_folder, sha256, write_json
from protorel.model.answers.calibration import CALIBRATION, Calibration, fingerprint_of
from protorel.model.answers.training_statements import FILES as STATEMENT_FILES
from protorel.model.answers.training_statements import STATEMENTS, TrainingStatements
from protorel.model.classifier import Classifier
from protorel.model.compression import load_compressed
from protorel.model.encoding import encoder_fingerprint
from protorel.model.hub_model import MODULES, modules
from protorel.model.low_rank import DIFFERENCE
from protorel.model.run_record import CLASSIFIER, RECORD, RUN_VERSION, RunRecord, check_hash, versions
from protorel.statements import BadInput, Phrase


class RunParts(NamedTuple):
    """The parts of a model that a run folder holds."""

    encoder: RelationEncoder
    tokenizer: StatementTokenizer
    prototypes: Prototypes
    max_length: int
    classifier: Classifier | None
    method: EpisodeMethod | None
    phrase: str | None
    calibration: Calibration | None = None
    training_statements: TrainingStatements | None = None


def save_run(parts: RunParts, folder: Path, *, record: Mapping[str, Any]) -> None:
    """Write a model into a folder: all files into a temporary folder first, then moved, the record last.

    If this fails, an earlier run in the folder is unchanged. If the process is killed while files are moved, their
    hashes do not match the record, and the folder is refused.
    """
    _check_statements(parts)
    with made_folder(folder), disk_errors(folder), in_the_making(folder / "model") as unfinished:
        unfinished.mkdir()
        parts.encoder.save_weights(unfinished)
        parts.tokenizer.save(unfinished)
        parts.prototypes.save(unfinished)
        if parts.classifier is not None:
            parts.classifier.save(unfinished)
        if parts.method is not None:
            save_method(parts.method, unfinished)
        if parts.calibration is not None:
            parts.calibration.save(unfinished)
        if parts.training_statements is not None:
            parts.training_statements.copy_to(unfinished)
        write_json(unfinished / MODULES, modules())
        files = {path.name: sha256(path) for path in sorted(unfinished.iterdir())}
        write_json(
            unfinished / RECORD,
            {
                **_with_statements(parts.training_statements, record),
                "format": RUN_VERSION,
                "encoder": dict(parts.encoder.settings),
                "max_length": parts.max_length,
                "method": method_record(parts.method) if parts.method is not None else None,
                "phrase": parts.phrase,
                "versions": record.get("versions") or versions(),
                **_added(parts.prototypes, record),
                "files": files,
            },
        )
        _replace([*files, RECORD], unfinished, folder)
    if parts.training_statements is None:  # sentences that a run no longer keeps are not left in its folder
        for name in STATEMENT_FILES:
            (folder / name).unlink(missing_ok=True)


def _check_statements(parts: RunParts) -> None:
    """Raise `BadInput` for kept statements whose vectors another encoder made."""
    kept = parts.training_statements
    if kept is not None and kept.encoder != encoder_fingerprint(parts.encoder, parts.tokenizer, parts.max_length):
        raise BadInput(
            "training_statements: expected vectors of the model's own encoder, got those of another one. "
            "Leave them out with `without_statements`"
        )


def _with_statements(kept: TrainingStatements | None, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record whose section `training_statements` is there if the run keeps some."""
    others = {name: value for name, value in record.items() if name != "training_statements"}
    if kept is None:
        return others
    return others | {
        "training_statements": {"of": len(kept), **record.get("training_statements", {}), "kept": len(kept)}
    }


def _added(prototypes: Prototypes, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the section `added` of a record: relations whose prototype was not learned, and what it was made from."""
    made = zip(prototypes.relations.ids, prototypes.origins, strict=True)
    added = {name: origin for name, origin in made if origin != "learned"}
    return {"added": added} if added or "added" in record else {}


def _replace(names: Sequence[str], new: Path, folder: Path) -> None:
    """Move files into a folder in this order; if one cannot be moved, put back those that were there."""
    old = new.with_name("old")
    old.mkdir()
    for name in names:
        if (folder / name).is_file():
            _keep(folder / name, old / name)
    moved = []
    try:
        for name in names:
            moved.append(name)
            (new / name).replace(folder / name)
    except BaseException:
        for name in moved:
            if (old / name).exists():
                (old / name).replace(folder / name)
            else:
                (folder / name).unlink(missing_ok=True)
        raise


def _keep(file: Path, place: Path) -> None:
    try:
        os.link(file, place)
    except OSError:  # not on every file system
        shutil.copyfile(file, place)


def load_run(folder: Path, record: RunRecord, *, readout: str | None = None) -> RunParts:
    """Read a finished run; `BadInput` names a file that is missing, was changed, or does not fit the others."""
    for name, expected in record.files.items():
        check_hash(folder / name, expected, of="run")
    kept = _open_statements(folder, record)
    tokenizer, encoder = _load_encoder(folder, record, readout)
    method = record.method.model_dump(mode="json", exclude_unset=True) if record.method is not None else {}
    parts = RunParts(
        encoder,
        tokenizer,
        Prototypes.load(folder),
        record.max_length,
        Classifier.load(folder) if CLASSIFIER in record.files else None,
        load_method(folder, method) if METHOD in record.files else None,
        _phrase(record.phrase, folder),
        Calibration.load(folder, width=encoder.width) if CALIBRATION in record.files else None,
    )
    own_readout = readout in (None, record.encoder.readout)
    _check_fit(parts, folder, own_readout=own_readout)
    if kept is None or not own_readout:  # another readout gives other vectors
        return parts
    mark = encoder_fingerprint(encoder, tokenizer, record.max_length)
    kept.check(width=encoder.width, encoder=mark, statements=record.files[STATEMENTS])
    return parts._replace(training_statements=kept)


def _open_statements(folder: Path, record: RunRecord) -> TrainingStatements | None:
    """Return the training statements that a run keeps; `BadInput` where one of the two files is not listed."""
    listed = [name for name in STATEMENT_FILES if name in record.files]
    if listed and len(listed) < len(STATEMENT_FILES):
        raise BadInput(f"{folder / RECORD}: files: expected {' and '.join(STATEMENT_FILES)}, got only {listed[0]}")
    return TrainingStatements.open(folder) if listed else None


def _load_encoder(folder: Path, record: RunRecord, readout: str | None) -> tuple[StatementTokenizer, RelationEncoder]:
    settings = record.encoder.model_dump(mode="json", exclude_unset=True)
    try:
        if word_kind := WORD_KINDS.get(settings["kind"]):
            return StatementTokenizer.load(folder, markers=word_kind.markers), load_word_encoder(folder, settings)
        if DIFFERENCE in record.files and record.low_rank is not None:
            return load_compressed(folder, record.low_rank, readout=readout or settings["readout"])
        tokenizer = StatementTokenizer.load(folder, markers=True)
        source = Source(str(folder), local=True)
        return tokenizer, TransformerEncoder.load(source, readout=readout or settings["readout"], tokenizer=tokenizer)
    except BadInput:
        raise
    except Exception as problem:  # whatever the libraries make of files that they did not write
        reason = " ".join(str(problem).split())[:200]
        raise BadInput(f"{folder}: the encoder cannot be read back ({type(problem).__name__}: {reason})") from problem


def _check_fit(parts: RunParts, folder: Path, *, own_readout: bool) -> None:
    """Raise `BadInput` for parts of different models."""
    record, width = folder / RECORD, parts.encoder.width
    most = getattr(parts.encoder, "most_tokens", None)
    if most is not None and parts.max_length > most:
        raise BadInput(f"{record}: max_length: expected at most the encoder's {most} tokens, got {parts.max_length}")
    known, used = parts.encoder.settings.get("words"), parts.tokenizer.layout.vocabulary_size
    if known is not None and known < used:
        raise BadInput(f"{record}: encoder.words: expected the tokenizer's {used} words, got {known}")
    if parts.calibration is not None and own_readout:
        prototypes = fingerprint_of(parts.prototypes.vectors.numpy())
        parts.calibration.check_fits(parts.prototypes.relations.ids, prototypes, where=str(folder / CALIBRATION))
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


def _phrase(template: str | None, folder: Path) -> str | None:
    """Return a record's phrase after a check: a user may have changed it by hand."""
    try:
        return None if template is None else Phrase(template).template
    except BadInput as problem:
        raise BadInput(f"{folder / RECORD}: phrase: {problem}") from problem
