"""Extractor: text in, triples out, with nothing dropped silently."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from protorel.extraction.entity_keys import Coreference
from protorel.extraction.entity_sources import EntitySource, entity_source
from protorel.extraction.pairs import PairRule
from protorel.extraction.predictor import RelationPredictor, candidates, loaded, threshold_of
from protorel.extraction.schema import Schema
from protorel.extraction.settings import ExtractionSettings, check_whole
from protorel.extraction.text_inputs import BadText, InputText, numbered
from protorel.extraction.text_work import Question, TextWork
from protorel.extraction.triples import Extraction
from protorel.io import BadInput
from protorel.model import Prediction
from protorel.statements import Statement

_MOST_WAITING = 2_000_000
"""Characters of texts that wait for the answers to their pairs."""
_PER_TEXT = 1_000
"""What a waiting text costs in addition to its characters."""
_LOGGER = logging.getLogger("protorel")


class Extractor:
    """Finds triples in text: entities, pairs of them that are close, and the relations that a model finds between them.

    Args:
        model: A `RelationModel`, the name of one, or anything with its `relations` and `predict`.
        entities: Where entities come from: any function from text to spans, a spaCy pipeline, or the name of a source
            such as `spacy:en_core_web_sm` or `names:FILE`. By default spaCy's small English pipeline.
        schema: What is known about relations: a `Schema`, the path of a schema file, or a mapping as in such a file.
        coreference: Given a text and its mentions, returns clusters of mentions that stand for the same entity.
        window: How many consecutive sentences a pair may span; 1: both mentions in the same sentence.
        min_precision: Choose the threshold that reached this precision on held-out data.
        settings: Thresholds and bounds that rarely change.

    Raises:
        BadInput: the model has no relations, the schema names one that the model lacks, the source is not known, or
            the precision cannot be reached.

    Example:
        >>> from protorel.extraction import Extractor
        >>> from protorel.model import Prediction
        >>> from protorel.statements import RelationVocabulary
        >>> class BornIn:
        ...     "A model with a rule in place of weights."
        ...     relations = RelationVocabulary(["born_in"])
        ...     def predict(self, statements, *, among=None, top=3):
        ...         told = [0.9 if one.head.start < one.tail.start else 0.1 for one in statements]
        ...         return [Prediction("born_in", p, (), (("born_in", p),), 1 - p, 1 - p) for p in told]
        >>> extractor = Extractor(BornIn(), entities=lambda text: [(0, 9), (22, 27)])
        >>> found = extractor("Ada Kroll was born in Lunsk.")
        >>> [str(triple) for triple in found.triples]
        ['Ada Kroll | born_in | Lunsk (0.90)']
        >>> found.counts["pairs"], found.counts["none"], found.counts["asserted"]
        (2, 1, 1)
    """

    def __init__(
        self,
        model: RelationPredictor | str | Path,
        *,
        entities: EntitySource | str | Any | None = None,
        schema: Schema | Any | None = None,
        coreference: Coreference | None = None,
        window: int = 1,
        min_precision: float | None = None,
        settings: ExtractionSettings | None = None,
    ) -> None:
        self.settings = settings or ExtractionSettings()
        check_whole(window, "window")
        self.model = loaded(model)
        self.entities: EntitySource = entity_source(entities)
        self.schema = _schema(schema)
        self.schema.check_relations(self.model.relations.ids)
        self.names = {relation.id: relation.name for relation in self.model.relations}
        self.coreference = coreference
        own = self.settings.threshold
        self.threshold = own if min_precision is None else threshold_of(self.model, min_precision)
        self.uncertain_from = min(self.settings.uncertain_from, self.threshold)
        self.rule = PairRule(window, self.settings.most_pairs, self.settings.most_characters)
        chosen = self.settings.relations
        self.relations = None if chosen is None else candidates(self.model, chosen)
        self.fitting = lru_cache(maxsize=10_000)(self._fitting)

    def __call__(
        self, text: str | InputText, *, entities: Iterable[Any] | None = None, document: str = ""
    ) -> Extraction:
        """Return the triples of one text.

        Args:
            text: Any text: a sentence, a page, a book.
            entities: Its entities, as spans of characters; by default the extractor's source finds them.
            document: The name that results show.

        Raises:
            BadInput: the text cannot be used, or its entities are not spans of it.
        """
        given = text if entities is None else {"text": text, "entities": entities}
        [found] = self._piped([InputText.of(given, document)], alone=True)
        if found.problem is not None:
            raise BadInput(found.problem)
        return found

    def pipe(self, texts: Iterable[str | InputText | Any]) -> Iterator[Extraction]:
        """Yield the triples of each text, in order, while texts are read.

        Pairs of several texts are asked together, so memory does not grow with the number of texts. A text that cannot
        be used gives an empty extraction that says why in `problem`; the logger `protorel` reports it too.

        Args:
            texts: Strings, or mappings with `text` and optionally `document` and `entities`.

        Raises:
            BadInput: a single text is given in place of several.
        """
        for found in self._piped(numbered(texts)):
            if found.problem is not None:
                _LOGGER.warning("%s", found.problem)
            yield found

    def _piped(self, texts: Iterable[InputText | BadText], *, alone: bool = False) -> Iterator[Extraction]:
        waiting: deque[TextWork] = deque()
        questions: list[Question] = []
        size = 0
        for number, given in enumerate(texts):
            work = self._begun(given, "" if alone else f"text {number}")
            waiting.append(work)
            for question in work.questions():
                questions.append(question)
                if len(questions) >= max(1, self.settings.pairs_at_a_time // 2):
                    self._ask(questions)
                    while len(waiting) > 1:  # this text has more to ask
                        yield waiting.popleft().finished()
                    size = 0
            size += len(work.given.text) + _PER_TEXT
            if size > _MOST_WAITING or not questions:
                self._ask(questions)
                while waiting:
                    yield waiting.popleft().finished()
                size = 0
        self._ask(questions)
        while waiting:
            yield waiting.popleft().finished()

    def _fitting(self, head_type: str | None, tail_type: str | None) -> frozenset[str]:
        """Return the candidate relations that entities of these types may hold."""
        names = self.relations or self.model.relations.ids
        return frozenset(name for name in names if self.schema.fits(name, head_type, tail_type))

    def _begun(self, given: InputText | BadText, name: str) -> TextWork:
        """Find the entities of a text; a text that cannot be used has none and says why."""
        if isinstance(given, BadText):
            return TextWork(self, InputText("", given.document), [], [], problem=given.problem)
        try:
            return TextWork.begin(self, given)
        except BadInput as problem:
            where = given.document or name
            return TextWork(self, given, [], [], problem=f"{where}: {problem}" if where else str(problem))

    def _ask(self, questions: list[Question]) -> None:
        """Have the model answer all questions, and hand each answer to the text that asked."""
        if not questions:
            return
        statements = [one for question in questions for one in question.statements]
        answers = self._predictions(statements)
        for question, forward, backward in zip(questions, answers[::2], answers[1::2], strict=True):
            question.work.take(question, forward, backward)
        questions.clear()

    def _predictions(self, statements: list[Statement]) -> list[Prediction | None]:
        """Return a prediction for each statement; None for one that the model cannot read."""
        try:
            found = self.model.predict(
                statements, among=self.relations, top=len(self.relations or self.model.relations)
            )
            return list(found)
        except BadInput as problem:
            if len(statements) > 1:
                half = len(statements) // 2
                return [*self._predictions(statements[:half]), *self._predictions(statements[half:])]
            if statements[0].id not in str(problem):  # it is not about this statement
                raise
            return [None]


def _schema(given: Schema | Any | None) -> Schema:
    if given is None:
        return Schema()
    if isinstance(given, Schema):
        return given
    return Schema.load(given) if isinstance(given, str) or hasattr(given, "__fspath__") else Schema.of(given)
