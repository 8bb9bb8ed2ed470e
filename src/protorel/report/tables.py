"""Tables and long lists of a page: tables scroll on a narrow screen, lists unfold, and the keyboard reaches both."""

from __future__ import annotations

import math
from collections.abc import Sequence

from protorel.evaluation import Measurement
from protorel.report.safe_text import safe

Row = tuple[str, Sequence[str]]
"""The heading of a row and its cells, as HTML."""
NONE = '<span class="none">–</span>'
"""A cell without a value."""


def table(label: str, columns: Sequence[str], rows: Sequence[Row], *, tall: bool = False, words: bool = False) -> str:
    """Return a table.

    Args:
        label: What it shows, for those who do not see it.
        columns: Headings as HTML; the first is that of the row headings.
        rows: The rows.
        tall: Whether it may be so long that it scrolls inside the page.
        words: Whether its last column holds words, not numbers.
    """
    head = "".join(f'<th scope="col">{one}</th>' if one else "<td></td>" for one in columns)
    body = "\n".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>' for name, cells in rows
    )
    kinds = " ".join(["scroll", *(["tall"] if tall else []), *(["words"] if words else [])])
    return f"""<div class="{kinds}" role="region" tabindex="0" aria-label="{safe(label)}">
<table>
<thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</div>"""


def long_list(items: Sequence[str], *, first: int = 12) -> str:
    """Return a list of `<li>` elements; those after the first ones are folded away."""
    shown = "\n".join(items[:first])
    found = f'<ol class="worst">\n{shown}\n</ol>'
    if len(items) <= first:
        return found
    rest = "\n".join(items[first:])
    return f"""{found}
<details>
<summary>{len(items) - first:,} more</summary>
<ol class="worst" start="{first + 1}">
{rest}
</ol>
</details>"""


def percent(figure: Measurement | None, *, digits: int = 1) -> str:
    """Return a figure in per cent with its interval; a dash if there is none."""
    if figure is None or not math.isfinite(figure.value):
        return NONE
    margin = f' <span class="margin">± {100 * figure.margin:.{digits}f}</span>' if math.isfinite(figure.margin) else ""
    return f"{100 * figure.value:.{digits}f} %{margin}"
