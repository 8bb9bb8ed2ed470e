"""What is wrong with a command line is said before torch is imported: one line, exit code 2, nothing written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from protorel.cli import run
from protorel.statements import Span, Statement, write_statements

DRIVER = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from protorel.cli import run
from protorel_paper.cli import run as run_paper
for line in sys.stdin:
    out, err = io.StringIO(), io.StringIO()
    arguments = json.loads(line)
    with redirect_stdout(out), redirect_stderr(err):
        code = run_paper(arguments[1:]) if arguments[0] == "paper" else run(arguments)
    heavy = [name for name in ("torch", "transformers") if name in sys.modules]
    print(json.dumps([code, err.getvalue().splitlines(), heavy]), flush=True)
"""

# Made by the fixture below: good.parquet, good.json, notes.txt, cut.parquet, folder/, mine.yaml, run/ (unfinished).
WRONG = [
    # usage
    ("nosuch", "No such command 'nosuch'; see `protorel --help`"),
    ("--nosuch", "No such option: --nosuch; see `protorel --help`"),
    ("convert", "Missing"),
    ("pretrain smoke --data good.parquet", "Missing option '--out'"),
    ("evaluate nosuch", "No such command 'nosuch'; see `protorel evaluate --help`"),
    ("evaluate fewshot minilm good.parquet --nosuch", "see `protorel evaluate fewshot --help`"),
    # demo
    ("demo --out folder", "folder: exists already"),
    ("demo --out notes.txt/demo", "notes.txt is not a folder"),
    ("demo --encoder bert --out new", "'--encoder'"),
    ("demo --seed x --out new", "'--seed'"),
    # convert
    ("convert nosuch.json --format fewrel --out new.parquet", "nosuch.json: no such file or folder"),
    ("convert notes.txt --format fewrl --out new.parquet", "got 'fewrl'. Did you mean 'fewrel'?"),
    ("convert notes.txt --format fewrel --out new.csv", "new.csv: expected a name that ends in .parquet"),
    ("convert notes.txt --format fewrel --out good.parquet", "good.parquet: exists already; replace it with --force"),
    ("convert notes.txt --format fewrel --out notes.txt/a.parquet", "notes.txt is not a folder"),
    # harvest, fuzzy, judge, leakage, patterns
    ("harvest --facts nosuch --text notes.txt --out new", "nosuch: no such file or folder"),
    ("harvest --facts notes.txt --text nosuch --out new", "nosuch: no such file or folder"),
    ("harvest --facts notes.txt --text notes.txt --out notes.txt", "notes.txt: expected a folder, got a file"),
    (
        "harvest --facts notes.txt --text notes.txt --out folder",
        "folder: expected an empty folder or a harvest, got other files",
    ),
    ("harvest --facts notes.txt --text notes.txt --out new --master local", "--master local: expected --engine spark"),
    ("harvest --facts notes.txt --text notes.txt --out new --engine hadoop", "'--engine'"),
    ("harvest --facts notes.txt --text notes.txt --out new --memory -1GB", "memory: expected a number and a unit"),
    ("harvest --facts notes.txt --text notes.txt --out new --memory 2", "memory: expected a number and a unit"),
    ("harvest --facts notes.txt --text notes.txt --out new --memory 0GB", "memory: expected at least 64MB, got '0GB'"),
    ("fuzzy nosuch.parquet --out new", "nosuch.parquet: no such file or folder"),
    ("fuzzy good.parquet --out notes.txt", "notes.txt: expected a folder, got a file"),
    ("fuzzy good.parquet --out new --each 0", "'--each'"),
    ("judge nosuch", "nosuch/audit.parquet: no such file"),
    ("judge folder --order best", "'--order'"),
    ("judge folder --port 70000", "'--port'"),
    ("judge folder --sample 0", "'--sample'"),
    ("judge folder --judge a\x07b", "judge: expected a name of 1 to 80 printable characters, got 'a"),
    ("judge folder --descriptions nosuch.yaml", "nosuch.yaml: no such file"),
    ("judge folder --json new.json", "--json: expected --summary next to it"),
    ("judge folder --export new.csv", "--export: expected a name that ends in .parquet (statements) or .json"),
    ("judge folder --export folder", "folder: exists already. Choose another --export."),
    ("leakage good.parquet nosuch.parquet", "nosuch.parquet: no such file or folder"),
    ("leakage good.parquet notes.txt", "notes.txt: cannot be read as Parquet"),
    ("leakage good.parquet cut.parquet", "cut.parquet: cannot be read as Parquet (it does not end like one)"),
    ("leakage good.parquet good.parquet --json folder", "folder: expected a file name, got a folder"),
    ("patterns good.parquet", "expected one relation by --relation"),
    ("patterns nosuch.parquet --relation x", "nosuch.parquet: no such file or folder"),
    # pretrain
    ("pretrain smoke stps=3 --data good.parquet --out new", "unknown key 'stps'; did you mean 'steps'?"),
    ("pretrain smok --data good.parquet --out new", "recipe 'smok' is not known; did you mean 'smoke'?"),
    ("pretrain nosuch.yaml --data good.parquet --out new", "nosuch.yaml: no such recipe file"),
    ("pretrain semeval --data good.parquet --out new", "Use `protorel finetune`"),
    ("pretrain smoke steps=many --data good.parquet --out new", "steps = 'many'"),
    ("pretrain smoke steps=0 --data good.parquet --out new", "steps = 0"),
    ("pretrain smoke steps=3 steps=4 --data good.parquet --out new", "expected each setting once, got 'steps' twice"),
    ("finetune semeval seed=1 seed=1 --data good.parquet --out new", "expected each setting once, got 'seed' twice"),
    ("pretrain smoke steps=2001-99-99 --data good.parquet --out new", "steps = '2001-99-99'"),
    ("demo --seed -1 --out new", "'--seed'"),
    ("harvest --facts notes.txt --text notes.txt --out new --seed -1", "'--seed'"),
    ("fuzzy good.parquet --out new --seed -1", "'--seed'"),
    ("evaluate fewshot minilm good.parquet --seed -1", "'--seed'"),
    ("evaluate fewshot minilm good.parquet --seed 99999999999999999999", "'--seed'"),
    ("evaluate classify folder good.parquet --seed -1", "'--seed'"),
    ("evaluate pairs minilm good.parquet --seed -1", "'--seed'"),
    ("evaluate fuzzyred minilm good.parquet --seed -1", "'--seed'"),
    ("evaluate answers notes.txt notes.txt --seed -1", "'--seed'"),
    ("paper data-budget budget --data good.parquet --test good.parquet --out new --seeds -1", "--seeds -1"),
    ("paper figure6 --out new --seed -1", "'--seed'"),
    ("paper table1 --out new --budget smoke --seeds -1", "--seeds -1"),
    ("pretrain smoke encoder=nosuch --data good.parquet --out new", "nosuch: expected a run folder"),
    ("pretrain smoke without_relations=x --data good.parquet --out new", "x: expected a file or one of the lists"),
    ("pretrain smoke encoder=cnn cnn.vectors=x.txt --data good.parquet --out new", "x.txt: no such file"),
    ("pretrain smoke encoder=cnn precision=bf16 --data good.parquet --out new", "got a word encoder"),
    ("finetune semeval_rnn precision=bf16 --data good.parquet --out new", "got a word encoder"),
    ("pretrain smoke precision=fp16 --data good.parquet --out new", "precision = 'fp16'"),
    ("pretrain smoke --data nosuch.parquet --out new", "nosuch.parquet: no such file or folder"),
    ("pretrain smoke --data good.json --out new", "good.json: cannot be read as Parquet"),
    ("pretrain smoke --data good.parquet --out notes.txt", "notes.txt: expected a folder, got a file"),
    ("pretrain smoke --data good.parquet --out folder", "folder: exists already"),
    ("pretrain smoke --data good.parquet --out new --resume", "new: expected a run to resume, got none"),
    ("pretrain smoke --data good.parquet --out new --decontaminate nosuch.parquet", "nosuch.parquet: no such file"),
    ("pretrain smoke --data good.parquet --out new --decontaminate good.json --format x", "jsonl, got 'x'."),
    ("pretrain smoke --data good.parquet --out new --equivalents nosuch.yaml", "nosuch.yaml: no such file"),
    ("pretrain smoke --data good.parquet --out new --descriptions nosuch.json", "nosuch.json: no such file"),
    ("pretrain smoke --data good.parquet --out new --descriptions mine.yaml", "no term of the objective reads"),
    # finetune
    ("finetune semeval epohcs=1 --data good.parquet --out new", "did you mean 'epochs'?"),
    ("finetune mlman method.widht=9 --data good.parquet --out new", "did you mean 'method.width'?"),
    ("finetune smoke --data good.parquet --out new", "Use `protorel pretrain`"),
    ("finetune supervised --model nosuch --data good.parquet --out new", "nosuch: expected a run folder"),
    ("finetune supervised --model run --data good.parquet --out new", "run: this run has not finished"),
    ("finetune supervised --model minilm --data good.parquet --dev nosuch.parquet --out new", "nosuch.parquet: no"),
    ("finetune supervised --model minilm --data good.parquet --out folder", "folder: exists already"),
    ("finetune supervised --model minilm --data good.parquet --descriptions mine.yaml --out new", "no descriptions"),
    # average
    ("average folder --out new", "expected two or more runs, got 1"),
    ("average folder nosuch --out new", "folder: expected a run folder, got a folder without a run"),
    ("average nosuch folder --out new", "nosuch: expected a run folder; no such folder"),
    # predict, calibrate, relations
    ("predict", "Missing argument 'MODEL'"),
    ("predict minilm good.parquet", "minilm: expected a model with relations, got an encoder without any"),
    ("predict run good.parquet", "run: this run has not finished"),
    ("predict nosuch good.parquet", "nosuch: "),
    ("predict run good.parquet --top 0", "'--top'"),
    ("calibrate minilm good.parquet", "minilm: expected a model with relations, got an encoder without any"),
    ("calibrate run good.parquet --none-share 2", "'--none-share'"),
    ("relations list nosuch", "nosuch: "),
    ("relations add minilm --describe x", "--describe: expected --name"),
    ("relations add minilm --examples nosuch.parquet", "nosuch.parquet: no such file or folder"),
    ("relations add minilm --name a --describe b", "Write a new run with --out DIR"),
    ("relations add minilm --name a --describe b --out folder", "folder: exists already"),
    ("relations remove minilm a", "minilm: expected a model with relations, got an encoder without any"),
    # extract
    ("extract", "Missing argument 'MODEL'"),
    ("extract nosuch x", "nosuch: expected a run folder"),
    ("extract run x", "run: this run has not finished"),
    ("extract minilm x", "minilm: expected a model with relations, got an encoder"),
    ("extract minilm nosuch.txt", "nosuch.txt: no such file"),
    ("extract minilm folder/nosuch", "folder/nosuch: no such file"),
    ("extract minilm good.json", "good.json: expected a .txt file (one text) or a .jsonl file"),
    ("extract minilm x --entities spcy", "got 'spcy'. Did you mean 'spacy'?"),
    ("extract minilm x --entities names:nosuch.tsv", "nosuch.tsv: no such file or folder"),
    ("extract minilm x --entities spacy:no_such", "no_such. Install it with: python -m spacy download no_such"),
    ("extract minilm x --schema nosuch.yaml", "nosuch.yaml: no such file"),
    ("extract minilm x --schema mine.yaml", "mine.yaml, met: expected a mapping with head_types"),
    ("extract minilm x --min-precision 90", "--min-precision: expected a number above 0 and at most 1, got 90"),
    ("extract minilm x --window 0", "'--window'"),
    ("extract minilm x --format rdf", "'--format'"),
    ("extract minilm x --format parquet", "--format parquet: expected --out with the name of a file, got none"),
    ("extract minilm x --format neo4j --out folder", "folder: exists already"),
    ("extract minilm x --out folder", "folder: expected a file name, got a folder"),
    # report
    ("report --out new.html", "Missing argument 'RUN...'"),
    ("report run", "Missing option '--out'"),
    ("report nosuch --out new.html", "nosuch: expected a run folder"),
    ("report run --out new.html", "run: this run has not finished"),
    ("report minilm --out new.html", "minilm: expected a model with relations, got an encoder without any"),
    ("report run --out folder", "folder: expected a file name, got a folder"),
    ("report run --out new.txt", "--out: expected a name that ends in .html, got 'new.txt'"),
    ("report run --out notes.txt/new.html", "notes.txt is not a folder"),
    ("report run --out new.html --data nosuch.parquet", "nosuch.parquet: no such file or folder"),
    ("report run --out new.html --projection umap", "'--projection'"),
    ("report run --out new.html --most 0", "'--most'"),
    ("report protorel-small --out new.html --audit nosuch", "nosuch: expected the folder of an audit, got no such"),
    ("report protorel-small --out new.html --audit folder", "folder/audit.parquet: no such file"),
    ("report protorel-small --out new.html --evaluation nosuch.json", "nosuch.json: no such file"),
    ("report protorel-small --out new.html --evaluation good.json", "good.json: expected a result of `protorel"),
    # audit
    ("audit nosuch good.parquet --out new", "nosuch: expected a run folder"),
    ("audit run good.parquet --out new", "run: this run has not finished"),
    ("audit minilm nosuch.parquet --out new", "nosuch.parquet: no such file or folder"),
    ("audit minilm notes.txt --out new", "notes.txt: cannot be read as Parquet"),
    ("audit minilm good.json --format x --out new", "jsonl, got 'x'."),
    ("audit minilm good.parquet", "Missing option '--out'"),
    ("audit minilm good.parquet --out notes.txt", "notes.txt: expected a folder, got a file"),
    ("audit minilm good.parquet --out notes.txt/new", "notes.txt is not a folder"),
    ("audit minilm good.parquet --out new --keep folder", "folder: expected a file name, got a folder"),
    ("audit minilm good.parquet --out new --keep kept.csv", "kept.csv: expected a name that ends in .parquet"),
    ("audit minilm good.parquet --out new --keep good.parquet", "good.parquet: would overwrite or extend good.parquet"),
    ("audit minilm good.parquet --out new --descriptions nosuch.json", "nosuch.json: no such file"),
    ("audit minilm good.parquet --out new --equivalents nosuch.yaml", "nosuch.yaml: no such file"),
    ("audit minilm good.parquet --out new --folds 1", "'--folds'"),
    ("audit minilm good.parquet --out new --neighbours 0", "'--neighbours'"),
    ("audit minilm good.parquet --out new --seed -1", "'--seed'"),
    ("audit minilm good.parquet --out new --show -1", "'--show'"),
    # moved
    ("reproduce table1 --budget smoke --out new", "run: protorel-paper table1 --budget smoke --out new"),
    ("reproduce", "`protorel reproduce` has moved; run: protorel-paper"),
    ("reproduce --help", "run: protorel-paper --help"),
    ("evaluate data-budget budget steps=3 --nosuch x", "run: protorel-paper data-budget budget steps=3 --nosuch x"),
    ("data-budget", "`protorel data-budget` has moved; run: protorel-paper data-budget"),
    ("label-noise --rates 0", "`protorel label-noise` has moved; run: protorel-paper label-noise --rates 0"),
    ("evaluate label-noise -h", "`protorel evaluate label-noise` has moved; run: protorel-paper label-noise -h"),
    # the paper
    ("paper nosuch", "No such command 'nosuch'; see `protorel-paper --help`"),
    ("paper table9 --out new", "table9"),
    ("paper table1 --out new", "name their folder by --data"),
    ("paper table1 --data nosuch --out new", "nosuch: expected a folder with fewrel"),
    ("paper table1 --budget smoke --rows nosuch --out new", "table1 has no row 'nosuch'"),
    ("paper table1 --budget smoke --seeds x --out new", "--seeds x"),
    ("paper table1 --budget smoke --out notes.txt", "notes.txt: expected a folder, got a file"),
    ("paper table4 --data nosuch.parquet --out new", "nosuch.parquet: no such file or folder"),
    ("paper figure6 --rows mtb --out new", "No such option: --rows"),
    ("paper figure1 --out new", "figure1 needs a run and its statements"),
    ("paper figure1 --model nosuch --data good.parquet --out new", "nosuch: expected a run folder"),
    ("paper figure3 --points nosuch --out new", "nosuch: expected a folder that `protorel-paper data-budget`"),
    ("paper figures --out new", "nothing to draw: expected a run"),
    # evaluate
    ("evaluate fewshot nosuch good.parquet", "no such folder, and the hub is not reachable (HF_HUB_OFFLINE is set)"),
    ("evaluate fewshot not/a/name good.parquet", "no such folder, and this cannot be a hub id"),
    ("evaluate fewshot notes.txt good.parquet", "notes.txt: expected a run folder"),
    ("evaluate fewshot folder good.parquet", "got one without config.json"),
    ("evaluate fewshot run good.parquet", "run: this run has not finished"),
    ("evaluate fewshot minilm nosuch.parquet", "nosuch.parquet: no such file or folder"),
    ("evaluate fewshot minilm good.json --format x", "jsonl, got 'x'."),
    ("evaluate fewshot minilm good.parquet --method nosuch", "'--method'"),
    ("evaluate fewshot minilm good.parquet --method gnn", "got 'gnn'. Tune a run by a recipe with method.name=gnn"),
    ("evaluate fewshot minilm good.parquet --similarity x", "'--similarity'"),
    ("evaluate fewshot minilm good.parquet --readout x", "'--readout'"),
    ("evaluate fewshot minilm good.parquet --way 0", "'--way'"),
    ("evaluate fewshot minilm good.parquet --shot 0", "shot: expected 1 or more"),
    ("evaluate fewshot minilm good.parquet --episodes 0", "'--episodes'"),
    ("evaluate fewshot minilm good.parquet --only nosuch", "nosuch: expected a file or one of the lists"),
    ("evaluate fewshot minilm good.parquet --text-weight 1", "Name them by --descriptions"),
    ("evaluate fewshot minilm good.parquet --none-share 2", "--none-share: expected 0 or more and below 1"),
    ("evaluate fewshot minilm good.parquet --none-share 0.5", "--threshold-from FILE or --whiten FILE"),
    ("evaluate fewshot minilm good.parquet --hubness nosuch.parquet", "nosuch.parquet: no such file or folder"),
    ("evaluate fewshot minilm good.parquet --json folder", "folder: expected a file name, got a folder"),
    ("evaluate classify minilm good.parquet", "minilm: expected a model with a classifier"),
    ("evaluate classify nosuch good.parquet", "nosuch: expected a run folder"),
    ("evaluate classify minilm good.parquet --scorer x", "'--scorer'"),
    ("evaluate answers nosuch.txt notes.txt", "nosuch.txt: no such file"),
    ("evaluate answers notes.txt nosuch.parquet", "nosuch.parquet: no such file or folder"),
    ("evaluate documents minilm nosuch.json", "nosuch.json: no such file"),
    ("evaluate documents minilm good.json --entities gold", "entities: expected spacy[:PIPELINE]"),
    ("evaluate extraction minilm nosuch.parquet", "nosuch.parquet: no such file or folder"),
    ("evaluate extraction minilm good.parquet --min-precision 1", "--min-precision: expected a number between 0 and 1"),
    ("evaluate extraction minilm good.parquet --unseen nosuch", "nosuch: expected a file or one of the lists"),
    ("evaluate pairs minilm nosuch.parquet", "nosuch.parquet: no such file or folder"),
    ("evaluate pairs minilm good.parquet --combine x", "'--combine'"),
    ("evaluate fuzzyred minilm nosuch.parquet", "nosuch.parquet: no such file or folder"),
    ("evaluate fuzzyred minilm good.parquet --phrase x", "Name them by --descriptions"),
    ("paper data-budget nosuch --data good.parquet --test good.parquet --out new", "recipe 'nosuch' is not known"),
    ("paper data-budget budget --data good.parquet --test nosuch.parquet --out new", "nosuch.parquet: no such"),
    ("paper data-budget budget --data good.parquet --test good.parquet --relations x --out new", "--relations x"),
    ("paper data-budget budget --data good.parquet --test good.parquet --method gnn --out new", "'--method'"),
    ("paper data-budget budget --data good.parquet --test good.parquet --model nosuch --out new", "nosuch: expect"),
    ("paper label-noise budget --data good.parquet --test good.parquet --rates 2 --out new", "below 1, got 2.0"),
    ("paper label-noise budget --data good.parquet --test good.parquet --kinds x --out new", "confusable, got 'x'"),
    ("paper label-noise budget --data nosuch.parquet --test good.parquet --out new", "nosuch.parquet: no such"),
]  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory) -> Path:
    """A folder with a little of everything that a command may be given."""
    folder = tmp_path_factory.mktemp("desk")
    ada = Statement("Ada met Bo.", Span(0, 3), Span(8, 10), "met", id="1")
    write_statements([ada], folder / "good.parquet")
    (folder / "cut.parquet").write_bytes((folder / "good.parquet").read_bytes()[:-9])
    (folder / "good.json").write_text("{}")
    (folder / "notes.txt").write_text("notes")
    (folder / "mine.yaml").write_text("met: [met, to have met somebody]\n")
    (folder / "folder").mkdir()
    (folder / "folder" / "thing").touch()
    (folder / "run" / "state").mkdir(parents=True)
    return folder


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def answers(desk) -> dict[str, list]:
    """The exit code, the lines on standard error and the heavy modules after each wrong command, all in one process."""
    before = tree(desk)
    asked = "".join(json.dumps(line.split()) + "\n" for line, _ in WRONG)
    command, offline = [sys.executable, "-c", DRIVER], {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, input=asked, cwd=desk, env=offline, capture_output=True, text=True, check=True)
    assert tree(desk) == before
    return dict(zip([line for line, _ in WRONG], map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize(("line", "said"), WRONG, ids=[line for line, _ in WRONG])
def test_a_wrong_command_is_answered_in_one_line_without_torch(answers, line, said):
    code, lines, heavy = answers[line]
    assert (code, len(lines), heavy) == (2, 1, []), lines
    assert lines[0].startswith("protorel-paper: " if line.startswith("paper ") else "protorel: ")
    assert said in lines[0]


@pytest.mark.parametrize("package", ["protorel", "protorel_paper"])
def test_declaring_the_commands_loads_nothing_heavy(package):
    heavy = [
        "torch",
        "transformers",
        "numpy",
        "pyarrow",
        "scipy",
        "pydantic",
        "yaml",
        "rich.console",
        "huggingface_hub",
    ]
    code = f"import sys, {package}.cli.commands; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_help_for_every_command_is_asked_by_either_name(capsys):
    for verb in ([], ["pretrain"], ["evaluate"], ["evaluate", "fewshot"]):
        assert run([*verb, "-h"]) == 0
        short = capsys.readouterr().out
        assert run([*verb, "--help"]) == 0
        assert capsys.readouterr().out == short
        assert "Usage: protorel" in short


def test_moved_commands_are_not_in_the_help(capsys):
    for verb, moved in (([], "reproduce"), (["evaluate"], "data-budget")):
        assert run([*verb, "--help"]) == 0
        assert moved not in capsys.readouterr().out


def test_a_group_without_a_command_prints_its_help(capsys):
    for verb in ([], ["evaluate"]):
        assert run(verb) == 2
        said = capsys.readouterr()
        assert "Usage: protorel" in said.out + said.err


def test_the_version_is_that_of_the_package():
    done = subprocess.run([sys.executable, "-m", "protorel", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"protorel {version('protorel')}\n"


def test_a_shell_is_told_how_a_command_goes_on():
    shell = {"_PROTOREL_COMPLETE": "complete_bash", "COMP_WORDS": "protorel pre", "COMP_CWORD": "1"}
    command = [sys.executable, "-m", "protorel"]
    done = subprocess.run(command, env={**os.environ, **shell}, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["predict", "pretrain"]
