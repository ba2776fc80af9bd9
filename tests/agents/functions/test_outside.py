"""Files and web services are open to an agent only where it is allowed."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from anaphora import AgentError
from anaphora.agents.functions import outside
from anaphora.agents.functions.function import CallError, FunctionContext, FunctionSet
from anaphora.agents.functions.outside import file_functions, http_functions

ANN = FunctionContext("ann", "", "ada", datetime(2026, 1, 5, tzinfo=UTC), "e:1")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "allowed").mkdir()
    (tmp_path / "allowed" / "notes.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("the key", encoding="utf-8")
    return tmp_path / "allowed"


def _read(folder, **arguments):
    return FunctionSet.of(file_functions(folder)).find("read_from_text_file").call(ANN, arguments)


def test_lines_of_a_file_below_the_folder(folder):
    assert (
        _read(folder, filename="notes.txt", line_start=2, num_lines=1) == "lines 2 to 2 of 3:\ntwo"
    )


@pytest.mark.parametrize(
    "name", ["../secret.txt", "/etc/passwd", "link.txt", "sub/../../secret.txt", "."]
)
def test_no_way_leads_out_of_the_folder(folder, name):
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    with pytest.raises(CallError):
        _read(folder, filename=name)


@pytest.mark.parametrize("arguments", [{"line_start": 0}, {"num_lines": 0}, {"line_start": "x"}])
def test_lines_that_cannot_be(folder, arguments):
    with pytest.raises(CallError, match="line"):
        _read(folder, filename="notes.txt", **arguments)


def test_a_missing_file_is_an_error_and_is_not_created(folder):
    functions = FunctionSet.of(file_functions(folder, writable=True))
    for name in ("read_from_text_file", "append_to_text_file"):
        with pytest.raises(CallError, match="No such file"):
            functions.find(name).call(ANN, {"filename": "new.txt", "content": "x"})
    assert not (folder / "new.txt").exists()


def test_writing_must_be_allowed(folder):
    assert FunctionSet.of(file_functions(folder)).get("append_to_text_file") is None
    functions = FunctionSet.of(file_functions(folder, writable=True))
    functions.find("append_to_text_file").call(ANN, {"filename": "notes.txt", "content": "four"})
    assert (folder / "notes.txt").read_text(encoding="utf-8").splitlines()[-1] == "four"


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(AgentError, match="there is no folder"):
        file_functions(tmp_path / "nowhere")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_does_not_block_the_agent(folder):
    os.mkfifo(folder / "pipe")
    with pytest.raises(CallError, match="not a file"):
        _read(folder, filename="pipe")


# -- web services ------------------------------------------------------------------------------


class _Service(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://evil.example/")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = f"{self.command} {self.path} {self.headers['Host']}".encode()
        if self.path == "/long":
            body = b"x" * (3 << 20)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *arguments):
        """Nothing on the console."""


@pytest.fixture
def service():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


def _request(url, **arguments):
    functions = FunctionSet.of(http_functions(["localhost", "api.example"]))
    return functions.find("http_request").call(ANN, {"method": "GET", "url": url} | arguments)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://other.example/", "other.example is not allowed"),
        ("http://localhost/", "private address"),
        ("http://api.example@localhost/", "write a URL"),
        ("file:///etc/passwd", "write a URL"),
        ("ftp://api.example/", "write a URL"),
        ("http://[::1", "not a URL"),
        ("nonsense", "write a URL"),
    ],
)
def test_only_public_hosts_that_were_named(url, problem):
    with pytest.raises(CallError, match=problem):
        _request(url)


def test_what_a_service_answers(service, monkeypatch):
    monkeypatch.setattr(outside, "_is_public", lambda address: True)
    answer = _request(f"http://localhost:{service}/weather")
    assert answer["status"] == 200
    assert answer["body"] == f"GET /weather localhost:{service}"


def test_a_redirect_leads_to_no_other_host(service, monkeypatch):
    monkeypatch.setattr(outside, "_is_public", lambda address: True)
    with pytest.raises(CallError, match=r"evil\.example is not allowed"):
        _request(f"http://localhost:{service}/away")


def test_an_endless_answer_is_cut(service, monkeypatch):
    monkeypatch.setattr(outside, "_is_public", lambda address: True)
    assert len(_request(f"http://localhost:{service}/long")["body"]) == 1 << 20


def test_hosts_are_names(monkeypatch):
    with pytest.raises(AgentError, match="not the name of a host"):
        http_functions(["https://api.example.com/"])
