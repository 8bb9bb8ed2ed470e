"""RelationModel, and the run folder it lives in."""

from protorel.model.relation_model import RelationModel, untrained
from protorel.model.run_folder import is_run, read_record, versions

__all__ = ["RelationModel", "is_run", "read_record", "untrained", "versions"]
