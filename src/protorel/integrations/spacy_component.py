"""The spaCy component `protorel`: relations between the entities of a doc.

    nlp = spacy.load("en_core_web_sm")
    nlp.add_pipe("protorel", config={"model": "runs/mine"})
    nlp("Marie Curie was born in Warsaw.")._.relations

spaCy finds the component by an entry point, without an import. What it sets are plain values, so that `DocBin` can
store them (`store_user_data=True`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import tee
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from protorel.extraction import (
    NUMBERS,
    Extraction,
    ExtractionSettings,
    Extractor,
    InputText,
    Mention,
    RelationPredictor,
)
from protorel.io import BadInput

_DEFAULTS = {"schema": None, "relations": None, "window": 1, "min_precision": None, "drop_labels": sorted(NUMBERS)}


class RelationComponent:
    """Sets `doc._.relations` and `doc._.relation_counts`.

    Each relation is a dict with `head` and `tail` (`start`, `stop`, `text`, `type`, `id`), `relation`, `probability`,
    `reverse_probability` and `evidence`. Offsets are characters: `doc.char_span(start, stop)` gives the span.

    Args:
        extractor: Finds the relations; its own entity source is not used.
        drop_labels: Labels of entities that are left out: by default those of numbers.
    """

    def __init__(self, extractor: Extractor, *, drop_labels: Iterable[str] = NUMBERS) -> None:
        self.extractor = extractor
        self._drop = frozenset(drop_labels)
        for name, default in (("relations", []), ("relation_counts", {})):
            if not Doc.has_extension(name):
                Doc.set_extension(name, default=default)

    def __call__(self, doc: Doc) -> Doc:
        """Set the relations of one doc."""
        return _with_relations(doc, self.extractor(self._text(doc)))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Set the relations of each doc, in order; pairs of several docs are asked together."""
        del batch_size  # pairs decide, not docs
        docs, texts = tee(stream)
        for doc, found in zip(docs, self.extractor.pipe(map(self._text, texts)), strict=True):
            yield _with_relations(doc, found)

    def _text(self, doc: Doc) -> InputText:
        mentions = (
            Mention(one.start_char, one.end_char, one.text, one.label_ or None, one.kb_id_ or None)
            for one in doc.ents
            if one.label_ not in self._drop and one.text.strip()
        )
        return InputText(doc.text, entities=tuple(mentions))


def _with_relations(doc: Doc, found: Extraction) -> Doc:
    if found.problem is not None:
        raise BadInput(found.problem)
    doc._.relations = [triple.as_json() for triple in found.triples]
    doc._.relation_counts = dict(found.counts)
    return doc


@Language.factory(
    "protorel",
    requires=["doc.ents"],
    assigns=["doc._.relations", "doc._.relation_counts"],
    default_config=_DEFAULTS,
)
def make_component(
    nlp: Language,  # noqa: ARG001  (spaCy passes it)
    name: str,  # noqa: ARG001
    model: str,
    schema: str | dict[str, Any] | None,
    relations: list[str] | None,
    window: int,
    min_precision: float | None,
    drop_labels: list[str],
) -> RelationComponent:
    """Return the component of a spaCy config.

    Raises:
        BadInput: there is no such model, or the schema does not fit it.
    """
    from protorel.model import RelationModel

    loaded: RelationPredictor = RelationModel.from_pretrained(model)
    settings = ExtractionSettings(relations=None if relations is None else tuple(relations))
    extractor = Extractor(
        loaded, entities="given", schema=schema, window=window, min_precision=min_precision, settings=settings
    )
    return RelationComponent(extractor, drop_labels=drop_labels)
