"""Statements: sentences with two marked entities and a possibly wrong label."""

from protorel.statements.problems import BadInput, WorkFailed
from protorel.statements.storage import fingerprint, iter_statements, read_statements, write_statements
from protorel.statements.types import Relation, Span, Statement, StatementError
from protorel.statements.vocabulary import RelationVocabulary, UnknownRelation

__all__ = [
    "BadInput",
    "Relation",
    "RelationVocabulary",
    "Span",
    "Statement",
    "StatementError",
    "UnknownRelation",
    "WorkFailed",
    "fingerprint",
    "iter_statements",
    "read_statements",
    "write_statements",
]
