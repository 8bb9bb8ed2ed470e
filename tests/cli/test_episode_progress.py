"""A slow evaluation shows its progress: a bar on a terminal, lines in a pipe, nothing if it is never called."""

import io

from rich.console import Console

from protorel.cli.progress import CountProgress


def shown(*, terminal: bool, episodes: int, every_seconds: float = 10.0) -> str:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=60)
    with CountProgress(console, "episode", every_seconds=every_seconds) as progress:
        for done in range(1, episodes + 1):
            progress(done, 3)
    return console.file.getvalue()


def test_a_pipe_gets_the_first_line_the_last_and_one_now_and_then():
    assert [line.split("  ")[0] for line in shown(terminal=False, episodes=3).splitlines()] == [
        "episode 1/3",
        "episode 3/3",
    ]
    assert len(shown(terminal=False, episodes=3, every_seconds=0).splitlines()) == 3


def test_a_terminal_gets_a_bar():
    assert "3/3" in shown(terminal=True, episodes=3)


def test_nothing_is_printed_where_no_episode_is_reported():
    assert shown(terminal=False, episodes=0) == shown(terminal=True, episodes=0) == ""
