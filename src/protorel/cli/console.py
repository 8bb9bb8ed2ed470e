"""The one console for tables, styled lines and progress: text in it is text, whatever stands in it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.markdown import Markdown
from rich.segment import Segment

from protorel.io import safe_text


class Console(RichConsole):
    """A console on which control characters are shown escaped, and `[red]` or `:smile:` is no instruction."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as rich does; what rich itself says to the terminal passes, everything else is text."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(safe_text(segment.text), segment.style)

    def markdown(self, text: str) -> None:
        """Print Markdown that we wrote; a link in a name from data leads nowhere."""
        self.print(Markdown(text, hyperlinks=False))
