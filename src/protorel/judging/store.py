"""The store of verdicts: a log per audit that only grows. A verdict is on disk before `add` returns."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Self

from protorel.audit import Audit
from protorel.io import as_path
from protorel.judging.database import FILE, database_errors, open_database, open_to_read
from protorel.judging.verdicts import Entry, JudgeHistory, Verdict, VerdictRefused, check_id, check_judge, replay


@dataclass(frozen=True, slots=True)
class Plan:
    """The statements to judge, in order, and how they were drawn.

    Args:
        name: How they were ordered: `sample`, `score` or `random`.
        places: Places in the audit.
        seed: The random seed.
        inclusion: The probability of each place to be drawn; empty if it was not drawn at random.
        stratum: The stratum of each place; empty likewise.
        strata: The number of statements in each stratum of the audit.
    """

    name: str
    places: tuple[int, ...]
    seed: int = 0
    inclusion: tuple[float, ...] = ()
    stratum: tuple[int, ...] = ()
    strata: tuple[int, ...] = ()


class VerdictStore:
    """The verdicts on the labels of one audit.

    Args:
        folder: The folder of the audit.
        audit: The audit.
        read_only: Whether to open it for reading; then it may be missing.

    Raises:
        BadInput: the file cannot be written, is damaged, or has verdicts for another audit.
        WorkFailed: another program holds the file, or the disk is full.
    """

    def __init__(self, folder: Path | str, audit: Audit, *, read_only: bool = False) -> None:
        self.path = as_path(folder, "folder", expected="a folder") / FILE
        self.audit = audit
        self.audit_id = audit.id
        self._lock = threading.RLock()
        opened = (open_to_read if read_only else open_database)(self.path, self.audit_id)
        self._connection: Connection | None = opened
        self._read = 0
        self._histories: dict[str, JudgeHistory] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; everything in it is on disk already."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def add(self, judge: str, verdict: Verdict) -> None:
        """Append a verdict to the log; it is on disk when this returns. The same verdict again changes nothing.

        Raises:
            VerdictRefused: the place is not in the audit, or another line of the log has this id.
            WorkFailed: the disk is full, or another program holds the file.
        """
        if verdict.place >= len(self.audit):
            raise VerdictRefused(f"place: expected one below {len(self.audit)}, got {verdict.place}")
        row = int(self.audit.table["row"][verdict.place].as_py())
        content = (verdict.place, row, verdict.round, verdict.verdict, verdict.relation, int(verdict.opinion_shown))
        self._append(verdict.id, check_judge(judge), "verdict", content)

    def undo(self, judge: str, id: str) -> Verdict | None:
        """Take back the judge's last verdict that stands, by a line of the log; return it, or None if there is none.

        The same id again changes nothing and returns the same verdict.
        """
        check_id(id)
        judge = check_judge(judge)
        with self._lock, self._transaction() as connection:
            if (known := self._known(connection, id)) is not None:
                if known != (judge, "undo", *[None] * 6):
                    raise VerdictRefused(f"id: expected that of a new line, got {id}, which another line has")
                [number] = connection.execute("SELECT number FROM log WHERE id = ?", (id,)).fetchone()
                before = (entry for entry in self._entries(connection, 0) if entry.number < number)
                return replay(before)[judge].last
            last = self.histories().get(judge, JudgeHistory()).last
            if last is not None:
                self._insert(connection, id, judge, "undo", (None,) * 6)
        return last

    def histories(self) -> dict[str, JudgeHistory]:
        """Return the verdicts of each judge that stand, those of other processes included."""
        with self._lock:
            if self._connection is None:
                return {}
            with database_errors(self.path):
                for entry in self._entries(self._connection, self._read):
                    self._histories.setdefault(entry.judge, JudgeHistory()).add(entry)
                    self._read = entry.number
            return {judge: history.copy() for judge, history in self._histories.items()}

    def log(self) -> list[Entry]:
        """Return all lines of the log, the oldest first."""
        with self._lock:
            if self._connection is None:
                return []
            with database_errors(self.path):
                return list(self._entries(self._connection, 0))

    def plan(self, name: str) -> Plan | None:
        """Return the statements that were planned under a name, or None."""
        with self._lock:
            if self._connection is None:
                return None
            with database_errors(self.path):
                found = self._connection.execute("SELECT seed, strata FROM plans WHERE name = ?", (name,)).fetchone()
                if found is None:
                    return None
                rows = self._connection.execute(
                    "SELECT place, inclusion, stratum FROM plan_places WHERE plan = ? ORDER BY position", (name,)
                ).fetchall()
        drawn = all(row[1] is not None for row in rows)
        return Plan(
            name,
            tuple(row[0] for row in rows),
            seed=found[0],
            inclusion=tuple(row[1] for row in rows) if drawn else (),
            stratum=tuple(row[2] for row in rows) if drawn else (),
            strata=tuple(json.loads(found[1])),
        )

    def set_plan(self, plan: Plan) -> None:
        """Store the statements to judge, in place of those planned under the same name."""
        drawn = plan.inclusion or [None] * len(plan.places)
        strata = plan.stratum or [None] * len(plan.places)
        rows = [
            (plan.name, position, *values)
            for position, values in enumerate(zip(plan.places, drawn, strata, strict=True))
        ]
        with self._lock, self._transaction() as connection:
            connection.execute("DELETE FROM plan_places WHERE plan = ?", (plan.name,))
            connection.execute(
                "INSERT OR REPLACE INTO plans VALUES (?, ?, ?, ?)",
                (plan.name, len(plan.places), plan.seed, json.dumps(plan.strata)),
            )
            connection.executemany("INSERT INTO plan_places VALUES (?, ?, ?, ?, ?)", rows)

    def token(self, judge: str) -> str:
        """Return the secret by which a page proves that it is this judge's; it survives a restart of the server."""
        with self._lock, database_errors(self.path):
            assert self._connection is not None
            [secret] = self._connection.execute("SELECT value FROM meta WHERE key = 'secret'").fetchone()
        return hmac.new(bytes.fromhex(secret), judge.encode(), hashlib.sha256).hexdigest()

    def _append(self, id: str, judge: str, action: str, content: tuple[object, ...]) -> None:
        with self._lock, self._transaction() as connection:
            known = self._known(connection, id)
            if known is None:
                self._insert(connection, id, judge, action, content)
            elif known != (judge, action, *content):
                raise VerdictRefused(f"id: expected that of a new line, got {id}, which another line has")

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """Hold the file for writing; what was written is on disk when the block ends, or nothing of it if it fails."""
        with database_errors(self.path):
            assert self._connection is not None, "the store is closed or read-only"
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @staticmethod
    def _insert(connection: Connection, id: str, judge: str, action: str, content: tuple[object, ...]) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        connection.execute(
            "INSERT INTO log (id, at, judge, action, place, row, round, verdict, relation, opinion_shown) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (id, at, judge, action, *content),
        )

    @staticmethod
    def _known(connection: Connection, id: str) -> tuple[object, ...] | None:
        found: tuple[object, ...] | None = connection.execute(
            "SELECT judge, action, place, row, round, verdict, relation, opinion_shown FROM log WHERE id = ?", (id,)
        ).fetchone()
        return found

    @staticmethod
    def _entries(connection: Connection, after: int) -> Iterator[Entry]:
        rows = connection.execute(
            "SELECT number, judge, action, id, place, verdict, relation, round, opinion_shown FROM log "
            "WHERE number > ? ORDER BY number",
            (after,),
        ).fetchall()
        for number, judge, action, id, place, verdict, relation, round, shown in rows:
            given = Verdict(id, place, verdict, relation, round, bool(shown)) if action == "verdict" else None
            yield Entry(number, judge, given)
