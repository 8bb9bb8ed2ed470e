"""Statements: sentences with two marked entities and a possibly wrong label."""

from protorel.statements.problems import BadInput, Interrupted, WorkFailed
from protorel.statements.selection import Selection, StatementSource, relation_list, select
from protorel.statements.storage import fingerprint, iter_statements, read_statements, write_statements
from protorel.statements.types import Relation, Span, Statement, StatementError
from protorel.statements.vocabulary import RelationVocabulary, UnknownRelation

__all__ = [
    "BadInput",
    "Interrupted",
    "Relation",
    "RelationVocabulary",
    "Selection",
    "Span",
    "Statement",
    "StatementError",
    "StatementSource",
    "UnknownRelation",
    "WorkFailed",
    "fingerprint",
    "iter_statements",
    "read_statements",
    "relation_list",
    "select",
    "write_statements",
]
