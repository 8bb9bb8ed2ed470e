"""Entities by the names of a knowledge base: those of a file of names, found as a harvest finds them, with ids."""

from __future__ import annotations

from pathlib import Path

from protorel.extraction.entity_sources.choice import EntitySource
from protorel.extraction.entity_sources.spacy_pipeline import text_parts
from protorel.extraction.triples import Mention
from protorel.harvest import NameSearch
from protorel.io import BadInput, check_source

_PART = 200_000


class KnowledgeBaseNames:
    """The entities whose names a text contains, with their ids and types.

    A name of several entities means the only one that has it as its label; else it is unclear and left out.

    Args:
        names: A file or folder of names, as `protorel harvest --aliases` reads them.

    Raises:
        BadInput: the file cannot be read, or names no entity.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("names.tsv").write_text("Q1\\tAda Kroll\\tA. Kroll\\nQ2\\tLunsk\\n")
        >>> [(one.text, one.id) for one in KnowledgeBaseNames("names.tsv")("A. Kroll left Lunsk.")]
        [('A. Kroll', 'Q1'), ('Lunsk', 'Q2')]
    """

    def __init__(self, names: Path | str) -> None:
        self._search = NameSearch.of_files([Path(names)])

    def __call__(self, text: str, /) -> list[Mention]:
        """Return the named entities of a text, in order."""
        return [
            Mention.at(text, start + one.start, start + one.stop, type=one.type, id=one.entity)
            for start, stop in text_parts(text, _PART)
            for one in self._search(text[start:stop])
        ]


def check(argument: str | None) -> None:
    """Refuse a file that is not there."""
    if not argument:
        raise BadInput("entities: expected names:FILE, a file of names and ids, got names without a file")
    check_source(Path(argument), folder=True)


def make(argument: str | None) -> EntitySource:
    """Read a file of names."""
    check(argument)
    return KnowledgeBaseNames(str(argument))
