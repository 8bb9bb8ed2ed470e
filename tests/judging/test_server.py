"""The server of the judging page: its own page only, bounded, exact about types, and idempotent."""

import http.client
import json
import socket
import threading
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protorel.cli import run
from protorel.judging import JudgingServer, Verdict, open_desk
from protorel.judging.server import MOST_BYTES
from protorel.statements import Relation

TOKEN = "X-Protorel-Token"


class Client:
    def __init__(self, server):
        self.server, self.port = server, server.server_port

    def ask(self, method, path, body=None, **headers):
        """Send a request as the page does, with some headers changed; None leaves one out."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        own = {"Host": f"127.0.0.1:{self.port}", TOKEN: self.server.token, "Content-Type": "application/json"}
        sent = {name: value for name, value in {**own, **headers}.items() if value is not None}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            if body is not None and "Content-Length" not in headers:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            text = answer.read().decode()
            self.headers = dict(answer.getheaders())
        finally:
            connection.close()
        return answer.status, json.loads(text) if "json" in self.headers["Content-Type"] else text

    def judge(self, number, said="true", place=None, **rest):
        place = self.ask("GET", "/view")[1]["card"]["place"] if place is None else place
        sent = {"id": f"verdict-{number:04}", "place": place, "round": "first", "verdict": said, **rest}
        return self.ask("POST", "/verdict", sent)


@contextmanager
def served(folder, judge="ada", **settings):
    with open_desk(folder, judge, **settings) as desk, JudgingServer(desk, port=0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield Client(server)
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def client(folder):
    with served(folder, relations={"born_in": Relation("born_in", "place of birth", "where a person was born")}) as one:
        yield one


def log(client):
    return client.server.desk.store.log()


def test_the_page_is_served_under_a_strict_policy_with_its_token(client):
    status, text = client.ask("GET", "/", **{TOKEN: None})
    assert status == 200
    assert f'content="{client.server.token}"' in text
    assert "{{" not in text
    policy = client.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for path in ("/page.js", "/page.css", "/icon.svg"):
        assert client.ask("GET", path)[0] == 200
        assert client.headers["X-Content-Type-Options"] == "nosniff"


def test_a_verdict_is_in_the_log_when_the_answer_comes_and_the_next_statement_is_in_it(client):
    before = client.ask("GET", "/view")[1]
    status, after = client.judge(1, "false")
    assert status == 200
    [entry] = log(client)
    assert (entry.judge, entry.verdict.place, entry.verdict.verdict) == ("ada", before["card"]["place"], "false")
    assert after["card"]["place"] != before["card"]["place"]
    assert (after["done"], after["history"]) == (1, 1)


def test_the_same_verdict_twice_is_stored_once_and_answered_the_same(client):
    place = client.ask("GET", "/view")[1]["card"]["place"]
    first, second = client.judge(1, place=place), client.judge(1, place=place)
    assert first == second
    assert first[0] == 200
    assert len(log(client)) == 1
    assert client.judge(1, "false", place=place)[0] == 400


def test_undo_goes_back_to_the_statement_as_often_as_asked(client):
    seen = [client.ask("GET", "/view")[1]["card"]["place"]]
    seen += [client.judge(number)[1]["card"]["place"] for number in range(5)]
    for number in range(5):
        _, view = client.ask("POST", "/undo", {"id": f"undo-{number:08}"})
        assert view["card"]["place"] == seen[4 - number]
        assert view["card"]["verdict"] is None
        assert view["card"]["seen"] is True
    assert client.ask("POST", "/undo", {"id": "undo-00000009"})[1]["history"] == 0


def test_the_models_opinion_is_hidden_until_the_verdict_or_until_asked_for(client):
    assert client.ask("GET", "/view")[1]["card"]["opinion"] is None
    shown = client.ask("GET", "/view?opinion=1")[1]["card"]["opinion"]
    assert set(shown) == {"relation", "agrees", "score", "reason"}
    _, view = client.judge(1)
    assert view["card"]["opinion"] is None
    assert view["last"]["opinion"] == shown
    assert client.ask("GET", "/view?back=1")[1]["card"]["opinion"] == shown


def test_a_repeat_is_shown_as_a_new_statement(client):
    for number in range(20):
        _, view = client.judge(number)
    assert view["card"]["round"] == "repeat"
    assert (view["card"]["verdict"], view["card"]["seen"], view["back"]) == (None, False, 0)
    status, view = client.judge(99, "false", place=view["card"]["place"], round="repeat")
    assert (status, view["done"]) == (200, 21)


def test_the_other_relation_must_be_one_of_the_list(client):
    known = client.ask("GET", "/relations")[1]["relations"]
    assert [one["id"] for one in known] == ["died_in", "lives_in", "born_in"]  # by name
    assert known[2] == {"id": "born_in", "name": "place of birth", "description": "where a person was born"}
    assert client.judge(1, "other", relation="nosuch")[0] == 400
    assert client.judge(1, "other", relation="lives_in")[0] == 200
    assert client.ask("GET", "/view?back=1")[1]["card"]["verdict"] == {"verdict": "other", "relation": "lives in"}


def test_the_estimate_comes_with_the_first_verdict(client):
    assert client.ask("GET", "/estimate")[1] == {"estimate": None}
    client.judge(1, "false")
    found = client.ask("GET", "/estimate")[1]["estimate"]
    assert found["judged"] == 1
    assert 0 <= found["low"] <= found["value"] <= found["high"] <= 1


def test_at_the_end_there_is_no_card_but_what_was_skipped(folder):
    with served(folder, order="score", size=3) as client:
        for number, said in enumerate(["true", "skip", "false"]):
            _, view = client.judge(number, said)
        assert (view["card"], view["skipped"], view["done"]) == (None, [2], 3)
        card = client.ask("GET", "/view?back=2")[1]["card"]
        assert card["verdict"]["verdict"] == "skip"
        assert client.judge(9, "unclear", place=card["place"])[1]["skipped"] == []


def test_disagreements_are_a_queue_that_shows_what_each_judge_said(folder):
    with served(folder) as client:
        place = client.ask("GET", "/view")[1]["card"]["place"]
        client.judge(1, "true")
    with served(folder, "bela") as client:
        client.judge(2, "reversed")
    with served(folder, "cleo", order="disagreements") as client:
        view = client.ask("GET", "/view")[1]
        assert (view["card"]["place"], view["card"]["round"], view["total"]) == (place, "settle", 1)
        assert [(one["judge"], one["verdict"]) for one in view["card"]["others"]] == [
            ("ada", "true"),
            ("bela", "reversed"),
        ]
        assert client.judge(3, "true", round="settle")[1]["card"] is None
    with served(folder, "cleo", order="disagreements") as client:
        assert client.ask("GET", "/view")[1]["total"] == 0


def test_two_judges_work_on_one_folder_at_once(folder):
    with served(folder) as ada, served(folder, "bela") as bela:
        for number in range(5):
            assert ada.judge(number)[0] == 200
            assert bela.judge(number + 100, "false")[0] == 200
        assert [entry.judge for entry in log(ada)] == ["ada", "bela"] * 5
        assert ada.ask("GET", "/view")[1]["done"] == 5


def test_one_judge_cannot_work_in_two_processes_at_once(client, folder, capsys):
    assert run(["judge", str(folder), "--judge", "ada", "--port", "0"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "judge 'ada' is at work here already (process " in line


def test_a_port_in_use_is_one_line(client, folder, capsys):
    assert run(["judge", str(folder), "--judge", "bela", "--port", str(client.port)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert f"--port: cannot use {client.port} (Address already in use). Choose another one, or 0" in line


def test_a_restart_keeps_the_token_and_another_judge_has_another(folder):
    with served(folder) as first:
        token = first.server.token
    with served(folder) as second, served(folder, "bela") as other:
        assert second.server.token == token
        assert other.server.token != token
        assert other.ask("GET", "/view", **{TOKEN: token})[0] == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", None])
def test_another_host_name_is_refused_for_pages_and_verdicts(client, host):
    host = host and host.format(port=client.port)
    for method, path, body in (("GET", "/", None), ("GET", "/view", None), ("POST", "/undo", {"id": "undo-00000001"})):
        assert client.ask(method, path, body, Host=host)[0] == 403
    assert client.ask("GET", "/view", Host=f"localhost:{client.port}")[0] == 200


@pytest.mark.parametrize(
    "headers", [{TOKEN: None}, {TOKEN: "0" * 64}, {TOKEN: "é"}, {"Origin": "http://evil.example"}, {"Origin": "null"}]
)
def test_requests_of_other_pages_are_refused(client, headers):
    for method, path, body in (
        ("GET", "/view", None),
        ("GET", "/relations", None),
        ("GET", "/estimate", None),
        ("POST", "/verdict", {"id": "verdict-0001", "place": 0, "verdict": "true"}),
    ):
        assert client.ask(method, path, body, **headers)[0] == 403
    assert log(client) == []


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Content-Type": "text/plain"}, {"id": "undo-00000001"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"id=undo-00000001", 415),
        ({}, None, 411),
        ({"Content-Length": "-1"}, b"{}", 411),
        ({"Content-Length": "x"}, b"{}", 411),
        ({"Content-Length": str(MOST_BYTES + 1)}, None, 413),
        ({"Content-Length": "2", "Transfer-Encoding": "chunked"}, b"{}", 411),
        ({}, b"{", 400),
        ({}, b"\xff", 400),
        ({}, b"[]", 400),
        ({}, b"[" * 2000, 400),
        ({}, b'{"id": "a", "id": "b"}', 400),
    ],
)
def test_bodies_that_are_not_small_json_objects_are_refused(client, headers, body, status):
    assert client.ask("POST", "/undo", body, **headers)[0] == status
    assert client.ask("GET", "/view")[0] == 200


@pytest.mark.parametrize(
    "path", ["/nosuch", "/../../etc/passwd", "/page/page.js", "/%2e%2e/store.py", "/view?back=x", "/view?back=-1"]
)
def test_paths_that_are_not_ours_are_refused_without_their_text(client, path):
    status, answer = client.ask("GET", path)
    assert status in (400, 404)
    assert "nosuch" not in answer["error"]


def test_methods_and_lines_that_are_not_http_are_answered_without_their_text(client):
    for sent in (b"DELETE /secret HTTP/1.1\r\n\r\n", b"<script>alert(1)</script>\r\n\r\n", b"GET " + b"x" * 70000):
        with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda connection=connection: connection.recv(65536), b""))
        assert b"secret" not in answer
        assert b"script>" not in answer
        assert b"xxx" not in answer
    assert client.ask("GET", "/view")[0] == 200


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = {
    "id": st.just("verdict-0001") | JSON,
    "place": st.integers(0, 70) | JSON,
    "verdict": st.sampled_from(["true", "other", "skip"]) | JSON,
    "relation": st.sampled_from([None, "born_in", "nosuch"]) | JSON,
    "round": st.sampled_from(["first", "repeat"]) | JSON,
    "opinion_shown": st.booleans() | JSON,
    "opinion": JSON,
    "more": JSON,
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=150)
@given(st.sampled_from(["/verdict", "/undo"]), st.fixed_dictionaries({}, optional=FIELDS))
def test_any_json_is_stored_as_a_verdict_or_refused_in_one_line(client, path, content):
    before = len(log(client))
    status, answer = client.ask("POST", path, content)
    assert status in (200, 400)
    if status == 400:
        assert len(answer["error"].splitlines()) == 1
        assert len(log(client)) == before
    elif path == "/verdict" and len(log(client)) > before:
        sent = {key: value for key, value in content.items() if key != "opinion"}
        assert log(client)[-1].verdict == Verdict(**sent)
