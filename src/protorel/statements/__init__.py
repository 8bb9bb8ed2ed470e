"""Statements: sentences with two marked entities and a possibly wrong label."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.io.problems import BadInput, Interrupted, WorkFailed
    from protorel.statements.comparison import find_leakage
    from protorel.statements.data_set import DataSet
    from protorel.statements.descriptions import Descriptions, Wording, load_descriptions
    from protorel.statements.equivalents import Equivalents, load_equivalents
    from protorel.statements.leakage import Leakage
    from protorel.statements.phrases import ENGLISH, Phrase
    from protorel.statements.selection import Selection, StatementSource, relation_list, select
    from protorel.statements.storage import fingerprint, iter_statements, read_origin, read_statements, write_statements
    from protorel.statements.types import Relation, Span, Statement, StatementError
    from protorel.statements.vocabulary import RelationVocabulary, UnknownRelation

__all__ = [
    "ENGLISH",
    "BadInput",
    "DataSet",
    "Descriptions",
    "Equivalents",
    "Interrupted",
    "Leakage",
    "Phrase",
    "Relation",
    "RelationVocabulary",
    "Selection",
    "Span",
    "Statement",
    "StatementError",
    "StatementSource",
    "UnknownRelation",
    "Wording",
    "WorkFailed",
    "find_leakage",
    "fingerprint",
    "iter_statements",
    "load_descriptions",
    "load_equivalents",
    "read_origin",
    "read_statements",
    "relation_list",
    "select",
    "write_statements",
]

__getattr__ = lazy_names(__name__)
