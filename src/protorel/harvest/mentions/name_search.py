"""Searching plain text for the names of a knowledge base, without links, pages or facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from protorel.harvest.gazetteer.build import build_gazetteer
from protorel.harvest.gazetteer.gazetteer import Gazetteer
from protorel.harvest.mentions.finder import Mention, MentionFinder
from protorel.harvest.mentions.sentences import split_sentences
from protorel.harvest.sources.alias_files import read_names
from protorel.harvest.sources.files import files_in
from protorel.harvest.types import Document, Entity, Tally
from protorel.statements import BadInput

_NO_BOUND = 2**31
_MAX_CELL = 1_000


class NameSearch:
    """Finds the entities that a text names, by the rules of a harvest."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._finder = MentionFinder(gazetteer, split=split_sentences, most_mentions=_NO_BOUND, fewest_entities=1)

    @classmethod
    def of_files(cls, paths: Sequence[Path]) -> NameSearch:
        """Read files or folders of names, see `read_names`.

        Raises:
            BadInput: a file cannot be read, or no entity has a name.
        """
        tally = Tally()
        entities = (one for path in paths for file in files_in(path) for one in read_names(file, tally))
        names, kinds = _tables(one for one in entities if isinstance(one, Entity))
        if not len(names):
            raise BadInput(f"{', '.join(map(str, paths))}: expected names of entities, got none{tally.first_example()}")
        with TemporaryDirectory(prefix="protorel-names-") as folder:
            place = Path(folder)
            pq.write_table(names, place / "names.parquet")
            pq.write_table(kinds, place / "kinds.parquet")
            # The gazetteer stays mapped when its folder is gone.
            return cls(build_gazetteer(place / "names.parquet", place / "built", entities=place / "kinds.parquet"))

    def __call__(self, text: str) -> Iterator[Mention]:
        """Yield the mentions of a text, in order; their offsets are those of the text."""
        for sentence in self._finder.find([Document("", None, None, text)]):
            for mention in sentence.mentions:
                yield mention._replace(start=sentence.start + mention.start, stop=sentence.start + mention.stop)


def _tables(entities: Iterable[Entity]) -> tuple[pa.Table, pa.Table]:
    names: list[tuple[str, str, str]] = []
    kinds: dict[str, str] = {}
    for entity in entities:
        given = [(entity.label, "label"), (entity.title, "title"), *((alias, "alias") for alias in entity.aliases)]
        names += [(name, entity.id, kind) for name, kind in given if name and len(name) <= _MAX_CELL]
        for kind in entity.kinds:
            kinds.setdefault(entity.id, kind)
    columns = zip(*names, strict=True) if names else ((), (), ())
    arrays = [pa.array(list(column), pa.string()) for column in columns]
    typed = [pa.array(list(column), pa.string()) for column in (kinds.keys(), kinds.values())]
    return pa.table(arrays, ["name", "entity", "kind"]), pa.table(typed, ["entity", "kind"])
