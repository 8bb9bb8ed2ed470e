"""The names of a knowledge base's entities: written once to a folder, then mapped into every process.

Only hashes are stored (see `phrase_table`), so a million names take some tens of megabytes, which processes share.
`name_rules` says which names are searched for, and in which forms.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from protorel.harvest.gazetteer.name_rules import LABEL, TITLE, borne_names
from protorel.harvest.gazetteer.phrase_table import PhraseTable, Runs, sequence_hashes
from protorel.harvest.gazetteer.tokens import Hashes, Tokens, tokenise
from protorel.harvest.records import GazetteerRecord, read_record
from protorel.statements import BadInput

FORMAT_VERSION = 2
ARRAYS = ("cells", "names", "first", "bearers", "ranks", "adjectives")


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """Names as token sequences, and the entities that have each name."""

    phrases: PhraseTable
    names: Hashes
    """The hash of each name, sorted."""
    first: NDArray[np.uint32]
    """Where the bearers of each name begin; the last entry is the end of the last ones."""
    bearers: NDArray[np.uint32]
    """The entities that have a name, by number."""
    ranks: NDArray[np.uint8]
    """How each bearer has the name: as label, title, alias or form."""
    adjectives: Hashes
    """Pairs of name and bearer, by `borne_names`, where the name is also an adjective; sorted."""
    entities: pa.Table
    """`id` and `type` of each entity, by number, and whether the title of its page is known (`has_page`)."""
    counts: dict[str, int]

    @classmethod
    def load(cls, folder: Path) -> Gazetteer:
        """Map the files of a folder into memory."""
        about = read_record(folder / "gazetteer.json", dict[str, Any])
        if about.get("version") != FORMAT_VERSION:
            raise BadInput(f"{folder}: expected names of format version {FORMAT_VERSION}, got {about.get('version')}")
        record = read_record(folder / "gazetteer.json", GazetteerRecord)
        try:
            arrays: dict[str, Any] = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in ARRAYS}
            entities = pa.ipc.open_file(pa.memory_map(str(folder / "entities.arrow"))).read_all()
        except (OSError, ValueError, pa.ArrowException) as problem:
            raise BadInput(f"{folder}: cannot be read as a gazetteer ({problem}); build it again") from problem
        # A plain array over the same memory: every access to a memmap object costs a check of its class.
        plain = {name: array.view(np.ndarray) for name, array in arrays.items()}
        phrases = PhraseTable(plain.pop("cells"), record.places, record.longest)
        return cls(phrases, **plain, entities=entities, counts=record.counts)

    def find(self, tokens: Tokens) -> Runs:
        """Return the longest name that begins at each token."""
        return self.phrases.find(tokens)

    def positions(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return the position of each hash among the names; all must be there."""
        return np.searchsorted(self.names, hashes)

    def bearers_at(self, position: int) -> list[tuple[int, int]]:
        """Return the bearers of a name: numbers of entities, each with its rank."""
        bounds = slice(int(self.first[position]), int(self.first[position + 1]))
        return list(zip(self.bearers[bounds].tolist(), self.ranks[bounds].tolist(), strict=True))

    def titled(self, titles: list[str]) -> list[int | None]:
        """Return the entity of each page title, or of the label if no title is known."""
        hashes = sequence_hashes(tokenise(titles), texts=len(titles))
        positions = self.positions(hashes)
        known = positions < len(self.names)
        known[known] = self.names[positions[known]] == hashes[known]
        return [
            self._page(position) if is_known else None
            for position, is_known in zip(positions.tolist(), known.tolist(), strict=True)
        ]

    def _page(self, position: int) -> int | None:
        bearers = self.bearers_at(position)
        for rank in (TITLE, LABEL):
            found = {entity for entity, its_rank in bearers if its_rank == rank}
            if found:
                return found.pop() if len(found) == 1 else None
        return None

    def only_bearers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the only bearer of each name; -1 if there are several."""
        begins = self.first[positions]
        return np.where(self.first[positions + 1] - begins == 1, self.bearers[begins].astype(np.int64), -1)

    def are_adjectives(self, hashes: Hashes, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each pair of name and entity whether the name is also an adjective of the entity."""
        return np.isin(borne_names(hashes, numbers), self.adjectives)

    def have_page(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each entity whether the title of its page is known."""
        known: NDArray[np.bool_] = self.entities["has_page"].take(numbers).to_numpy()
        return known

    def ids(self, numbers: NDArray[np.int64]) -> list[str]:
        """Return the ids of entities."""
        found: list[str] = self.entities["id"].take(numbers).to_pylist()
        return found

    def types(self, numbers: NDArray[np.int64]) -> list[str | None]:
        """Return the types of entities; None where unknown."""
        found: list[str | None] = self.entities["type"].take(numbers).to_pylist()
        return found
