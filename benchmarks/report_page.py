"""How soon a report of 50,000 statements opens and filters, in a real browser.

    python benchmarks/report_page.py --json results/report/page.json

Statements are those of small world, repeated with other numbers until there are enough; places, scores and reasons
are drawn at random, since only the page is measured. The page is opened from disk in Chromium. Opening ends when the
map is painted; a filter is measured from the event to the painted frame. To reach: 3 s, 100 ms and 25 MB.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np

from protorel import SmallWorldSettings, build_small_world
from protorel.evaluation import machine
from protorel.io import write_json
from protorel.model import versions
from protorel.report import AuditedLabels, Layout, ReportContent, StatementMap, write_report
from protorel.statements import Statement

MOST_SECONDS, MOST_FILTER_MS, MOST_MB = 3.0, 100.0, 25.0
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900")
FILTERS = {
    "text": "form.elements.text.value = 'university'; form.dispatchEvent(new Event('input'))",
    "another letter": "form.elements.text.value = 'universityx'; form.dispatchEvent(new Event('input'))",
    "no text": "form.elements.text.value = ''; form.dispatchEvent(new Event('input'))",
    "relation": "document.querySelector('.relations button').click()",
    "all relations": "document.querySelector('.clear').click()",
    "score": "form.elements.score.value = '0.6'; form.dispatchEvent(new Event('input'))",
    "label issues": "form.elements.issues.checked = true; form.dispatchEvent(new Event('input'))",
    "clear": "document.querySelector('.clear').click()",
}
SHOWN = ("some", "none", "all", "one relation", "low scores", "low scores that are issues")
"""Different numbers of statements that the filters leave."""
READY = "return document.documentElement.dataset.ready"
TIMED = """
const done = arguments[arguments.length - 1], form = document.querySelector("form"), start = performance.now();
%s;
requestAnimationFrame(() => setTimeout(() => {
  done([performance.now() - start, document.querySelector(".count").textContent]);
}));
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--statements", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="protorel-report-") as folder:
        page = Path(folder) / "report.html"
        content = made_up(given.statements, seed=given.seed)
        write_report(content, page)
        megabytes = page.stat().st_size / 1e6
        browser, seconds, filters = measured(page, Path(folder), rounds=given.rounds)
    typical = {name: median(taken) for name, taken in filters.items()}
    print(f"{megabytes:.1f} MB, at most {MOST_MB:g}")
    print(f"{median(seconds):.2f} s to open (slowest {max(seconds):.2f}), at most {MOST_SECONDS:g}")
    for name, taken in typical.items():
        print(f"{taken:.0f} ms (slowest {max(filters[name]):.0f}), at most {MOST_FILTER_MS:g}: {name}")
    if given.json:
        write_json(
            given.json,
            {
                "task": "report_page",
                "ratio": max(median(seconds) / MOST_SECONDS, max(typical.values()) / MOST_FILTER_MS),
                "statements": given.statements,
                "seed": given.seed,
                "megabytes": megabytes,
                "seconds_to_open": seconds,
                "filter_milliseconds": filters,
                "data": {"name": "small world, repeated", "statements": given.statements},
                "browser": browser,
                "machine": machine(),
                "versions": versions(),
            },
        )


def made_up(count: int, *, seed: int) -> ReportContent:
    """Return a page of that many statements, in two layouts, with an audit."""
    world = build_small_world(SmallWorldSettings(statements_per_relation=400, seed=seed))
    statements = [_numbered(world.train[number % len(world.train)], number) for number in range(count)]
    rng = np.random.default_rng(seed)
    relations = list(world.train_relations)
    own = np.asarray([relations.index(str(one.relation)) for one in statements])
    layouts = []
    for name in ("t-SNE", "PCA"):
        stars = rng.normal(scale=9, size=(len(relations), 2))
        places = stars[own] + rng.normal(scale=2, size=(count, 2))
        layouts.append(Layout("run", name, places, dict(zip(relations, map(tuple, stars.tolist()), strict=True))))
    scores = np.where([bool(one.expresses) for one in statements], rng.beta(6, 2, count), rng.beta(2, 5, count))
    reasons = [f"{rng.random():.2f} of the nearest statements have this label" for _ in range(count)]
    predicted = [relations[one] for one in rng.integers(len(relations), size=count)]
    audited = AuditedLabels(scores, scores < 0.5, predicted, reasons)
    return ReportContent("protorel: 50,000 statements", "", map=StatementMap(statements, layouts, audited))


def _numbered(statement: Statement, number: int) -> Statement:
    return replace(statement, text=f"{statement.text} ({number * 2654435761 % 2**32})", id=f"{number}")


def measured(page: Path, folder: Path, *, rounds: int) -> tuple[str, list[float], dict[str, list[float]]]:
    """Return the browser's version, the seconds to open the page, and the milliseconds of each filter, by round."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.support.ui import WebDriverWait

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(60)
    seconds: list[float] = []
    filters: dict[str, list[float]] = {name: [] for name in FILTERS}
    try:
        for turn in range(rounds + 1):  # the first warms up and is left out
            driver.get("about:blank")
            driver.get(page.as_uri())
            WebDriverWait(driver, 60, poll_frequency=0.05).until(lambda one: one.execute_script(READY))
            opened = driver.execute_script("return performance.getEntriesByName('ready')[0].startTime")
            told = [driver.execute_async_script(TIMED % act) for act in FILTERS.values()]
            if len({shown for _, shown in told}) < len(SHOWN):
                raise SystemExit(f"expected filters that change what is shown, got {[shown for _, shown in told]}")
            if turn:
                seconds.append(round(opened / 1000, 3))
                for name, (taken, _) in zip(FILTERS, told, strict=True):
                    filters[name].append(round(taken, 1))
        return str(driver.capabilities["browserVersion"]), seconds, filters
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
