"""Files that are changed in every way we can think of, and the one claim about all that read them."""

from __future__ import annotations

import copy
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from hypothesis import strategies as st

from protorel.cli import run as command
from protorel.encoders import CNNEncoder, word_tokenizer
from protorel.fewshot import make_method
from protorel.fewshot.method_settings import SiameseSettings
from protorel.geometry import Prototypes
from protorel.model import Classifier, RelationModel, write_training_statements
from protorel.statements import BadInput, RelationVocabulary, Span, Statement, WorkFailed, write_statements

# ---- changes ----

WRONG: list[Any] = [
    None, True, -1, 0, 3, 0.5, 10**30, 2**40, 2**31, "", "x", "\x1b[31m", "../../x", "\ud800", "x" * 50_000, [], [[]],
    [None], [-1, -1], {}, {"": 1}, {"id": "Q1"}, float("nan"), float("inf"),
]  # fmt: skip
JUNK = [
    b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n", b"\x1b]0;x\x07", b"\xe2\x80\xa8",
    b"[" * 3000, b'{"a":' * 3000, b"<a>" * 3000, b"{{" * 3000, b"x" * 100_000, b". " * 20_000, b"9" * 5000, b"1e999",
    b"NaN", b"-1", b"null", b'"', b"'", b"\t", b",", b": ", b"&a *a", b"<!DOCTYPE x>", b"<page>", b"\\ud800", b"<e1>",
    b"PAR1", b"\x1f\x8b", b"BZh9", b"\x28\xb5\x2f\xfd",
]  # fmt: skip
NUMBERS = [b"-1", b"0", b"1e999", b"9" * 30, b"9" * 5000, b"4294967296", b"NaN", b"0.5"]


def mutated(data: st.DataObject, content: bytes, other: bytes = b"") -> bytes:
    """Return a file's content after one to three changes of bytes or, where it is JSON, of values."""
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        content = data.draw(st.sampled_from(CHANGES), label="change")(data, content, other)
    return content


def _span(data: st.DataObject, content: bytes, most: int = 64) -> tuple[int, int]:
    start = data.draw(st.integers(0, len(content)))
    return start, min(len(content), start + data.draw(st.integers(1, most)))


def _flip(data: st.DataObject, content: bytes, _: bytes) -> bytes:
    if not content:
        return content
    place = data.draw(st.integers(0, 8 * len(content) - 1))
    changed = bytearray(content)
    changed[place // 8] ^= 1 << place % 8
    return bytes(changed)


def _insert(data: st.DataObject, content: bytes, _: bytes) -> bytes:
    place = data.draw(st.integers(0, len(content)))
    return content[:place] + data.draw(st.sampled_from(JUNK) | st.binary(max_size=8)) + content[place:]


def _delete(data: st.DataObject, content: bytes, _: bytes) -> bytes:
    start, stop = _span(data, content)
    return content[:start] + content[stop:]


def _repeat(data: st.DataObject, content: bytes, _: bytes) -> bytes:
    start, stop = _span(data, content, most=200)
    return content[:stop] + content[start:stop] * data.draw(st.sampled_from([1, 2, 50])) + content[stop:]


def _truncate(data: st.DataObject, content: bytes, _: bytes) -> bytes:
    return content[: data.draw(st.integers(0, len(content)))]


def _splice(data: st.DataObject, content: bytes, other: bytes) -> bytes:
    return content[: data.draw(st.integers(0, len(content)))] + other[data.draw(st.integers(0, len(other))) :]


def _number(data: st.DataObject, content: bytes, other: bytes) -> bytes:
    if not (found := list(re.finditer(rb"-?[0-9]+", content))):
        return _insert(data, content, other)
    one = data.draw(st.sampled_from(found))
    return content[: one.start()] + data.draw(st.sampled_from(NUMBERS)) + content[one.end() :]


def _value(data: st.DataObject, content: bytes, other: bytes) -> bytes:
    """Replace, or remove, a value of JSON: of the whole file, or of one of its lines."""
    lines = content.split(b"\n")
    for number in (None, data.draw(st.integers(0, len(lines) - 1))):
        try:
            value = json.loads(content if number is None else lines[number])
        except (ValueError, RecursionError):
            continue
        new = json.dumps(_replaced(data, value), ensure_ascii=data.draw(st.booleans())).replace("Infinity", "1e999")
        line = new.encode("utf-8", "surrogatepass")
        return line if number is None else b"\n".join([*lines[:number], line, *lines[number + 1 :]])
    return _number(data, content, other)


def _replaced(data: st.DataObject, value: Any) -> Any:
    places = list(_places(value))
    place = data.draw(st.sampled_from(places), label="place") if places else ()
    wrong = data.draw(st.sampled_from([*WRONG, KeyError]), label="value")
    if not place:
        return None if wrong is KeyError else wrong
    changed = copy.deepcopy(value)
    inside = changed
    for step in place[:-1]:
        inside = inside[step]
    if wrong is KeyError:
        del inside[place[-1]]
    else:
        inside[place[-1]] = wrong
    return changed


def _places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*before, key)
        yield from _places(inner, (*before, key))


CHANGES = [_flip, _insert, _delete, _repeat, _truncate, _splice, _number, _value, _value]


def mutated_table(data: st.DataObject, content: bytes) -> bytes:
    """Return a Parquet file that is whole, but whose columns or values are others."""
    table = pq.read_table(io.BytesIO(content))
    place = data.draw(st.integers(0, table.num_columns - 1), label="column")
    field = table.schema.field(place)
    wrong = [None, -1, 2**31 - 1, "", "x", "\x1b[31m", "x" * 50_000, True, 0.5, float("nan"), [1], b"\xff"]
    match data.draw(st.sampled_from(["gone", "renamed", "twice", "empty", "one value", "all values"]), label="change"):
        case "gone":
            table = table.remove_column(place)
        case "renamed":
            table = table.rename_columns([*table.column_names[:place], "x", *table.column_names[place + 1 :]])
        case "twice":
            table = table.append_column(field.name, table.column(place))
        case "empty":
            table = table.slice(0, 0)
        case "one value":
            values = table.column(place).to_pylist()
            values[data.draw(st.integers(0, len(values) - 1))] = data.draw(st.sampled_from(wrong))
            try:
                changed = pa.array(values, type=field.type)
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                changed = pa.nulls(len(values), field.type)
            table = table.set_column(place, pa.field(field.name, field.type), changed)
        case _:
            table = table.set_column(place, field.name, pa.array([data.draw(st.sampled_from(wrong))] * table.num_rows))
    pq.write_table(table, written := io.BytesIO())
    return written.getvalue()


# ---- the claim ----


def works_or_is_refused(arguments: Sequence[str | Path], folder: Path) -> int:
    """Run a command that writes into `folder` only: it works, or ends with one line; return its exit code."""
    with redirect_stderr(io.StringIO()) as errors, redirect_stdout(io.StringIO()):
        code = command([str(argument) for argument in arguments])
    said = errors.getvalue()
    assert "internal error" not in said, said
    assert code in (0, 1, 2), said
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", said), repr(said)
    if code:
        # Before it there may be what was done so far.
        *_, last = said.splitlines()
        assert last.startswith("protorel: "), said
        assert len(last) < 3000, last
    assert not [path for path in folder.rglob("*") if path.name.endswith(".part")]
    return code


def is_read_or_refused(read: Callable[[], object]) -> bool:
    """Call a reader: it returns, or raises an error of one line for people; return whether it returned."""
    refused = ""
    try:
        read()
    except (BadInput, WorkFailed) as problem:
        refused = str(problem) or "nothing was said"
    assert "\n" not in refused
    assert len(refused) < 3000
    return not refused


@pytest.fixture(scope="session")
def change() -> Callable[..., bytes]:
    """Gives the function that changes the bytes of a file."""
    return mutated


@pytest.fixture(scope="session")
def change_table() -> Callable[..., bytes]:
    """Gives the function that changes the columns of a Parquet file."""
    return mutated_table


@pytest.fixture(scope="session")
def ends_well() -> Callable[[Sequence[str | Path], Path], int]:
    """Gives the function that runs a command and holds it to the claim."""
    return works_or_is_refused


@pytest.fixture(scope="session")
def reads_well() -> Callable[[Callable[[], object]], bool]:
    """Gives the function that calls a reader and holds it to the claim."""
    return is_read_or_refused


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache of these tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("PROTOREL_CACHE", str(folder))
        yield folder


# ---- a small run and its data ----

WORDS = ["ada", "kroll", "bela", "born", "died", "lives", "in", "lunsk", "oster", "mere"]
VERBS = ("born", "died", "lives")


def few_statements() -> list[Statement]:
    """Return twelve statements of three relations."""
    made = []
    for verb in VERBS:
        for who, where in (("ada", "lunsk"), ("bela", "oster"), ("kroll", "mere"), ("ada", "oster")):
            text = f"{who} {verb} in {where}"
            spans = Span(0, len(who)), Span(len(text) - len(where), len(text))
            made.append(Statement(text, *spans, relation=verb, id=str(len(made)), expresses=where != "oster"))
    return made


@pytest.fixture(scope="session")
def data_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve statements of three relations, in Parquet."""
    path = tmp_path_factory.mktemp("data") / "data.parquet"
    write_statements(few_statements(), path)
    return path


@pytest.fixture(scope="session")
def word_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of a CNN, with a classifier, a method of its own and its training statements."""
    tokenizer = word_tokenizer(WORDS)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        encoder = CNNEncoder(words=tokenizer.layout.vocabulary_size, word_width=4, channels=6)
        prototypes = Prototypes.of(RelationVocabulary(VERBS), torch.randn(3, 6))
    method = make_method(SiameseSettings(), width=6, seed=0)
    classifier = Classifier(RelationVocabulary(VERBS), 6, hidden=2)
    model = RelationModel(encoder, tokenizer, prototypes, 32, "run", classifier, method, "{head} {name} {tail}")
    place, few = tmp_path_factory.mktemp("kept"), few_statements()
    kept = write_training_statements(
        place, few, [model.encode(few)], count=len(few), width=6, encoder=model.fingerprint
    )
    model = replace(model, training_statements=kept)
    folder = tmp_path_factory.mktemp("word") / "run"
    model.save_pretrained(folder, record={"recipe": {"name": "tiny", "kind": "episodes", "similarity": "cosine"}})
    return folder


@pytest.fixture(scope="session")
def transformer_run(tiny_encoder_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of a small BERT, whose folder Hugging Face tools can open."""
    model = RelationModel.from_pretrained(tiny_encoder_folder, readout="start")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        prototypes = Prototypes.of(RelationVocabulary(VERBS), torch.randn(3, model.encoder.width))
    folder = tmp_path_factory.mktemp("transformer") / "run"
    RelationModel(model.encoder, model.tokenizer, prototypes, 32, "run").save_pretrained(folder)
    return folder
