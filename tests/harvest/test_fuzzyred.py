"""FuzzyRED's construction: counts as the paper's appendix A defines them, draws that no order changes."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace

import pytest

from protorel.cli import run
from protorel.harvest.engines.alignment import NO_RELATION
from protorel.harvest.fuzzyred import build_fuzzyred, count_seeds, draw
from protorel.statements import BadInput, DataSet, Span, Statement, read_statements, write_statements


def invented(seed=0, count=400):
    chance = random.Random(seed)
    rows = []
    for number in range(count):
        head, tail, relation = f"h{chance.randrange(12)}", f"t{chance.randrange(4)}", f"r{chance.randrange(5)}"
        text = f"{head} met {tail} {number} times."
        start = len(head) + 5
        rows.append(
            Statement(text, Span(0, len(head)), Span(start, start + len(tail)), relation, f"s{number}", head, tail)
        )
    return rows


def test_seeds_are_counted_as_the_appendix_says():
    rows = invented(count=90)
    held = {}
    for row in rows:
        held.setdefault((row.head_id, row.tail_id), set()).add(row.relation)
    expected = Counter({row.relation: 0 for row in rows})
    for relations in held.values():
        if len(relations) > 2:
            expected.update(relations)
    found = count_seeds(DataSet.of("made", rows))
    assert found.of_relations == dict(expected)
    assert list(found.of_relations.values()) == sorted(expected.values(), reverse=True)
    assert found.ambiguous == sum(len(relations) > 2 for relations in held.values()) > 0
    assert sum(found.pairs_by_relations.values()) == len(held)


def test_a_pair_in_two_sentences_is_one_seed_and_two_relations_are_no_doubt():
    (row, *_) = invented()
    rows = [replace(row, relation=name, text=row.text + more) for name in ("a", "b", "c") for more in ("", " Yes.")]
    found = count_seeds(DataSet.of("made", rows[::-1])).of_relations
    assert list(found.items()) == [("a", 1), ("b", 1), ("c", 1)]
    assert count_seeds(DataSet.of("made", rows[:4])).ambiguous == 0


def test_what_carries_no_relation_is_no_relation():
    (row, *_) = invented()
    rows = [replace(row, relation=name) for name in ("a", "b", NO_RELATION, None)]
    found = count_seeds(DataSet.of("made", rows))
    assert found.of_relations == {"a": 0, "b": 0}


def test_a_draw_does_not_depend_on_the_order_and_takes_no_statement_twice():
    rows = invented()
    shuffled = random.Random(1).sample([*rows, *rows], 2 * len(rows))
    drawn = draw(DataSet.of("made", rows), ["r1", "r2"], statements=10, seed=3)
    assert draw(DataSet.of("made", shuffled), ["r1", "r2"], statements=10, seed=3) == drawn
    assert [row.relation for row in drawn] == ["r1"] * 10 + ["r2"] * 10
    assert len(set(drawn)) == 20
    assert draw(DataSet.of("made", rows), ["r1", "r2"], statements=10, seed=4) != drawn


def test_the_command_writes_what_people_judge_and_counts_what_they_found(tmp_path, capsys):
    write_statements(invented(), tmp_path / "all.parquet")
    out = tmp_path / "fuzzy"
    options = ["--out", str(out), "--relations", "2", "--each", "5"]
    assert run(["fuzzy", str(tmp_path / "all.parquet"), *options]) == 0
    found = json.loads((out / "fuzzy.json").read_text())
    seeds = [one["seeds"] for one in found["relations"].values()]
    assert len(seeds) == 2
    assert min(seeds) >= max(found["seeds_of_others"].values())
    lines = [json.loads(line) for line in (out / "to_judge.jsonl").read_text().splitlines()]
    assert len(lines) == len(read_statements(out / "statements.parquet")) == 10
    assert all(line["expresses"] is None for line in lines)
    for number, line in enumerate(lines):
        line["expresses"] = number % 5 == 0
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    judged = ["--judged", "--format", "jsonl", "--out", str(tmp_path / "judged")]
    assert run(["fuzzy", str(tmp_path / "judged.jsonl"), *judged]) == 0
    statistics = json.loads((tmp_path / "judged" / "table4.json").read_text())
    assert statistics["mean"] == statistics["median"] == pytest.approx(0.8)
    assert "80.0" in capsys.readouterr().out


def test_data_without_a_doubt_are_refused_in_one_line(tmp_path, capsys):
    rows = [row for row in invented() if row.relation in ("r1", "r2")]
    write_statements(rows, tmp_path / "all.parquet")
    assert run(["fuzzy", str(tmp_path / "all.parquet"), "--out", str(tmp_path / "out")]) == 2
    assert "expected entity pairs with more than 2 relations, got none" in capsys.readouterr().err
    with pytest.raises(BadInput, match="expected at least 1, got 0"):
        build_fuzzyred(DataSet.of("made", rows), tmp_path / "out", relations=0)
