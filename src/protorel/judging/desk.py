"""The desk of one judge: what the page shows next, and where its verdicts go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from protorel.audit import Audit
from protorel.judging.orders import Item
from protorel.judging.results import estimate_from_verdicts
from protorel.judging.store import VerdictStore
from protorel.judging.verdicts import JudgeHistory, Verdict, check_judge
from protorel.report import pieces, short
from protorel.statements import Relation

_WHOLE, _AROUND = 12_000, 3_000
"""Characters of a text that is shown completely, and of the parts that are shown of a longer one."""
_NAME, _DESCRIPTION, _REASON = 200, 1000, 500


class Desk:
    """One judge's work on an audit.

    Args:
        store: The verdicts of the audit.
        judge: The name of the judge.
        items: What to judge, in order.
        relations: Names and descriptions of relations, by id.

    Raises:
        BadInput: the name is empty, too long or not plain text.
    """

    def __init__(
        self, store: VerdictStore, judge: str, items: Sequence[Item], relations: Mapping[str, Relation] | None = None
    ) -> None:
        self.store, self.judge, self.items = store, check_judge(judge), list(items)
        self.relations = relations_of(store.audit, relations or {})

    def view(self, *, back: int = 0, at: Item | None = None, opinion: bool = False) -> dict[str, Any]:
        """Return what the page shows, as JSON values.

        Args:
            back: 0 for the next statement without a verdict, 1 for the last one judged, and so on.
            at: The statement to show instead.
            opinion: Whether to include the model's opinion where there is no verdict yet.
        """
        histories = self.store.histories()
        history = histories.get(self.judge, JudgeHistory())
        standing = history.standing()
        judged = list(standing)
        back = min(max(back, 0), len(judged))
        item = at or (judged[-back] if back else next((one for one in self.items if one not in standing), None))
        shown = self._card(item, histories, opinion=opinion) if item is not None else None
        return {
            "judge": self.judge,
            "card": shown,
            "back": judged[::-1].index(item) + 1 if item in standing else 0,
            "history": len(judged),
            "done": sum(one in standing for one in self.items),
            "total": len(self.items),
            "skipped": [
                judged[::-1].index(one) + 1 for one in self.items if one in standing and standing[one].verdict == "skip"
            ],
            "last": self._card(judged[-1], histories, opinion=True) if judged else None,
        }

    def add(self, verdict: Verdict) -> None:
        """Store a verdict; it is on disk when this returns."""
        self.store.add(self.judge, verdict)

    def undo(self, id: str) -> Item | None:
        """Take back the last verdict that stands; return its statement, or None if there is none."""
        undone = self.store.undo(self.judge, id)
        return None if undone is None else (undone.place, undone.round)

    def estimate(self) -> dict[str, Any] | None:
        """Return the share of wrong labels by all verdicts so far, as JSON values."""
        found = estimate_from_verdicts(self.store)
        if found is None:
            return None
        names = ("value", "low", "high", "judged", "more_to_halve")
        return {name: getattr(found, name) for name in names}

    def known_relations(self) -> list[dict[str, str]]:
        """Return the relations that a text may express instead, by name."""
        listed = [self._relation(one) for one in self.relations]
        return sorted(listed, key=lambda one: (one["name"].casefold(), one["id"]))

    def _card(self, item: Item, histories: Mapping[str, JudgeHistory], *, opinion: bool) -> dict[str, Any]:
        place, round = item
        audit = self.store.audit
        [statement] = audit.statements([place])
        row = audit.table.slice(place, 1).select(["given_label", "predicted_label", "label_score", "reason"])
        label, predicted, score, reason = (column[0].as_py() for column in row.columns)
        history = histories.get(self.judge, JudgeHistory())
        given = history.standing().get(item)
        card: dict[str, Any] = {
            "place": place,
            "round": round,
            "pieces": [[piece.text, piece.role] for piece in pieces(statement, whole=_WHOLE, around=_AROUND)],
            "head": short(statement.head_text, _NAME),
            "tail": short(statement.tail_text, _NAME),
            "relation": self._relation(label),
            "verdict": self._said(given) if given is not None else None,
            "seen": item in history.seen,
            "opinion": None,
            "others": [],
        }
        if opinion or given is not None:
            card["opinion"] = {
                "relation": self._relation(predicted)["name"] if predicted is not None else None,
                "agrees": predicted == label,
                "score": float(score),
                "reason": short(reason, _REASON),
            }
        if round == "settle":
            card["others"] = [
                {"judge": short(judge, _NAME), **self._said(verdict)}
                for judge, other in histories.items()
                if (verdict := other.standing().get((place, "first"))) is not None
            ]
        return card

    def _said(self, verdict: Verdict) -> dict[str, str | None]:
        named = self._relation(verdict.relation)["name"] if verdict.relation is not None else None
        return {"verdict": verdict.verdict, "relation": named}

    def _relation(self, id: str) -> dict[str, str]:
        found = self.relations.get(id) or Relation(id)
        return {
            "id": id,
            "name": short(found.name or id.replace("_", " "), _NAME),
            "description": short(found.description, _DESCRIPTION),
        }


def relations_of(audit: Audit, described: Mapping[str, Relation]) -> dict[str, Relation]:
    """Return the relations of an audit and those described, with the words of the description where there are two."""
    names = zip(audit.relations["relation"].to_pylist(), audit.relations["name"].to_pylist(), strict=True)
    found = {id: Relation(id, name) for id, name in names}
    for id, relation in described.items():
        found[id] = Relation(id, relation.name or (found[id].name if id in found else ""), relation.description)
    return found
