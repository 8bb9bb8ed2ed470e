"""Runs small enough to ship: a low-rank difference to a public encoder, prototypes, calibration and relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch.nn.functional as F  # noqa: N812

from protorel.batches import StatementTokenizer
from protorel.encoders import MINILM, TransformerEncoder, resolve, weights_file
from protorel.geometry import Prototypes
from protorel.io import as_path, check_folder_target, in_the_making, made_folder, sha256, write_json
from protorel.model.answers.calibration import Calibration, fingerprint_of
from protorel.model.hub_model import MODULES, modules
from protorel.model.low_rank import Cut, apply_difference, difference, save_difference
from protorel.model.run_record import RECORD, RUN_VERSION, LowRankPart, versions
from protorel.model.source import ModelSource
from protorel.statements import BadInput, Descriptions, Relation, RelationVocabulary

if TYPE_CHECKING:
    from protorel.model.relation_model import RelationModel


def compress_run(
    run: str | Path,
    out: str | Path,
    *,
    base: str = MINILM,
    cut: Cut | None = None,
    descriptions: Descriptions | None = None,
) -> int:
    """Write a run as a low-rank difference to the encoder that it was trained from.

    The new folder loads like any run, where the encoder is installed or can be fetched. It has no sentence of the
    training data: no kept statements, no training dynamics, no journal, no rejected statements.

    Args:
        run: A run of a transformer: its folder or its hub id.
        out: The folder to write; it must not exist.
        base: The encoder that the run was trained from.
        cut: How far the difference is cut down.
        descriptions: Names and descriptions of the run's relations; they replace those of the run.

    Returns:
        The size of the new folder, in bytes.

    Raises:
        BadInput: there is no such run or encoder, the run was not trained from it, or `out` exists.
    """
    from protorel.model.relation_model import RelationModel

    out = as_path(out, "out", expected="a folder")
    if out.exists():
        raise BadInput(f"{out}: exists already; choose another folder")
    check_folder_target(out)
    source, cut = ModelSource.find(run), cut or Cut()
    if source.record is None:
        raise BadInput(f"{source.given}: expected a run, got an encoder")
    model = RelationModel.from_pretrained(source)
    encoder = model.encoder
    if not isinstance(encoder, TransformerEncoder):
        raise BadInput(f"{source.given}: expected a run of a transformer, got one of a {encoder.settings['kind']}")
    if model.method is not None:
        raise BadInput(f"{source.given}: expected a run without a few-shot method of its own, got one with")
    start, tokenizer, digest = base_encoder(base, readout=encoder.readout.name)
    _check_start(model, encoder, start, tokenizer, base)
    own = {name: one.detach() for name, one in encoder.backbone.state_dict().items()}
    first = {name: one.detach() for name, one in start.backbone.state_dict().items()}
    found = difference(own, first, cut, tokens=_name_of_tokens(encoder), exact=tokenizer.layout.new_tokens)
    prototypes = _described(model.prototypes, descriptions)
    vectors = F.normalize(prototypes.vectors, dim=-1).half()
    record = _without_sentences(source.record.as_written())
    with made_folder(out.parent), in_the_making(out) as unfinished:
        unfinished.mkdir()
        save_difference(found, unfinished)
        replace(prototypes, vectors=vectors).save(unfinished)
        if model.calibration is not None:
            _rounded(model.calibration, fingerprint_of(vectors.float().numpy())).save(unfinished)
        if model.classifier is not None:
            model.classifier.save(unfinished)
        write_json(unfinished / MODULES, modules())
        part = LowRankPart(
            base=base,
            base_sha256=digest,
            run=source.name,
            fingerprint=model.fingerprint,
            **asdict(cut),
        )
        files = {path.name: sha256(path) for path in sorted(unfinished.iterdir())}
        format = {"format": RUN_VERSION, "versions": record.get("versions") or versions()}
        write_json(unfinished / RECORD, {**record, **format, "low_rank": part.model_dump(), "files": files})
        unfinished.replace(out)
    return sum(path.stat().st_size for path in out.iterdir())


def load_compressed(folder: Path, part: LowRankPart, *, readout: str) -> tuple[StatementTokenizer, TransformerEncoder]:
    """Return tokenizer and encoder of a run that `compress_run` wrote.

    Raises:
        BadInput: the encoder that it differs from is not installed or is another one, or a file does not fit it.
    """
    try:
        encoder, tokenizer, digest = base_encoder(part.base, readout=readout)
    except BadInput as problem:
        raise BadInput(f"{folder.name}: is a difference to an encoder that cannot be loaded: {problem}") from problem
    if digest != part.base_sha256:
        raise BadInput(
            f"{folder.name}: expected the encoder {part.base!r} with sha256 {part.base_sha256[:16]}…, which this run "
            f"is a difference to, got {digest[:16]}…"
        )
    apply_difference(encoder.backbone, folder)
    return tokenizer, encoder


def base_encoder(name: str, *, readout: str) -> tuple[TransformerEncoder, StatementTokenizer, str]:
    """Return an encoder as training starts from it, its tokenizer with markers, and the SHA-256 of its weights.

    Raises:
        BadInput: there is no such encoder, or it cannot be read.
    """
    source = resolve(name)
    digest = sha256(weights_file(source))
    tokenizer = StatementTokenizer.load(source.name, markers=True, local=source.local)
    return TransformerEncoder.load(source, readout=readout, tokenizer=tokenizer), tokenizer, digest


def _check_start(
    model: RelationModel,
    encoder: TransformerEncoder,
    start: TransformerEncoder,
    tokenizer: StatementTokenizer,
    base: str,
) -> None:
    """Raise `BadInput` for a run that cannot have been trained from an encoder."""
    shapes, expected = (
        {name: tuple(one.shape) for name, one in each.backbone.state_dict().items()} for each in (encoder, start)
    )
    if other := next((name for name in {**expected, **shapes} if shapes.get(name) != expected.get(name)), None):
        raise BadInput(
            f"{model.name}: expected a run that was trained from {base!r}, got one whose {other} has the shape "
            f"{shapes.get(other)} in place of {expected.get(other)}"
        )
    if model.tokenizer.fingerprint != tokenizer.fingerprint:
        raise BadInput(f"{model.name}: expected the tokenizer of {base!r}, got another one")


def _name_of_tokens(encoder: TransformerEncoder) -> str:
    """Return the name of the token embeddings in the backbone; empty for one without any."""
    weight = None if encoder.token_embeddings is None else encoder.token_embeddings.weight
    return next((name for name, one in encoder.backbone.named_parameters() if one is weight), "")


def _described(prototypes: Prototypes, descriptions: Descriptions | None) -> Prototypes:
    """Return the same prototypes, with names and descriptions as far as there are any."""
    if descriptions is None:
        return prototypes
    known: Mapping[str, Relation] = descriptions.relations
    return replace(prototypes, relations=RelationVocabulary([known.get(one.id, one) for one in prototypes.relations]))


def _rounded(calibration: Calibration, prototypes: str) -> Calibration:
    """Return a calibration for prototypes that were rounded; its background, too, is in float16."""
    background = calibration.background
    if background is not None:
        mean, directions = (one.astype(np.float16) for one in (background.mean, background.directions))
        background = replace(background, mean=mean, directions=directions)  # type: ignore[arg-type]
    return replace(calibration, prototypes=prototypes, background=background)


def _without_sentences(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without kept statements, and without rejected ones, whose reasons may quote their text."""
    record = {name: value for name, value in record.items() if name != "training_statements"}
    data = record.get("data")
    return record if not data else {**record, "data": {**data, "rejected": []}}
