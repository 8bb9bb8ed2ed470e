"""The site of the docs: pages in its nav, public names in its reference, nothing that it loads from elsewhere.

`make docs` builds it; a link that leads nowhere fails there, and in test_pages.py.
"""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

import protorel
from protorel import integrations

ROOT = Path(__file__).parents[1]
NAV = re.findall(r"^ +-(?: .*:)? ([\w/]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_the_nav_has_every_page_of_the_docs_once():
    pages = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")}
    assert {page for page in NAV if page.startswith("docs/")} == pages
    assert max(Counter(NAV).values()) == 1


def test_the_reference_shows_every_public_name_once():
    shown = Counter()
    for page in (ROOT / "docs/reference/api").glob("*.md"):
        shown.update(re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE))
    public = {f"protorel.{name}" for name in protorel.__all__ if name != "__version__"}
    assert shown == Counter(public | {f"protorel.integrations.{name}" for name in integrations.__all__})


@pytest.fixture
def hooks():
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install 'protorel[docs]'")
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "docs/hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "tag",
    [
        '<link rel="stylesheet" href="https://fonts.example/a.css">',
        "<script src=//cdn.example/a.js></script>",
        '<img alt="x" src="http://pictures.example/a.png">',
    ],
)
def test_a_page_that_loads_a_file_from_elsewhere_fails_the_build(hooks, tmp_path, tag):
    page = tmp_path / "page.html"
    page.write_text('<script src="a.js"></script><a href="https://example.org">a link</a>', encoding="utf-8")
    hooks.on_post_build(SimpleNamespace(site_dir=str(tmp_path)))
    page.write_text(tag, encoding="utf-8")
    with pytest.raises(hooks.PluginError, match="from elsewhere"):
        hooks.on_post_build(SimpleNamespace(site_dir=str(tmp_path)))


def test_the_build_is_strict():
    [line] = [line for line in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines() if "mkdocs build" in line]
    assert line.endswith("mkdocs build --strict")  # with --quiet, mkdocs counts no warning and is strict no more
