"""One text on its way from entities to triples: its questions to the model, the answers, and the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from protorel.extraction.entity_keys import same_entities
from protorel.extraction.mention_spans import as_mentions
from protorel.extraction.pairs import Pair, cropped
from protorel.extraction.text_inputs import InputText
from protorel.extraction.thinning import Answer, thinned
from protorel.extraction.triples import COUNTS, Extraction, Mention, Triple
from protorel.io import BadInput, printable
from protorel.model import Prediction
from protorel.statements import Span, Statement

if TYPE_CHECKING:
    from protorel.extraction.extractor import Extractor


class Question(NamedTuple):
    """A pair of one text, as two statements: from the earlier mention to the later one, and back."""

    work: TextWork
    pair: Pair
    statements: tuple[Statement, Statement]


@dataclass(slots=True)
class TextWork:
    """The entities of a text, and what the model has answered so far."""

    extractor: Extractor
    given: InputText
    mentions: Sequence[Mention]
    entities: Sequence[Hashable]
    """For each mention what it stands for."""
    problem: str | None = None
    counts: Counter[str] = field(default_factory=Counter)
    answers: list[Answer] = field(default_factory=list)
    calibrated: bool = True

    @classmethod
    def begin(cls, extractor: Extractor, given: InputText) -> TextWork:
        """Find the entities of a text.

        Raises:
            BadInput: the source fails on this text, or gives what are no spans of it.
        """
        mentions = as_mentions(_found(extractor, given.text) if given.entities is None else given.entities, given.text)
        return cls(extractor, given, *same_entities(given.text, mentions, extractor.coreference))

    def questions(self) -> Iterator[Question]:
        """Yield the pairs to ask, as they are needed; pairs whose types fit no relation are counted."""
        self.counts["entities"] = len(self.mentions)
        for pair in self.extractor.rule.pairs(self.given.text, self.mentions, self.entities, self.counts):
            if self._fits(pair.first, pair.second) or self._fits(pair.second, pair.first):
                yield Question(self, pair, self._statements(pair))
            else:
                self.counts["wrong_types"] += 2

    def take(self, question: Question, forward: Prediction | None, backward: Prediction | None) -> None:
        """Keep what the model finds in either direction that is not improbable."""
        first, second = question.pair.first, question.pair.second
        for head, tail, found, other in ((first, second, forward, backward), (second, first, backward, forward)):
            if not self._fits(head, tail):
                self.counts["wrong_types"] += 1
            elif found is None:
                self.counts["unreadable"] += 1
            else:
                self._take(head, tail, found, other)

    def finished(self) -> Extraction:
        """Return the triples that can hold together, and how many pairs and answers ended where."""
        kept = thinned(self.answers, self.extractor.schema, self.entities, self.counts)
        triples = [self._triple(one) for one in sorted(kept, key=lambda one: (one.head, one.tail, -one.probability))]
        threshold = self.extractor.threshold
        asserted = tuple(one for one in triples if one.probability >= threshold)
        uncertain = tuple(one for one in triples if one.probability < threshold)
        self.counts["asserted"], self.counts["uncertain"] = len(asserted), len(uncertain)
        counts = {name: self.counts[name] for name in COUNTS}
        counts |= {name: count for name, count in sorted(self.counts.items()) if count and name not in COUNTS}
        mentions = tuple(self.mentions)
        given = self.given
        return Extraction(
            asserted, uncertain, counts, given.text, given.document, mentions, self.calibrated, self.problem
        )

    def _take(self, head: int, tail: int, found: Prediction, other: Prediction | None) -> None:
        self.calibrated = self.calibrated and found.calibrated
        probable = [(name, value) for name, value in found.ranked if value >= self.extractor.uncertain_from]
        fits = self._fits(head, tail)
        fitting = [(name, value) for name, value in probable if name in fits]
        self.counts["relation_wrong_types"] += len(probable) - len(fitting)
        self.counts["answered" if fitting else "none"] += 1
        backward = dict(other.ranked) if fitting and other is not None else {}
        for name, value in fitting:
            # A near training statement with another label is a reason to doubt the triple.
            evidence = tuple(one for one in found.evidence if one.kind == "statement" or one.relation == name)
            reverse = backward.get(name, found.reverse_probability)
            self.answers.append(Answer(head, tail, name, value, reverse, evidence))

    def _fits(self, head: int, tail: int) -> frozenset[str]:
        """Return the candidate relations that fit the types of two mentions."""
        return self.extractor.fitting(self.mentions[head].type, self.mentions[tail].type)

    def _statements(self, pair: Pair) -> tuple[Statement, Statement]:
        one, other = self.mentions[pair.first], self.mentions[pair.second]
        text, most = self.given.text, self.extractor.rule.most_characters
        window = cropped(text, pair.window, Span(one.start, other.stop), most=most)
        read = window.of(text)
        return _statement(read, one, other, window.start), _statement(read, other, one, window.start)

    def _triple(self, answer: Answer) -> Triple:
        head, tail = self.mentions[answer.head], self.mentions[answer.tail]
        name = self.extractor.names.get(answer.relation, "")
        figures = (answer.probability, answer.reverse_probability)
        return Triple(head, tail, answer.relation, *figures, answer.evidence, name)


def _statement(text: str, head: Mention, tail: Mention, start: int) -> Statement:
    return Statement(
        text,
        Span(head.start - start, head.stop - start),
        Span(tail.start - start, tail.stop - start),
        id=f"[{head.start}, {head.stop}) to [{tail.start}, {tail.stop})",
        head_id=head.id,
        tail_id=tail.id,
        head_type=head.type,
        tail_type=tail.type,
    )


def _found(extractor: Extractor, text: str) -> object:
    """Call the entity source; whatever it raises is said in one line."""
    try:
        return extractor.entities(text)
    except BadInput:
        raise
    except Exception as problem:
        said = printable(" ".join(str(problem).split()), longest=200)
        raise BadInput(f"entities: the source failed on this text ({type(problem).__name__}: {said})") from problem
