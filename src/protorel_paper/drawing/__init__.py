"""Drawing on paper with matplotlib: figures, captions, text and labels."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel_paper.drawing.captioned_figure import Caption, percent, plain, write_captioned
    from protorel_paper.drawing.painted_sentences import (
        HEAD,
        HEAD_LINE,
        TAIL,
        TAIL_LINE,
        NumberedSentence,
        paint_sentences,
    )
    from protorel_paper.drawing.printed_figure import (
        FAINT,
        INK,
        MARKS,
        NAME,
        SOFT,
        NoMatplotlib,
        bare,
        legend_below,
        new_figure,
        write_figure,
    )
    from protorel_paper.drawing.printed_labels import PointLabel, label_points
    from protorel_paper.drawing.printed_text import printed

__all__ = [
    "Caption",
    "FAINT",
    "HEAD",
    "HEAD_LINE",
    "INK",
    "MARKS",
    "NAME",
    "NoMatplotlib",
    "NumberedSentence",
    "PointLabel",
    "SOFT",
    "TAIL",
    "TAIL_LINE",
    "bare",
    "label_points",
    "legend_below",
    "new_figure",
    "paint_sentences",
    "percent",
    "plain",
    "printed",
    "write_captioned",
    "write_figure",
]

__getattr__ = lazy_names(__name__)
