"""The paper's figures by name, and the options that each needs. Nothing here needs torch."""

from __future__ import annotations

from collections.abc import Collection

FIGURES = ("figure1", "figure2", "figure3", "figure4", "figure5", "figure6")
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
    """Return what a figure needs if not all of it was given, else None."""
    needs, words = _NEEDS.get(figure, ((), ""))
    return words if any(one not in given for one in needs) else None
