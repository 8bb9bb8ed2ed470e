"""Corpora: one reader for each foreign format, all giving the same statements."""

from protorel.corpora.conversion import Conversion, convert
from protorel.corpora.fewrel import read_fewrel
from protorel.corpora.formats import FORMATS, Format, format_named, read_rows
from protorel.corpora.fuzzyred import read_fuzzyred
from protorel.corpora.jsonl import read_jsonl
from protorel.corpora.reading import read_data
from protorel.corpora.rejects import Reader, Reject, Row
from protorel.corpora.semeval2010 import read_semeval2010

__all__ = [
    "FORMATS",
    "Conversion",
    "Format",
    "Reader",
    "Reject",
    "Row",
    "convert",
    "format_named",
    "read_data",
    "read_fewrel",
    "read_fuzzyred",
    "read_jsonl",
    "read_rows",
    "read_semeval2010",
]
