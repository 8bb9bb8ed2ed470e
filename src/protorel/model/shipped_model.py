"""The model that comes with protorel: its name, and where its files are. Does not import torch."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

from protorel.model.run_record import RECORD
from protorel.statements import BadInput

SMALL = "protorel-small"
"""The name of the model that comes with protorel; a folder of this name is ./protorel-small."""
SHIPPED = Path(__file__).parent / "shipped"
_LOGGER = logging.getLogger("protorel")


def shipped_folder(name: str) -> Path | None:
    """Return the folder of a model that comes with protorel; None for any other name.

    Raises:
        BadInput: this installation does not have the model.
    """
    if name != SMALL:
        return None
    folder = SHIPPED / name
    if not (folder / RECORD).is_file():
        raise BadInput(
            f"{name}: expected the model that comes with protorel, got an installation without it. "
            "Use a run folder, a hub id or minilm"
        )
    if Path(name).exists():
        _say_which(name, Path.cwd())
    return folder


@cache
def _say_which(name: str, here: Path) -> None:
    """Say once per folder which of two models of the same name is used."""
    del here
    _LOGGER.warning("%s: the model that comes with protorel is used; the folder of this name is ./%s", name, name)
