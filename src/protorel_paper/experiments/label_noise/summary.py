"""The summary of label noise: a table, and whether a recipe does better and loses less than its rivals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Any

from protorel.evaluation import Measurement, measure
from protorel_paper.engine import (
    Claim,
    compare,
    interval_json,
    mean_per_relation,
    over_seeds,
    shown_margin,
    summary_json,
)
from protorel_paper.experiments.label_noise.run import CLEAN

MEASURES = ("fewshot", "recognised", "by_class_means", "wrong_labels_found")
"""Few-shot accuracy, clean statements recognised by prototypes and by class means, AUROC of finding wrong labels."""

_CLAIMED = {"fewshot": "few-shot accuracy", "recognised": "clean statements recognised"}


@dataclass(frozen=True, slots=True)
class NoiseFigure:
    """One measure at one rate and kind of noise, over its seeds."""

    value: float
    per_relation: Mapping[str, float]
    """Empty for the AUROC, which is over all statements."""
    interval: Measurement
    """Over relations; for the AUROC, over statements."""
    over_seeds: Measurement | None


@dataclass(frozen=True, slots=True)
class NoiseRow:
    """The figures of a recipe at one rate and kind of noise."""

    recipe: str
    start: str
    kind: str
    rate: float
    seeds: tuple[int, ...]
    figures: Mapping[str, NoiseFigure | None]


@dataclass(frozen=True, slots=True)
class NoiseSummary:
    """All points of a folder, put together."""

    task: str
    rows: Sequence[NoiseRow]
    claims: Sequence[Claim]
    data: Mapping[str, Any]
    test: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the contents of summary.json."""
        return summary_json("label_noise_summary", self, [_row_json(row) for row in self.rows])

    def as_markdown(self) -> str:
        """Return the contents of summary.md."""
        lines = [
            "# Label noise, %",
            "",
            f"| start | recipe | wrong labels | {self.task} | recognised, by prototypes | by class means | AUROC |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in self.rows:
            cells = [_cell(row.figures[measure_]) for measure_ in MEASURES]
            wrong = "0" if row.kind == CLEAN else f"{100 * row.rate:g} {row.kind}"
            lines.append(f"| {row.start} | {row.recipe} | {wrong} | {' | '.join(cells)} |")
        said = [claim.words for claim in self.claims] or [
            "Only one recipe was trained; name another with --against to compare."
        ]
        return "\n".join([*lines, "", *(f"- {words}" for words in said), ""])


def summarise_noise(points: Sequence[Mapping[str, Any]], recipe: str) -> NoiseSummary:
    """Return the summary of points; `recipe` is the one that others are compared with."""
    places: dict[tuple[str, str, str, float], list[Mapping[str, Any]]] = {}
    for point in points:
        settings = point["settings"]
        place = (settings["start_name"], settings["recipe_name"], settings["kind"], settings["rate"])
        places.setdefault(place, []).append(point)
    # Clean labels first, whatever the names of the kinds.
    order = sorted(places, key=lambda place: (*place[:2], place[2] != CLEAN, *place[2:]))
    rows = [_row(places[place]) for place in order]
    first = points[0]
    task = first["settings"]["experiment"]["test"]["task"]
    return NoiseSummary(task, rows, list(noise_claims(rows, recipe)), first["data"], first["test"])


def noise_claims(rows: Iterable[NoiseRow], recipe: str) -> Iterator[Claim]:
    """Test, for every start and kind, whether the recipe does better than each rival, and whether it loses less.

    Losses are compared only if the clean figures do not clearly differ: a weak model has little to lose.
    """
    found = {(row.start, row.recipe, row.kind, row.rate): row for row in rows}
    rivals = sorted({(row.start, row.recipe) for row in found.values() if row.recipe != recipe})
    kinds = sorted({row.kind for row in found.values()} - {CLEAN})
    for (start, rival), kind, (name, what) in product(rivals, kinds, _CLAIMED.items()):
        rates = sorted({rate for *_, of_kind, rate in found if of_kind == kind})
        of = f"{recipe} against {rival} from {start}"

        def per_relation(one: str, kind: str, rate: float, start: str = start, name: str = name) -> Mapping[str, float]:
            row = found.get((start, one, kind, rate))
            figure = row.figures[name] if row else None
            return figure.per_relation if figure else {}

        better, less = [], []
        clean = [per_relation(one, CLEAN, 0.0) for one in (recipe, rival)]
        alike = bool(clean[0].keys() & clean[1].keys()) and compare(of, "", "", *clean).says == 0
        for rate in rates:
            noisy = [per_relation(one, kind, rate) for one in (recipe, rival)]
            place = f"{100 * rate:g} % wrong"
            if noisy[0].keys() & noisy[1].keys():
                better.append(compare(of, recipe, place, *noisy))
                if alike:
                    ours, theirs = (_loss(*both) for both in zip(clean, noisy, strict=True))
                    less.append(compare(of, rival, place, theirs, ours))
        under = f"{rival} under {kind} wrong labels ({what}, from {start})"
        yield Claim(f"{recipe} does better than {under}", better, "the two at each rate")
        how = "the rival's loss less its own, at each rate, where their clean figures do not clearly differ"
        yield Claim(f"{recipe} loses less than {under}", less, how)


def _loss(clean: Mapping[str, float], noisy: Mapping[str, float]) -> dict[str, float]:
    """Return the loss of each relation from clean labels to wrong ones."""
    return {one: clean[one] - noisy[one] for one in clean.keys() & noisy.keys()}


def _row(points: Sequence[Mapping[str, Any]]) -> NoiseRow:
    settings = points[0]["settings"]
    task = settings["experiment"]["test"]["task"]
    figures: dict[str, NoiseFigure | None] = {
        "fewshot": _figure([point["fewshot"][task] for point in points]),
        "recognised": _figure([point["recognised"]["by_prototypes"] for point in points]),
        "by_class_means": _figure([point["recognised"]["by_class_means"] for point in points]),
        "wrong_labels_found": _area([point["wrong_labels_found"] for point in points]),
    }
    seeds = tuple(sorted(point["settings"]["seed"] for point in points))
    return NoiseRow(
        settings["recipe_name"], settings["start_name"], settings["kind"], float(settings["rate"]), seeds, figures
    )


def _figure(evaluated: Sequence[Mapping[str, Any]]) -> NoiseFigure:
    per_relation = mean_per_relation([one["per_relation"] for one in evaluated])
    values = [one["accuracy"] for one in evaluated]
    return NoiseFigure(fmean(values), per_relation, measure(list(per_relation.values())), over_seeds(values))


def _area(found: Sequence[Mapping[str, Any] | None]) -> NoiseFigure | None:
    known = [one for one in found if one is not None]
    if not known:
        return None
    values = [one["by_margin"]["auroc"] for one in known]
    margin = fmean(one["by_margin"]["margin"] for one in known)
    interval = Measurement(fmean(values), margin, sum(one["statements"] for one in known))
    return NoiseFigure(fmean(values), {}, interval, over_seeds(values))


def _cell(figure: NoiseFigure | None) -> str:
    return "–" if figure is None else f"{100 * figure.value:.1f} {shown_margin(figure.interval)}"


def _row_json(row: NoiseRow) -> dict[str, Any]:
    return {
        "start": row.start,
        "recipe": row.recipe,
        "kind": row.kind,
        "rate": row.rate,
        "seeds": list(row.seeds),
        "figures": {
            name: figure
            and {
                "value": figure.value,
                "margin": figure.interval.margin if figure.interval.count > 1 else None,
                "over_seeds": interval_json(figure.over_seeds),
            }
            for name, figure in row.figures.items()
        },
    }
