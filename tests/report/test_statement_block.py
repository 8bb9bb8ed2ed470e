"""The block of statements: places keep their proportions, spans count as JavaScript does, and it is never too large."""

import base64
import gzip
import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protorel.report import AuditedLabels, Layout, StatementMap
from protorel.report.sections.map import map_section
from protorel.report.statement_block import MOST_STATEMENTS
from protorel.report.statement_block import statement_block as packed
from protorel.statements import Span, Statement


def _map(places, statements=None, *, stars=None, audited=None, total=0):
    places = np.asarray(places, dtype=np.float64).reshape(-1, 2)
    statements = statements or [
        Statement("Ada of Lunsk", Span(0, 3), Span(7, 12), "a", id=str(n)) for n in range(len(places))
    ]
    return StatementMap(statements, [Layout("run", "PCA", places, stars or {})], audited, total)


def _read(found, names=None):
    text, count = packed(found, names or {})
    block = json.loads(gzip.decompress(base64.b64decode(text)))
    assert len(block["texts"]) == count
    return block


@pytest.mark.parametrize("scale", [1e-290, 1.0, 1e308])
def test_every_place_lies_inside_the_square(scale):
    places = np.random.default_rng(0).uniform(-1, 1, (50, 2)) * scale
    [layout] = _read(_map(places, stars={"a": (0.0, 0.0)}))["layouts"]
    whole = np.asarray([*layout["places"], *layout["stars"][0][1:]])
    assert whole.min() == 0
    assert whole.max() == 65_535 == max(layout["size"])


def test_both_directions_have_one_scale_and_up_is_up():
    [layout] = _read(_map([(0, 0), (1, 0), (0, 1)]))["layouts"]
    a, b, c = np.asarray(layout["places"]).reshape(-1, 2)
    assert b[0] - a[0] == a[1] - c[1] > 0


def test_a_statement_without_a_finite_place_is_left_out():
    block = _read(_map([(0, 0), (np.nan, 1), (1, np.inf), (2, 2)]))
    assert block["ids"] == ["0", "3"]
    assert len(block["layouts"][0]["places"]) == 4


def test_spans_count_in_the_units_of_javascript():
    statement = Statement("𝕊 Ada 𝕊 Lunsk", Span(2, 5), Span(8, 13))
    block = _read(_map([(0, 0)], [statement]))
    assert block["spans"] == [3, 6, 10, 15]
    assert block["texts"] == ["𝕊 Ada 𝕊 Lunsk"]
    assert block["relation"] == [-1], "it has no label"


@given(st.text(min_size=2, max_size=600), st.data())
@example("\ud800x" * 300, None)
def test_the_marked_parts_of_any_text_are_its_entities(text, data):
    ends = (
        (0, 1, 1, 2) if data is None else sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)))
    )
    try:
        statement = Statement(text, Span(ends[0], ends[1]), Span(ends[2], ends[3]))
    except ValueError:
        return
    block = _read(_map([(0, 0)], [statement]))
    units = block["texts"][0].encode("utf-16-le")
    for (start, stop), entity in zip(
        (block["spans"][:2], block["spans"][2:]), (statement.head, statement.tail), strict=True
    ):
        shown = units[2 * start : 2 * stop].decode("utf-16-le")
        assert shown
        if entity.stop - entity.start <= 60:
            assert len(shown) == entity.stop - entity.start


def test_what_an_audit_says_travels_with_its_statement():
    audited = AuditedLabels(
        np.asarray([0.25, np.nan]), np.asarray([True, False]), ["b", ""], ["neighbours say otherwise", ""]
    )
    block = _read(_map([(0, 0), (1, 1)], audited=audited))
    assert block["audit"]["scores"] == [250, -1]
    assert block["audit"]["issues"] == "10"
    assert [block["relations"][one][0] for one in block["audit"]["predicted"] if one >= 0] == ["b"]
    assert block["audit"]["reasons"][0] == "neighbours say otherwise"


def test_relations_with_a_prototype_come_first_and_have_their_names():
    block = _read(_map([(0, 0)], stars={"z": (1.0, 1.0), "a": (0.0, 0.0)}), {"z": "zed"})
    assert block["relations"] == [["z", "zed"], ["a", "a"]]
    assert block["relation"] == [1]


def test_of_too_many_statements_a_sample_is_shown_in_order_and_the_page_says_so(monkeypatch):
    monkeypatch.setattr("protorel.report.statement_block.MOST_STATEMENTS", 20)
    found = _map([(n, n % 7) for n in range(100)], total=1000)
    block = _read(found)
    assert len(block["ids"]) == 20
    assert block["ids"] == sorted(block["ids"], key=int)
    assert "20 of 1,000 statements are shown" in map_section(found, "", {})
    assert MOST_STATEMENTS == 50_000


def test_a_block_is_never_larger_than_its_bound(monkeypatch):
    monkeypatch.setattr("protorel.report.statement_block.MOST_BYTES", 20_000)
    rng = np.random.default_rng(0)
    texts = ["".join(map(chr, rng.integers(0x4E00, 0x9FFF, 300))) for _ in range(100)]
    statements = [Statement(text, Span(0, 2), Span(3, 5), "a") for text in texts]
    text, count = packed(_map(rng.normal(size=(100, 2)), statements), {})
    assert 5 < count < 60
    assert len(text) <= 20_000 * 4 / 3 + 4


def test_equal_content_gives_an_equal_block():
    assert packed(_map([(0, 0), (1, 1)]), {}) == packed(_map([(0, 0), (1, 1)]), {})


def test_without_a_map_the_section_says_why(read_page):
    html = map_section(None, "No map: name the statements.", {})
    read_page(html)
    assert "No map: name the statements." in html
    assert "canvas" not in html
    assert map_section(None, "", {}) == ""


def test_runs_have_a_plane_each_and_projections_a_switch(read_page):
    layouts = [Layout(run, name, np.zeros((1, 2)), {}) for run in ("one", "two") for name in ("t-SNE", "PCA")]
    html = map_section(StatementMap(_map([(0, 0)]).statements, layouts), "", {})
    read_page(html)
    assert html.count("<figure data-run=") == 2
    assert html.count("data-projection=") == 2
    assert 'name="score"' not in html, "there is no audit to filter by"
