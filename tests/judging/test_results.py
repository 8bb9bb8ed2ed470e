"""What the verdicts say: majorities, the wrong share, the summary, and the ways back into data."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.audit import Audit, estimate_wrong_share
from protorel.cli import run
from protorel.corpora import read_fuzzyred
from protorel.judging import (
    LABEL_STUDIO_CONFIG,
    Verdict,
    VerdictStore,
    estimate_from_verdicts,
    export_verdicts,
    find_plan,
    read_verdicts,
    summarise_judging,
)
from protorel.judging.exports import _marked
from protorel.judging.orders import sample_of
from protorel.statements import Span, Statement, read_statements

SAID = {
    "ada": ["true", "false", "other", "true", "unclear", "skip", "true"],
    "bela": ["true", "reversed", "other", "false", "unclear", "skip"],
    "cleo": ["false", "true", "false", "skip", "true"],
}
DECISIONS = {
    0: (False, "true", None, 3),
    1: (True, "false", None, 3),
    2: (True, "other", "died_in", 3),
    3: (None, None, None, 2),
    4: (None, "unclear", None, 3),
    6: (False, "true", None, 1),
}


@pytest.fixture
def judged(folder):
    with VerdictStore(folder, Audit.read(folder)) as store:
        find_plan(store, "sample", size=60)
        for judge, verdicts in SAID.items():
            for place, one in enumerate(verdicts):
                relation = "died_in" if one == "other" else None
                store.add(judge, Verdict(f"{judge}-{place:08}", place, one, relation))
    return folder


def test_the_majority_decides_and_ties_and_unclear_ones_stay_open(judged):
    found = {one.place: (one.wrong, one.verdict, one.relation, one.judges) for one in read_verdicts(judged)}
    assert found == DECISIONS
    rows = Audit.read(judged).table["row"].to_pylist()
    assert all(one.row == rows[one.place] for one in read_verdicts(judged))


def test_a_decision_on_a_disagreement_goes_before_the_majority(judged):
    with VerdictStore(judged, Audit.read(judged)) as store:
        store.add("cleo", Verdict("cleo-settles-3", 3, "reversed", round="settle"))
        store.add("cleo", Verdict("cleo-settles-0", 0, "skip", round="settle"))
    found = {one.place: (one.wrong, one.verdict) for one in read_verdicts(judged)}
    assert found[3] == (True, "reversed")
    assert found[0] == (False, "true")


def test_without_a_database_there_are_no_verdicts_and_none_is_made(folder):
    assert read_verdicts(folder) == []
    assert summarise_judging(folder).judges == {}
    assert sorted(path.name for path in folder.iterdir()) == ["audit.parquet", "relations.parquet", "summary.json"]


def test_the_wrong_share_is_the_audits_estimate_from_the_majority(judged):
    audit = Audit.read(judged)
    with VerdictStore(judged, audit, read_only=True) as store:
        found, plan = estimate_from_verdicts(store), store.plan("sample")
    verdicts = [DECISIONS.get(place, (None,))[0] for place in plan.places]
    assert found == estimate_wrong_share(audit.scores, sample_of(audit, plan), verdicts)
    assert found.judged == 4


def test_statements_that_were_not_drawn_at_random_give_no_share(folder):
    with VerdictStore(folder, Audit.read(folder)) as store:
        find_plan(store, "score", size=5)
        store.add("ada", Verdict("verdict-1", 0, "false"))
        assert estimate_from_verdicts(store) is None
        find_plan(store, "random", size=60)
        assert estimate_from_verdicts(store).judged == 1


def test_the_summary_counts_judges_and_disagreements(judged, tmp_path, capsys):
    assert run(["judge", str(judged), "--summary", "--json", str(tmp_path / "summary.json")]) == 0
    printed = capsys.readouterr().out
    found = json.loads((tmp_path / "summary.json").read_text())
    assert found["judges"]["ada"] == {"true": 3, "false": 1, "other": 1, "unclear": 1, "skip": 1}
    assert (found["judged"], found["right"], found["wrong"], found["open"]) == (6, 2, 2, 2)
    assert found["disagreements"] == 3
    assert found["alpha"]["statements"] == 5
    assert len(found["kappa"]) == 3
    assert "6 statements judged: 2 labels right, 2 wrong, 2 open" in printed
    assert "judges disagree on 3 statements" in printed
    assert "Krippendorff's alpha: " in printed
    assert "more verdicts halve the interval" in printed


def test_a_summary_of_nothing_says_so(folder, capsys):
    assert run(["judge", str(folder), "--summary"]) == 0
    assert capsys.readouterr().out == "no verdicts yet\n"


def test_statements_come_back_in_the_order_of_the_data_with_expresses(judged, people, tmp_path, capsys):
    assert run(["judge", str(judged), "--export", str(tmp_path / "judged.parquet")]) == 0
    assert capsys.readouterr().out == f"60 statements written to {tmp_path / 'judged.parquet'}\n"
    rows = Audit.read(judged).table["row"].to_pylist()
    expected = {rows[place]: None if wrong is None else not wrong for place, (wrong, *_) in DECISIONS.items()}
    found = read_statements(tmp_path / "judged.parquet")
    assert [one.expresses for one in found] == [expected.get(row) for row in range(60)]
    assert [one.text for one in found] == [one.text for one in people(60)]


def test_label_studios_tasks_have_an_annotation_per_judge_and_fit_the_configuration(judged, tmp_path):
    assert export_verdicts(judged, tmp_path / "tasks.json").statements == 6
    tasks = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    assert [len(task["annotations"]) for task in tasks] == [3, 3, 3, 2, 3, 1]
    for task in tasks:
        assert f'value="${"text"}"' in LABEL_STUDIO_CONFIG
        for result in (one for part in (*task["annotations"], *task["predictions"]) for one in part["result"]):
            assert f'name="{result["from_name"]}" toName="{result["to_name"]}"' in LABEL_STUDIO_CONFIG
            if result["type"] == "labels":
                value = result["value"]
                assert task["data"]["text"][value["start"] : value["end"]] == value["text"]
            if result["type"] == "choices":
                assert f'<Choice value="{result["value"]["choices"][0]}"/>' in LABEL_STUDIO_CONFIG
    third = {result["from_name"]: result["value"] for result in tasks[2]["annotations"][0]["result"]}
    assert third["verdict"] == {"choices": ["other"]}
    assert third["other_relation"] == {"text": ["died_in"]}
    assert third["judge"] == {"text": ["ada"]}


def test_fuzzyreds_files_are_read_by_convert(judged, tmp_path, capsys):
    assert run(["judge", str(judged), "--export", str(tmp_path / "fuzzy")]) == 0
    out = tmp_path / "back.parquet"
    assert run(["convert", str(tmp_path / "fuzzy"), "--format", "fuzzyred", "--out", str(out)]) == 0
    assert "4 rows read = 4 statements" in capsys.readouterr().out
    audit = Audit.read(judged)
    expected = {
        (one.text, one.head, one.tail, one.relation, not DECISIONS[place][0])
        for place, one in zip((0, 1, 2, 6), audit.statements([0, 1, 2, 6]), strict=True)
    }
    assert {(one.text, one.head, one.tail, one.relation, one.expresses) for one in read_statements(out)} == expected


@pytest.mark.parametrize(
    ("export", "said"),
    [
        ("judged.csv", "expected a name that ends in .parquet (statements) or .json (Label Studio), or a folder"),
        ("audit", "exists already. Choose another --export."),
        ("audit/audit.parquet/x", "is not a folder"),
    ],
)
def test_an_export_that_cannot_be_written_is_one_line(judged, export, said, capsys, monkeypatch):
    monkeypatch.chdir(judged.parent)
    assert run(["judge", "audit", "--export", export]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


def test_nothing_judged_is_nothing_to_export(folder, tmp_path, capsys):
    assert run(["judge", str(folder), "--export", str(tmp_path / "new.json")]) == 2
    assert "expected verdicts to export, got none. Run `protorel judge` first." in capsys.readouterr().err
    assert not (tmp_path / "new.json").exists()


def test_a_relation_that_no_file_can_be_named_after_is_one_line(tmp_path, made_audit, capsys):
    statement = Statement("Ada Kroll came to Lunsk.", (0, 9), (18, 23), "/people/born")
    made_audit([statement], names={"/people/born": "born in"}).write(tmp_path / "audit")
    with VerdictStore(tmp_path / "audit", Audit.read(tmp_path / "audit")) as store:
        store.add("ada", Verdict("verdict-1", 0, "true"))
    assert run(["judge", str(tmp_path / "audit"), "--export", str(tmp_path / "fuzzy")]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "relation '/people/born': expected a name that a file can have" in line
    assert not (tmp_path / "fuzzy").exists()


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t \"'<>/e12"), max_size=12)


@given(st.lists(WORDS, min_size=5, max_size=5), st.booleans(), st.booleans())
def test_what_fuzzyreds_format_takes_comes_back_as_it_was(tmp_path_factory, words, swap, expresses):
    before, one, between, other, after = words
    text = before + one + between + other + after
    spans = (
        Span(len(before), len(before + one)),
        Span(len(before + one + between), len(before + one + between + other)),
    )
    head, tail = spans[::-1] if swap else spans
    if not one.strip() or not other.strip():
        return
    statement = Statement(text, head, tail, "P1", expresses=expresses)
    line = _marked(statement)
    if line is None:
        return
    path = tmp_path_factory.mktemp("fuzzy") / "P1.semeval"
    path.write_text(f'1\t"{line}"\n{"True" if expresses else "Other"}\nComment:\n\n', encoding="utf-8", newline="")
    [back] = read_fuzzyred(path)
    assert (back.text, back.head, back.tail, back.expresses) == (text, head, tail, expresses)


def test_verdicts_flow_back_into_the_estimate_of_a_simulated_judge(tmp_path, made_audit, people):
    random = np.random.default_rng(0)
    scores = random.random(400)
    wrong = random.random(400) > scores
    made_audit(people(400), scores.tolist()).write(tmp_path / "audit")
    audit = Audit.read(tmp_path / "audit")
    rows = audit.table["row"].to_pylist()
    with VerdictStore(tmp_path / "audit", audit) as store:
        for place in find_plan(store, "sample", size=150, seed=1).places:
            store.add("ada", Verdict(f"verdict-{place}", place, "false" if wrong[rows[place]] else "true"))
        found = estimate_from_verdicts(store)
    assert found.judged == 150
    assert found.low <= wrong.mean() <= found.high
