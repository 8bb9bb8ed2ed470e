"""The page about extraction tells the truth."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from protorel.extraction import FORMATS, Schema

pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'protorel[extract]'")


def test_the_examples_print_what_the_page_shows(page):
    text = page("docs/tasks/extract_triples.md")
    examples = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", text.text, flags=re.MULTILINE | re.DOTALL)
    assert len(examples) == 3
    for code, shown in examples:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == shown


def test_the_schema_on_the_page_is_one_and_every_format_is_there(page, tmp_path):
    text = page("docs/tasks/extract_triples.md")
    (schema,) = text.blocks("yaml")
    (tmp_path / "schema.yaml").write_text(schema)
    assert Schema.load(tmp_path / "schema.yaml").rule("child").inverse == "parent"
    assert [name for name in FORMATS if f"`{name}`" not in text.text] == []
