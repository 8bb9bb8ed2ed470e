"""The report page in a real browser: its script runs under its own policy, hostile text does nothing, a phone fits."""

import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from protorel.evaluation import Measurement
from protorel.report import FigureRow, MapPoint, ReportContent, SuspectLabel, write_report
from protorel.statements import Span, Statement

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
    "--virtual-time-budget=5000",
    "--window-size=800,900",
]
HOSTILE = "</script></svg><img src=x onerror=\"document.documentElement.dataset.error='broken out'\">"
TEXT = f"Ada Kroll 𝕊 {HOSTILE} was born in Lunsk"

# A page around the page: what the report's own policy forbids, a test may do from outside.
AROUND = """<body><iframe src="report.html" width="390" height="700"></iframe><script>
document.querySelector("iframe").addEventListener("load", (event) => {
  const page = event.target.contentDocument, said = document.body.dataset, root = page.documentElement;
  said.ready = root.dataset.ready || "";
  said.wide = root.scrollWidth;
  said.first = page.querySelector(".panel").textContent;
  page.querySelector(".relations button[data-relation='0']").click();
  page.querySelectorAll(".steps button")[1].click();
  said.panel = page.querySelector(".panel .sentence").textContent;
  said.head = page.querySelector(".panel mark.head").textContent;
  said.tail = page.querySelector(".panel mark.tail").textContent;
  said.pressed = page.querySelectorAll("[aria-pressed=true]").length;
  said.images = page.querySelectorAll("img").length;
  said.background = getComputedStyle(page.querySelector(".emphasised th")).backgroundColor;
  const point = page.querySelectorAll(".points use")[1].getBoundingClientRect();
  const at = { clientX: point.x + point.width / 2, clientY: point.y + point.height / 2 };
  page.querySelector(".relations button[data-relation='0']").click();
  page.querySelector(".map svg").dispatchEvent(new page.defaultView.PointerEvent("pointermove", at));
  said.pointed = page.querySelector(".panel .sentence").textContent;
  setTimeout(() => { said.error = root.dataset.error || "none"; });
});
</script>"""


class _Body(HTMLParser):
    def handle_starttag(self, tag, attrs):
        if tag == "body":
            self.said = dict(attrs)


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What the page around the report found out, by one launch of the browser."""
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("chromium is not installed: the report page cannot be opened in a browser")
    folder = tmp_path_factory.mktemp("report")
    write_report(_content(), folder / "report.html")
    (folder / "around.html").write_text(AROUND, encoding="utf-8")
    command = [
        browser,
        *FLAGS,
        f"--user-data-dir={folder / 'profile'}",
        "--dump-dom",
        (folder / "around.html").as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, timeout=120, check=True)
    body = _Body()
    body.feed(done.stdout.decode("utf-8"))
    return body.said


def _content() -> ReportContent:
    hostile = Statement(TEXT, Span(0, 9), Span(len(TEXT) - 5, len(TEXT)), "born_in", expresses=False)
    other = Statement("Bela Tarn died in Oster.", Span(0, 9), Span(18, 23), "died_in", expresses=True)
    figures = {f"a setting with a long name, number {n}": Measurement(0.5 + n / 40, 0.01, 2000) for n in range(9)}
    return ReportContent(
        title=HOSTILE,
        summary="word" * 200,
        facts={"fingerprint": "0123456789abcdef" * 4},
        figures=[FigureRow("untrained", figures), FigureRow("trained", figures, emphasised=True)],
        figures_note=HOSTILE,
        journal=[{"step": s, "loss": 2 / s, "terms": {HOSTILE: 1 / s, "b": 1 / s}} for s in range(1, 30)],
        points=[
            MapPoint(0, 0, "born_in", statement=hostile),
            MapPoint(2, 1, "died_in", statement=other),
            MapPoint(0.2, 0.1, "born_in", is_prototype=True),
            MapPoint(1, 0.5, "nothing"),
        ],
        map_note=HOSTILE,
        margins_true=[0.3, 0.4],
        margins_false=[-0.2],
        auroc=Measurement(0.9, 0.05, 3),
        suspects=[SuspectLabel(hostile, -0.3, "died_in")],
        relation_names={"born_in": HOSTILE},
    )


def test_the_script_runs_to_its_end_without_an_error(said):
    assert said["data-ready"] == "yes"
    assert said["data-error"] == "none"


def test_the_style_is_applied_under_the_policy(said):
    assert said["data-background"] not in ("rgba(0, 0, 0, 0)", "")


def test_hostile_text_makes_no_element(said):
    assert said["data-images"] == "0"


def test_the_page_does_not_scroll_sideways_on_a_phone(said):
    assert int(said["data-wide"]) <= 390


def test_the_buttons_show_a_statement_with_its_entities_painted(said):
    assert said["data-panel"] == TEXT
    assert (said["data-head"], said["data-tail"]) == ("Ada Kroll", "Lunsk")
    assert said["data-pressed"] == "1"


def test_pointing_at_a_statement_shows_it(said):
    assert said["data-pointed"] == "Bela Tarn died in Oster."
