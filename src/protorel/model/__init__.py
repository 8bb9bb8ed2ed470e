"""RelationModel, and the run folder it lives in."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.model.blending import blend, blend_runs
    from protorel.model.classifier import Classifier
    from protorel.model.names import check_classifies, check_model, check_run
    from protorel.model.past import RunPast, model_past, run_past
    from protorel.model.relation_model import MarkerStart, RelationModel, evaluating, untrained
    from protorel.model.run_record import (
        RECORD,
        Count,
        FileName,
        RunRecord,
        Seconds,
        TrainedRecord,
        check_hash,
        is_run,
        load_record,
        read_record,
        versions,
    )
    from protorel.model.source import ModelSource

__all__ = [
    "ModelSource",
    "RunRecord",
    "load_record",
    "model_past",
    "Classifier",
    "Count",
    "FileName",
    "MarkerStart",
    "RECORD",
    "RelationModel",
    "RunPast",
    "Seconds",
    "TrainedRecord",
    "blend",
    "blend_runs",
    "check_classifies",
    "check_hash",
    "check_model",
    "check_run",
    "evaluating",
    "is_run",
    "read_record",
    "run_past",
    "untrained",
    "versions",
]

__getattr__ = lazy_names(__name__)
