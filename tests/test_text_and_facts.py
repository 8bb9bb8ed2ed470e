"""The example from facts and text to triples: it runs, and finds facts that its training data does not have."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
FOUND = {
    ("Emrik Sommel", "born_in", "Kesmar"),
    ("Emrik Sommel", "founded", "Kelvora"),
    ("Lindovar", "based_in", "Lunsk"),
    ("Lunsk", "capital_of", "Dravonia"),
    ("Dovlin Vossik", "works_for", "Optivar"),
    ("Dovlin Vossik", "born_in", "Vardholm"),
}


def test_it_extracts_from_sentences_what_they_say():
    command = [sys.executable, "-W", "error", str(EXAMPLES / "text_and_facts.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    triples = [line.strip().rpartition(" (")[0] for line in done.stdout.splitlines() if line.startswith("    ")]
    assert sorted(triples) == sorted(" | ".join(triple) for triple in FOUND)


def test_the_facts_it_extracts_are_not_among_those_that_it_was_given():
    facts = {tuple(line.split("\t")) for line in (EXAMPLES / "facts.tsv").read_text().splitlines()}
    names = dict(line.split("\t")[1::-1] for line in (EXAMPLES / "names.tsv").read_text().splitlines())
    assert not {(names[head], relation, names[tail]) for head, relation, tail in FOUND} & facts


def test_the_example_files_are_short():
    for name in ("facts.tsv", "names.tsv", "pages.jsonl"):
        assert len((EXAMPLES / name).read_text().splitlines()) <= 40
    assert len((EXAMPLES / "text_and_facts.py").read_text().splitlines()) < 60
