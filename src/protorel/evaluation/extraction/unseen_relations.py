"""Relations without training: removed from a model, added again by words or a few examples, and evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from protorel.evaluation.extraction.document_samples import DocumentSamples
from protorel.evaluation.extraction.figures import ExtractionFigures, extraction_figures
from protorel.evaluation.extraction.scored_pairs import ScoredPairs, score_natural_pairs
from protorel.evaluation.extraction.settings import ExtractionSettings, UnseenSettings
from protorel.evaluation.extraction.triples import MicroScores, micro_scores
from protorel.evaluation.leakage_report import relations_seen
from protorel.model import RelationModel
from protorel.statements import BadInput, Descriptions, LabelSets, Relation, Statement


@dataclass(frozen=True, slots=True)
class UnseenFigures:
    """Figures of relations that were added without training, alone and with the others."""

    made_from: str
    """`words` or `examples`."""
    alone: ExtractionFigures
    """With these relations as the only candidates: all other pairs hold none."""
    together: dict[str, MicroScores]
    """`old`, `new` and `all` relations of pairs in a sentence, with all relations as candidates."""

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        together = {name: scores.as_json() for name, scores in self.together.items()}
        return {"made_from": self.made_from, "alone": self.alone.as_json(), "together": together}


def old_and_new(
    pairs: ScoredPairs, new: tuple[str, ...], samples: DocumentSamples, *, threshold: float
) -> dict[str, MicroScores]:
    """Return precision, recall and F1 of old, new and all relations, with all of them as candidates."""
    groups = {
        "old": [name for name in pairs.names if name not in new],
        "new": [name for name in pairs.names if name in new],
        "all": list(pairs.names),
    }
    return {
        name: micro_scores(pairs.among(group), samples, threshold=threshold) for name, group in groups.items() if group
    }


def unseen_figures(
    model: RelationModel,
    pairs: LabelSets,
    samples: DocumentSamples,
    settings: ExtractionSettings,
    unseen: UnseenSettings,
    descriptions: Descriptions | None,
    *,
    threshold: float,
) -> Iterator[UnseenFigures]:
    """Yield the figures by words and, with examples, by a few of them.

    Args:
        model: The model; learned prototypes of the relations are removed.
        pairs: The evaluated pairs.
        samples: Bootstrap samples of their documents.
        settings: Settings of the evaluation.
        unseen: The relations, and examples of them.
        descriptions: Their words; by default those that the model keeps.
        threshold: The probability from which on a relation is asserted, next to the old ones.

    Raises:
        BadInput: a relation has no words, or an example file has none of the relations.
    """
    kept = model.without_relations([name for name in unseen.relations if name in model.relations])
    words = {name: _words(model, name, descriptions) for name in unseen.relations}
    models = {"words": kept.with_relations(words)}
    if unseen.examples is not None:
        shown = _first(unseen, unseen.examples.source())
        models["examples"] = kept.with_relations(None, examples=shown)
    for made_from, changed in models.items():
        names = tuple(name for name in changed.relations.ids if name in unseen.relations)
        alone = score_natural_pairs(changed, pairs, among=names)
        yield UnseenFigures(
            made_from,
            extraction_figures(alone, changed.maps, samples, settings, missing=None),
            old_and_new(score_natural_pairs(changed, pairs), names, samples, threshold=threshold),
        )


def _words(model: RelationModel, name: str, descriptions: Descriptions | None) -> Relation:
    if descriptions is not None and name in descriptions:
        return descriptions.relations[name]
    own = next((relation for relation in model.relations if relation.id == name), None)
    if own is None or not (own.name or own.description):
        raise BadInput(f"unseen: {name}: expected a name or a description, got none. Give --descriptions")
    return own


def _first(unseen: UnseenSettings, statements: Any) -> list[Statement]:
    """Return the first examples of each relation."""
    counts = dict.fromkeys(unseen.relations, 0)
    found = []
    for statement in statements:
        if statement.relation in counts and counts[statement.relation] < unseen.shots:
            counts[statement.relation] += 1
            found.append(statement)
    if not found:
        raise BadInput("examples: expected statements of the unseen relations, got none")
    return found


def seen_note(model: RelationModel, relations: tuple[str, ...]) -> str | None:
    """Return a note if the run was trained on relations that are evaluated as unseen."""
    seen = sorted(relations_seen(model) & set(relations))
    if not seen:
        return None
    return (
        f"the run was trained on {len(seen)} of these {len(relations)} relations, so they are new to its prototypes "
        "but not to its encoder. Train with without_relations to hold them out"
    )
