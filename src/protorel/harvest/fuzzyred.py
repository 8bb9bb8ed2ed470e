"""FuzzyRED's construction (the paper's appendix A): relations with the most doubtful distant labels, for annotation.

A pair of entities with more than two relations is an ambiguous seed of each, because a sentence about the pair is
labelled with all of them. The relations with most ambiguous seeds are the fuzzy ones; statements of each are sampled
for people to judge whether the text expresses the label.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from protorel.io import write_json, write_text
from protorel.statements import NO_RELATION, BadInput, DataSet, EntityPair, Statement, entity_pair, write_statements

RELATIONS = 20
STATEMENTS = 50
MOST_CERTAIN = 2
"""A pair with more relations than this is an ambiguous seed."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """The relations per pair (Count_R) and the ambiguous pairs per relation (Count_S)."""

    pairs_by_relations: dict[int, int]
    """The number of pairs by their number of relations."""
    of_relations: dict[str, int]
    """Ambiguous seeds per relation, most first, ties by name."""

    @property
    def ambiguous(self) -> int:
        """The number of pairs with more than two relations."""
        return sum(count for held, count in self.pairs_by_relations.items() if held > MOST_CERTAIN)


def build_fuzzyred(
    data: DataSet, out: Path, *, relations: int = RELATIONS, statements: int = STATEMENTS, seed: int = 0
) -> dict[str, Any]:
    """Write `statements.parquet`, `to_judge.jsonl` and `fuzzy.json` to a folder; return the content of the last."""
    for name, number in (("relations", relations), ("statements", statements)):
        if number < 1:
            raise BadInput(f"{name}: expected at least 1, got {number}")
    seeds = count_seeds(data)
    chosen = [name for name, count in seeds.of_relations.items() if count][:relations]
    if not chosen:
        raise BadInput(
            f"{data.name}: expected entity pairs with more than {MOST_CERTAIN} relations, got none among "
            f"{sum(seeds.pairs_by_relations.values())} pairs"
        )
    drawn = draw(data, chosen, statements=statements, seed=seed)
    counts = Counter(one.relation for one in drawn)
    found = {
        "task": "fuzzy",
        "pairs_by_relations": {str(held): count for held, count in seeds.pairs_by_relations.items()},
        "ambiguous_seeds": seeds.ambiguous,
        "relations": {name: {"seeds": seeds.of_relations[name], "statements": counts[name]} for name in chosen},
        "seeds_of_others": {name: count for name, count in seeds.of_relations.items() if name not in chosen},
        "asked": {"relations": relations, "statements": statements, "seed": seed},
        "data": data.described(),
    }
    write_statements(drawn, out / "statements.parquet")
    write_text(out / "to_judge.jsonl", "".join(_line(one) + "\n" for one in drawn))
    write_json(out / "fuzzy.json", found)
    return found


def count_seeds(data: DataSet) -> Seeds:
    """Count the relations of each pair, then the ambiguous pairs of each relation."""
    held: dict[EntityPair, set[str]] = {}
    for statement in data.source():
        if statement.relation is not None and statement.relation != NO_RELATION:
            held.setdefault(entity_pair(statement), set()).add(statement.relation)
    seeds: Counter[str] = Counter()
    for relations in held.values():
        seeds.update({name: int(len(relations) > MOST_CERTAIN) for name in relations})
    ordered = dict(sorted(seeds.items(), key=lambda item: (-item[1], item[0])))
    return Seeds(dict(sorted(Counter(map(len, held.values())).items())), ordered)


def draw(data: DataSet, relations: Sequence[str], *, statements: int, seed: int) -> list[Statement]:
    """Sample statements of each relation by a hash of their content, so their order does not matter."""
    drawn: dict[str, dict[bytes, Statement]] = {name: {} for name in relations}
    for one in data.source():
        if one.relation in drawn:
            lots = drawn[one.relation]
            lots.setdefault(_lot(one, seed), one)
            if len(lots) > 2 * statements:
                drawn[one.relation] = dict(sorted(lots.items())[:statements])
    return [one for lots in drawn.values() for _, one in sorted(lots.items())[:statements]]


def _lot(statement: Statement, seed: int) -> bytes:
    said = f"{seed} {statement.relation} ".encode("utf-8", "surrogatepass") + statement.key
    return hashlib.blake2b(said, digest_size=16).digest()


def _line(statement: Statement) -> str:
    """Return a statement as a line of JSON with an open question at its end: `expresses`."""
    fields = asdict(statement)
    spans = {name: list(fields.pop(name).values()) for name in ("head", "tail")}
    text, relation = fields.pop("text"), fields.pop("relation")
    known = {name: value for name, value in fields.items() if value is not None and name != "expresses"}
    return json.dumps({"text": text, **spans, "relation": relation, **known, "expresses": None}, ensure_ascii=False)
