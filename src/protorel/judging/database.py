"""The SQLite file of an audit's verdicts: opened, checked, and its failures in one line.

A file is created in one transaction, so a killed process leaves either no tables or all of them. The write-ahead log
with `synchronous=FULL` is on disk when a transaction ends.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protorel.io import BadInput, WorkFailed, check_file_target, check_source, disk_errors, is_there

FILE = "verdicts.sqlite"
"""The name of the file in the folder of an audit."""
SCHEMA_VERSION = 1
_APPLICATION = 0x70726A31  # "prj1": marks the file as ours
_WAIT_SECONDS = 5.0
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE plans (
    name TEXT PRIMARY KEY, size INTEGER NOT NULL, seed INTEGER NOT NULL, strata TEXT NOT NULL
) STRICT;
CREATE TABLE plan_places (
    plan TEXT NOT NULL REFERENCES plans(name), position INTEGER NOT NULL, place INTEGER NOT NULL,
    inclusion REAL, stratum INTEGER, PRIMARY KEY (plan, position), UNIQUE (plan, place)
) STRICT;
CREATE TABLE log (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, judge TEXT NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('verdict', 'undo')), place INTEGER, row INTEGER, round TEXT,
    verdict TEXT, relation TEXT, opinion_shown INTEGER
) STRICT;
CREATE TRIGGER log_keeps_lines BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER log_keeps_content BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
"""


def open_database(path: Path, audit_id: str) -> sqlite3.Connection:
    """Open the verdicts of an audit for writing; create the file if it is missing.

    Raises:
        BadInput: the file cannot be written, is damaged, or has verdicts for another audit.
        WorkFailed: another program holds the file, or the disk is full.
    """
    check_file_target(path)
    if is_there(path):
        check_source(path)
    with database_errors(path):
        connection = _connected(f"{path.absolute().as_uri()}?mode=rwc")
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("BEGIN IMMEDIATE")
            if _is_new(connection):
                _create(connection, audit_id)
            connection.execute("COMMIT")
            _check(connection, path, audit_id)
        except BaseException:
            connection.close()
            raise
    return connection


def open_to_read(path: Path, audit_id: str) -> sqlite3.Connection | None:
    """Open the verdicts of an audit for reading, also in a folder that cannot be written; None if there are none yet.

    Raises:
        BadInput: the file is damaged, or has verdicts for another audit.
        WorkFailed: another program holds the file.
    """
    if not is_there(path):
        return None
    check_source(path)
    with database_errors(path):
        connection = _connected(f"{path.absolute().as_uri()}?mode=ro")
        try:
            try:
                new = _is_new(connection)
            except sqlite3.OperationalError as problem:
                # Without permission to write, SQLite cannot share the file, and must be told that nobody writes.
                if "unable to open" not in str(problem) or is_there(path.with_name(path.name + "-wal")):
                    raise
                connection.close()
                connection = _connected(f"{path.absolute().as_uri()}?mode=ro&immutable=1")
                new = _is_new(connection)
            if new:
                connection.close()
                return None
            _check(connection, path, audit_id)
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into one line that names the file.

    Raises:
        BadInput: the file is damaged or cannot be written.
        WorkFailed: it is locked, or the disk is full or broken.
    """
    try:
        with disk_errors(path):
            yield
    except sqlite3.Error as problem:
        reason = str(problem).partition("\n")[0]
        if "locked" in reason or "busy" in reason:
            message = f"{path}: cannot be written ({reason}). Close the program that has it open."
            raise WorkFailed(message) from problem
        if "readonly" in reason or "unable to open" in reason:
            raise BadInput(f"{path}: cannot write here ({reason})") from problem
        if isinstance(problem, sqlite3.DatabaseError) and not isinstance(problem, sqlite3.IntegrityError):
            raise BadInput(_damaged(path, reason)) from problem
        raise


def _connected(address: str) -> sqlite3.Connection:
    return sqlite3.connect(
        address, uri=True, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=32
    )


def _is_new(connection: sqlite3.Connection) -> bool:
    [number] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return not number


def _create(connection: sqlite3.Connection, audit_id: str) -> None:
    for statement in _TABLES.replace("; END;", "\0 END;").split(";\n"):
        if statement.strip():
            connection.execute(statement.replace("\0", ";"))
    values = {"audit": audit_id, "secret": secrets.token_hex(32)}
    connection.executemany("INSERT INTO meta VALUES (?, ?)", values.items())
    connection.execute(f"PRAGMA application_id={_APPLICATION}")
    connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


def _check(connection: sqlite3.Connection, path: Path, audit_id: str) -> None:
    [application], [version] = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
    )
    if application != _APPLICATION:
        raise BadInput(f"{path}: expected a database of verdicts, got one of another program")
    if version != SCHEMA_VERSION:
        hint = "Install a newer protorel." if version > SCHEMA_VERSION else "Move it to another folder to begin again."
        raise BadInput(f"{path}: expected a database of version {SCHEMA_VERSION}, got version {version}. {hint}")
    [found] = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise BadInput(_damaged(path, str(found).partition("\n")[0]))
    [audit] = connection.execute("SELECT value FROM meta WHERE key = 'audit'").fetchone()
    if audit != audit_id:
        raise BadInput(
            f"{path}: expected verdicts for audit {audit_id}, got verdicts for audit {audit}. "
            "Move the file to another folder to begin again."
        )


def _damaged(path: Path, reason: str) -> str:
    return (
        f"{path}: expected a database of verdicts, got damaged content ({reason}). Restore a copy, or move it to "
        "another folder to begin again."
    )
