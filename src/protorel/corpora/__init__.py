"""Corpora: one reader per foreign format, and the small world, a corpus with known truth."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.corpora.conversion import Conversion, check_conversion, convert
    from protorel.corpora.csv_table import read_csv
    from protorel.corpora.docred import read_docred, read_docred_evidence
    from protorel.corpora.docred_documents import AnnotatedDocument, AnnotatedMention, read_docred_documents
    from protorel.corpora.docred_pairs import facts_without_sentence, read_docred_pairs
    from protorel.corpora.fewrel import read_fewrel
    from protorel.corpora.formats import FORMATS, Format, check_data, format_named, open_data, read_data, read_rows
    from protorel.corpora.fuzzyred import read_fuzzyred
    from protorel.corpora.json_input import a_text, found, json_of, parse_json, whole_object
    from protorel.corpora.jsonl import read_jsonl
    from protorel.corpora.opennre import read_opennre
    from protorel.corpora.rebel import read_rebel
    from protorel.corpora.released_ids import read_released_ids
    from protorel.corpora.rows import SHOWN, Line, Reader, Reject, Row, decoded_line, numbered_lines
    from protorel.corpora.semeval2010 import read_semeval2010
    from protorel.corpora.small_world import SmallWorld, SmallWorldSettings, build_small_world, write_raw
    from protorel.corpora.tacred import read_tacred
    from protorel.corpora.wikigender import read_wikigender
    from protorel.corpora.zerorte import read_zerorte

__all__ = [
    "AnnotatedDocument",
    "AnnotatedMention",
    "Conversion",
    "FORMATS",
    "Format",
    "Line",
    "Reader",
    "Reject",
    "Row",
    "SHOWN",
    "SmallWorld",
    "SmallWorldSettings",
    "a_text",
    "build_small_world",
    "check_conversion",
    "check_data",
    "convert",
    "decoded_line",
    "facts_without_sentence",
    "format_named",
    "found",
    "json_of",
    "numbered_lines",
    "open_data",
    "parse_json",
    "read_csv",
    "read_data",
    "read_docred",
    "read_docred_documents",
    "read_docred_evidence",
    "read_docred_pairs",
    "read_fewrel",
    "read_fuzzyred",
    "read_jsonl",
    "read_opennre",
    "read_rebel",
    "read_released_ids",
    "read_rows",
    "read_semeval2010",
    "read_tacred",
    "read_wikigender",
    "read_zerorte",
    "whole_object",
    "write_raw",
]

__getattr__ = lazy_names(__name__)
