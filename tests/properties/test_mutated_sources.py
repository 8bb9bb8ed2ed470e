"""Files that users give us, changed at random: every command works, or refuses them in one line, whatever they hold."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import shlex
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from protorel.corpora.formats import FORMATS
from protorel.encoders.words.vector_file import read_vector_file
from protorel.harvest.sources.alias_files import read_names
from protorel.harvest.sources.facts import open_facts
from protorel.harvest.sources.text import open_documents
from protorel.harvest.types import Tally
from protorel.recipes import load_finetune_recipe, load_recipe
from protorel.statements import read_statements

# `make test` looks at a few examples of each; `make fuzz` at ten times as many in each round.
FIXED = settings.default.derandomize
FEW = settings(max_examples=12 if FIXED else 120)

# ---- valid files, tiny, of every format ----

TOKENS = ["Ada", "Kroll", "of", "Lunsk", "."]
DOCRED = [
    {
        "title": "Ada",
        "sents": [TOKENS],
        "vertexSet": [[{"sent_id": 0, "pos": [0, 2], "type": "PER"}], [{"sent_id": 0, "pos": [3, 4], "type": "LOC"}]],
        "labels": [{"h": 0, "t": 1, "r": "P19", "evidence": [0]}],
    }
]
PLACES = {"entity1": [0, 10], "entity2": [13, 18]}
GENDER = {"relation_name": "spouse", "sentences": ["Ada Kroll of Lunsk"], "positions": [PLACES]}
SUBJECT = {"uri": "Q1", "boundaries": [0, 9], "surfaceform": "Ada Kroll"}
OBJECT = {"uri": "Q2", "boundaries": [13, 18], "surfaceform": "Lunsk"}
TRIPLE = {"subject": SUBJECT, "predicate": {"uri": "P19"}, "object": OBJECT}
VOCABULARY = ["[PAD]", *(f"[unused{i}]" for i in range(1, 100)), "[UNK]", "[CLS]", "[SEP]", "[MASK]", *TOKENS]
RELEASED = [101, 1, 104, 105, 2, 106, 3, 107, 4, 102]
MARKED = '1\t"<e1>Ada Kroll</e1> of <e2>Lunsk</e2>."\n{}\nComment:\n\n2\t"<e1>Ada</e1> in <e2>Mere</e2>."\n{}\n\n'


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


CORPORA = {
    "fewrel": lines({"P19": [{"tokens": TOKENS, "h": ["ada", "Q1", [[0, 1]]], "t": ["lunsk", "Q2", [[3]]]}] * 2}),
    "semeval": MARKED.format("Message-Topic(e1,e2)", "Other").encode(),
    "fuzzyred": MARKED.format("True", "Other").encode(),
    "opennre": lines(
        *[
            {
                "token": TOKENS,
                "h": {"name": "ada kroll", "pos": [0, 2]},
                "t": {"name": "Lunsk", "pos": [3, 4]},
                "relation": "r",
            }
        ]
        * 2
    ),
    "docred": lines(DOCRED),
    "docred_evidence": lines(DOCRED),
    "docred_pairs": lines(DOCRED),
    "rebel": lines({"title": "Ada", "text": "Ada Kroll of Lunsk", "triples": [TRIPLE]}),
    "zerorte": lines(
        {"triplets": [{"tokens": TOKENS, "head": [0, 1], "tail": [3], "label": "lives", "label_id": "P1"}]}
    ),
    "wikigender": lines({"train": [{"entity1": "Ada Kroll", "relations": [GENDER]}]}),
    "tacred": lines(
        [
            {"id": "e1", "token": TOKENS, "relation": "no_relation", "subj_type": "PERSON", "docid": "d"}
            | {"subj_start": 0, "subj_end": 1, "obj_start": 3, "obj_end": 3}
        ]
        * 2
    ),
    "csv": (
        b"text,head,tail,relation,head_start,head_stop,expresses\n"
        b'"Ada Kroll, a poet of Lunsk",Ada Kroll,Lunsk,r,,,true\nAda saw Ada in Mere,,Mere,,0,3,\n'
    ),
    "released": "\x01".join(["6", "P19", "1", "6", "\x02".join(map(str, RELEASED))]).encode() + b"\n",
    "jsonl": lines(
        {"text": "Ada Kroll of Lunsk", "head": [0, 9], "tail": [13, 18], "relation": "r", "id": "1"},
        {"tokens": TOKENS, "head": [0, 2], "tail": [3, 4], "expresses": True, "head_type": "PER"},
    ),
}
REAL = {
    "fewrel": "fewrel/val_wiki.json",
    "semeval": "semeval2010/TRAIN_FILE.TXT",
    "fuzzyred": "fuzzyred/fuzzyRE_data/P103.semeval",
    "docred": "distant/redocred/dev_revised.json",
    "docred_evidence": "distant/redocred/dev_revised.json",
    "docred_pairs": "distant/redocred/dev_revised.json",
    "rebel": "distant/rebel_sample/sample.jsonl",
    "zerorte": "distant/wikizsl/dev.jsonl",
    "wikigender": "distant/wikigenderbias/Wikigender.json",
    "jsonl": "distant_large/trex/trex.jsonl",
    "wikidata": "wikidata/wikidata_dump_sample.maxlath-entities.ndjson",
    "names": "wikidata/xfactr/alias.TREx.en.txt",
    "dump": "wikipedia/enwiki-pages-articles1-shortened.xml.bz2",
    "descriptions": "fewrel/pid2name.json",
    "answers": "semeval2010/scorer/proposed_answer1.txt",
}


def parquet(**columns: list[object]) -> bytes:
    pq.write_table(pa.table(columns), written := io.BytesIO())
    return written.getvalue()


def claim(property: str, value: str) -> dict[str, object]:
    snak = {
        "snaktype": "value",
        "property": property,
        "datavalue": {"type": "wikibase-entityid", "value": {"id": value}},
    }
    return {"mainsnak": snak, "rank": "normal", "type": "statement"}


ENTITY = {
    "type": "item",
    "id": "Q1",
    "labels": {"en": {"language": "en", "value": "Ada Kroll"}},
    "aliases": {"en": [{"language": "en", "value": "A. Kroll"}]},
    "sitelinks": {"enwiki": {"site": "enwiki", "title": "Ada Kroll"}},
    "claims": {"P19": [claim("P19", "Q2")], "P31": [claim("P31", "Q5")]},
}
OTHER_ENTITY = {"type": "item", "id": "Q2", "labels": {"en": {"language": "en", "value": "Lunsk"}}, "claims": {}}
PROPERTY = {"type": "property", "id": "P19", "labels": {"en": {"language": "en", "value": "born in"}}}
TEXT = "Ada Kroll was born in Lunsk. She left it, e.g. by ship, in 1901.\n\nLunsk is a town.\n"
WIKITEXT = (
    "{{Infobox|a=1|b={{c}}}}\n'''Ada Kroll''' was born in [[Lunsk|the town of Lunsk]].&lt;ref name=x&gt;y&lt;/ref&gt;\n"
    "== Life ==\n* [[File:A.jpg|thumb|x]] She left [[Lunsk]] &amp;nbsp; in 1901.\n{| class=x\n|-\n| a || b\n|}\n"
)
PAGE = "<page><title>{}</title><ns>0</ns><id>1</id><revision><id>1</id><text>{}</text></revision></page>"
DUMP = (
    "<mediawiki><siteinfo><sitename>Wikipedia</sitename><namespaces><namespace key='6'>File</namespace></namespaces>"
    f"</siteinfo>{PAGE.format('Ada Kroll', WIKITEXT)}{PAGE.format('Old', '#REDIRECT [[Lunsk]]')}</mediawiki>"
).encode()
FACTS = {
    "tsv": b"Q1\tP19\tQ2\nQ2\tP31\tQ5\n",
    "csv": b"subject,relation,object,more\nQ1,P19,Q2,\nQ2,P31,Q5,x\n",
    "parquet": parquet(subject=["Q1", "Q2"], relation=["P19", "P31"], object=["Q2", "Q5"]),
    "wikidata": b"[\n" + b",\n".join(lines(one).strip() for one in (ENTITY, OTHER_ENTITY, PROPERTY)) + b"\n]\n",
}
NAMES = {
    "tsv": b"Q1\tAda Kroll\tA. Kroll\nQ2\tLunsk\n",
    "parquet": parquet(entity=["Q1", "Q2"], name=["Ada Kroll", "Lunsk"]),
    "object": lines({"Q1": {"label": "Ada Kroll", "aliases": ["A."]}, "Q2": ["Lunsk"]}),
    "lines": lines(ENTITY, OTHER_ENTITY),
}
DOCUMENTS = {
    "plain": TEXT.encode(),
    "json": lines({"id": "1", "title": "Ada", "text": TEXT, "links": [[22, 27, "Lunsk"]]}, {"text": "Ada in Lunsk."}),
    "parquet": parquet(id=["1", "2"], title=["a", None], text=[TEXT, "Ada Kroll in Lunsk."]),
    "dump": DUMP,
}
PACKED = {
    "as it is": lambda content: content,
    "gzip": lambda content: gzip.compress(content, mtime=0),
    "bzip2": bz2.compress,
    "Zstandard": zstandard.ZstdCompressor().compress,
}
OTHERS = {
    "descriptions.json": lines({"born": ["born in", "where a life began"], "died": "died in", "lives": {"name": "x"}}),
    "descriptions.yaml": b"born: [born in, where a life began]\ndied: died in\nlives:\n  name: lives\n",
    "equivalents.yaml": b"means:\n  birthPlace: P19\n  born: P19\nsame:\n  - [died, deathPlace]\n",
    "relations.txt": b"born\ndied  # a comment\nlives\n",
    "answers.txt": b"1\tMessage-Topic(e1,e2)\n2\tOther\n3\tCause-Effect(e2,e1)\n",
    "texts.jsonl": lines(
        {"text": "Ada Kroll lives in Lunsk.", "document": "one", "entities": [[0, 9], [19, 24, "GPE"]]},
        {"text": "Bela died.", "entities": [{"start": 0, "stop": 4, "text": "Bela", "id": "Q1", "type": "PERSON"}]},
    ),
    "schema.yaml": b"born:\n  head_types: [PERSON]\n  at_most_one_per: head\nlives: {inverse: died}\n",
    "names.tsv": b"Q1\tAda Kroll\nQ2\tLunsk\tLunsk Hill\nQ3\tBela\n",
    "vectors.txt": b"3 4\nada 0.1 0.2 0.3 0.4\nlunsk 1 2 3 4\nthe -1 -2e-3 3 4\n",
    "pretraining.yaml": (Path(__file__).parents[2] / "src/protorel/recipes/col_final.yaml").read_bytes(),
    "tuning.yaml": (Path(__file__).parents[2] / "src/protorel/recipes/fewrel.yaml").read_bytes(),
}


@cache
def real(name: str, most: int = 12_000) -> bytes:
    """Return the beginning of a real file, whole JSON where the format is JSON; empty where it is not here."""
    folder = os.environ.get("PROTOREL_DATA")
    if not folder or name not in REAL or not (path := Path(folder) / REAL[name]).is_file():
        return b""
    with path.open("rb") as stream:
        content = stream.read(most)
    if path.suffix == ".bz2":
        return bz2.BZ2Decompressor().decompress(path.read_bytes(), max_length=most)
    if path.suffix == ".json":
        return _whole_again(content)
    return content[: content.rfind(b"\n") + 1] or content


def _whole_again(content: bytes) -> bytes:
    """Close the brackets of JSON that was cut, after its last whole value."""
    text = content.decode("utf-8", "ignore")
    for stop in range(len(text), 0, -1):
        if text[stop - 1] in "}]":
            opened: list[str] = []
            inside = False
            for place, letter in enumerate(text[:stop]):
                if letter == '"' and text[place - 1] != "\\":
                    inside = not inside
                elif not inside and letter in "{[":
                    opened.append({"{": "}", "[": "]"}[letter])
                elif not inside and letter in "}]":
                    opened.pop()
            whole = text[:stop] + "".join(reversed(opened))
            try:
                json.loads(whole)
            except ValueError:
                continue
            return whole.encode()
    return b""


# ---- the tests ----


def test_every_format_has_a_sample_that_is_read(tmp_path, ends_well):
    assert CORPORA.keys() == FORMATS.keys(), "give each format of corpora/formats.py a tiny valid file here"
    (tmp_path / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
    for name, content in CORPORA.items():
        (tmp_path / name).write_bytes(content)
        out = tmp_path / f"{name}.parquet"
        assert ends_well(["convert", tmp_path / name, "--format", name, "--out", out], tmp_path) == 0
        assert read_statements(out), name


@pytest.mark.parametrize("name", CORPORA)
@FEW
@given(data=st.data())
def test_a_changed_file_is_converted_or_refused(name, data, change, ends_well):
    originals = [one for one in (CORPORA[name], real(name)) if one]
    content = change(data, data.draw(st.sampled_from(originals)), data.draw(st.sampled_from([*CORPORA.values()])))
    with TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "P19.txt").write_bytes(content)
        (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
        out = folder / "out" / "x.parquet"
        code = ends_well(["convert", folder / "P19.txt", "--format", name, "--out", out], folder)
        assert out.exists() == (code == 0)
        if code == 0:
            read_statements(out)


def packed(data: st.DataObject, content: bytes, change, mutate) -> bytes:
    """Change a file and pack it; now and then change what is packed, too."""
    pack = PACKED[data.draw(st.sampled_from(list(PACKED)), label="packing")]
    content = change(data, content)
    return mutate(data, pack(content)) if data.draw(st.integers(0, 3)) == 0 else pack(content)


@pytest.mark.parametrize("name", FACTS)
@FEW
@given(data=st.data())
def test_changed_facts_are_read_or_refused(name, data, change, change_table, reads_well):
    changed = change_table if name == "parquet" and data.draw(st.booleans()) else change
    original = data.draw(st.sampled_from([one for one in (FACTS[name], real(name)) if one]))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "facts"
        path.write_bytes(packed(data, original, changed, change))
        reads_well(lambda: list(open_facts(path, Tally())))


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(data=st.data())
def test_changed_names_are_read_or_refused(name, data, change, change_table, reads_well):
    changed = change_table if name == "parquet" and data.draw(st.booleans()) else change
    originals = [one for one in (NAMES[name], real("names") if name == "tsv" else b"") if one]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "names"
        path.write_bytes(packed(data, data.draw(st.sampled_from(originals)), changed, change))
        reads_well(lambda: list(read_names(path, Tally())))


@pytest.mark.parametrize("name", DOCUMENTS)
@FEW
@given(data=st.data())
def test_changed_text_is_read_or_refused(name, data, change, change_table, reads_well):
    changed = change_table if name == "parquet" and data.draw(st.booleans()) else change
    original = data.draw(st.sampled_from([one for one in (DOCUMENTS[name], real(name, 40_000)) if one]))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_bytes(packed(data, original, changed, change))
        reads_well(lambda: list(open_documents(path, Tally())))


HARVESTED = {
    **{f"facts, {name}": ("facts", content) for name, content in FACTS.items()},
    **{f"names, {name}": ("aliases", content) for name, content in NAMES.items()},
    **{f"text, {name}": ("text", content) for name, content in DOCUMENTS.items()},
}


@settings(max_examples=5 if FIXED else 60, phases=[Phase.explicit, Phase.generate])  # each is a harvest
@given(data=st.data())
def test_a_harvest_of_a_changed_source_ends_well(data, change, change_table, ends_well):
    option, content = HARVESTED[data.draw(st.sampled_from(list(HARVESTED)), label="source")]
    changed = change_table if content.startswith(b"PAR1") and data.draw(st.booleans()) else change
    with TemporaryDirectory() as made:
        folder, options = Path(made), []
        given = {"facts": FACTS["tsv"], "aliases": NAMES["tsv"], "text": DOCUMENTS["plain"]}
        for name, original in given.items():
            (folder / name).write_bytes(packed(data, content, changed, change) if name == option else original)
            options += [f"--{name}", folder / name]
        ends_well(["harvest", *options, "--out", folder / "out", "--workers", "1"], folder)


FEWSHOT = "--way 2 --shot 1 --episodes 2"
COMMANDS = {
    "statements, leakage": ("data.parquet", "leakage {file} {data} --write-strict {out}/x.parquet --json {out}/x.json"),
    "statements, patterns": ("data.parquet", "patterns {file} --all --json {out}/x.json"),
    "statements, fuzzy": ("data.parquet", "fuzzy {file} --out {out}"),
    "statements, fewshot": ("data.parquet", f"evaluate fewshot {{run}} {{file}} {FEWSHOT} --json {{out}}/x.json"),
    "statements, classify": ("data.parquet", "evaluate classify {run} {file} --json {out}/x.json --answers {out}/a"),
    "statements, pairs": ("data.parquet", "evaluate pairs {run} {file} --json {out}/x.json"),
    "statements, fuzzyred": ("data.parquet", "evaluate fuzzyred {run} {file} --draws 2 --json {out}/x.json"),
    "statements, background": ("data.parquet", f"evaluate fewshot {{run}} {{data}} {FEWSHOT} --whiten {{file}}"),
    "descriptions": ("descriptions.json", f"evaluate fewshot {{run}} {{data}} {FEWSHOT} --descriptions {{file}}"),
    "descriptions in YAML": (
        "descriptions.yaml",
        f"evaluate fewshot {{run}} {{data}} {FEWSHOT} --descriptions {{file}}",
    ),
    "equivalents": ("equivalents.yaml", "leakage {data} {data} --equivalents {file}"),
    "relations": ("relations.txt", f"evaluate fewshot {{run}} {{data}} {FEWSHOT} --only {{file}}"),
    "answers": ("answers.txt", "evaluate answers {file} {key} --json {out}/x.json"),
    "texts": ("texts.jsonl", "extract {run} {file} --entities given --format jsonl"),
    "schema": ("schema.yaml", "extract {run} 'Ada Kroll lives in Lunsk.' --entities given --schema {file}"),
    "names": ("names.tsv", "extract {run} 'Ada Kroll lives in Lunsk.' --entities names:{file} --format csv"),
    "key": ("answers.txt", "evaluate answers {key} {file}"),
    # The data are missing: a recipe that a change has made valid would be trained.
    "recipe": ("pretraining.yaml", "pretrain {file} --data {missing} --out {out}"),
    "recipe for tuning": ("tuning.yaml", "finetune {file} --data {missing} --out {out} --model {run}"),
}


@pytest.mark.parametrize("name", COMMANDS)
@FEW
@given(data=st.data())
def test_a_command_works_with_a_changed_file_or_refuses_it(
    name, data, change, change_table, ends_well, data_file, word_run
):
    file, arguments = COMMANDS[name]
    if file == "data.parquet":
        changed = change_table if data.draw(st.integers(0, 3)) else change
        content = changed(data, data_file.read_bytes())
    else:
        originals = [one for one in (OTHERS[file], real(name)) if one]
        content = change(data, data.draw(st.sampled_from(originals)), OTHERS["relations.txt"])
    with TemporaryDirectory() as made:
        folder = Path(made)
        (folder / file).write_bytes(content)
        (folder / "key").write_bytes(OTHERS["answers.txt"])
        (folder / "out").mkdir()
        places = {"file": folder / file, "out": folder / "out", "key": folder / "key", "missing": folder / "missing"}
        code = ends_well(shlex.split(arguments.format(**places, data=data_file, run=word_run)), folder)
        left = [path for path in (folder / "out").rglob("*") if path.is_file()]
        # `leakage` counts and says so, even where nothing is left to write: what it has counted is whole.
        assert code == 0 or all(path.suffix == ".json" and json.loads(path.read_bytes()) for path in left), left


@FEW
@given(data=st.data())
def test_a_changed_recipe_or_setting_is_read_or_refused(data, change, reads_well):
    name, load = data.draw(st.sampled_from([("pretraining.yaml", load_recipe), ("tuning.yaml", load_finetune_recipe)]))
    line = data.draw(st.sampled_from([line for line in OTHERS[name].splitlines() if b":" in line and line[:1] != b"#"]))
    setting = change(data, line.replace(b": ", b"=").strip()).decode("utf-8", "surrogateescape")
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(OTHERS[name] if data.draw(st.booleans()) else change(data, OTHERS[name]))
        reads_well(lambda: load(str(path), [setting]))


@FEW
@given(data=st.data())
def test_changed_word_vectors_are_read_or_refused(data, change, reads_well):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "vectors"
        path.write_bytes(change(data, OTHERS["vectors.txt"]))
        reads_well(lambda: read_vector_file(path, {"ada"}))
