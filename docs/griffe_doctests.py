"""Shows the doctests of docstrings as code: Markdown would take `>>>` for a quotation."""

from __future__ import annotations

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^( *)>>> .*(?:\n *\S.*)*", re.MULTILINE)


class FencedDoctests(griffe.Extension):
    """Put a fence around each doctest."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:  # noqa: ARG002
        """Change the docstring of an object when griffe has read it."""
        if obj.docstring:
            obj.docstring.value = DOCTEST.sub(r"\g<1>```pycon\n\g<0>\n\g<1>```", obj.docstring.value)
