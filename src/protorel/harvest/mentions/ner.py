"""Checking mentions with a named entity recogniser: names it does not recognise are dropped, others get a type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from protorel.harvest.libraries import library
from protorel.harvest.mentions.finder import Mention, MentionedSentence
from protorel.statements import BadInput

_AT_A_TIME = 1_000
_PERSONS = ("PERSON", "PER")
_NOT_NEEDED = ("parser", "tagger", "lemmatizer", "attribute_ruler")


class Recogniser:
    """A spaCy pipeline, by name or folder."""

    def __init__(self, pipeline: str) -> None:
        spacy = library("spacy")
        try:
            self._pipeline = spacy.load(pipeline, exclude=_NOT_NEEDED)
        except OSError as problem:
            raise BadInput(f"--ner: expected an installed spaCy pipeline or a folder, got {pipeline}") from problem
        # Not only a trained `ner`: custom rules (`entity_ruler`) are a recogniser too.
        parts = map(self._pipeline.get_pipe_meta, self._pipeline.pipe_names)
        if not any("doc.ents" in part.assigns for part in parts):
            raise BadInput(f"--ner: expected a spaCy pipeline that recognises entities, got {pipeline}")

    def checked(self, sentences: Iterable[MentionedSentence], counts: Counter[str]) -> Iterator[MentionedSentence]:
        """Yield the sentences in which at least two different entities are left."""
        remaining = iter(sentences)
        while some := list(islice(remaining, _AT_A_TIME)):
            for sentence, recognised in zip(some, self._pipeline.pipe(one.text for one in some), strict=True):
                kept = tuple(_kept(sentence.mentions, recognised.ents, counts))
                if len({mention.entity for mention in kept}) > 1:
                    yield replace(sentence, mentions=kept)
                else:
                    counts["dropped: sentences in which the recogniser left fewer than two entities"] += 1


def _kept(mentions: Sequence[Mention], recognised: Sequence[Any], counts: Counter[str]) -> Iterator[Mention]:
    for mention in mentions:
        over = next((one for one in recognised if one.start_char < mention.stop and mention.start < one.end_char), None)
        label = None if over is None else over.label_
        if over is None and mention.origin == "name":
            counts["dropped: no entity in the eyes of the recogniser"] += 1
        elif label in _PERSONS and mention.origin == "name" and _is_part(mention, over):
            counts["dropped: part of a recognised person"] += 1
        else:
            yield mention._replace(type=mention.type or label)


def _is_part(mention: Mention, person: Any) -> bool:
    """Tell whether a recognised person has capitalised words other than the mention."""
    before = person.text[: max(0, mention.start - person.start_char)]
    behind = person.text[max(0, mention.stop - person.start_char) :]
    return any(word[:1].isupper() for word in (*before.split(), *behind.split()))
