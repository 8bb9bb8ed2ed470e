"""The examples run as they stand, are short, and say what the pages promise."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = runpy.run_path(str(Path(__file__).with_name("notebooks.py")))
code_cells, outputs_of = NOTEBOOKS["code_cells"], NOTEBOOKS["outputs_of"]
EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
SAID = {
    "quickstart": ["Marie Curie | place of birth | Warsaw", "Aspirin may cause bleeding. side_effect"],
    "own_table": ["48 rows, 6 relations", "    born_in (", "    capital_of (", "    wrote ("],
    "few_shot": ["5-way 1-shot accuracy: ", "5-way 5-shot accuracy: "],
    "zero_shot": ["GitHub was acquired by Microsoft in 2018. acquired_by", "Germany. none of the relations"],
    "noisy_labels": ["wrong labels, all statements: 40 %"],
    "spacy_pipeline": ["    The Sagrada Familia – P84 – Antoni Gaudi"],
    "text_and_facts": [
        "    Emrik Sommel | born_in | Kesmar (",
        "    Emrik Sommel | founded | Kelvora (",
        "    Lindovar | based_in | Lunsk (",
        "    Lunsk | capital_of | Dravonia (",
        "    Dovlin Vossik | works_for | Optivar (",
        "    Dovlin Vossik | born_in | Vardholm (",
    ],
}


def test_every_promised_example_exists():
    assert {script.stem for script in SCRIPTS} >= SAID.keys()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_is_short_and_runs_as_it_stands(script, tmp_path):
    assert len(script.read_text(encoding="utf-8").splitlines()) < 60
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for expected in SAID.get(script.stem, []):
        assert expected in done.stdout
    if script.stem == "noisy_labels":
        shares = [int(line.split()[-2]) for line in done.stdout.splitlines() if line.startswith("wrong labels")]
        assert shares[1] > shares[0] > shares[2]
    if script.stem == "text_and_facts":
        assert done.stdout.count("\n    ") == len(SAID[script.stem])


def test_the_triples_from_text_are_not_among_the_facts_that_labelled_it():
    facts = {tuple(line.split("\t")) for line in (EXAMPLES / "facts.tsv").read_text().splitlines()}
    ids = dict(line.split("\t")[1::-1] for line in (EXAMPLES / "names.tsv").read_text().splitlines())
    triples = [line.strip(" (").split(" | ") for line in SAID["text_and_facts"]]
    assert not {(ids[head], relation, ids[tail]) for head, relation, tail in triples} & facts


def test_the_notebook_shows_what_its_cells_give():
    notebook = json.loads((EXAMPLES / "tour.ipynb").read_text(encoding="utf-8"))
    for cell, outputs in zip(code_cells(notebook), outputs_of(notebook), strict=True):
        assert [one["output_type"] for one in cell["outputs"]] == [one["output_type"] for one in outputs]
        for kept, found in zip(cell["outputs"], outputs, strict=True):
            assert words(kept) == words(found)


def words(output: dict) -> list[str]:
    """Return what an output says, without its last digits, which differ between processors."""
    lines = output.get("text") or output["data"].get("text/html") or output["data"]["text/plain"]
    text = re.sub(r"<[^>]*>", " ", "".join(lines))
    return [word for word in text.split() if not any(character.isdigit() for character in word)]
