"""Kills, full disks, damaged and locked files: what was confirmed stays, and every failure is one line."""

import http.client
import json
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import threading

import pytest

from protorel.audit import Audit
from protorel.cli import run
from protorel.io import WorkFailed
from protorel.judging import JudgingServer, Verdict, VerdictStore, open_desk

VERDICTS = 200
KILLED_AT = (37, 90, 151)


class Sender:
    """Sends verdicts to a server, as the page does."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        page = self._ask("GET", "/", {}).decode()
        self.token = re.search(r'name="token" content="(\w+)"', page)[1]

    def _ask(self, *arguments):
        self.send(*arguments)
        return self.connection.getresponse().read()

    def send(self, method, path, headers, body=None):
        self.connection.request(method, path, body, headers)

    def post(self, verdict):
        headers = {"X-Protorel-Token": self.token, "Content-Type": "application/json"}
        self.send("POST", "/verdict", headers, json.dumps(verdict))

    def confirmed(self):
        answer = self.connection.getresponse()
        content = json.loads(answer.read())
        assert answer.status == 200, content
        return content


def sent(number):
    said = ("true", "false", "unclear", "reversed", "skip")[number % 5]
    return {"id": f"verdict-{number:05}", "place": number % 60, "round": "first", "verdict": said}


def stored(folder):
    with VerdictStore(folder, Audit.read(folder), read_only=True) as store:
        return [(one.verdict.id, one.verdict.place, one.verdict.verdict) for one in store.log()]


def test_a_server_killed_amid_200_verdicts_has_each_that_it_confirmed_and_each_once(folder, judging):
    server = judging(folder)
    sender = Sender(server.port)
    for number in range(VERDICTS):
        sender.post(sent(number))
        if number in KILLED_AT:
            server.kill()  # the answer is lost; the verdict may or may not be stored
            sender.connection.close()
            assert [one[0] for one in stored(folder)][:number] == [sent(n)["id"] for n in range(number)]
            server.start()
            sender = Sender(server.port)
            sender.post(sent(number))
        sender.confirmed()
    sender.connection.close()
    server.kill()
    assert stored(folder) == [(one["id"], one["place"], one["verdict"]) for one in map(sent, range(VERDICTS))]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_end_the_server_well(folder, judging, number):
    server = judging(folder, "--judge", "ada")
    sender = Sender(server.port)
    sender.post(sent(1))
    sender.confirmed()
    code, out, err = server.stop(number)  # while the browser still holds its connection
    sender.connection.close()
    assert (code, err) == (0, "")
    assert out == f"1 of 63 statements have a verdict of ada, stored in {folder / 'verdicts.sqlite'}\n"
    assert sorted(path.name for path in folder.iterdir()) == [
        "audit.parquet",
        "relations.parquet",
        "summary.json",
        "verdicts.sqlite",
    ]


@pytest.fixture(scope="module")
def judged_once(tmp_path_factory, made_audit, people):
    folder = tmp_path_factory.mktemp("judged") / "audit"
    made_audit(people(60)).write(folder)
    with VerdictStore(folder, Audit.read(folder)) as store:
        for number in range(300):
            store.add("ada", Verdict(**sent(number)))
    return folder


@pytest.fixture
def judged(judged_once, tmp_path):
    """The folder of an audit with 300 verdicts."""
    return shutil.copytree(judged_once, tmp_path / "judged")


def one_line(capsys, *arguments, code=2):
    assert run([str(argument) for argument in arguments]) == code
    [line] = capsys.readouterr().err.splitlines()
    return line


def damage_header(content):
    return b"not a database at all" + content[21:]


def damage_pages(content):
    return content[:8192] + b"\xa5" * (len(content) - 8192)


def halve(content):
    return content[: len(content) // 2]


def cut_a_page(content):
    return content[:-4096]


@pytest.mark.parametrize("damage", [damage_header, damage_pages, halve, cut_a_page])
@pytest.mark.parametrize("options", [["--port", "0"], ["--summary"], ["--export", "new.json"]])
def test_a_damaged_database_is_one_line_and_stays_as_it_is(judged, damage, options, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    path = judged / "verdicts.sqlite"
    path.write_bytes(damage(path.read_bytes()))
    before = path.read_bytes()
    line = one_line(capsys, "judge", judged, *options)
    assert "verdicts.sqlite: expected a database of verdicts, got damaged content (" in line
    assert path.read_bytes() == before
    assert not (tmp_path / "new.json").exists()


def test_a_database_of_another_program_or_version_is_one_line(judged, capsys):
    connection = sqlite3.connect(judged / "verdicts.sqlite")
    connection.execute("PRAGMA user_version=7")
    connection.close()
    assert "expected a database of version 1, got version 7. Install a newer protorel." in one_line(
        capsys, "judge", judged, "--summary"
    )
    (judged / "verdicts.sqlite").unlink()
    connection = sqlite3.connect(judged / "verdicts.sqlite")
    connection.execute("CREATE TABLE recipes (name)")
    connection.close()
    assert "expected a database of verdicts, got one of another program" in one_line(capsys, "judge", judged)


def test_verdicts_for_another_audit_are_one_line_and_nothing_is_lost(judged, made_audit, people, capsys):
    before = (judged / "verdicts.sqlite").read_bytes()
    made_audit(people(61)).write(judged)
    for options in (["--port", "0"], ["--summary"]):
        line = one_line(capsys, "judge", judged, *options)
        assert "expected verdicts for audit " in line
        assert "Move the file to another folder to begin again." in line
    assert (judged / "verdicts.sqlite").read_bytes() == before


def test_a_locked_database_is_one_line(judged, capsys, monkeypatch):
    monkeypatch.setattr("protorel.judging.database._WAIT_SECONDS", 0.05)
    other = sqlite3.connect(judged / "verdicts.sqlite", isolation_level=None)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    for options in (["--port", "0"], ["--summary"]):
        line = one_line(capsys, "judge", judged, *options, code=1)
        assert "database is locked" in line
        assert "Close the program that has it open." in line
    other.close()
    assert run(["judge", str(judged), "--summary"]) == 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda folder: shutil.rmtree(folder), "audit.parquet: no such file"),
        (lambda folder: (shutil.rmtree(folder), folder.write_text("")), "audit.parquet: no such file"),
        (lambda folder: (folder / "verdicts.sqlite").mkdir(), "verdicts.sqlite: expected a file name, got a folder"),
        (lambda folder: (folder / "audit.parquet").write_bytes(b"PAR1"), "got damaged content"),
    ],
)
def test_what_is_not_an_audit_to_write_to_is_one_line(folder, make, said, capsys):
    make(folder)
    assert said in one_line(capsys, "judge", folder, "--port", "0")


def test_an_audit_without_statements_is_one_line(tmp_path, made_audit, people, capsys):
    audit = made_audit(people(1))
    Audit(audit.table.slice(0, 0), audit.relations.slice(0, 0)).write(tmp_path / "empty")
    line = one_line(capsys, "judge", tmp_path / "empty")
    assert "expected labels to judge, got an audit without statements" in line


def test_one_statement_of_one_relation_can_be_judged(tmp_path, made_audit, people):
    made_audit(people(1)).write(tmp_path / "one")
    with open_desk(tmp_path / "one", "ada") as desk:
        desk.add(Verdict("verdict-1", 0, "false"))
        assert desk.view()["card"] is None
        assert desk.estimate()["value"] == 1
        assert [one["id"] for one in desk.known_relations()] == ["born_in"]


def test_a_full_disk_refuses_the_verdict_and_takes_it_when_there_is_space_again(judged):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with VerdictStore(judged, Audit.read(judged)) as store:
        numbers = iter(range(300, 3000))
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
        try:
            with pytest.raises(WorkFailed, match=r"verdicts\.sqlite: cannot write here \("):
                all(store.add("ada", Verdict(**sent(number))) is None for number in numbers)
            number = next(numbers) - 1  # the one that was refused
            assert [entry.verdict.id for entry in store.log()] == [sent(n)["id"] for n in range(number)]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        store.add("ada", Verdict(**sent(number)))
    assert [one[0] for one in stored(judged)] == [sent(n)["id"] for n in range(number + 1)]


def test_the_server_says_that_the_disk_is_full_and_keeps_serving(folder, monkeypatch):
    with open_desk(folder, "ada") as desk, JudgingServer(desk, port=0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            sender = Sender(server.server_port)
            with monkeypatch.context() as full:
                full.setattr(desk, "add", lambda _: (_ for _ in ()).throw(WorkFailed("verdicts.sqlite: no space")))
                sender.post(sent(1))
                answer = sender.connection.getresponse()
                assert (answer.status, json.loads(answer.read())) == (503, {"error": "verdicts.sqlite: no space"})
            sender.post(sent(1))
            assert sender.confirmed()["done"] == 1
            sender.connection.close()
        finally:
            server.shutdown()
            thread.join()


def test_a_file_system_that_cannot_be_written_is_one_line_but_can_be_read(judged, tmp_path, capsys):
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "protorel-test", str(place)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a file system cannot be mounted here")
    try:
        shutil.copytree(judged, place / "audit")
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        line = one_line(capsys, "judge", place / "audit", "--port", "0")
        assert "cannot write here" in line or "no permission to write" in line or "Read-only file system" in line
        assert run(["judge", str(place / "audit"), "--summary"]) == 0
        assert "60 statements" not in capsys.readouterr().err
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_process_killed_while_it_creates_the_database_leaves_nothing_in_the_way(folder):
    (folder / "verdicts.sqlite").touch()
    assert stored(folder) == []
    with VerdictStore(folder, Audit.read(folder)) as store:
        store.add("ada", Verdict("verdict-1", 0, "true"))
    assert len(stored(folder)) == 1
