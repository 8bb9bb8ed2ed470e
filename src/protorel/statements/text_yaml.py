"""YAML in which every value is text: NO and 569 are names here, not a truth value and a number."""

from __future__ import annotations

from typing import Any

import yaml

from protorel.io.problems import BadInput


class _TextLoader(yaml.BaseLoader):
    """Reads every scalar as text, and refuses a key that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise BadInput(f"line {key_node.start_mark.line + 1}: a key is {kind(key)}, a name is wanted")
            if key in found:
                raise BadInput(f"line {key_node.start_mark.line + 1}: {key!r} stands twice")
            found[key] = self.construct_object(value_node, deep=deep)
        return found


def read_text_yaml(text: str, where: str) -> Any:
    """Parse YAML; `where` is what messages call it."""
    try:
        return yaml.load(text, Loader=_TextLoader)
    except BadInput as problem:
        raise BadInput(f"{where}: {problem}") from None
    except (yaml.YAMLError, RecursionError) as problem:
        reason = "it is nested too deeply" if isinstance(problem, RecursionError) else " ".join(str(problem).split())
        raise BadInput(f"{where}: is not YAML that can be read ({reason})") from problem


def kind(value: Any) -> str:
    """Return what a value is, in words for a message."""
    return {"dict": "a mapping", "list": "a list", "str": "text", "NoneType": "nothing"}.get(
        type(value).__name__, type(value).__name__
    )
