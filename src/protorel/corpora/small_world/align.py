"""Distant labels: a sentence that names both entities of a fact is taken to express it, rightly or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from protorel.corpora.small_world.facts import Entity, Realm
from protorel.corpora.small_world.text import Document, Sentence
from protorel.statements import Span, Statement

SOURCE = "small_world"
"""What every statement of the small world names as its source."""


def align(sentences: Iterable[Sentence], documents: Sequence[Document], realm: Realm) -> Iterator[Statement]:
    """Yield a row for every fact whose two entities a sentence names; the documents hold the sentences in order."""
    homes = (document.id for document in documents for _ in document.sentences)
    for number, (sentence, document) in enumerate(zip(sentences, homes, strict=True)):
        for (head, head_span), (tail, tail_span) in permutations(sentence.mentions, 2):
            for relation in realm.holds.get((head, tail), ()):
                yield _statement(
                    f"sw-{number:06d}",
                    sentence.text,
                    (realm.by_id[head], head_span),
                    (realm.by_id[tail], tail_span),
                    relation=relation,
                    document=document,
                    expresses=(head, tail) == sentence.pair and relation == sentence.says,
                )


def clean(sentences: Iterable[Sentence], realm: Realm, *, name: str) -> Iterator[Statement]:
    """Yield one row for every sentence: the relation that it does express between its pair. `name` begins their ids."""
    for number, sentence in enumerate(sentences):
        spans = dict(sentence.mentions)
        head, tail = ((realm.by_id[entity], spans[entity]) for entity in sentence.pair)
        yield _statement(
            f"{name}-{number:06d}", sentence.text, head, tail, relation=sentence.says, document=None, expresses=True
        )


def _statement(
    name: str,
    text: str,
    head: tuple[Entity, Span],
    tail: tuple[Entity, Span],
    *,
    relation: str | None,
    document: str | None,
    expresses: bool,
) -> Statement:
    """Make one row; the rows of one sentence differ in their relation and the end of their id only."""
    return Statement(
        text=text,
        head=head[1],
        tail=tail[1],
        relation=relation,
        id=f"{name}:{relation}",
        head_id=head[0].id,
        tail_id=tail[0].id,
        head_type=head[0].type,
        tail_type=tail[0].type,
        document=document,
        source=SOURCE,
        expresses=expresses,
    )
