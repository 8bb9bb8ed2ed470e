"""On a processor that announces bf16 and traps on it nothing dies: commands run as they are, in a child that traps."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from protorel.model import read_record

TRAPS = Path(__file__).parent / "trapping_processor"


@pytest.fixture
def on_it(tmp_path):
    """Runs a command on the processor that traps."""

    def run(*arguments: object, unless: str = "") -> subprocess.CompletedProcess[str]:
        told = {"PYTHONPATH": str(TRAPS), "PROTOREL_CACHE": str(tmp_path / "cache"), "TRAPS_UNLESS": unless}
        kept = {name: value for name, value in os.environ.items() if name not in ("PROTOREL_PRECISION", "PYTHONPATH")}
        given = os.environ.get("PYTHONPATH")
        if given:
            told["PYTHONPATH"] += os.pathsep + given
        command = [sys.executable, "-m", "protorel", *map(str, arguments)]
        return subprocess.run(command, env={**kept, **told}, capture_output=True, text=True, check=False)

    return run


def test_the_processor_really_traps(tmp_path):
    code = "import torch\nwith torch.autocast('cpu', torch.bfloat16): pass"
    child = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(TRAPS)}, check=False)
    assert child.returncode == -4


def test_training_goes_on_in_fp32_and_says_why(on_it, data, tiny_encoder_folder, tmp_path):
    out, encoder = tmp_path / "run", f"encoder={tiny_encoder_folder}"
    done = on_it("pretrain", "smoke", "steps=1", encoder, "--data", data, "--out", out)
    assert done.returncode == 0
    assert "protorel: bf16 is not usable here: illegal instruction; using fp32\n" in done.stderr
    assert read_record(out)["precision"]["used"] == "fp32"


def test_bf16_by_name_is_one_line_and_starts_nothing(on_it, data, tiny_encoder_folder, tmp_path):
    out, encoder = tmp_path / "run", f"encoder={tiny_encoder_folder}"
    done = on_it("pretrain", "smoke", "steps=1", "precision=bf16", encoder, "--data", data, "--out", out)
    assert done.returncode == 2
    assert done.stderr == (
        "protorel: precision=bf16: bf16 is not usable here: illegal instruction. Set it to auto or fp32\n"
    )
    assert not out.exists()
