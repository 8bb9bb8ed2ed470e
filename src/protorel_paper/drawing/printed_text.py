"""Text from outside on a printed figure: drawn literally, in available glyphs, bounded in length."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from protorel.report import short

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

_FIRST = "DejaVu Sans"
"""Part of matplotlib, so that a figure is the same on every machine."""
_FURTHER = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Noto Sans Devanagari",
    "Noto Sans Bengali",
    "Noto Sans Tamil",
    "Noto Sans Thai",
    "Arial Unicode MS",
)
"""For scripts that the first font lacks, if one of these is installed."""
_NO_GLYPH = "\ufffd"


def printed(text: str, limit: int = 200) -> str:
    """Return short text that matplotlib draws letter by letter.

    A dollar sign starts no formula, a character without a glyph becomes �, and a leading underscore, which would hide
    a name from a legend, gets a hair space before it.
    """
    shown = "".join(letter if _drawable(letter) else _NO_GLYPH for letter in short(text, limit))
    shown = shown.replace("$", r"\$")
    return "\u200a" + shown if shown.startswith("_") else shown


@cache
def font_families() -> tuple[str, ...]:
    """Return the fonts for text from outside, in the order in which a glyph is looked up."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return (_FIRST, *(name for name in _FURTHER if name in installed))


def printed_font(size: float, *, italic: bool = False) -> FontProperties:
    """Return the font for text from outside."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(family=list(font_families()), size=size, style="italic" if italic else "normal")


@lru_cache(maxsize=4096)
def em_width(text: str, *, italic: bool = False) -> float:
    """Return the width of a text made by `printed`, in units of its font size."""
    from matplotlib.textpath import text_to_path

    shown, large = text.replace(r"\$", "$"), 100.0
    width, _, _ = text_to_path.get_text_width_height_descent(shown, printed_font(large, italic=italic), ismath=False)
    return float(width) / large


@cache
def _fonts() -> tuple[Any, ...]:
    from matplotlib.font_manager import findfont, get_font

    return tuple(get_font(findfont(name)) for name in font_families())


@cache
def _drawable(letter: str) -> bool:
    return any(font.get_char_index(ord(letter)) for font in _fonts())
