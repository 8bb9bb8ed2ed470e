"""The alignment: one SQL text, the same rows from every engine, and those of plain loops."""

from __future__ import annotations

import random
from hashlib import md5
from itertools import permutations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from protorel.harvest.engines.alignment import NO_RELATION, AlignmentRule
from protorel.harvest.engines.duckdb_engine import DuckDBEngine
from protorel.harvest.engines.shards import Shard
from protorel.harvest.engines.spark_engine import SparkEngine
from protorel.harvest.mentions.finder import Mention, MentionedSentence
from protorel.harvest.types import Tally
from protorel.statements import BadInput, WorkFailed, read_statements

ENTITIES = [f"E{number}" for number in range(6)]
RELATIONS = ["born_in", "died_in", "said: 'it''s'"]


@pytest.fixture(params=["duckdb", "spark"])
def engine(request):
    if request.param == "duckdb":
        yield DuckDBEngine(threads=2, memory="200MB")
        return
    request.getfixturevalue("spark_is_there")
    engine = SparkEngine("local[2]")
    yield engine
    engine.stop()


def invented(seed, sentences=120):
    """Facts, and sentences that name some entities, some twice; a few sentences stand in two documents."""
    chance = random.Random(seed)
    facts = {(chance.choice(ENTITIES), chance.choice(RELATIONS), chance.choice(ENTITIES)) for _ in range(25)}
    shards = [[], []]
    for number in range(sentences):
        names = [chance.choice(ENTITIES) for _ in range(chance.randint(2, 4))]
        text = f"{' and '.join(names)} met{'' if chance.random() < 0.3 else f' {number} times'}."
        places = [4 * at + 3 * at for at in range(len(names))]
        mentions = tuple(
            Mention(at, at + 2, name, "kind" if name == "E1" else None, "name")
            for at, name in zip(places, names, strict=True)
        )
        shards[number % 2].append(MentionedSentence(f"d{number // 3}@1", number, 0, text, mentions))
    return facts, shards


def written(tmp_path, facts, shards):
    columns = zip(*sorted(facts), strict=True) if facts else ((), (), ())
    names = ("subject", "relation", "object")
    table = {name: pa.array(column, pa.string()) for name, column in zip(names, columns, strict=True)}
    pq.write_table(pa.table(table), tmp_path / "facts.parquet")
    made = []
    for number, sentences in enumerate(shards):
        shard = Shard.numbered(number, tmp_path / "shards")
        shard.write(sentences, {}, Tally(), [])
        made.append(shard)
    return made, tmp_path / "facts.parquet"


def by_loops(facts, shards, rule):
    """The rows that the rule asks for, one pair after another."""
    candidates = []
    threshold = int(rule.no_relation * 16**15)
    for sentence in (sentence for sentences in shards for sentence in sentences):
        nearest = {}
        for head, tail in permutations(sentence.mentions, 2):
            if head.entity != tail.entity:
                key = (abs(head.start - tail.start), head.start, tail.start)
                pair = (head.entity, tail.entity)
                nearest[pair] = min(nearest.get(pair, (key, head, tail)), (key, head, tail), key=lambda one: one[0])
        for (one, other), (_, head, tail) in nearest.items():
            held = [relation for subject, relation, object in facts if (subject, object) == (one, other)]
            if not held and not any({one, other} == {subject, object} for subject, _, object in facts):
                name = f"{rule.seed} {sentence.document}:{sentence.number}:{one}:{other}"
                held = [NO_RELATION] * (int(md5(name.encode()).hexdigest()[:15], 16) < threshold)
            for relation in held:
                id = f"{sentence.document}:{sentence.number}:{one}:{relation}:{other}"
                spans = (head.start, head.stop, tail.start, tail.stop)
                candidates.append((id, (sentence.text, *spans, relation), (one, other, head.type, tail.type)))
    firsts = {}
    for id, says, who in sorted(candidates):
        firsts.setdefault(says, (id, who))
    rows = set()
    for relation in {says[-1] for says in firsts}:
        own = [(id, says, who) for says, (id, who) in firsts.items() if says[-1] == relation]
        own.sort(key=lambda row: md5(f"{rule.seed} {row[0]}".encode()).hexdigest())
        if len(own) >= rule.fewest:
            rows |= set(own[: rule.most])
    return rows, len(candidates), len(firsts)


def as_rows(statements):
    return {
        (s.id, (s.text, s.head.start, s.head.stop, s.tail.start, s.tail.stop, s.relation),
         (s.head_id, s.tail_id, s.head_type, s.tail_type))
        for s in statements
    }  # fmt: skip


def test_the_rows_of_an_engine_are_those_of_plain_loops(engine, tmp_path):
    facts, shards = invented(seed=3)
    rule = AlignmentRule(most=20, fewest=3, no_relation=0.2, seed=5, source="it's ours")
    made, facts_path = written(tmp_path, facts, shards)
    counts = engine.align(made, facts_path, work=tmp_path / "work", out=tmp_path / "out", rule=rule)
    statements = read_statements(tmp_path / "out")
    rows, aligned, distinct = by_loops(facts, shards, rule)
    assert as_rows(statements) == rows
    assert (counts.aligned, counts.distinct, counts.statements) == (aligned, distinct, len(rows))
    assert counts.statements == len(statements) < counts.distinct < counts.aligned
    assert {(s.document, s.source, s.expresses) for s in statements} >= {("d0@1", "it's ours", None)}
    assert sum(s.relation == NO_RELATION for s in statements) == counts.per_relation[NO_RELATION] > 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "rule",
    [AlignmentRule(), AlignmentRule(most=1), AlignmentRule(no_relation=1.0), AlignmentRule(fewest=30, seed=1)],
    ids=["all", "one", "with all pairs", "floor"],
)
def test_every_choice_is_that_of_plain_loops(tmp_path, seed, rule):
    facts, shards = invented(seed, sentences=40)
    made, facts_path = written(tmp_path, facts, shards)
    DuckDBEngine(threads=1).align(made, facts_path, work=tmp_path / "work", out=tmp_path / "out", rule=rule)
    rows, _, _ = by_loops(facts, shards, rule)
    found = as_rows(read_statements(tmp_path / "out")) if list((tmp_path / "out").glob("*.parquet")) else set()
    assert found == rows


def test_a_sentence_that_stands_in_three_documents_gives_one_row(tmp_path):
    mentions = (Mention(0, 2, "E1", None, "name"), Mention(3, 5, "E2", None, "name"))
    one, two, three = (MentionedSentence(document, 0, 0, "E1 E2.", mentions) for document in "bac")
    made, facts_path = written(tmp_path, {("E1", "r", "E2")}, [[one, two], [three]])
    counts = DuckDBEngine().align(made, facts_path, work=tmp_path / "work", out=tmp_path / "out", rule=AlignmentRule())
    assert [s.id for s in read_statements(tmp_path / "out")] == ["a:0:E1:r:E2"]
    assert (counts.aligned, counts.distinct, counts.statements) == (3, 1, 1)


def test_documents_of_one_name_are_not_mixed_up(tmp_path):
    def sentence(*names):
        mentions = tuple(Mention(3 * at, 3 * at + 2, name, None, "name") for at, name in enumerate(names))
        return MentionedSentence("same", 0, 0, " ".join(names) + ".", mentions)

    made, facts_path = written(
        tmp_path, {("E1", "r", "E2"), ("E3", "r", "E4")}, [[sentence("E1", "E2"), sentence("E3", "E4")]]
    )
    DuckDBEngine().align(made, facts_path, work=tmp_path / "work", out=tmp_path / "out", rule=AlignmentRule())
    assert {s.text for s in read_statements(tmp_path / "out")} == {"E1 E2.", "E3 E4."}


def test_a_document_that_was_given_twice_gives_its_rows_once_and_another_of_its_name_its_own(tmp_path):
    mentions = (Mention(0, 2, "E1", None, "name"), Mention(3, 5, "E2", None, "name"))
    one, other = (MentionedSentence("same", 0, 0, text, mentions) for text in ("E1 E2.", "E1 E2 again."))
    made, facts_path = written(tmp_path, {("E1", "r", "E2")}, [[one, other], [one]])
    DuckDBEngine().align(made, facts_path, work=tmp_path / "work", out=tmp_path / "out", rule=AlignmentRule())
    assert sorted(s.text for s in read_statements(tmp_path / "out")) == ["E1 E2 again.", "E1 E2."]


def test_folders_may_have_any_name_and_shards_that_are_aligned_are_not_aligned_again(tmp_path):
    folder = tmp_path / 'it\'s; "ours"'
    folder.mkdir()
    facts, shards = invented(seed=1, sentences=20)
    made, facts_path = written(folder, facts, shards)
    places = {"work": folder / "work", "rule": AlignmentRule()}
    first = DuckDBEngine().align(made, facts_path, out=folder / "out", **places)
    parts = sorted((folder / "work" / "aligned").glob("*.parquet"))
    before = [part.stat().st_mtime_ns for part in parts]
    assert DuckDBEngine().align(made, facts_path, out=folder / "again", **places) == first
    assert [part.stat().st_mtime_ns for part in parts] == before
    assert as_rows(read_statements(folder / "out")) == as_rows(read_statements(folder / "again")) != set()


def test_a_join_that_needs_more_memory_says_so_in_one_line(tmp_path):
    made, facts_path = written(tmp_path, *invented(seed=1, sentences=20))
    places = {"work": tmp_path / "work", "out": tmp_path / "out"}
    with pytest.raises(WorkFailed, match="needs more memory than 100KB; raise --memory"):
        DuckDBEngine(threads=1, memory="100KB").align(made, facts_path, rule=AlignmentRule(), **places)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("wrong", [{"most": 0}, {"fewest": 0}, {"no_relation": 1.5}, {"no_relation": -0.1}])
def test_a_rule_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(BadInput, match=f"{next(iter(wrong))}: expected"):
        AlignmentRule(**wrong)


def test_spark_without_java_says_what_is_missing(monkeypatch, tmp_path):
    pytest.importorskip("pyspark")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(BadInput, match="expected Java 17"):
        SparkEngine("local[1]").align([], tmp_path, work=tmp_path, out=tmp_path / "out", rule=AlignmentRule())
