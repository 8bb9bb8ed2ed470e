"""The relations of a model or a data set, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from protorel.io import BadInput, check_type, short_value, shown
from protorel.statements.types import Relation


class UnknownRelation(BadInput, LookupError):
    """A relation that is not in the vocabulary."""

    def __init__(self, relation: object, known: tuple[str, ...]) -> None:
        near = get_close_matches(relation[:100], known, n=1) if isinstance(relation, str) else []
        hint = f"; did you mean {near[0]!r}?" if near else ""
        super().__init__(f"expected one of the {len(known)} known relations, got {shown(relation)}{hint}")


class RelationVocabulary:
    """Relations in a fixed order: an id for each index and an index for each id.

    Args:
        relations: Relations, or their ids.

    Raises:
        BadInput: a relation is neither, or is there twice.

    >>> vocabulary = RelationVocabulary(["born_in", "died_in"])
    >>> vocabulary.index("died_in"), vocabulary[0].id, "lives_in" in vocabulary
    (1, 'born_in', False)
    """

    def __init__(self, relations: Iterable[Relation | str]) -> None:
        if isinstance(relations, str) or not isinstance(relations, Iterable):
            raise BadInput(f"relations: expected a list of relations or ids, got {short_value(relations)}")
        self._relations = tuple(Relation(one) if isinstance(one, str) else one for one in relations)
        for place, one in enumerate(self._relations):
            check_type(one, Relation, where=f"relations[{place}]", expected="a Relation or an id")
        self._index = {relation.id: i for i, relation in enumerate(self._relations)}
        if len(self._index) != len(self._relations):
            twice = sorted(r for r in self._index if sum(relation.id == r for relation in self._relations) > 1)
            raise BadInput(f"relations: expected each relation once, got {twice[0]!r} more than once")

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids, in order."""
        return tuple(relation.id for relation in self._relations)

    def index(self, relation: str) -> int:
        """Return the index of a relation's id, or raise `UnknownRelation`."""
        try:
            return self._index[relation]
        except (KeyError, TypeError):  # a TypeError for what cannot be a key
            raise UnknownRelation(relation, self.ids) from None

    def described(self, relations: Iterable[str]) -> RelationVocabulary:
        """Return relations in this order, with their names and descriptions where this vocabulary has them."""
        return RelationVocabulary(self[self._index[one]] if one in self._index else one for one in relations)

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
