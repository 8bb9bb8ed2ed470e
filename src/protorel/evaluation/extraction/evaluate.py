"""Evaluate a model on natural pairs, from statements to figures: what `protorel evaluate extraction` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from protorel.evaluation.evaluated_model import GivenModel, environment, loaded, run_json
from protorel.evaluation.extraction.baselines import Baseline, type_pair_majority, untrained_by_words
from protorel.evaluation.extraction.document_samples import DocumentSamples, Numbers
from protorel.evaluation.extraction.figures import (
    ExtractionFigures,
    TripleFigures,
    extraction_figures,
    spread_over,
    triple_figures,
)
from protorel.evaluation.extraction.scored_pairs import ScoredPairs, natural_pairs, score_natural_pairs
from protorel.evaluation.extraction.settings import BaselineData, ExtractionSettings, UnseenSettings
from protorel.evaluation.extraction.triples import MicroScores, missing_facts
from protorel.evaluation.extraction.unseen_relations import UnseenFigures, old_and_new, seen_note, unseen_figures
from protorel.evaluation.leakage_report import run_leakage
from protorel.model import RelationModel
from protorel.statements import BadInput, DataSet, Descriptions, LabelSets, load_equivalents


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """Figures of a model, of the baselines, and of relations added without training."""

    figures: ExtractionFigures
    ceiling: float | None
    """The share of all facts whose entities share a sentence: no recall of all facts is higher."""
    baselines: dict[str, TripleFigures]
    unseen: tuple[UnseenFigures, ...] = ()
    learned: dict[str, MicroScores] | None = None
    """Old, new and all relations with learned prototypes, to compare `unseen` with."""

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        learned = None if self.learned is None else {name: one.as_json() for name, one in self.learned.items()}
        return {
            **self.figures.as_json(),
            "ceiling": self.ceiling,
            "baselines": {name: one.as_json() for name, one in self.baselines.items()},
            "unseen": [one.as_json() for one in self.unseen],
            "learned": learned,
        }


@dataclass(frozen=True, slots=True)
class ExtractionEvaluation:
    """The figures, their settings as JSON, and notes on how to read them."""

    result: ExtractionResult
    as_json: dict[str, Any]
    notes: tuple[str, ...]


def evaluate_extraction(
    model: GivenModel,
    data: DataSet,
    settings: ExtractionSettings | None = None,
    *,
    baselines: BaselineData | None = None,
    descriptions: Descriptions | None = None,
    unseen: UnseenSettings | None = None,
) -> ExtractionEvaluation:
    """Evaluate how well a model reads relations off text, on all pairs of entities that share a sentence.

    Every pair is encoded once; all figures come from its probabilities. Intervals are over documents.

    Args:
        model: A loaded model with prototypes, or a run folder.
        data: Natural pairs, as `convert --format docred_pairs` writes them: rows with equal text, head and tail are
            one pair with several relations, and `no_relation` is none.
        settings: Precision to ask for, documents to read, and so on.
        baselines: Data of the baselines; none are computed without it.
        descriptions: Names and descriptions of relations, for the untrained baseline and for `unseen`.
        unseen: Relations to evaluate as if they were added without training.

    Returns:
        The figures, the JSON form, and notes.

    Raises:
        BadInput: the model has no prototypes, the data no pairs with or without a relation, or a baseline lacks data.

    Example:
        >>> import torch
        >>> from protorel import DataSet, RelationModel, RelationVocabulary, Statement
        >>> from protorel.encoders import CNNEncoder, word_tokenizer
        >>> from protorel.geometry import Prototypes
        >>> tokenizer = word_tokenizer(["ada", "was", "born", "in", "lunsk"])
        >>> encoder = CNNEncoder(words=tokenizer.layout.vocabulary_size, word_width=6, channels=8)
        >>> prototypes = Prototypes.of(RelationVocabulary(["born_in"]), torch.eye(1, 8))
        >>> model = RelationModel(encoder, tokenizer, prototypes, max_length=32, name="small")
        >>> text = "Ada was born in Lunsk"
        >>> rows = [Statement(text, (0, 3), (16, 21), "born_in", document="a")]
        >>> rows += [Statement(text, (16, 21), (0, 3), "no_relation", document="a")]
        >>> found = evaluate_extraction(model, DataSet.of("mine", rows))
        >>> found.result.figures.pairs, found.result.figures.none_share
        (2, 0.5)
    """
    settings = settings or ExtractionSettings()
    pairs = natural_pairs(data.source(), name=data.name, most_documents=settings.most_documents)
    _check_baselines(baselines, descriptions)
    model = loaded(model)
    scores = score_natural_pairs(model, pairs)
    samples = DocumentSamples.draw(int(scores.documents.max()) + 1, seed=settings.seed)
    missing = _missing(scores, samples, settings)
    figures = extraction_figures(scores, model.maps, samples, settings, missing=missing)
    found = {
        name: triple_figures(baseline.pairs, samples, threshold=baseline.threshold, chosen_by="f1", missing=missing)
        for name, baseline in _baselines(model, pairs, baselines, descriptions).items()
    }
    threshold = figures.triples[-1].sentences.threshold
    added = (
        ()
        if unseen is None
        else tuple(unseen_figures(model, pairs, samples, settings, unseen, descriptions, threshold=threshold))
    )
    learned = None if unseen is None else old_and_new(scores, unseen.relations, samples, threshold=threshold)
    result = ExtractionResult(figures, _ceiling(figures), found, added, learned)
    tested = {relation for own in pairs.labels for relation in own}
    leakage = run_leakage(model, data, tested, equivalents=load_equivalents())
    held_out, described = model.maps.held_out, data.described()
    as_json = {
        "task": "extraction",
        "seed": settings.seed,
        "most_documents": settings.most_documents,
        "symmetric": list(settings.symmetric),
        **result.as_json(),
        "data": described,
        "run": run_json(model),
        "calibration": None if held_out is None else held_out.model_dump(),
        "baseline_data": _described(baselines),
        "descriptions": None if descriptions is None else descriptions.as_json(),
        "unseen_relations": None if unseen is None else _unseen_json(unseen),
        "leakage": leakage.as_json(),
        **environment(),
    }
    notes = [*leakage.notes(relations=False), *_notes(model, data, figures)]
    if held_out is not None and held_out.fingerprint == described["fingerprint"]:
        notes.append(f"the model was calibrated on {data.name}: its thresholds and probabilities fit these very pairs")
    if unseen is not None and (note := seen_note(model, unseen.relations)) is not None:
        notes.append(note)
    return ExtractionEvaluation(result, as_json, tuple(notes))


def _check_baselines(data: BaselineData | None, descriptions: Descriptions | None) -> None:
    if data is None:
        return
    if data.train is None and data.held_out is None:
        raise BadInput("baselines: expected training pairs, or descriptions and pairs to calibrate on, got neither")
    if data.held_out is not None and descriptions is None:
        raise BadInput("baselines: expected descriptions for the untrained encoder, got none")


def _baselines(
    model: RelationModel, pairs: LabelSets, data: BaselineData | None, descriptions: Descriptions | None
) -> dict[str, Baseline]:
    found = {}
    if data is not None and data.train is not None:
        found["type_pair_majority"] = type_pair_majority(data.train, pairs)
    if data is not None and data.held_out is not None and descriptions is not None:
        found["untrained_by_words"] = untrained_by_words(
            descriptions, model.relations.ids, data.held_out, pairs, encoder=data.encoder
        )
    return found


def _missing(pairs: ScoredPairs, samples: DocumentSamples, settings: ExtractionSettings) -> Numbers | None:
    if settings.unreachable is not None:
        return missing_facts(pairs, settings.unreachable)
    if settings.all_facts is not None:
        return spread_over(pairs, samples, all_facts=settings.all_facts)
    return None


def _ceiling(figures: ExtractionFigures) -> float | None:
    first = figures.triples[0]
    return None if first.all_facts is None else first.documents.gold / max(first.all_facts.gold, 1)


def _described(data: BaselineData | None) -> dict[str, Any] | None:
    if data is None:
        return None
    files = {"train": data.train, "held_out": data.held_out}
    described = {name: one.described() for name, one in files.items() if one is not None}
    return {**described, "encoder": data.encoder if data.held_out is not None else None}


def _unseen_json(unseen: UnseenSettings) -> dict[str, Any]:
    examples = None if unseen.examples is None else unseen.examples.described()
    return {"relations": list(unseen.relations), "examples": examples, "shots": unseen.shots}


def _notes(model: RelationModel, data: DataSet, figures: ExtractionFigures) -> list[str]:
    notes = []
    if not model.maps.calibrated:
        notes.append("the model is not calibrated: run `protorel calibrate` first")
    elif model.maps.none_share is not None and abs(model.maps.none_share - figures.none_share) > 0.1:
        notes.append(
            f"the model expects {100 * model.maps.none_share:.0f} % of the pairs to hold no relation, "
            f"{data.name} has {100 * figures.none_share:.0f} %"
        )
    if figures.unknown:
        notes.append(f"{figures.unknown:,} labels are of relations that the model does not have; they count as missed")
    return notes
