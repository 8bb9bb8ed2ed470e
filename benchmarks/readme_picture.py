"""Draw what protorel-small reads in one sentence: the picture of the README.

python benchmarks/readme_picture.py docs/pictures/extraction.svg
"""

from __future__ import annotations

import sys
from pathlib import Path

from protorel import Extractor
from protorel.extraction import arcs_svg
from protorel.io import write_text
from protorel.statements import Span

SENTENCE = "Marie Curie, a physicist born in Warsaw, won the Nobel Prize in Physics with her husband Pierre Curie."


def main(out: Path) -> None:
    """Write the picture."""
    found = Extractor("protorel-small")(SENTENCE)
    whole = Span(0, len(SENTENCE))
    write_text(out, arcs_svg(found.text, whole, found.mentions, found.triples, background="#ffffff") + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
