"""Every command and every Python block of every page runs and prints what the page shows; links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    "README.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
    *("PAPER.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "results/README.md"),
]
RUNS = re.compile(r"^```(sh|python|console)$", flags=re.MULTILINE)
WITH_CODE = [name for name in PAGES if RUNS.search((ROOT / name).read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", WITH_CODE)
def test_the_blocks_of_a_page_run_in_order(page, name, capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "240")  # a narrow table breaks names into lines
    found = page(name)

    def printed() -> str:
        return "".join(capfd.readouterr())

    assert found.run(printed) == len(RUNS.findall(found.text))


@pytest.mark.parametrize("name", PAGES)
def test_the_links_of_a_page_lead_somewhere(page, name):
    assert page(name).lost_links() == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_fence_that_the_test_overlooks(page, name):
    found = page(name)
    assert len(re.findall(r"^\s*```", found.text, flags=re.MULTILINE)) == 2 * len(found.all_blocks())


def test_a_block_that_fails_an_output_that_differs_and_a_lost_link_are_noticed(page, tmp_path, capfd):
    def printed() -> str:
        return "".join(capfd.readouterr())

    def written(text: str):
        (tmp_path / "page.md").write_text(text, encoding="utf-8")
        return page(str(tmp_path / "page.md"))

    assert written("`a.txt`:\n\n```yaml\none\n```\n\n```sh\ncat a.txt\n```\n\n```text\none\n```\n").run(printed) == 1
    assert written("```python\nprint('b 0.92')\nprint('a')\n```\n\n```text\na\nb 0.90\n```\n").run(printed) == 1
    assert written("```python\na = 1\n```\nand\n```python\nprint(a, 'b')\n```\n```text\n1 …\n```\n").run(printed) == 2
    assert (
        written("```python\nprint(1)\n```\n```text\n1\n```\nAn hour:\n```text\na\n```\n```text\nb\n```\n").run(printed)
        == 1
    )
    with pytest.raises(AssertionError, match="printed"):
        written("```python\nprint(1)\n```\n\n```text\n2\n```\n").run(printed)
    with pytest.raises(AssertionError, match="printed"):
        written("```python\nprint('b 0.92')\n```\n\n```text\nb 0.72\n```\n").run(printed)
    with pytest.raises(AssertionError, match="printed"):
        written("```console\n$ protorel convert nosuch.csv --format csv --out a.parquet\nfine\n```\n").run(printed)
    with pytest.raises(AssertionError, match="nosuch"):
        written("```sh\nprotorel leakage nosuch.parquet nosuch.parquet\n```\n").run(printed)
    with pytest.raises(NameError):
        written("```python\nprint(nosuch)\n```\n").run(printed)
    assert written("[a](page.md#b) [c](nosuch.md)").lost_links() == ["nosuch.md"]
