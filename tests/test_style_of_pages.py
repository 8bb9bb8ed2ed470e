"""Pages are written in the field's own words: the words and names that we replaced do not come back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# The changelog may name what was renamed.
PAGES = ["README.md", "PAPER.md", "CONTRIBUTING.md", "SECURITY.md", "results/README.md"]
PAGES += sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))
# Where people judge labels.
ABOUT_PEOPLE = (
    "docs/concepts/wrong_share.md",
    "docs/limits.md",
    "docs/paper/fuzzyred.md",
    "docs/reference/command_line.md",
    "docs/reference/api/judging.md",
    "docs/tasks/build_distant_data.md",
    "docs/tasks/judge_labels.md",
)
PEOPLE = re.compile(r"\b(people|persons?|humans?|annotators?|by hand|reader|FuzzyRED)\b")

THINGS = (
    "statement|line|relation|row|pair|step|pattern|text|sentence|document|class|file|batch|episode|entity|label|token"
)
UNITS = f"{THINGS}|vector|object|phrasing|score|number|page|query|example|name|value"
PLAIN_WAYS = "".join(f"(?<!in {word} )" for word in ("two", "three", "both", "other", "many", "several", "different"))
WORDS = {
    "is wanted": r"\b(?:is|are|was) wanted\b",
    "x is no y": r"(?<!there )(?<!There )\bis no (?!longer|more|less|better|worse|different)",
    "are drawn by": r"\b(?:is|are|was|were) drawn by\b",
    "one x a y": rf"\b(?:one|two|three|[\d,.]*\d) (?:[\w-]+ )?(?:{UNITS})s? an? (?:{THINGS})\b(?! (?:is|was|has)\b)",
    "judge (of a model)": r"\bjudg(?:e|es|ed|ing)\b",
    "a way (a candidate relation)": r"\b(?:a|each|every|per) way(?! (?:to|of|that|in|for|out)\b)\b|\bway's\b"
    rf"|{PLAIN_WAYS}\bways(?! (?:to|of|in which)\b)\b",
    "crowd": r"\bcrowd(?:s|ed|ing)?\b(?! ?(?:workers|sourc))",
    "kept apart, apart from": r"\b(?:keep|keeps|kept|keeping) (?:[\w-]+ ){0,3}apart\b|\bapart from\b",
    "runs as one": r"\bruns as one\b",
    "blend": r"\bblend(?:s|ed|ing)?\b",
    "beside, besides": r"\bbesides?\b",
    "stands": r"\bstands?(?! for\b)(?!-?alone)\b",
    "told": r"\btold\b",
    "somebody, nobody": r"\b(?:somebody|nobody)\b",
    "anew": r"\banew\b",
    "shall": r"\bshall\b",
    "whole or not at all": r"\bwhole or not at all\b",
    "so many": r"\bso many\b",
    "likest": r"\blikest\b",
    "speak together": r"\b(?:speaks?|spoke|speaking) together\b",
    "this should not have happened": r"\bshould not have happened\b",
}
NAMES = [
    r"\b(?:claim|redrawing|judged_space|own_method|given|same|best|past|learning)\.py\b",
    r"\b(?:workshop|together|work|written|packed|by_the_clock|picture)\.py\b",
    r"\blearning\.parquet\b",
    r"\b(?:rejecting|evaluation/answers)/",
    r"\bjudge_(?!labels\.md)\w+",
    r"--apart-from\b",
    r"--crowd\b",
    r"--background\b",
]


def prose(text: str) -> str:
    """Return what people read as sentences: no code, no link targets, no example of how not to write."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"(?<=\n\n)(?: {4,}.*\n|\n)+", "", text)
    text = re.sub(r"^\| instead of \|.*?\n\n", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"``.*?``|`[^`]*`", "`code`", text)
    return re.sub(r"\]\([^)]*\)|https?://\S+|<[^>]+>", " ", text)


def replaced_words(name: str, text: str) -> list[str]:
    """Return each use of a word or a name that was replaced, with the words around it."""
    paragraphs = [one for one in re.split(r"\n\s*\n", text) if "renamed" not in one]
    found = [match[0] for pattern in NAMES for match in re.finditer(pattern, "\n\n".join(paragraphs))]
    for paragraph in re.split(r"\n\s*\n", prose(text)):
        paragraph = " ".join(paragraph.split())
        for word, pattern in WORDS.items():
            if word.startswith("judge") and (name in ABOUT_PEOPLE or PEOPLE.search(paragraph)):
                continue
            uses = re.finditer(pattern, paragraph)
            found += [f"{word}: …{paragraph[max(use.start() - 40, 0) : use.end() + 30]}…" for use in uses]
    return found


@pytest.mark.parametrize("name", PAGES)
def test_a_page_uses_the_words_of_the_field(name):
    assert replaced_words(name, (ROOT / name).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "A number is wanted.",
        "A dog is no cat.",
        "What the episodes are drawn by.",
        "There is one vector a statement.",
        "One file has one JSON object a line, one line a pair.",
        "The model is judged on FewRel.",
        "Each query has a way whose examples are nearest.",
        "Ten ways per episode.",
        "Statements in a crowd.",
        "Statements are kept apart from the test set.",
        "Three runs as one.",
        "A blend of three.",
        "It stands beside the others.",
        "It is told the seed.",
        "Nobody shall do so many things anew.",
        "A file is written whole or not at all.",
        "The likest statement.",
        "The statements of a pair speak together.",
        "This should not have happened.",
        "Use `--crowd`.",
        "See `evaluation/redrawing.py` or `rejecting/`.",
    ],
)
def test_a_word_that_was_replaced_is_noticed(text):
    assert replaced_words("page.md", text)


@pytest.mark.parametrize(
    "text",
    [
        "There is no relation; it is no longer needed.",
        "Two people judged each label.",
        "A 5-way episode; a way to do it; N-way; done in two ways, on the way.",
        "Crowd workers labelled it.",
        "P19 stands for place of birth.",
        "[this](results/fewrel_dev/crowd/blend) and `told`, `blend_text`.",
        "One vector per statement, one of a pair, two lines in a file.",
        "`--crowd` was renamed to `--hubness`.",
        "```text\nit stands as told\n```",
    ],
)
def test_ordinary_english_and_code_pass(text):
    assert replaced_words("page.md", text) == []
