"""The relations that a model or a data set knows, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from protorel.io import BadInput
from protorel.statements.types import Relation


class UnknownRelation(BadInput, LookupError):
    """A relation that the vocabulary does not hold."""

    def __init__(self, relation: str, known: tuple[str, ...]) -> None:
        near = get_close_matches(relation, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        super().__init__(f"expected one of the {len(known)} known relations, got {relation!r}{hint}")


class RelationVocabulary:
    """Relations in a fixed order: an id for each index and an index for each id.

    >>> vocabulary = RelationVocabulary(["born_in", "died_in"])
    >>> vocabulary.index("died_in"), vocabulary[0].id, "lives_in" in vocabulary
    (1, 'born_in', False)
    """

    def __init__(self, relations: Iterable[Relation | str]) -> None:
        self._relations = tuple(Relation(r) if isinstance(r, str) else r for r in relations)
        self._index = {relation.id: i for i, relation in enumerate(self._relations)}
        if len(self._index) != len(self._relations):
            twice = sorted(r for r in self._index if sum(relation.id == r for relation in self._relations) > 1)
            raise ValueError(f"expected each relation once, got {twice[0]!r} more than once")

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids, in order."""
        return tuple(relation.id for relation in self._relations)

    def index(self, relation: str) -> int:
        """Return the index of a relation's id, or raise `UnknownRelation`."""
        try:
            return self._index[relation]
        except KeyError:
            raise UnknownRelation(relation, self.ids) from None

    def __len__(self) -> int:
        return len(self._relations)

    def __iter__(self) -> Iterator[Relation]:
        return iter(self._relations)

    def __getitem__(self, index: int) -> Relation:
        return self._relations[index]

    def __contains__(self, relation: object) -> bool:
        return relation in self._index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RelationVocabulary) and self._relations == other._relations

    def __hash__(self) -> int:
        return hash(self._relations)

    def __repr__(self) -> str:
        return f"RelationVocabulary({list(self.ids)!r})"
