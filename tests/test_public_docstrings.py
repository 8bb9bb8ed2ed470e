"""Every public function and class documents its arguments and has an example; `test_doctests.py` runs the examples."""

from __future__ import annotations

import inspect
import re

import pytest

import protorel

TO_WRITE = {
    "Classifier", "DataSet", "Descriptions", "DuckDBEngine", "Equivalents", "FinetuneRecipe", "HarvestSettings",
    "HarvestSources", "Leakage", "Prototypes", "Recipe", "Relation", "RelationVocabulary", "RunRecord",
    "SmallWorldSettings", "Span", "SparkEngine", "Statement", "as_data_set", "average_runs", "build_small_world",
    "convert", "harvest_statements", "load_descriptions", "load_equivalents", "read_statements", "recipe_names",
    "write_statements",
}  # fmt: skip
"""Names whose docstring is not complete yet. Take a name off when it is; add none."""

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
    takes_arguments = bool(inspect.signature(thing).parameters)
    needed = {"docstring": r"\S", "Args": "^Args:$" if takes_arguments else "", "example": r"^\s*>>> "}
    return [name for name, pattern in needed.items() if not re.search(pattern, text, re.MULTILINE)]


def test_functions_and_classes_are_found():
    assert {"RelationModel", "evaluate_few_shot", "finetune"} <= PUBLIC.keys()
    assert PUBLIC.keys() >= TO_WRITE


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - TO_WRITE))
def test_a_public_name_documents_its_arguments_and_has_an_example(name):
    assert missing(PUBLIC[name]) == []


@pytest.mark.parametrize("name", sorted(TO_WRITE))
def test_a_name_is_taken_off_the_list_when_its_docstring_is_complete(name):
    assert missing(PUBLIC[name]), f"the docstring of {name} is complete: take it off TO_WRITE"


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
