"""What each figure of the paper is drawn from, by the options that name it."""

from __future__ import annotations

from collections.abc import Collection

_NEEDS = {
    "figure1": (("model", "data"), "a run and its statements: --model RUN --data FILE"),
    "figure2": (("model", "data"), "a run and its statements: --model RUN --data FILE"),
    "figure3": (("points",), "the folder that `protorel-paper data-budget` wrote: --points DIR"),
    "figure4": (("points",), "the folder that `protorel-paper data-budget` wrote: --points DIR"),
    "figure5": (
        ("semeval_model", "semeval_data"),
        "a tuned run and the test statements: --semeval-model RUN --semeval-data FILE",
    ),
}


def missing_for(figure: str, given: Collection[str]) -> str | None:
    """Say what a figure needs where not all of it is among what was given, else None."""
    needs, said = _NEEDS.get(figure, ((), ""))
    return said if any(one not in given for one in needs) else None
