"""What the verdicts say: one decision per statement, and the share of wrong labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from protorel.audit import Audit, WrongShare, estimate_wrong_share
from protorel.judging.orders import sample_of
from protorel.judging.store import VerdictStore
from protorel.judging.verdicts import WRONG, JudgeHistory, Verdict, VerdictName


@dataclass(frozen=True, slots=True)
class Decision:
    """What judges decided on one label.

    Args:
        place: The place of the statement in the audit.
        row: The row of the statement in the data.
        wrong: Whether the label is wrong by the majority; None if they are tied or find it unclear.
        verdict: The most frequent verdict of the majority; None if there is no majority.
        relation: The relation that the text expresses instead, if the majority named one.
        judges: The number of judges, without those who skipped it.
    """

    place: int
    row: int
    wrong: bool | None
    verdict: VerdictName | None
    relation: str | None
    judges: int

    @property
    def expresses(self) -> bool | None:
        """Whether the text expresses the label, as in `Statement.expresses`."""
        return None if self.wrong is None else not self.wrong


def read_verdicts(folder: Path | str) -> list[Decision]:
    """Return what people decided on the labels of an audit, in the order of the audit.

    A decision on a disagreement counts; otherwise the majority of the judges does. Repeats count for self-consistency
    only.

    Args:
        folder: The folder of the audit.

    Returns:
        One decision per statement that at least one judge did not skip; an empty list if there are no verdicts.

    Raises:
        BadInput: there is no audit, or the verdicts are damaged or those of another audit.
        WorkFailed: another program holds the verdicts.

    >>> from protorel.io import BadInput
    >>> try:
    ...     read_verdicts("no/audit")
    ... except BadInput as problem:
    ...     print(problem)
    no/audit/audit.parquet: no such file
    """
    audit = Audit.read(folder)
    with VerdictStore(folder, audit, read_only=True) as store:
        return decide(audit, store.histories())


def decide(audit: Audit, histories: Mapping[str, JudgeHistory]) -> list[Decision]:
    """Return one decision per judged statement, in the order of the audit."""
    given: dict[int, list[Verdict]] = {}
    settled: dict[int, Verdict] = {}
    for history in histories.values():
        for (place, round), verdict in history.standing().items():
            if verdict.verdict == "skip":
                continue
            if round == "first":
                given.setdefault(place, []).append(verdict)
            elif round == "settle":
                settled[place] = verdict
    rows = audit.table["row"]
    found = []
    for place in sorted(given.keys() | settled.keys()):
        votes = [settled[place]] if place in settled else given[place]
        wrong, said, relation = _majority(votes)
        judges = len(given.get(place, votes))
        found.append(Decision(place, int(rows[place].as_py()), wrong, said, relation, judges))
    return found


def estimate_from_verdicts(store: VerdictStore, *, per_relation: bool = False) -> WrongShare | None:
    """Return the share of wrong labels by the verdicts on the audit's sample; None without a sample or verdicts.

    A stratified sample goes before a plain random one. Statements judged in another order do not count, since they were
    not drawn at random.
    """
    wrong = {one.place: one.wrong for one in decide(store.audit, store.histories())}
    for name in ("sample", "random"):
        plan = store.plan(name)
        sample = sample_of(store.audit, plan) if plan is not None else None
        if plan is None or sample is None:
            continue
        verdicts = [wrong.get(place) for place in plan.places]
        if any(one is not None for one in verdicts):
            labels = store.audit.table["given_label"].to_pylist() if per_relation else None
            return estimate_wrong_share(store.audit.scores, sample, verdicts, relations=labels)
    return None


def _majority(votes: Sequence[Verdict]) -> tuple[bool | None, VerdictName | None, str | None]:
    sides = Counter(WRONG[vote.verdict] for vote in votes).most_common()
    if len(sides) > 1 and sides[0][1] == sides[1][1]:
        return None, None, None
    wrong = sides[0][0]
    verdict = Counter(vote.verdict for vote in votes if WRONG[vote.verdict] is wrong).most_common(1)[0][0]
    named = Counter(vote.relation for vote in votes if vote.verdict == verdict).most_common(1)[0][0]
    return wrong, verdict, named
