"""Every public function and class documents its arguments and has an example; `test_doctests.py` runs the examples."""

from __future__ import annotations

import inspect
import re
from dataclasses import is_dataclass

import pytest
from pydantic import BaseModel

import protorel

PUBLIC = {
    name: thing
    for name in protorel.__all__
    if (inspect.isclass(thing := getattr(protorel, name)) or inspect.isfunction(thing))
    and thing.__module__.startswith("protorel.")
}


def missing(thing: object) -> list[str]:
    """Return what the docstring of a function or class lacks."""
    text = inspect.cleandoc(thing.__doc__ or "")
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return [] if text else ["docstring"]
    # The fields of settings and values are documented where they are declared.
    declares_fields = is_dataclass(thing) or (inspect.isclass(thing) and issubclass(thing, BaseModel))
    takes_arguments = bool(inspect.signature(thing).parameters) and not declares_fields
    needed = {"docstring": r"\S", "Args": "^Args:$" if takes_arguments else "", "example": r"^\s*>>> "}
    return [name for name, pattern in needed.items() if not re.search(pattern, text, re.MULTILINE)]


def test_functions_and_classes_are_found():
    assert {"RelationModel", "evaluate_few_shot", "finetune"} <= PUBLIC.keys()


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_documents_its_arguments_and_has_an_example(name):
    assert missing(PUBLIC[name]) == []


def test_a_docstring_without_arguments_or_an_example_is_noticed():
    def complete(x: int) -> int:
        """Return it.

        Args:
            x: A number.

        Example:
            >>> 1
            1
        """
        return x

    def bare(x: int) -> int:
        return x

    def without_arguments() -> None:
        """Do nothing, for all Args: there are none."""

    assert missing(complete) == []
    assert missing(bare) == ["docstring", "Args", "example"]
    assert missing(without_arguments) == ["example"]
