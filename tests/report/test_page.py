"""The page as a whole: it stands alone, and nothing from outside breaks out of its place."""

import base64
import hashlib
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from protorel.evaluation import Measurement
from protorel.report import (
    AuditedLabels,
    BeforeAfter,
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
    render_report,
    write_report,
)
from protorel.statements import Span, Statement

EMPTY = ReportContent("", "")
HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "</title></style></svg><script>alert(1)</script>",
    '" onmouseover="alert(1)" x=\'',
    "<!-- <![CDATA[ ]]> -->",
    "&lt;b&gt; &#x3c;i&#x3e; &amp",
    "\x00\x08\x1b[31m\r\n\x85\u2028\ufeff",
    "\u202etxet desrever\u202c \u2066isolated\u2069",
    "half a pair: \ud800, \udfff; a whole one: 𝕊",
    "javascript:alert(1)//http://example.org/x.js",
]


def _statement(text: str) -> Statement:
    shown = f"x {text} y"
    return Statement(shown, Span(0, len(shown) - 1), Span(2, 2 + max(len(text) // 2, 1)), text, expresses=False)


def _content(text: str) -> ReportContent:
    statement = _statement(text)
    figure = Measurement(0.5, 0.1, 3)
    return ReportContent(
        title=text,
        summary=text,
        facts={text: text},
        comparison=[BeforeAfter(text, figure, figure)],
        comparison_title=text,
        comparison_note=text,
        map=StatementMap(
            [statement, replace(statement, id=text)],
            [Layout(text, text, np.asarray([(0.0, 0.0), (1.0, 1.0)]), {text: (0.5, 0.5)})],
            AuditedLabels(np.asarray([0.1, 0.9]), np.asarray([True, False]), [text, ""], [text, text]),
        ),
        map_note=text,
        geometry=[
            RunGeometry(
                text, [text, "b"], np.asarray([40.0, 50.0]), 90.0, {text: 30.0}, [ConfusablePair(text, "b", 40.0)]
            ),
            RunGeometry(text + "2", [], np.asarray([]), None, {}, []),
        ],
        journals={
            text: [{"step": step, "loss": step, "terms": {text: 1, text + "2": step}} for step in range(3)],
            text + "2": [],
        },
        evaluations=[EvaluationTable(text, {text: {text: figure, text + "2": figure}}, note=text)],
        labels=LabelCheck(
            text,
            text,
            {"true": np.asarray([0.5, 0.2]), "false": np.asarray([-0.5])},
            [WorstLabel(statement, -0.5, text, reason=text, says=text)] * 14,
            auroc=Measurement(0.9, 0.1, 3),
            relations=[RelationLabels(text, 3, 1, 0.5, text)],
            note=text,
        ),
        card=DataCard({text: {text: text}}, {text: text}, [RelationCount(text, 3, 1)]),
        relation_names={text: text},
        read=[
            ReadSentence(
                statement.text,
                [statement.head, statement.tail],
                [
                    MarkedTriple(text, text, text, text, right=True, probability=0.5),
                    MarkedTriple(text, "b", text, text, right=False),
                ],
            )
        ],
        read_note=text,
    )


def test_a_whole_page_has_every_section_and_only_our_tags(content, read_page):
    page = read_page(render_report(content))
    assert page.tags.count("section") == 7
    assert page.tags.count("h1") == 1
    assert [value for name, value in page.attributes if name == "lang"] == ["en"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_wherever_it_stands(text, read_page):
    harmless = read_page(render_report(_content("born in")))
    page = read_page(render_report(_content(text)))
    assert page.tags == harmless.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in harmless.attributes]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_page_with_hostile_text_can_be_written_and_holds_no_acting_character(text, tmp_path):
    write_report(_content(text), tmp_path / "report.html")
    written = (tmp_path / "report.html").read_bytes().decode("utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", written)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_empty_content_gives_a_page_without_sections(read_page):
    page = read_page(render_report(EMPTY))
    assert "section" not in page.tags
    assert "dl" not in page.tags


@pytest.mark.parametrize(
    ("left_out", "heading"),
    [
        ({"map": None, "map_note": ""}, "Map"),
        ({"labels": None}, "Labels"),
        ({"evaluations": []}, "Evaluation"),
        ({"geometry": []}, "Geometry"),
        ({"journals": {}}, "Learning curves"),
        ({"card": None}, "Data card"),
        ({"read": []}, "Triples from raw text"),
    ],
)
def test_a_section_without_content_is_left_out_of_the_page_and_its_contents(content, read_page, left_out, heading):
    assert read_page(render_report(content)).text.count(heading) == 2
    page = read_page(render_report(replace(content, **left_out)))
    assert heading not in page.text
    assert page.tags.count("section") == 6


def test_figures_that_are_no_numbers_never_reach_the_page(content, read_page):
    odd = np.asarray([math.nan, math.inf, -math.inf])
    nothing = Measurement(math.nan, math.inf, 1)
    changed = replace(
        content,
        comparison=[BeforeAfter("a", nothing, Measurement(0.5, math.inf, 1))],
        map=StatementMap(
            [_statement("a")] * 3, [Layout("a", "b", np.stack([odd, odd], axis=1), {"a": (math.nan, 0.0)})]
        ),
        geometry=[RunGeometry("a", ["a"], odd, math.nan, {"a": math.nan}, [ConfusablePair("a", "b", math.nan)])],
        journals={"a": [{"step": step, "loss": math.nan, "terms": {"a": math.inf}} for step in range(4)]},
        evaluations=[EvaluationTable("a", {"b": {"c": nothing}})],
        labels=LabelCheck(
            "a", "b", {"true": odd, "false": odd}, [WorstLabel(_statement("a"), math.nan, "b")], auroc=nothing,
            relations=[RelationLabels("a", 0, 0, math.nan)],
        ),
    )  # fmt: skip
    page = read_page(render_report(changed))
    assert not [value for _, value in page.attributes if re.search(r"\b(nan|inf)\b", value)]
    assert not re.search(r"\b(nan|inf)\b", " ".join(page.text))


def test_the_page_refers_to_nothing_outside_itself(content, read_page):
    html = render_report(content)
    read_page(html)
    assert not re.search(r"(?:src|href|action|data)\s*=\s*[\"']?(?:https?:)?//", html)
    assert not re.search(r"@import|https?://|url\((?!#)", html)


def test_the_policy_allows_our_style_and_script_by_hash_and_nothing_else(content):
    html = render_report(content)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag, name in (("style", "style-src"), ("script", "script-src")):
        inner = re.search(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy
    # An attribute "style" would be refused by the policy.
    assert " style=" not in html


def test_equal_content_gives_an_equal_page(content):
    assert render_report(content) == render_report(content)


def test_long_text_does_not_fill_the_page():
    assert len(render_report(_content("long " * 19_000))) < 120_000
