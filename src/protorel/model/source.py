"""Finding a model by name, once, with its record if it is a run. Does not import torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from protorel.encoders import fetch_files, find_on_hub, locate
from protorel.io import as_path, check_folder_target
from protorel.model.lineage import Lineage
from protorel.model.run_record import CLASSIFIER, RECORD, RunRecord, is_run, load_record
from protorel.model.shipped_model import SMALL, shipped_folder
from protorel.statements import BadInput


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model that exists, and its record if it is a run: read once, before torch is imported."""

    given: str
    """The name as the user gave it."""
    record: RunRecord | None = None
    """The record of a run; None for an encoder that is not a run."""
    snapshot: Path | None = None
    """The folder of the hub's cache that holds the record; None for a model that is not a run on the hub."""
    shipped: Path | None = None
    """The folder of a model that comes with protorel; None for all others."""

    @classmethod
    def find(cls, name: str | Path | ModelSource, *, also: Sequence[str] = ()) -> ModelSource:
        """Find a model: a run folder, an encoder by name or folder, a hub id of either, or one of the names in `also`.

        The text `protorel-small` is the model that comes with protorel, whatever folders there are; a folder of this
        name is `./protorel-small` or a `Path`. Only the record of a run on the hub is fetched, if it is not in the
        cache.

        Raises:
            BadInput: there is no such model, or the run has not finished.
        """
        if isinstance(name, ModelSource):
            return name
        as_path(name, "model", expected="the name or folder of a run or an encoder")
        given = str(name)
        if given in also:
            return cls(given)
        if isinstance(name, str) and (shipped := shipped_folder(name)) is not None:
            return cls(given, load_record(shipped), shipped=shipped)
        if is_run(Path(given)):
            return cls(given, load_record(Path(given)))
        named = (SMALL, *also)
        if (place := find_on_hub(given, RECORD, also=named)) is not None:
            return cls(given, load_record(place.parent), place.parent)
        locate(given, also=named)
        return cls(given)

    @property
    def name(self) -> str:
        """The name that results show: a hub id, or the last part of a path."""
        return Path(self.given).name if self.record is not None and self.snapshot is None else self.given

    def folder(self) -> Path:
        """Return the folder with the files of a run; those of a run on the hub are fetched, and no others.

        Raises:
            BadInput: the model is not a run, or a file cannot be fetched.
        """
        if self.record is None:
            raise BadInput(f"{self.given}: expected a run, got an encoder")
        if self.shipped is not None:
            return self.shipped
        if self.snapshot is None:
            return Path(self.given)
        fetch_files(self.given, self.record.files, self.snapshot)
        return self.snapshot

    def lineage(self) -> Lineage | None:
        """Return the lineage of a run; None for an encoder that is not a run."""
        if self.record is None:
            return None
        from protorel.geometry import Prototypes  # brings torch

        return Lineage.of(self.name, self.record, Prototypes.load(self.folder()).relations.ids)

    def check_classifies(self) -> None:
        """Raise `BadInput` for a model without a classifier.

        Raises:
            BadInput: the model was not tuned on labels.
        """
        if self.record is None or CLASSIFIER not in self.record.files:
            raise BadInput(
                f"{self.given}: expected a model with a classifier, got one without. "
                f"`protorel finetune … --model {self.given}` trains one"
            )


def check_model(name: str, *, also: Sequence[str] = ()) -> None:
    """Raise `BadInput` for a name that is not a model, see `ModelSource.find`."""
    ModelSource.find(name, also=also)


def check_classifies(name: str) -> None:
    """Raise `BadInput` for a model without a classifier, see `ModelSource.check_classifies`."""
    ModelSource.find(name).check_classifies()


def check_has_relations(name: str) -> ModelSource:
    """Return a model that can answer: a run.

    Raises:
        BadInput: there is no such model, or it is an encoder without relations.
    """
    source = ModelSource.find(name)
    if source.record is None:
        raise BadInput(
            f"{name}: expected a model with relations, got an encoder without any. "
            "Train one with `protorel pretrain`, or add relations with `protorel relations add`"
        )
    return source


def target_of(source: ModelSource, out: Path | None) -> Path:
    """Return the folder that a changed model is written to: a new one, or the run folder itself.

    Raises:
        BadInput: `out` exists already, or is missing for a model that is not a run folder of the user's.
    """
    if out is not None:
        if out.exists():
            raise BadInput(f"{out}: exists already; choose another --out")
        check_folder_target(out)
        return out
    if source.record is None or source.snapshot is not None or source.shipped is not None:
        raise BadInput(f"{source.given}: is not a run folder, so it is not changed. Write a new run with --out DIR")
    return source.folder()


def check_run(folder: Path | str) -> RunRecord:
    """Return the record of a finished run.

    Raises:
        BadInput: the folder is not there, or is not a finished run.
    """
    folder = as_path(folder, "run", expected="a run folder")
    if not folder.exists():
        raise BadInput(f"{folder}: expected a run folder; no such folder")
    if not is_run(folder):
        raise BadInput(
            f"{folder}: expected a run folder, got {'a folder' if folder.is_dir() else 'a file'} without a run"
        )
    return load_record(folder)
