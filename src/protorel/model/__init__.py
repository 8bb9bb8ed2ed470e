"""RelationModel, and the run folder it lives in."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.model.answers.calibrating import answered, calibration_error, document_numbers
    from protorel.model.answers.calibration import Calibration, fingerprint_of
    from protorel.model.answers.predicting import ASSERTED
    from protorel.model.answers.prediction import Evidence, Prediction
    from protorel.model.answers.training_statements import TrainingStatements, write_training_statements
    from protorel.model.averaging import average_models, average_runs
    from protorel.model.classifier import Classifier
    from protorel.model.compression import compress_run
    from protorel.model.encoding import BATCH_TOKENS, evaluating
    from protorel.model.hub_model import SentencesRefused
    from protorel.model.lineage import Lineage
    from protorel.model.low_rank import Cut
    from protorel.model.relation_model import (
        BARE_ENCODER,
        UNTRAINED_READOUT,
        MarkerStart,
        RelationModel,
        untrained,
    )
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
    from protorel.model.shipped_model import SMALL
    from protorel.model.source import (
        ModelSource,
        check_classifies,
        check_has_relations,
        check_model,
        check_run,
        target_of,
    )

__all__ = [
    "ASSERTED",
    "BARE_ENCODER",
    "BATCH_TOKENS",
    "UNTRAINED_READOUT",
    "Calibration",
    "Classifier",
    "Count",
    "Cut",
    "Evidence",
    "FileName",
    "Lineage",
    "MarkerStart",
    "ModelSource",
    "Prediction",
    "RECORD",
    "RelationModel",
    "RunRecord",
    "SMALL",
    "Seconds",
    "SentencesRefused",
    "TrainedRecord",
    "TrainingStatements",
    "answered",
    "average_models",
    "average_runs",
    "calibration_error",
    "check_classifies",
    "check_has_relations",
    "check_hash",
    "check_model",
    "check_run",
    "document_numbers",
    "compress_run",
    "evaluating",
    "fingerprint_of",
    "is_run",
    "load_record",
    "read_record",
    "target_of",
    "untrained",
    "versions",
    "write_training_statements",
]

__getattr__ = lazy_names(__name__)
