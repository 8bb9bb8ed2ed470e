"""Content for report pages, made from the small world with vectors and a journal drawn from a generator."""

from __future__ import annotations

import math
from collections.abc import Callable
from html.parser import HTMLParser

import numpy as np
import pytest
import torch

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.evaluation import Measurement, auroc
from protorel.report import (
    AuditedLabels,
    ConfusablePair,
    DataCard,
    EvaluationTable,
    LabelCheck,
    Layout,
    MarkedTriple,
    ReadSentence,
    RelationCount,
    RelationLabels,
    ReportContent,
    RunGeometry,
    StatementMap,
    WorstLabel,
    project,
)


def make_content(per_relation: int = 40, *, seed: int = 0, steps: int = 300) -> ReportContent:
    """Return content as a run would give it: true labels near their prototype, false ones near another or nowhere."""
    world = build_small_world(SmallWorldSettings(statements_per_relation=per_relation, held_out_per_relation=2))
    rng = np.random.default_rng(seed)
    ids = list(world.train_relations)
    prototypes = rng.normal(size=(len(ids), 24)) * np.geomspace(3, 0.4, 24)
    own = np.asarray([ids.index(str(statement.relation)) for statement in world.train])
    truth = np.asarray([bool(statement.expresses) for statement in world.train])
    near = np.where(truth, own, rng.integers(len(ids), size=len(own)))
    vectors = prototypes[near] + rng.normal(size=(len(own), 24)) * 0.75
    cosines = _unit(vectors) @ _unit(prototypes).T
    to_own = cosines[np.arange(len(own)), own]
    others = cosines.copy()
    others[np.arange(len(own)), own] = -np.inf
    margins = to_own - others.max(axis=1)
    places = project(torch.from_numpy(np.concatenate([vectors, prototypes])))
    worst = np.argsort(margins)[:12].tolist()
    area = auroc(margins, truth)
    return ReportContent(
        title="protorel: small world",
        summary=(
            f"{len(own):,} statements, {100 * (1 - truth.mean()):.0f} % of them wrongly labelled, trained an encoder "
            f"and {len(ids)} prototypes in {steps} steps. A true label lies closer to its prototype than a false one "
            f"in {100 * area.value:.0f} of 100 pairs."
        ),
        facts={
            "training statements": f"{len(own):,}",
            "relations trained": str(len(ids)),
            "relations held out": str(len(world.held_out_relations)),
            "wrong labels": f"{100 * (1 - truth.mean()):.1f} %",
            "encoder": "minilm",
            "steps": str(steps),
            "seed": "0",
            "time": "214 s",
            "data": "558ae6f95365d0d9f73f6155",
        },
        map=StatementMap(
            world.train,
            [Layout("demo", "PCA", places[: len(own)], dict(zip(ids, map(tuple, places[len(own) :]), strict=True)))],
            AuditedLabels(
                1 / (1 + np.exp(-4 * margins)), margins < 0, [ids[one] for one in cosines.argmax(1)], ["why"] * len(own)
            ),
        ),
        map_note="Training statements, on the two directions in which they differ most.",
        geometry=[
            RunGeometry(
                "demo",
                ids,
                np.asarray([40.0, 80.0]),
                92.7,
                {ids[0]: 33.0},
                [ConfusablePair(ids[0], ids[1], 40.0, 3, 80)],
            )
        ],
        journals={"demo": _journal(rng, steps)},
        evaluations=_figures(),
        labels=LabelCheck(
            "margin",
            "About margins.",
            {"true": margins[truth], "false": margins[~truth]},
            [WorstLabel(world.train[i], float(margins[i]), ids[int(cosines[i].argmax())]) for i in worst],
            auroc=area,
            relations=[RelationLabels(ids[0], per_relation, 3, 2.5, ids[1])],
        ),
        card=DataCard({"demo": {"recipe": "demo"}}, {"statements": str(len(own))}, [RelationCount(ids[0], 40, 3)]),
        relation_names={relation.id: relation.name for relation in world.relations},
        read=[
            ReadSentence(
                statement.text,
                [statement.head, statement.tail],
                [
                    MarkedTriple(
                        statement.head.of(statement.text),
                        str(statement.relation),
                        statement.tail.of(statement.text),
                        "right" if statement.expresses else "wrong: the sentence does not relate them",
                        right=bool(statement.expresses),
                        probability=0.5,
                    )
                ],
            )
            for statement in world.train[:20]
        ],
        read_note="Probabilities are calibrated on other documents.",
    )


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _figures() -> list[EvaluationTable]:
    columns = ("5-way 1-shot", "5-way 5-shot")
    runs = {"untrained": (0.4312, 0.5734), "demo": (0.7863, 0.8775)}
    rows = {
        column: {run: Measurement(values[at], 0.0121, 2000) for run, values in runs.items()}
        for at, column in enumerate(columns)
    }
    return [EvaluationTable("Few-shot accuracy", rows)]


def _journal(rng: np.random.Generator, steps: int) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    for step in range(1, steps + 1):
        done = step / steps
        terms = {
            name: start * (floor + (1 - floor) * math.exp(-speed * done)) * float(rng.lognormal(0, 0.09))
            for name, start, floor, speed in (
                ("s2s", 2.6, 0.25, 5),
                ("s2p", 1.9, 0.12, 7),
                ("p2s", 1.4, 0.2, 4),
                ("mlm", 3.1, 0.7, 3),
            )
        }
        rate = 5e-5 * min(done / 0.1, (1 - done) / 0.9 + 1e-9)
        lines.append(
            {
                "step": step,
                "loss": sum(terms.values()),
                "terms": terms,
                "learning_rate": rate,
                "gradient_norm": float(rng.lognormal(0.2, 0.3)),
                "statements_per_second": float(rng.normal(45, 3)),
            }
        )
    return lines


TAGS = (
    " html head meta title style body main header nav h1 h2 h3 h4 p section div span strong mark bdi dl dt dd ol ul "
    "li a table thead tbody tr th td figure figcaption button form label input output canvas noscript details "
    "summary script svg g path text circle defs clippath "
)
ATTRIBUTES = (
    " lang charset http-equiv content name class id role tabindex hidden disabled type scope start href x y r d "
    "transform viewbox preserveaspectratio clip-path autocomplete spellcheck min max step value "
    "aria-label aria-labelledby aria-live aria-hidden aria-pressed data-run data-projection "
)
EMPTY_TAGS = ("meta", "input")


class Page(HTMLParser):
    """A page as a browser reads it: its tags, its attributes, its text; tags that do not balance are an error."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in EMPTY_TAGS:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if not self._open or self._open[-1] not in ("script", "style"):
            self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")


@pytest.fixture(scope="session")
def read_page() -> Callable[[str], Page]:
    """Read a page, and refuse one that holds a tag or an attribute that is not ours."""

    def read(html: str) -> Page:
        page = Page(html)
        assert not [tag for tag in page.tags if f" {tag} " not in TAGS]
        assert not [name for name, _ in page.attributes if f" {name} " not in ATTRIBUTES]
        assert all(value.startswith("#") for name, value in page.attributes if name == "href")
        return page

    return read


@pytest.fixture(scope="session")
def content() -> ReportContent:
    """A small, whole content; nothing may change it."""
    return make_content(6, steps=40)
