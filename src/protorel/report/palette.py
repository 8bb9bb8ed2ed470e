"""Colours and marker shapes of relations: easy to tell apart, never by colour alone."""

from __future__ import annotations

import math

_GOLDEN_ANGLE = 137.50776405
_LIGHTNESS_STEPS = (0.0, -0.07, 0.06)
_ON_PAPER = (0.55, 0.15)
"""Lightness and chroma of printed colours."""
COLOURS = 64
"""Number of different colours; after them, colours repeat."""

SHAPES = {
    "disc": "M-3.4,0a3.4,3.4 0 1 0 6.8,0a3.4,3.4 0 1 0 -6.8,0z",
    "square": "M-3,-3h6v6h-6z",
    "triangle": "M0,-4L3.8,2.8H-3.8z",
    "diamond": "M0,-4.4L4,0L0,4.4L-4,0z",
    "wedge": "M0,4L3.8,-2.8H-3.8z",
}
"""Outlines of the markers, around the origin; relations take them in turn, so that neighbours differ in shape too."""


def hues() -> list[tuple[float, float]]:
    """Return hue and step of lightness of each colour; steps of the golden angle give neighbours different hues."""
    return [
        (round((40 + index * _GOLDEN_ANGLE) % 360, 1), _LIGHTNESS_STEPS[index % len(_LIGHTNESS_STEPS)])
        for index in range(COLOURS)
    ]


def outlines() -> dict[str, str]:
    """Return the outline of every shape, including the star of the prototypes."""
    return SHAPES | {"star": _star(10)}


def _star(radius: float) -> str:
    corners = [(radius if corner % 2 == 0 else 0.44 * radius, math.pi * corner / 5) for corner in range(10)]
    return "M" + "L".join(f"{r * math.sin(angle):.2f},{-r * math.cos(angle):.2f}" for r, angle in corners) + "z"


def printed_colour(index: int) -> str:
    """Return the colour of an index as #rrggbb, for drawings on white without a style sheet."""
    hue = math.radians((40 + index * _GOLDEN_ANGLE) % 360)
    lightness = _ON_PAPER[0] + _LIGHTNESS_STEPS[index % 3]
    a, b = _ON_PAPER[1] * math.cos(hue), _ON_PAPER[1] * math.sin(hue)
    # From OKLab to linear sRGB, by the two matrices of its definition.
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _gamma(min(max(part, 0.0), 1.0))):02x}" for part in linear)


def _gamma(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
