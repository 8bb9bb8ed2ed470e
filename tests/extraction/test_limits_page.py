"""The page of limits and failures shows what its file holds, and the file holds what the model returns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from protorel import Extractor

pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'protorel[extract]'")
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/limits.md").read_text(encoding="utf-8")
GIVEN = [json.loads(line) for line in (ROOT / "examples/failures.jsonl").read_text(encoding="utf-8").splitlines()]
FOUND = [
    json.loads(line) for line in (ROOT / "results/extraction/failures.jsonl").read_text(encoding="utf-8").splitlines()
]


def shown_triples(triples: list[dict]) -> list[str]:
    """Return triples as the page writes them."""
    return [
        f"{one['head']['text']} | {one['name']} | {one['tail']['text']} ({one['probability']:.2f})" for one in triples
    ]


def blocks_of(page: str) -> dict[str, list[str]]:
    """Return the lines below each quoted sentence."""
    found = re.findall(r"^> ([^\n]*)\n\n```text\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    return {quote: block.splitlines() for quote, block in found}


@pytest.mark.parametrize("found", FOUND, ids=lambda found: found["document"])
def test_the_page_shows_what_the_file_holds(found):
    quote = found["text"] + (" (entities given)" if found["document"].endswith(", entities given") else "")
    asserted = shown_triples(found["triples"])
    if quote not in blocks_of(PAGE):
        assert quote == "Mutations in BRCA1 increase the risk of breast cancer. (entities given)"
        assert asserted == []
        assert "With the two entities given there is still no triple" in PAGE
        return
    lines = blocks_of(PAGE)[quote]
    marked = [line[2:] for line in lines if line[0] in "✓✗"]
    uncertain = [line[2:] for line in lines if line[0] == "?"]
    assert marked == asserted
    assert ("no triples asserted" in lines) == (not asserted)
    assert set(uncertain) <= set(shown_triples(found["uncertain"]))
    assert len(lines) == len(marked) + len(uncertain) + (not asserted)


def test_no_sentence_of_the_page_is_missing_in_the_file():
    assert {quote.removesuffix(" (entities given)") for quote in blocks_of(PAGE)} == {one["text"] for one in FOUND}
    assert [(one["document"], one["text"]) for one in FOUND] == [(one["document"], one["text"]) for one in GIVEN]


def test_the_file_holds_what_the_model_returns():
    for one, held in zip(Extractor("protorel-small").pipe(GIVEN), FOUND, strict=True):
        assert [(t.head.text, t.label, t.tail.text) for t in one.triples] == [
            (t["head"]["text"], t["name"], t["tail"]["text"]) for t in held["triples"]
        ]
        assert [t.probability for t in one.triples] == pytest.approx(
            [t["probability"] for t in held["triples"]], abs=0.01
        )


def test_the_figures_of_the_page_are_those_of_their_file():
    figures = json.loads((ROOT / "results/extraction/protorel_small.json").read_text(encoding="utf-8"))
    share = figures["false_positives"]["any_relation"]["share"]
    assert f"{100 * figures['ceiling']:.1f} % of the facts have both entities in one" in PAGE
    assert f"{100 * figures['direction']['right']['value']:.1f} % of the asserted triples" in PAGE
    assert f"{100 * share['value']:.1f} ± {100 * share['margin']:.1f} % of the unrelated" in PAGE
    assert f"about {100 * figures['none_share']:.0f} % of the pairs hold no relation" in PAGE
