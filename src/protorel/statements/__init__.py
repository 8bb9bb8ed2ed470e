"""Statements: sentences with two marked entities and a possibly wrong label."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.io import BadInput, Interrupted, WorkFailed
    from protorel.statements.accepted_inputs import (
        StatementsLike,
        as_data_set,
        as_statements,
        check_fields,
        iter_accepted,
        place_of_name,
        statement_from_row,
    )
    from protorel.statements.data_set import DataSet, check_parquet
    from protorel.statements.description_files import load_descriptions
    from protorel.statements.descriptions import ENGLISH, Descriptions, Phrase, Wording
    from protorel.statements.entity_pairs import EntityPair, entity_pair
    from protorel.statements.equivalents import Equivalents, load_equivalents
    from protorel.statements.label_sets import LabelSets, gather_labels
    from protorel.statements.normal_text import normal, writable
    from protorel.statements.overlap.leakage import KINDS, find_leakage
    from protorel.statements.overlap.leakage_files import compare, leakage_json, settings_json, write_strict
    from protorel.statements.overlap.leakage_result import Leakage
    from protorel.statements.overlap.near_duplicates import NearDuplicates
    from protorel.statements.selection import Selection, StatementSource, relation_list, select
    from protorel.statements.storage import (
        SCHEMA,
        count_statements,
        fingerprint,
        iter_statements,
        read_origin,
        read_rows,
        read_statements,
        statement_table,
        write_statements,
    )
    from protorel.statements.types import (
        MAX_TEXT,
        NO_RELATION,
        STATEMENT_FIELDS,
        SYMMETRIC,
        Relation,
        Span,
        Statement,
        StatementError,
    )
    from protorel.statements.vocabulary import RelationVocabulary, UnknownRelation

__all__ = [
    "BadInput",
    "DataSet",
    "Descriptions",
    "ENGLISH",
    "EntityPair",
    "Equivalents",
    "Interrupted",
    "KINDS",
    "LabelSets",
    "Leakage",
    "MAX_TEXT",
    "NO_RELATION",
    "NearDuplicates",
    "Phrase",
    "Relation",
    "RelationVocabulary",
    "SCHEMA",
    "STATEMENT_FIELDS",
    "SYMMETRIC",
    "Selection",
    "Span",
    "Statement",
    "StatementError",
    "StatementSource",
    "StatementsLike",
    "UnknownRelation",
    "Wording",
    "WorkFailed",
    "as_data_set",
    "as_statements",
    "check_fields",
    "check_parquet",
    "compare",
    "count_statements",
    "entity_pair",
    "find_leakage",
    "fingerprint",
    "gather_labels",
    "iter_accepted",
    "iter_statements",
    "leakage_json",
    "load_descriptions",
    "load_equivalents",
    "place_of_name",
    "normal",
    "read_origin",
    "read_rows",
    "read_statements",
    "relation_list",
    "select",
    "settings_json",
    "statement_from_row",
    "statement_table",
    "writable",
    "write_statements",
    "write_strict",
]

__getattr__ = lazy_names(__name__)
