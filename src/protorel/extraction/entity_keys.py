"""Which mentions stand for the same entity: by knowledge-base id, by coreference, else by name and type."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from protorel.extraction.triples import Mention
from protorel.io import BadInput, shown
from protorel.statements import normal

Coreference = Callable[[str, list[Mention]], Sequence[Sequence[int]]]
"""Returns clusters of mentions by number: each cluster stands for one entity."""


def entity_key(mention: Mention) -> tuple[str, ...]:
    """Return what two mentions of the same entity share: the id, else the normalised name and the type.

    >>> entity_key(Mention(0, 3, "ADA")) == entity_key(Mention(9, 12, "Ada"))
    True
    """
    return ("id", mention.id) if mention.id else ("name", normal(mention.text), (mention.type or "").casefold())


def same_entities(
    text: str, mentions: list[Mention], coreference: Coreference | None
) -> tuple[list[Mention], list[Hashable]]:
    """Return the mentions, with the id of their cluster where one is known, and what each stands for.

    Raises:
        BadInput: a cluster names a mention that is not there, or that another cluster holds.
    """
    keys: list[Hashable] = [entity_key(mention) for mention in mentions]
    if coreference is None or len(mentions) < 2:
        return mentions, keys
    known = list(mentions)
    held: set[int] = set()
    for cluster in coreference(text, list(mentions)):
        for place in cluster:
            if not isinstance(place, int) or not 0 <= place < len(mentions):
                raise BadInput(f"coreference: expected numbers of mentions below {len(mentions)}, got {shown(place)}")
            if place in held:
                raise BadInput(f"coreference: expected each mention in one cluster, got {place} in two")
            held.add(place)
        # The longest name says most: `Ada Kroll` rather than `Kroll`.
        named = max(cluster, key=lambda place: (known[place].id is not None, len(known[place].text)), default=0)
        for place in cluster:
            keys[place] = keys[named]
            if known[place].id is None and known[named].id is not None:
                known[place] = replace(known[place], id=known[named].id)
    return known, keys
