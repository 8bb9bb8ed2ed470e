"""Where a model comes from: a name that was looked up once, and the record of the run that it names. No torch here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from protorel.encoders import locate
from protorel.model.run_record import CLASSIFIER, RunRecord, is_run, load_record
from protorel.statements import BadInput


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model that exists, and its record if it is a run: read once, before torch is imported."""

    given: str
    """The name as the user gave it."""
    record: RunRecord | None
    """What the run says of itself; None for an encoder that is not a run of ours."""

    @classmethod
    def find(cls, name: str | Path | ModelSource, *, also: Sequence[str] = ()) -> ModelSource:
        """Look a model up: a run folder, an encoder by name, folder or hub id, or one of the names in `also`.

        Raises:
            BadInput: there is no such model, or the run has not finished.
        """
        if isinstance(name, ModelSource):
            return name
        given = str(name)
        if given in also:
            return cls(given, None)
        if is_run(Path(given)):
            return cls(given, load_record(Path(given)))
        locate(given, also=also)
        return cls(given, None)

    @property
    def name(self) -> str:
        """The name that results show: never a path."""
        return Path(self.given).name if self.record is not None else self.given

    def check_classifies(self) -> None:
        """Refuse a model without a classifier.

        Raises:
            BadInput: the model was not tuned on labels.
        """
        if self.record is None or CLASSIFIER not in self.record.files:
            raise BadInput(
                f"{self.given}: has no classifier; `protorel finetune … --model {self.given}` makes a run that has one"
            )
