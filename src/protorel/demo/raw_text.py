"""Raw text that training never saw: one part to calibrate the run on, another to extract triples from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

import yaml

from protorel.corpora import SmallWorld, build_small_world, write_raw
from protorel.extraction import KnowledgeBaseNames, Mention, Schema
from protorel.io import write_text
from protorel.statements import NO_RELATION, Span, Statement

_ROWS_SHARE = 4
"""A training set is this many times as large as the one that the raw text would give."""
_FEWEST_ROWS = 8
_READ_SHARE = 3
"""One in so many documents is read; the others calibrate."""


@dataclass(frozen=True, slots=True)
class RawText:
    """Documents that training never saw, about entities that it never saw, and the names of these."""

    world: SmallWorld
    names: KnowledgeBaseNames
    """Finds entities by their names alone."""
    calibration: range
    """The documents that calibrate the run."""
    read: range
    """The documents that triples are extracted from."""
    schema: Schema
    """The types of head and tail of each relation."""

    @classmethod
    def build(cls, trained: SmallWorld, folder: Path) -> RawText:
        """Build another small world than the trained one, and write its documents, facts, names and a schema."""
        settings = trained.settings
        rows = max(_FEWEST_ROWS, settings.statements_per_relation // _ROWS_SHARE)
        world = build_small_world(
            replace(settings, seed=settings.seed + 1, statements_per_relation=rows, held_out_per_relation=1)
        )
        write_raw(world, folder)
        types = {str(one.relation): (str(one.head_type), str(one.tail_type)) for one in trained.train}
        rules = {name: {"head_types": [head], "tail_types": [tail]} for name, (head, tail) in sorted(types.items())}
        write_text(folder / "schema.yaml", yaml.safe_dump(rules, sort_keys=False))
        number = len(world.documents)
        first = number // _READ_SHARE
        names = KnowledgeBaseNames(folder / "aliases.tsv")
        return cls(world, names, range(first, number), range(first), Schema.of(rules))

    def held_out_pairs(self) -> Iterator[Statement]:
        """Yield the ordered pairs of a sentence whose types fit a relation, labelled with what the sentence says."""
        for number in self.calibration:
            document = self.world.documents[number]
            mentions = self.names(document.text)
            for sentence, expressed in zip(document.sentences, document.expressed, strict=True):
                said = {(fact.head, fact.tail): fact.relation for fact in expressed}
                inside = [one for one in mentions if sentence.start <= one.start and one.stop <= sentence.stop]
                for head, tail in permutations(inside, 2):
                    if head.id != tail.id and self._fits(head, tail):
                        relation = said.get((str(head.id), str(tail.id)), NO_RELATION)
                        yield _statement(document.text, sentence, head, tail, relation, document.id)

    def _fits(self, head: Mention, tail: Mention) -> bool:
        return any(rule.fits(head.type, tail.type) for rule in self.schema.rules.values())


def _statement(text: str, sentence: Span, head: Mention, tail: Mention, relation: str, document: str) -> Statement:
    start = sentence.start
    return Statement(
        sentence.of(text),
        Span(head.start - start, head.stop - start),
        Span(tail.start - start, tail.stop - start),
        relation,
        id=f"{document}:{head.start}-{tail.start}",
        head_id=head.id,
        tail_id=tail.id,
        head_type=head.type,
        tail_type=tail.type,
        document=document,
    )
