"""The demo shows how far each phase is: bars on a terminal, lines in a pipe."""

import io

from rich.console import Console

from protorel.cli.progress import DemoProgress
from protorel.demo.phases import Phases


def shown(*, terminal: bool, every_seconds: float = 0.0, width: int = 80) -> str:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=width)
    with DemoProgress(console, every_seconds=every_seconds) as progress:
        phases = Phases(progress)
        with phases("encoding (untrained)") as watch:
            watch.count(32, 3877)
            watch.count(3877, 3877)
        with phases("training") as watch:
            watch(1, 2, loss=1.5, statements=22)
            watch(2, 2, loss=1.25, statements=22)
        with phases("writing the page"):
            pass
    return console.file.getvalue()


def test_a_pipe_gets_a_line_at_the_beginning_of_each_phase_and_lines_while_it_lasts():
    lines = [line.rstrip() for line in shown(terminal=False).splitlines()]
    assert [line for line in lines if not line.startswith((" ", "step"))] == [
        "encoding (untrained)",
        "training",
        "writing the page",
    ]
    assert "  3,877/3,877" in lines
    assert any(line.startswith("step 2/2  loss 1.250") for line in lines)


def test_a_pipe_gets_few_lines_of_a_fast_phase():
    lines = shown(terminal=False, every_seconds=60).splitlines()
    assert len(lines) == 4, "three phases, and the last step of training"


def test_a_terminal_gets_a_bar_per_phase_with_its_count_and_the_loss():
    last = [line for line in shown(terminal=True).splitlines() if "✓" in line][-3:]
    for line, name, more in zip(
        last,
        ("encoding (untrained)", "training", "writing the page"),
        ("3,877/3,877", "2/2  loss 1.250", "0:00:00"),
        strict=True,
    ):
        assert name in line
        assert more in line
