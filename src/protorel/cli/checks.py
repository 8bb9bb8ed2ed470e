"""Checks of arguments before torch is imported, so that a typing error is reported at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from protorel.io import BadInput, check_source, shown

if TYPE_CHECKING:
    from protorel.model import ModelSource
    from protorel.recipes import TrainingSettings


def check_data_files(*paths: Path | None, format: str | None = None) -> None:
    """Raise `BadInput` for data sets that do not exist or have another format; None is skipped."""
    from protorel.corpora import check_data

    for path in paths:
        if path is not None:
            check_data(path, format=format)


def check_files(*paths: Path | None) -> None:
    """Raise `BadInput` for paths that are not readable files; None is skipped."""
    for path in paths:
        if path is not None:
            check_source(path)


def check_results(*paths: Path | None) -> None:
    """Raise `BadInput` for result files that could not be written later; None is skipped."""
    from protorel.io import check_file_target

    for path in paths:
        if path is not None:
            check_file_target(path)


def check_models(names: Iterable[str | None], *, words: bool = False) -> None:
    """Raise `BadInput` for names of neither a run nor an encoder; with `words`, word encoders have names too."""
    from protorel.model import check_model
    from protorel.recipes import WORD_ENCODERS

    for name in names:
        if name is not None:
            check_model(name, also=WORD_ENCODERS if words else ())


def find_model(
    name: str,
    data: Iterable[Path | None],
    *,
    files: Iterable[Path | None] = (),
    results: Iterable[Path | None] = (),
    format: str | None = None,
) -> ModelSource:
    """Return the model to evaluate, looked up but not loaded, after a check of the files of the command."""
    from protorel.model import ModelSource

    source = ModelSource.find(name)
    check_data_files(*data, format=format)
    check_files(*files)
    check_results(*results)
    return source


def check_training(settings: TrainingSettings, start: str) -> None:
    """Raise `BadInput` for a recipe that cannot be trained.

    It names an encoder, a list of relations or a file of word vectors that does not exist, or asks for bf16 or low
    rank where the encoder cannot be trained in it.
    """
    from protorel.recipes import WORD_ENCODERS, check_low_rank, check_rounding
    from protorel.statements import relation_list

    if settings.without_relations is not None:
        relation_list(settings.without_relations)
    if start in WORD_ENCODERS and (vectors := getattr(settings, start).vectors) is not None:
        check_files(Path(vectors))
    check_models([start], words=True)
    check_rounding(settings, start)
    check_low_rank(settings, words=start in WORD_ENCODERS)


def check_new(out: Path, hint: str) -> None:
    """Raise `BadInput` if a folder exists already or cannot be created."""
    from protorel.io import check_folder_target

    if out.exists():
        raise BadInput(f"{out}: exists already; {hint}")
    check_folder_target(out)


def check_run_folder(out: Path, *, resume: bool) -> None:
    """Raise `BadInput` if a training could not start, or resume, in a folder.

    `protorel.training.folder` checks again when it holds the folder's lock.
    """
    from protorel.io import check_folder_target
    from protorel.model import is_run

    check_folder_target(out)
    if resume:
        if not is_run(out):
            raise BadInput(f"{out}: expected a run to resume, got none. Leave --resume out to start one")
        return
    inside = {path.name for path in (*out.glob("*"), *out.glob("state/*"))}
    # Whether a process works in a folder with a lock is known only once we hold the lock.
    if inside - {"state"} and "training.lock" not in inside:
        raise BadInput(f"{out}: exists already. Choose another --out, or continue with --resume")


def check_keep_statements(given: str | None) -> bool | int:
    """Return what `--keep-statements` asks for: True for all, or at most how many.

    Raises:
        BadInput: it is neither `all` nor a number.
    """
    if given is None or given == "all":
        return given == "all"
    if not (given.isascii() and given.isdigit() and int(given[:18])):
        raise BadInput(f"--keep-statements: expected a whole number of at least 1, or all, got {shown(given)}")
    return int(given[:18])
