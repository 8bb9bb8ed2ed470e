"""The judging page in a real browser: by keyboard alone, through reloads and kills, with hostile text, on a phone."""

import threading

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from protorel.audit import Audit
from protorel.judging import JudgingServer, VerdictStore, open_desk
from protorel.statements import Relation, Statement

VERDICT_KEYS = "tfurts"
NAMES = {"t": "true", "f": "false", "u": "unclear", "r": "reversed", "s": "skip"}
SHOWN = "return Number(document.documentElement.dataset.shown || 0)"
HOSTILE = "<img src=x onerror=\"document.documentElement.dataset.broken='yes'\"></p><script>alert(1)</script>"
TEXTS = [
    ("Ada Kroll", f" {HOSTILE} ", "Lunsk", " &amp; <b>bold</b>"),
    ("אדה קרול", " נולדה בעיר ", "לונסק", "."),
    ("👩\u200d🚀 Ada 𝕊", " 🇫🇮 came to ", "Lunsk 🏙\ufe0f", " 🎉"),
    ("Ada\u202eKroll", " was born\nin\t", "Lun\x1bsk", " \u2066hidden\u2069"),
]


class Page:
    """The page as a judge sees it; each action waits for the statement that the server shows next."""

    def __init__(self, browser, address, **how):
        self.browser = browser
        browser.open(address, **how)
        browser.wait(f"{SHOWN} >= 1")

    def then(self, act, *arguments):
        before = self.browser.run(SHOWN)
        act(*arguments)
        self.browser.wait(f"{SHOWN} > {before}")

    def press(self, *keys):
        self.then(self.browser.press, *keys)

    def reload(self):
        self.browser.driver.refresh()
        self.browser.wait(f"{SHOWN} >= 1")

    def text(self, id):
        return self.browser.run("return document.getElementById(arguments[0]).textContent", id)

    @property
    def item(self):
        place, round = self.browser.run("return document.getElementById('card').dataset.item").split()
        return int(place), round


def statement(number: int) -> Statement:
    text = f"Ada Kroll {number} came to Lunsk in the year {1800 + number}."
    tail = text.index("Lunsk")
    relation = ("born_in", "died_in", "lives_in")[number % 3]
    return Statement(text, (0, text.index(" came")), (tail, tail + 5), relation)


def log(folder):
    with VerdictStore(folder, Audit.read(folder), read_only=True) as store:
        return [
            (one.place, one.round, one.verdict, one.relation) if (one := entry.verdict) else "undo"
            for entry in store.log()
        ]


@pytest.fixture
def folder(tmp_path, made_audit):
    made_audit([statement(number) for number in range(130)]).write(tmp_path / "audit")
    return tmp_path / "audit"


@pytest.fixture
def serve():
    """Give the function that serves an audit in a thread of this process."""
    closing = []

    def start(folder, judge="ada", **settings):
        opened = open_desk(folder, judge, **settings)
        desk = opened.__enter__()
        server = JudgingServer(desk, port=0)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        closing.append((opened, server, thread))
        return server

    yield start
    for opened, server, thread in closing:
        server.shutdown()
        thread.join()
        server.server_close()
        opened.__exit__(None, None, None)


def test_a_hundred_verdicts_and_twenty_undos_by_keyboard_through_reload_and_kill_are_the_log(folder, judging, browser):
    server = judging(folder, "--judge", "ada")
    page = Page(browser, server.address)
    keyed = []
    for number in range(100):
        item, key = page.item, VERDICT_KEYS[number % len(VERDICT_KEYS)]
        if number == 30:
            page.reload()
            assert page.item == item
        if number % 17 == 9:
            browser.press("o")
            browser.wait("return document.getElementById('other').open")
            relation = "lives_in" if item[0] % 2 else "died_in"
            if relation == Audit.read(folder).table["given_label"][item[0]].as_py():
                relation = "born_in"
            page.press(relation.replace("_", " "), Keys.ENTER)
            keyed.append((*item, "other", relation))
        elif number in (40, 70):
            server.kill()
            browser.press(key)
            browser.wait("return !document.getElementById('alert').hidden")
            assert "The server does not answer" in page.text("alert")
            assert "Your verdict is kept" in page.text("alert")
            assert page.item == item  # the next statement shows when this one is on disk
            if number == 40:
                page.then(server.start)
            else:  # the tab is closed before the server is back: the next one sends the verdict
                browser.driver.get("about:blank")
                server.start()
                page = Page(browser, server.address)
            assert browser.run("return document.getElementById('alert').hidden")
            keyed.append((*item, NAMES[key], None))
        else:
            page.press(key)
            keyed.append((*item, NAMES[key], None))
        if number % 10 == 9:
            for _ in range(2):
                last = list(standing(keyed))[-1]
                page.press("z")
                keyed.append("undo")
                assert page.item == last
    assert len([one for one in keyed if one != "undo"]) == 100
    assert keyed.count("undo") == 20
    server.kill()
    assert log(folder) == keyed
    assert page.text("count") == f"{len(standing(keyed))} of 136"
    assert browser.requests_elsewhere() == []


def standing(keyed):
    """Return the verdicts that no undo took back, by a plain list."""
    found = []
    for one in keyed:
        if one == "undo":
            found.pop()
        else:
            found.append(one)
    return {one[:2]: one[2:] for one in found}


def test_arrows_walk_through_the_verdicts_and_a_key_there_changes_one(folder, serve, browser):
    page = Page(browser, serve(folder).address)
    seen = []
    for key in "ttft":
        seen.append(page.item)
        page.press(key)
    current = page.item
    page.press(Keys.ARROW_LEFT)
    page.press(Keys.ARROW_LEFT)
    assert page.item == seen[2]
    assert page.text("question") == "You said false. A verdict key changes it."
    assert browser.run("return document.querySelector('[aria-pressed=true]').dataset.verdict") == "false"
    page.press(Keys.ARROW_RIGHT)
    assert page.item == seen[3]
    page.press(Keys.ARROW_LEFT)
    page.press("u")
    assert page.item == current
    assert log(folder)[-1] == (*seen[2], "unclear", None)
    page.press("z")
    assert page.item == seen[2]
    assert page.text("question") == "You said false. A verdict key changes it."


def test_keys_that_are_held_or_meant_for_the_browser_are_no_verdicts(folder, serve, browser):
    page = Page(browser, serve(folder).address)
    held = {"type": "keyDown", "key": "t", "code": "KeyT", "autoRepeat": True}
    browser.driver.execute_cdp_cmd("Input.dispatchKeyEvent", held)
    ActionChains(browser.driver).key_down(Keys.CONTROL).send_keys("u").key_up(Keys.CONTROL).perform()
    browser.press("o")
    browser.wait("return document.getElementById('other').open")
    browser.press("tft", Keys.ESCAPE)
    page.press("t")
    assert len(log(folder)) == 1


def test_buttons_do_what_keys_do(folder, serve, browser):
    page = Page(browser, serve(folder).address)
    click = "document.querySelector(arguments[0]).click()"
    for verdict in ("true", "false", "unclear", "reversed", "skip"):
        page.then(browser.run, click, f"[data-verdict={verdict}]")
    page.then(browser.run, click, "#back")
    page.then(browser.run, click, "#forward")
    page.then(browser.run, click, "#undo")
    browser.run(click, "[data-verdict=other]")
    browser.wait("return document.getElementById('other').open")
    page.then(browser.run, "document.querySelectorAll('#choices li')[1].click()")
    assert [one if one == "undo" else one[2] for one in log(folder)] == [
        "true", "false", "unclear", "reversed", "skip", "undo", "other",
    ]  # fmt: skip


def test_the_models_opinion_is_hidden_until_the_verdict_unless_switched_on(folder, serve, browser):
    server = serve(folder)
    page = Page(browser, server.address)
    hidden = "return document.getElementById('opinion').hidden"
    assert browser.run(hidden)
    page.press("t")
    assert browser.run(hidden)
    assert "closer to statements of another relation" in page.text("last")
    page.press("m")
    assert not browser.run(hidden)
    page.press("f")
    page.reload()
    assert not browser.run(hidden)
    page.press("m")
    assert browser.run(hidden)
    assert [entry.verdict.opinion_shown for entry in server.desk.store.log()] == [False, True]
    browser.wait("return document.getElementById('estimate').textContent.includes('95 % interval')")


def test_html_scripts_right_to_left_text_and_emoji_show_as_text(tmp_path, made_audit, serve, browser):
    statements = [
        Statement(
            head + between + tail + after,
            (0, len(head)),
            (len(head + between), len(head + between + tail)),
            f"born_in {HOSTILE}",
        )
        for head, between, tail, after in TEXTS
    ]
    made_audit(statements, [0.1, 0.2, 0.3, 0.4]).write(tmp_path / "audit")
    words = {f"born_in {HOSTILE}": Relation(f"born_in {HOSTILE}", f"born {HOSTILE}", f"where {HOSTILE}")}
    page = Page(browser, serve(tmp_path / "audit", judge="<b>ada</b>", order="score", relations=words).address)
    for head, between, tail, after in TEXTS:
        plain = [one.translate({0x202E: "�", 0x2066: "�", 0x2069: "�", 0x0A: " ", 0x09: " ", 0x1B: "\u241b"})
                 for one in (head, between, tail, after)]  # fmt: skip
        assert page.text("sentence") == "".join(plain)
        assert page.text("head") == plain[0]
        assert browser.run("return document.querySelector('mark.head').textContent") == plain[0]
        assert browser.run("return document.querySelector('mark.tail').textContent") == plain[2]
        assert page.text("relation") == f"born {HOSTILE}"
        assert page.text("definition") == f"where {HOSTILE}"
        direction = "return getComputedStyle(document.getElementById('sentence')).direction"
        assert browser.run(direction) == ("rtl" if head.startswith("א") else "ltr")
        page.press("t")
    assert page.text("judge") == "<b>ada</b>"
    assert page.text("finished-text").startswith("All 4 statements have a verdict.")
    assert browser.run("return document.querySelectorAll('img, #card script, b b').length") == 0
    assert browser.run("return document.documentElement.dataset.broken") is None
    assert browser.errors() == []
    assert browser.requests_elsewhere() == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_view_fits_and_axe_finds_nothing_serious(folder, serve, browser, tmp_path, width, scheme):
    page = Page(browser, serve(folder, size=2).address, width=width, height=800, scheme=scheme)

    def check(view):
        assert browser.serious_problems() == [], view
        assert browser.sideways() == 0, view
        assert browser.screenshot(tmp_path / f"{view}.png").stat().st_size > 5000

    check("first")
    background = "return getComputedStyle(document.body).backgroundColor"
    assert browser.run(background) == ("rgb(251, 251, 250)" if scheme == "light" else "rgb(19, 22, 25)")
    browser.press("?")
    browser.wait("return document.getElementById('keys').open")
    check("keys")
    browser.press(Keys.ESCAPE, "o")
    browser.wait("return document.getElementById('other').open")
    check("other")
    browser.press("zzz")
    check("no relation")
    browser.press(Keys.ESCAPE)
    page.press("f")
    browser.wait("return !document.getElementById('estimate').hidden")
    page.press(Keys.ARROW_LEFT)
    check("history")
    page.press(Keys.ARROW_RIGHT)
    page.press("s")
    assert page.text("finished-text").startswith("All 2 statements have a verdict, 1 of them skipped.")
    check("finished")
    page.then(browser.run, "document.getElementById('show-skipped').click()")
    page.press("t")
    assert browser.run("return document.getElementById('show-skipped').hidden")
    assert browser.errors() == []
