"""The console for tables, styled lines and progress. It imports rich, which commands need only after their checks."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.markdown import Markdown
from rich.segment import Segment

from protorel.io import safe_text


class Console(RichConsole):
    """A console that shows control characters escaped, and prints `[red]` or `:smile:` as it is."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as rich does, with all text escaped; only control codes of rich itself pass."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(safe_text(segment.text), segment.style)

    def markdown(self, text: str) -> None:
        """Print our own Markdown; links are off, since names in it come from data."""
        self.print(Markdown(text, hyperlinks=False))
