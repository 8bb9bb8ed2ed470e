"""The report page in a real browser: the map draws and is read, filters survive a reload, hostile text stays text."""

from __future__ import annotations

import math
from urllib.parse import parse_qs, urlsplit

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
    RelationCount,
    RelationLabels,
    ReportContent,
    RunGeometry,
    StatementMap,
    WorstLabel,
    write_report,
)
from protorel.statements import Span, Statement

HOSTILE = "</script></svg><img src=x onerror=\"document.documentElement.dataset.error='broken out'\">"
TEXTS = {
    "born_in": f"Ada Kroll 𝕊 {HOSTILE} was born in Lunsk",
    "died_in": "Bela Tarn died in Oster",
    "lives_in": "عادل يسكن في مدينة القاهرة 👩🏽‍🚀 Kairo",
}
CORNERS = {"born_in": (0.0, 0.0), "died_in": (2.0, 1.0), "lives_in": (0.0, 1.0)}
READY = "const said = document.documentElement.dataset; return said.ready || said.error"


def _statement(relation: str, number: int = 0) -> Statement:
    text = TEXTS[relation] + (f" {number}." if number else "")
    tail = text.rindex(" ", 0, len(TEXTS[relation])) + 1
    return Statement(
        text, Span(0, text.index(" ")), Span(tail, len(TEXTS[relation])), relation,
        id=f"{relation}-{number}", expresses=relation != "born_in",
    )  # fmt: skip


def _content(runs=("first",)) -> ReportContent:
    statements = [_statement(relation) for relation in TEXTS]
    statements += [_statement("died_in", number) for number in range(1, 200)]
    places = np.asarray([CORNERS[relation] for relation in TEXTS] + [(1.5 + 0.002 * n, 0.5) for n in range(1, 200)])
    stars = {"born_in": (0.5, 0.2), "died_in": (1.7, 0.9), HOSTILE: (1.0, 0.5)}
    scores = np.linspace(0.05, 0.95, len(statements))
    figure = Measurement(0.5, 0.01, 2000)
    journal = [{"step": step, "loss": 2 / step, "terms": {HOSTILE: 1 / step, "b": 1}} for step in range(1, 30)]
    return ReportContent(
        title=HOSTILE,
        summary="word" * 200,
        facts={"fingerprint": "0123456789abcdef" * 4},
        comparison=[BeforeAfter("one example each", figure, figure)],
        comparison_title="the right one of 5",
        map=StatementMap(
            statements,
            [
                Layout(run, name, places[:, ::step] if step < 0 else places, stars)
                for run in runs
                for name, step in (("t-SNE", 1), ("PCA", -1))
            ],
            AuditedLabels(scores, scores < 0.5, ["lives_in"] * len(statements), [HOSTILE] * len(statements)),
        ),
        map_note=HOSTILE,
        geometry=[
            RunGeometry(
                run, list(CORNERS), np.asarray([40.0, 50.0]), 90.0, {"born_in": 30.0},
                [ConfusablePair("born_in", HOSTILE, 40.0, 2, 9)],
            )
            for run in runs
        ],
        journals=dict.fromkeys(runs, journal),
        evaluations=[EvaluationTable("Accuracy", {HOSTILE: dict.fromkeys((*runs, "other"), figure)})],
        labels=LabelCheck(
            "label score", "About scores.", {"true": scores[:9], "false": scores[9:]},
            [WorstLabel(statement, 0.1, HOSTILE, reason=HOSTILE, says=HOSTILE) for statement in statements[:20]],
            relations=[RelationLabels("born_in", 3, 1, 1.5, HOSTILE)],
        ),
        card=DataCard({run: {"recipe": HOSTILE} for run in runs}, {"data": HOSTILE}, [RelationCount("born_in", 3, 1)]),
        relation_names={"born_in": HOSTILE, "died_in": "died in"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(_content(), path)
    return path


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "two.html"
    write_report(_content(("first", "second")), path)
    return path


def _open(browser, page, fragment="", **more):
    browser.open(page.resolve().as_uri() + fragment, **more)
    assert browser.wait(READY) == "yes"


def _at(browser, place, figure=0):
    """Return where a place of the layout is drawn, from the centre of its map: the map fits it with an edge around."""
    width, height = browser.run(
        "const box = document.querySelectorAll('.plane')[arguments[0]].getBoundingClientRect();"
        "return [box.width, box.height]",
        figure,
    )
    edge = min(34, width / 12)
    scale = min((width - 2 * edge) / 2, (height - 2 * edge) / 1)
    return (place[0] - 1) * scale, (0.5 - place[1]) * scale


def _move(browser, place, *, figure=0, click=False):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    canvas = browser.driver.find_elements(By.CSS_SELECTOR, ".marks")[figure]
    browser.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
    x, y = _at(browser, place, figure)
    chain = ActionChains(browser.driver, duration=0).move_to_element_with_offset(canvas, round(x), round(y))
    (chain.click() if click else chain).perform()


def _shown(browser):
    return browser.run("const found = document.querySelector('.panel .sentence'); return found && found.textContent")


def _type(browser, text):
    from selenium.webdriver.common.by import By

    field = browser.driver.find_element(By.NAME, "text")
    field.clear()
    field.send_keys(text)


def _count(browser):
    return browser.run("return document.querySelector('.count').textContent")


def _colours(browser):
    """Return how many pixels of the map have a colour, neither grey nor that of the page."""
    return browser.wait(
        "const points = document.querySelector('canvas.points');"
        "const data = points.getContext('2d').getImageData(0, 0, points.width, points.height).data;"
        "let found = 0;"
        "for (let at = 0; at < data.length; at += 4) {"
        "  const parts = data.subarray(at, at + 3);"
        "  if (Math.max(...parts) - Math.min(...parts) > 60) found++;"
        "}"
        "return found"
    )


def test_the_map_draws_points_and_stars_under_the_policy(browser, page):
    _open(browser, page)
    assert _colours(browser) > 200
    stars = browser.run(
        "const marks = document.querySelector('canvas.marks');"
        "return marks.getContext('2d').getImageData(0, 0, marks.width, marks.height).data.some((one) => one > 0)"
    )
    assert stars
    assert browser.errors() == []
    assert browser.run("return document.documentElement.dataset.error || ''") == ""


def test_a_click_shows_the_statement_under_the_pointer_with_its_entities_painted(browser, page):
    _open(browser, page)
    for relation, place in CORNERS.items():
        _move(browser, place, click=True)
        assert _shown(browser) == TEXTS[relation]
        marks = browser.run("return [...document.querySelectorAll('.panel mark')].map((mark) => mark.textContent)")
        statement = _statement(relation)
        assert marks == [statement.head_text, statement.tail_text]
    assert "statement=2" in browser.driver.current_url


def test_pointing_shows_a_statement_and_leaving_shows_the_clicked_one_again(browser, page):
    _open(browser, page)
    _move(browser, CORNERS["died_in"], click=True)
    _move(browser, CORNERS["born_in"])
    assert _shown(browser) == TEXTS["born_in"]
    _move(browser, (1.0, 0.05))
    assert _shown(browser) == TEXTS["died_in"]


def test_search_finds_a_sentence_and_only_its_points_keep_their_colour(browser, page):
    _open(browser, page)
    before = _colours(browser)
    _type(browser, "YSKN does not occur")
    assert _count(browser) == "0 of 202 statements"
    _type(browser, "القاهرة")
    assert _count(browser) == "1 of 202 statements"
    assert browser.run("return document.querySelector('.matches .sentence').textContent") == TEXTS["lives_in"]
    browser.run("document.querySelector('.matches button').click()")
    assert _shown(browser) == TEXTS["lives_in"]
    browser.wait("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
    assert _colours(browser) < before / 4


def test_filters_survive_a_reload_and_can_be_cleared(browser, page):
    _open(browser, page)
    _type(browser, "oster 1")
    find = "find((one) => /died in/.test(one.textContent))"
    browser.run(f"[...document.querySelectorAll('.relations button')].{find}.click()")
    browser.run(
        "const score = document.querySelector('[name=score]'); score.value = '0.4';"
        "score.dispatchEvent(new Event('input', { bubbles: true }))"
    )
    browser.run("document.querySelector('[name=issues]').click()")
    browser.run("document.querySelector('[data-projection=PCA]').click()")
    found = _count(browser)
    assert found not in ("0 of 202 statements", "202 statements")
    fragment = parse_qs(urlsplit(browser.driver.current_url).fragment)
    assert fragment == {
        "relation": ["died_in"], "text": ["oster 1"], "score": ["0.4"], "issues": ["yes"], "projection": ["PCA"],
    }  # fmt: skip
    browser.driver.refresh()
    assert browser.wait(READY) == "yes"
    assert _count(browser) == found
    state = browser.run(
        "return [document.querySelector('[name=text]').value, document.querySelector('[name=issues]').checked,"
        "document.querySelectorAll('[aria-pressed=true]').length]"
    )
    assert state == ["oster 1", True, 2]
    browser.run("document.querySelector('.clear').click()")
    assert _count(browser) == "202 statements"
    assert urlsplit(browser.driver.current_url).fragment == "projection=PCA"


def test_links_of_the_contents_leave_the_filters_in_the_address(browser, page):
    _open(browser, page, "#text=oster")
    browser.run("document.querySelector('nav a[href=\"#geometry\"]').click()")
    assert urlsplit(browser.driver.current_url).fragment == "text=oster"
    assert browser.run("return document.activeElement.id") == "geometry"


@pytest.mark.parametrize(
    "fragment", ["#score=9&relation=nosuch&statement=99999", "#%%%", "#text=%3Cimg%20src%3Dx%3E", "#map"]
)
def test_no_fragment_breaks_the_page(browser, page, fragment):
    _open(browser, page, fragment)
    assert browser.run("return document.images.length") == 0
    assert browser.errors() == []


def test_the_map_zooms_by_wheel_buttons_and_keyboard_and_shows_all_again(browser, page):
    _open(browser, page)
    near = "return document.querySelector('.plane').classList.contains('near')"
    browser.run(
        "const turn = { deltaY: -400, clientX: 300, clientY: 500, cancelable: true };"
        "document.querySelector('.marks').dispatchEvent(new WheelEvent('wheel', turn))"
    )
    assert browser.run(near)
    browser.run("document.querySelectorAll('.zoom button')[2].click()")
    assert not browser.run(near)
    browser.run("document.querySelector('.zoom button').click()")
    assert browser.run(near)
    browser.run("document.querySelector('.marks').focus()")
    browser.press("0")
    assert not browser.run(near)
    browser.press("+", "n")
    assert browser.run(near)
    assert _shown(browser) is not None


def test_a_statement_of_one_run_is_shown_on_the_maps_of_both(browser, two_runs):
    _open(browser, two_runs)
    assert browser.run("return document.querySelectorAll('.plane').length") == 2
    before = browser.run("return document.querySelectorAll('.marks')[0].toDataURL()")
    _move(browser, CORNERS["died_in"], figure=1, click=True)
    assert _shown(browser) == TEXTS["died_in"]
    assert browser.run("return document.querySelectorAll('.marks')[0].toDataURL()") != before


def test_hostile_text_makes_no_element_and_no_request_leaves_the_machine(browser, page):
    _open(browser, page, "#text=born")
    browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
    assert browser.run("return document.images.length + document.querySelectorAll('iframe, object, embed').length") == 0
    assert HOSTILE in browser.run("return document.querySelector('.matches').textContent")
    assert [address for address in browser.requests() if not address.startswith("file:")] == []
    assert browser.run("return document.documentElement.dataset.error || ''") == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_and_everyone_can_use_it(browser, page, two_runs, width, scheme):
    for one in (page, two_runs):
        _open(browser, one, "#relation=died_in&statement=1", width=width, scheme=scheme)
        assert browser.sideways() <= 0
        assert browser.serious_problems() == []
        assert _colours(browser) > 100


def test_a_press_of_a_relation_in_the_dark_has_the_colours_of_the_dark(browser, page):
    _open(browser, page)
    light = browser.run("return document.querySelector('.relations path').getAttribute('fill')")
    browser.set_scheme("dark")
    fill = "const fill = document.querySelector('.relations path').getAttribute('fill');"
    dark = browser.wait(fill + "return fill !== arguments[0] && fill", light)
    assert dark != light
    assert math.isfinite(_colours(browser))
