"""Draws docs/assets/architecture.svg: the rooms of the library, and the files that three commands pass.

Run it by `python docs/draw_architecture.py` when a room or a file of a walk changes.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

TARGET = Path(__file__).parent / "assets" / "architecture.svg"
ROOMS = [
    "cli",
    "demo, judging",
    "report",
    "integrations",
    "audit",
    "evaluation",
    "extraction",
    "training",
    "objectives",
    "patterns",
    "model",
    "recipes",
    "fewshot",
    "geometry",
    "encoders",
    "batches",
    "harvest",
    "corpora",
    "statements",
    "io",
]
# Each walk in order: the room, and the files in it.
WALKS = {
    ("protorel evaluate fewshot", "a FewRel file to an accuracy", "#1f5fa8"): [
        ("cli", "evaluate/fewshot.py"),
        ("model", "source.py, run_record.py"),
        ("fewshot", "registry.py"),
        ("evaluation", "few_shot/evaluate.py"),
        ("statements", "data_set.py, storage.py"),
        ("batches", "samplers.py, episodes.py"),
        ("model", "relation_model.py"),
        ("encoders", "transformer.py"),
        ("fewshot", "vector_methods.py"),
        ("geometry", "similarity.py"),
        ("evaluation", "few_shot/accuracy.py"),
    ],
    ("protorel pretrain", "Parquet to a run folder", "#b35309"): [
        ("cli", "pretrain.py"),
        ("recipes", "reading.py, overrides.py"),
        ("training", "pretraining.py"),
        ("statements", "overlap/leakage.py"),
        ("batches", "token_cache.py"),
        ("training", "building.py"),
        ("encoders", "transformer.py"),
        ("training", "loop.py"),
        ("batches", "samplers.py"),
        ("objectives", "weighted_sum.py"),
        ("model", "relation_model.py"),
    ],
    ("protorel extract", "a text to triples", "#1d7a4c"): [
        ("cli", "extract.py"),
        ("extraction", "extractor.py"),
        ("extraction", "text_work.py, pairs.py"),
        ("model", "answers/predicting.py"),
        ("extraction", "thinning.py, schema.py"),
        ("extraction", "formats/registry.py"),
    ],
}
ROOM_WIDTH, WALK_WIDTH, LINE, PAD, TOP = 116, 230, 22, 8, 76


def draw() -> str:
    """Return the picture: a floor per room, a column per walk, numbered stops in the order of the walk."""
    width = ROOM_WIDTH + WALK_WIDTH * len(WALKS) + 40
    parts = [_text(20, 34, "rooms", "title")]
    for column, (command, what, colour) in enumerate(WALKS):
        left = ROOM_WIDTH + 30 + column * WALK_WIDTH
        parts.append(_text(left, 34, command, "command", fill=colour))
        parts.append(_text(left, 56, what, "note"))
    top = TOP
    for number, room in enumerate(ROOMS):
        stops = [[stop for stop in enumerate(walk, 1) if stop[1][0] == room] for walk in WALKS.values()]
        height = max(1, *map(len, stops)) * LINE + 2 * PAD
        shade = "#eef1f5" if number % 2 else "#e4e9f0"
        parts.append(f'<rect x="12" y="{top}" width="{width - 24}" height="{height - 3}" rx="5" fill="{shade}"/>')
        middle = top + (height - 3) / 2 + 5
        parts.append(_text(24, middle, room, "room"))
        for column, ((_, _, colour), found) in enumerate(zip(WALKS, stops, strict=True)):
            left = ROOM_WIDTH + 30 + column * WALK_WIDTH
            first = middle - (len(found) - 1) * LINE / 2
            for line, (order, (_, files)) in enumerate(found):
                y = first + line * LINE
                parts.append(f'<circle cx="{left + 9}" cy="{y - 5}" r="9.5" fill="{colour}"/>')
                parts.append(_text(left + 9, y - 0.5, str(order), "order"))
                parts.append(_text(left + 25, y, files, "file"))
        top += height
    parts.append(
        _text(20, top + 20, "A room imports only from rooms below it. Numbers: the order of the walk.", "note")
    )
    height = top + 36
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' role="img">\n'
        "<title>The rooms of protorel, and the files that three commands pass</title>\n"
        "<style>text{font-family:system-ui,sans-serif;fill:#1c2530;font-size:13px}"
        ".title{font-size:16px;font-weight:700}.room{font-weight:700;font-size:14px}.note{fill:#55606e}"
        ".command,.file{font-family:ui-monospace,Menlo,Consolas,monospace}.command{font-weight:700;font-size:14px}"
        ".file{font-size:13px}.order{fill:#fff;font-size:11px;font-weight:700;text-anchor:middle}</style>\n"
        f'<rect width="{width}" height="{height}" rx="10" fill="#fafbfc"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _text(x: float, y: float, words: str, kind: str, *, fill: str | None = None) -> str:
    style = f' style="fill:{fill}"' if fill else ""
    return f'<text x="{x:g}" y="{y:g}" class="{kind}"{style}>{escape(words)}</text>'


if __name__ == "__main__":
    TARGET.write_text(draw(), encoding="utf-8")
