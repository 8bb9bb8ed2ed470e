"""What tests of several rooms share."""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
import yaml
from hypothesis import HealthCheck, register_random, settings
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from protorel.batches import StatementTokenizer
from protorel.cli import run
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.encoders import Source, TransformerEncoder
from protorel.encoders.bf16 import bf16_here
from protorel.fewshot import METHODS
from protorel.statements import Span, Statement, write_statements
from protorel_paper.cli import run as run_paper

# How long an example takes says nothing of the code under test: the machine may be busy.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None, print_blob=True)
# Fixed examples: the same commit passes or fails every time. `make fuzz` draws new ones.
settings.register_profile("fixed", _PATIENT, derandomize=True)
settings.register_profile("fuzz", _PATIENT, derandomize=False, max_examples=500)
settings.load_profile("fixed")

# What `auto` is must not depend on the processor that the tests run on; tests of the choice unset this.
os.environ.setdefault("PROTOREL_PRECISION", "fp32")

# The tests' tensors are tiny: threads would cost more than they give.
torch.set_num_threads(1)

ROOT = Path(__file__).parents[1]
PROGRAMS = {"protorel": run, "protorel-paper": run_paper}
TINY_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TINY_TEXTS = [
    "Ada Kroll was born in Lunsk, a town by the river Mere.",
    "The poet Bela Tarn died in Oster after a long illness.",
    "Ada Kroll married Bela Tarn and moved to Lunsk with him.",
    "abcdefghijklmnopqrstuvwxyz 0123456789 [ ] unused cls sep pad mask unk",
]


class TorchRandomness:
    """Torch's global generator in the words of `random`, so that hypothesis seeds it before each example."""

    seed = staticmethod(torch.manual_seed)
    getstate = staticmethod(torch.random.get_rng_state)
    setstate = staticmethod(torch.random.set_rng_state)


TORCH_RANDOMNESS = TorchRandomness()  # hypothesis keeps only a weak reference
register_random(TORCH_RANDOMNESS)


def pytest_configure(config: pytest.Config) -> None:
    """Keep hypothesis from drawing constants of our modules, unless examples are to be new.

    It finds them in the modules imported so far, so that an example would depend on the tests that ran before.
    """
    try:
        from hypothesis.internal.conjecture import providers
    except ImportError:  # an older hypothesis, which draws no such constants
        return
    if settings.default.derandomize and hasattr(providers, "_get_local_constants"):
        providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Start every test from the same random state, whichever tests ran before it."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real benchmark files; tests that need it have a twin on data the project makes itself."""
    folder = os.environ.get("PROTOREL_DATA")
    if not folder:
        pytest.skip("PROTOREL_DATA is not set: it names the folder with the real FewRel, SemEval and FuzzyRED files")
    return Path(folder)


@pytest.fixture(scope="session")
def bf16_works() -> None:
    """Products in bf16, of whatever speed; a processor that traps on them skips the test and says so."""
    found = bf16_here()
    if not found.usable:
        pytest.skip(str(found))


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    file: str | None
    """The name that the line above gives it: `people.csv`:"""
    follows: bool
    """Whether nothing but blank lines lies between it and the block before."""


class Page:
    """A page of ours, whose code is run as it is written."""

    def __init__(self, name: str) -> None:
        self.path = ROOT / name
        self.text = self.path.read_text(encoding="utf-8")

    def blocks(self, language: str) -> list[str]:
        """Return the texts of the blocks in a language."""
        return [block.text for block in self.all_blocks() if block.language == language]

    def all_blocks(self) -> list[Block]:
        """Return the fenced blocks in order."""
        found = []
        end = 0
        for match in re.finditer(r"^```(\w*)\n(.*?)^```$", self.text, flags=re.MULTILINE | re.DOTALL):
            between = self.text[end : match.start()].strip()
            named = re.search(r"`([\w./-]+\.\w+)`:$", between)
            found.append(Block(match[1], match[2], named and named[1], bool(found) and not between))
            end = match.end()
        return found

    def run(self, printed: Callable[[], str]) -> int:
        """Run all blocks in order and return how many there were.

        `sh` lines are commands of ours that end well, or `cat`. `python` blocks share their names. A `text` block right
        after one of these is its output. `console` blocks show commands after `$`, with the output of each. Any other
        block with a file name above it is that file. `is_shown` compares outputs.
        """
        names = {"__name__": "__main__"}
        output: str | None = None  # of the block just before
        ran = 0
        for block in self.all_blocks():
            if block.language == "sh":
                printed()
                assert [code for code in run_lines(block.text) if code] == [], block.text
                output = printed()
            elif block.language == "python":
                printed()
                exec(compile(block.text, str(self.path), "exec"), names)
                output = printed()
            elif block.language == "console":
                for command, shown in re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", block.text, flags=re.MULTILINE):
                    printed()
                    [code] = run_lines(command)
                    output = printed()
                    assert code in (0, 2), command
                    assert is_shown(shown, output), f"{command} printed:\n{output}"
            elif block.language == "text":
                if block.follows and output is not None:
                    assert is_shown(block.text, output), f"printed:\n{output}"
                output = None
                continue
            elif block.file:
                Path(block.file).parent.mkdir(parents=True, exist_ok=True)
                Path(block.file).write_text(block.text, encoding="utf-8")
                output = None
                continue
            else:
                output = None
                continue
            ran += 1
        return ran

    def run_commands(self) -> list[str]:
        """Run each line of the `sh` blocks, all of which must be commands of ours that end well; return the lines."""
        text = "".join(self.blocks("sh"))
        assert [code for code in run_lines(text) if code] == []
        return [line for line in text.splitlines() if line.strip()]

    def lost_links(self) -> list[str]:
        """Return the links to files of ours that lead nowhere."""
        targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", re.sub(r"^```.*?^```$", "", self.text, flags=re.M | re.S))
        return [target for target in targets if not (self.path.parent / target).exists()]


def run_lines(text: str) -> list[int]:
    """Run shell lines that call programs of ours, `cat` or `echo`, and return their exit codes."""
    codes = []
    lines = iter(text.replace("\\\n", " ").splitlines())
    for line in lines:
        words = shlex.split(line, comments=True)
        if not words:
            continue
        program, *arguments = words
        if program == "cat" and (marker := re.search(r"<<\s*'?(\w+)'?", line)):
            content = "".join(f"{one}\n" for one in iter(lambda: next(lines), marker[1]))
            Path(arguments[arguments.index(">") + 1]).write_text(content, encoding="utf-8")
            codes.append(0)
        elif program == "cat":
            print(*(Path(name).read_text(encoding="utf-8") for name in arguments), sep="", end="")
            codes.append(0)
        else:
            codes.append(PROGRAMS[program](arguments))
    return codes


def is_shown(shown: str, printed: str) -> bool:
    """Say whether each line shown is among those printed, however words are spaced and tables are ruled.

    An ellipsis stands for anything. Decimals may differ by 15 % or 0.05, as they do between processors.
    """

    def lines(text: str) -> list[str]:
        return [" ".join(re.sub("[│┃|─━═]+", " ", line).split()) for line in text.splitlines() if line.strip()]

    there = lines(printed)
    return all(any(matches(line, one) for one in there) for line in lines(shown) if line.strip(".… "))


def matches(shown: str, printed: str) -> bool:
    """Compare two lines as `is_shown` does."""
    decimal = r"-?\d+\.\d+"
    parts = re.split(rf"({decimal}|…|\.\.\.)", shown)
    pattern = "".join(
        f"({decimal})" if re.fullmatch(decimal, part) else ".*" if part in ("…", "...") else re.escape(part)
        for part in parts
    )
    found = re.fullmatch(pattern, printed)
    expected = [float(part) for part in parts if re.fullmatch(decimal, part)]
    return found is not None and all(
        abs(float(one) - value) <= max(0.05, 0.15 * abs(value)) + 1e-9
        for one, value in zip(found.groups(), expected, strict=True)
    )


@pytest.fixture
def page(tmp_path, monkeypatch) -> Iterator[Callable[[str], Page]]:
    """Opens a page of ours by its name; the test runs in an empty folder with our examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    methods = dict(METHODS)  # a page may register one
    yield Page
    METHODS.clear()
    METHODS.update(methods)


@pytest.fixture(scope="session")
def tiny_encoder_folder(tmp_path_factory) -> Path:
    """A BERT of 2 layers and its tokenizer, as Hugging Face saves them; it has no [unusedN], so it must be resized."""
    return save_tiny_encoder(TINY_TEXTS, tmp_path_factory.mktemp("tiny_encoder"), words=160)


@pytest.fixture(scope="session")
def make_tiny_encoder():
    """Give the function that makes such a BERT for other texts, in any language."""
    return save_tiny_encoder


def save_tiny_encoder(texts: list[str], folder: Path, *, words: int | None = None) -> Path:
    """Save a BERT; with as many word pieces as its trainer finds, or with words and letters, always the same ones."""
    backend = Tokenizer(models.WordPiece({} if words else _words_and_letters(texts), unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer()
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    if words:
        trainer = trainers.WordPieceTrainer(vocab_size=words, special_tokens=TINY_SPECIAL, show_progress=False)
        backend.train_from_iterator(texts, trainer)
    ends = [(token, backend.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    backend.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), TINY_SPECIAL, strict=True))
    config = BertConfig(
        vocab_size=backend.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=96,
        # Wider than BERT's 0.02, so that vectors of different statements differ visibly.
        initializer_range=0.3,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        BertModel(config).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=backend, **names).save_pretrained(folder)
    return folder


def _words_and_letters(texts: list[str]) -> dict[str, int]:
    words = Counter(word for text in texts for word in re.findall(r"\w+", text.lower()))
    letters = sorted(set("".join(texts).lower()) - {" "})
    common = sorted(words, key=lambda word: (-words[word], word))[:200]
    pieces = dict.fromkeys([*TINY_SPECIAL, *letters, *(f"##{letter}" for letter in letters), *common])
    return {piece: number for number, piece in enumerate(pieces)}


@pytest.fixture(scope="session")
def tiny_tokenizer(tiny_encoder_folder) -> StatementTokenizer:
    """The tiny encoder's tokenizer with our markers; nothing may change it."""
    return StatementTokenizer.load(tiny_encoder_folder, markers=True)


@pytest.fixture
def tiny_encoder(tiny_encoder_folder, tiny_tokenizer) -> TransformerEncoder:
    """The tiny encoder with dropout off, read at its start markers."""
    source = Source(str(tiny_encoder_folder), local=True)
    return TransformerEncoder.load(source, readout="start", tokenizer=tiny_tokenizer).eval()


@pytest.fixture(scope="session")
def some_statements() -> list[Statement]:
    """Statements of unlike lengths, two of each of three relations; one has nested entities."""

    def about(text: str, head: str, tail: str, relation: str) -> Statement:
        spans = [Span(text.index(name), text.index(name) + len(name)) for name in (head, tail)]
        return Statement(text, *spans, relation, id=f"{relation}/{text[:12]}")

    return [
        about("Ada Kroll was born in Lunsk, a town by the river Mere.", "Ada Kroll", "Lunsk", "born_in"),
        about("Bela Tarn, born in Oster.", "Bela Tarn", "Oster", "born_in"),
        about("The poet Bela Tarn died in Oster after a long illness.", "Bela Tarn", "Oster", "died_in"),
        about("In Lunsk died Ada Kroll.", "Ada Kroll", "Lunsk", "died_in"),
        about("Ada Kroll married Bela Tarn and moved to Lunsk with him.", "Ada Kroll", "Bela Tarn", "spouse"),
        about("the Bela Tarn and Ada Kroll house", "Bela Tarn and Ada Kroll house", "Ada Kroll", "spouse"),
    ]


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Statements of small world: 22 relations, a few each."""
    path = tmp_path_factory.mktemp("data") / "train.parquet"
    world = build_small_world(SmallWorldSettings(statements_per_relation=8, held_out_per_relation=4))
    write_statements(world.train, path)
    return path


@pytest.fixture(scope="session")
def recipe(tmp_path_factory, tiny_encoder_folder):
    """The smoke recipe on a tiny encoder."""
    path = tmp_path_factory.mktemp("recipe") / "tiny.yaml"
    terms = {name: {"weight": 1.0} for name in ("s2s", "s2z", "s2z_prime", "cls", "mlm")}
    path.write_text(
        yaml.safe_dump(
            {
                "encoder": str(tiny_encoder_folder),
                "steps": 2,
                "relations_per_batch": 4,
                "max_length": 96,
                "checkpoint_every": 1,
                "objective": terms,
            }
        )
    )
    return path


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory, data, recipe):
    """A run that was trained to its end by the command line."""
    out = tmp_path_factory.mktemp("runs") / "tiny"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        assert run(["pretrain", str(recipe), "--data", str(data), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="session")
def made_audit():
    """Give the function that makes an audit of statements, with made-up scores and reasons."""
    return _made_audit


def _made_audit(statements: list[Statement], scores: list[float] | None = None, names: dict[str, str] | None = None):
    from protorel.audit import AUDIT_SCHEMA, RELATION_SCHEMA, Audit

    if scores is None:
        scores = [((7 * number) % len(statements) + 0.5) / len(statements) for number in range(len(statements))]
    labels = sorted({one.relation for one in statements})
    rows = [
        {
            "row": row,
            **{field: getattr(one, field) for field in AUDIT_SCHEMA.names if hasattr(one, field)},
            **{
                f"{name}_{end}": getattr(getattr(one, name), end)
                for name in ("head", "tail")
                for end in ("start", "stop")
            },
            "given_label": one.relation,
            "predicted_label": next((label for label in labels if label != one.relation), None),
            "label_score": score,
            "is_label_issue": score < 0.5,
            "reason": "The text is closer to statements of another relation.",
            "scored_by": "prototype",
        }
        for row, (one, score) in sorted(enumerate(zip(statements, scores, strict=True)), key=lambda item: item[1][1])
    ]
    relations = [
        {
            "relation": label,
            "name": (names or {}).get(label, label.replace("_", " ")),
            "statements": sum(one.relation == label for one in statements),
            "label_issues": sum(row["is_label_issue"] for row in rows if row["given_label"] == label),
            "estimated_wrong": sum(1 - row["label_score"] for row in rows if row["given_label"] == label),
            "confused": 0,
            "scored_by": "prototype",
        }
        for label in labels
    ]
    return Audit(pa.Table.from_pylist(rows, AUDIT_SCHEMA), pa.Table.from_pylist(relations, RELATION_SCHEMA))


class JudgingProcess:
    """`protorel judge` in a process of its own, which may be killed and started again on the same port."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options, self.port = folder, options, 0
        self.start()

    def start(self) -> None:
        """Start the server and wait for the line that says where it listens."""
        command = [sys.executable, "-m", "protorel", "judge", str(self.folder), "--port", str(self.port), *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line + self.process.stderr.read()
        self.port, self.address = int(found[1]), found[0]

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal and return the exit code and what was printed since the first line."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err

    def kill(self) -> None:
        """End the process at once, as `kill -9` does."""
        self.stop(signal.SIGKILL)


@pytest.fixture
def judging():
    """Give the function that starts `protorel judge` on a folder; what still runs at the end is killed."""
    started: list[JudgingProcess] = []

    def start(folder: Path, *options: str) -> JudgingProcess:
        started.append(JudgingProcess(folder, *options))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.kill()
