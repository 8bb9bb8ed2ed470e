"""Other languages, end to end: a script that runs from right to left, and one that puts no spaces between words."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
import yaml

from protorel.batches import StatementTokenizer, tokenise_all
from protorel.cli import run
from protorel.encoders import read_vector_file, word_tokenizer, words_of
from protorel.model import RelationModel
from protorel.statements import read_statements

HEBREW = {
    "phrasings": {
        "born_in": ["{head} נולדה בעיירה {tail} לפני שנים רבות.", "בעיירה {tail} נולדה גם {head}."],
        "lives_in": ["{head} גרה עדיין ליד {tail}.", "ליד {tail} גרה בשקט {head}."],
        "founded": ["{head} ייסדה לבדה את {tail}!", "את {tail} ייסדה כידוע {head}."],
        "wrote": ["{head} כתבה באביב את {tail}.", "את {tail}, אומרים, כתבה {head}."],
    },
    "heads": ["עדה קרול", "בלה טרן", "נטע אורבל", "מיקה סולן", "רונה דבין", "תמי זורק"],
    "tails": ["לונסק", "אוסטר", "מרה תחתית", "ויל־דור", "קרבין", "טולמס"],
}
JAPANESE = {
    "phrasings": {
        "born_in": ["{head}は{tail}で生まれた。", "{tail}生まれの{head}が来た。"],
        "lives_in": ["{head}は今も{tail}に住んでいる。", "{tail}に住む{head}が来た。"],
        "founded": ["{head}は一人で{tail}を設立した。", "{tail}を設立した{head}が来た。"],
        "wrote": ["{head}は春に{tail}を書いた。", "{tail}を書いた{head}が来た。"],
    },
    "heads": ["林花", "森雪子", "川月", "石波", "東星美", "北岩"],
    "tails": ["霧原", "青湖町", "白砂", "鹿野", "鳥谷", "竹島村"],
}
LANGUAGES = {"hebrew": HEBREW, "japanese": JAPANESE}


def rows_of(language: dict) -> tuple[list[dict], list[dict]]:
    """Write each phrasing about each pair of names, with offsets in characters: two of three pairs are for training."""
    train, test = [], []
    for (i, head), (j, tail) in itertools.product(enumerate(language["heads"]), enumerate(language["tails"])):
        for relation, phrasings in language["phrasings"].items():
            for text in (phrasing.format(head=head, tail=tail) for phrasing in phrasings):
                places = {
                    entity: [text.index(name), text.index(name) + len(name)]
                    for entity, name in (("head", head), ("tail", tail))
                }
                (train if (i + j) % 3 else test).append({"text": text, **places, "relation": relation})
    return train, test


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request, tmp_path_factory, make_tiny_encoder):
    """A folder with a language's training data, converted, its test data, a tiny BERT for it, and word vectors."""
    folder = tmp_path_factory.mktemp(request.param)
    train, test = rows_of(LANGUAGES[request.param])
    write_rows(folder / "test.jsonl", test)
    source = write_rows(folder / "train.jsonl", train)
    assert run(["convert", str(source), "--format", "jsonl", "--out", str(folder / "train.parquet")]) == 0
    texts = [row["text"] for row in train]
    # So many that every word is whole: which pieces are learned first is a matter of chance.
    make_tiny_encoder(texts, folder / "bert", words=1000)
    rng = np.random.default_rng(0)
    vectors = {word: rng.normal(size=16).round(3) for text in texts for word in words_of(text)}
    lines = [f"{word} {' '.join(map(str, vector))}\n" for word, vector in vectors.items()]
    (folder / "words.vec").write_text(f"{len(lines)} 16\n" + "".join(lines), encoding="utf-8")
    return folder


def test_converting_keeps_every_row_and_every_span(language):
    given = [json.loads(line) for line in (language / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    kept = list(read_statements(language / "train.parquet"))
    assert len(kept) == len(given) == 192
    names = {name for part in ("heads", "tails") for name in LANGUAGES[language.name.rstrip("0123456789")][part]}
    for statement, row in zip(kept, given, strict=True):
        assert (statement.text, statement.relation) == (row["text"], row["relation"])
        assert {statement.head.of(statement.text), statement.tail.of(statement.text)} <= names


@pytest.mark.parametrize("reader", ["bert", "words"])
def test_markers_stand_around_the_names_and_nothing_else(language, reader):
    if reader == "bert":
        tokenizer = StatementTokenizer.load(language / "bert", markers=True)
    else:
        tokenizer = word_tokenizer(read_vector_file(language / "words.vec").words, markers=True)
    statements = list(read_statements(language / "train.parquet"))
    rows = tokenise_all(statements, tokenizer, max_length=64)
    for index, statement in enumerate(statements):
        row, layout = rows.row(index), tokenizer.layout
        assert layout.unknown not in row.ids
        for (start, stop), span, markers in (
            (row.head, statement.head, layout.head_markers),
            (row.tail, statement.tail, layout.tail_markers),
        ):
            assert (row.ids[start], row.ids[stop - 1]) == markers
            inside = tokenizer.tokenizer.convert_ids_to_tokens(row.ids[start + 1 : stop - 1].tolist())
            name = span.of(statement.text)
            assert "".join(piece.removeprefix("##") for piece in inside) == name.replace(" ", "")


@pytest.mark.parametrize("encoder", ["bert", "cnn", "rnn"])
def test_from_rows_to_a_few_shot_figure_by_the_command_line(language, encoder, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    recipe = {
        "encoder": str(language / "bert") if encoder == "bert" else encoder,
        "readout": "mean",
        "steps": 40 if encoder == "bert" else 30,
        "learning_rate": 0.005,
        "relations_per_batch": 4,
        "statements_per_relation": 4,
        "max_length": 64,
        "head_factor": 1.0,
        "chunks": 1,
        "cnn": {"vectors": str(language / "words.vec"), "channels": 24},
        "rnn": {"vectors": str(language / "words.vec"), "hidden": 12},
        "objective": {name: {"weight": 1.0} for name in ("s2s", "softmax")},
    }
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(recipe, allow_unicode=True), encoding="utf-8")
    run_folder, result = tmp_path / "run", tmp_path / "result.json"
    data = ["--data", str(language / "train.parquet"), "--out", str(run_folder)]
    assert run(["pretrain", str(tmp_path / "mine.yaml"), *data]) == 0
    assert "192 statements used, 0 rejected" in capsys.readouterr().out
    judge = ["evaluate", "fewshot", str(run_folder), str(language / "test.jsonl"), "--format", "jsonl"]
    assert run([*judge, "--way", "4", "--episodes", "500", "--json", str(result)]) == 0
    # Four relations: chance is 0.25.
    assert json.loads(result.read_text())["accuracy"] > 0.4
    assert set(RelationModel.from_pretrained(run_folder).relations.ids) == set(HEBREW["phrasings"])
