"""Who may do what: every endpoint with missing, wrong, expired and other people's keys; tricks with
paths and headers; and that nothing that was said gets into logs, problems or metrics."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog
from fastapi import FastAPI
from starlette.testclient import TestClient

from anaphora import Engine
from anaphora.agents.agent import Agent
from anaphora.agents.files.loader import open_agent
from anaphora.agents.files.reading import parse_agent_file
from anaphora.server.app import create_app
from anaphora.server.auth.keys import ALL_SCOPES, generate_key
from anaphora.server.observability.logs import configure_logs
from anaphora.server.routes.page import PAGE_FOLDER, page_router
from anaphora.server.settings.model import LogSettings, Settings
from tests.conftest import Clock
from tests.server.conftest import Serve
from tests.server.sample_bots import OrderHandler, http_scope
from tests.server.test_problems import slug
from tests.support.chat_endpoint import ScriptedEndpoint
from tests.support.chat_endpoint import call as call_function

SCOPES = {
    ("post", "/v1/ask"): "ask",
    ("post", "/v1/dialog"): "ask",
    ("post", "/v1/ask/events"): "ask",
    ("post", "/v1/explain"): "ask",
    ("get", "/v1/conversation"): "read",
    ("delete", "/v1/conversation"): "write",
    ("get", "/v1/active-model"): "ask",
    ("put", "/v1/active-model"): "ask",
    ("delete", "/v1/active-model"): "ask",
    ("get", "/v1/history"): "read",
    ("get", "/v1/recall"): "read",
    ("delete", "/v1/user"): "write",
    ("get", "/v1/models"): "read",
    ("get", "/v1/model"): "read",
    ("post", "/v1/model/reload"): "admin",
    ("post", "/v1/model/check"): "admin",
    ("get", "/v1/agents"): "read",
    ("post", "/v1/agents/{agent}/messages"): "ask",
    ("post", "/v1/agents/{agent}/events"): "write",
    ("get", "/v1/agents/{agent}/core"): "read",
    ("put", "/v1/agents/{agent}/core/{label}"): "write",
    ("put", "/v1/agents/{agent}/memories/{name}"): "write",
    ("get", "/v1/agents/{agent}/queue"): "read",
    ("get", "/v1/agents/{agent}/steps"): "read",
    ("get", "/v1/agents/{agent}/usage"): "read",
    ("get", "/v1/agents/{agent}/recall"): "read",
    ("get", "/v1/agents/{agent}/archive"): "read",
    ("post", "/v1/agents/{agent}/archive"): "write",
    ("delete", "/v1/agents/{agent}/archive"): "write",
    ("get", "/v1/agents/{agent}/graph"): "read",
    ("get", "/v1/key"): None,
    ("get", "/metrics"): "admin",
}
OPEN = {("get", "/health"), ("get", "/ready"), ("get", "/nlpcraft/api/v1/health")}
BODIES: dict[str, dict[str, Any]] = {
    "/v1/ask": {"text": "I'd like a tea"},
    "/v1/dialog": {"texts": ["I'd like a tea"]},
    "/v1/ask/events": {"texts": ["I'd like a tea"]},
    "/v1/explain": {"text": "I'd like a tea"},
    "/v1/active-model": {"model": "lamp"},
    "/v1/agents/{agent}/messages": {"text": "Hi!"},
    "/v1/agents/{agent}/events": {"kind": "login"},
    "/v1/agents/{agent}/core/{label}": {"value": "Name: Ann."},
    "/v1/agents/{agent}/memories/{name}": {"value": "Asked for tea."},
    "/v1/agents/{agent}/archive": {"source": "diary", "text": "Kyoto."},
}
SHARED = "/v1/agents/{agent}/archive"  # without a user, it is the archive of all users
OF_A_USER = [
    one
    for one in SCOPES
    if "model/" not in one[1]
    and one[1] not in ("/v1/models", "/v1/model", "/v1/agents", "/v1/key", "/metrics")
]

BY_SCOPE = {scope: generate_key(f"only-{scope}", scopes=(scope,)) for scope in ALL_SCOPES}
ACME, ACME_KEPT = generate_key("acme", tenant="acme", scopes=ALL_SCOPES)
OTHER, OTHER_KEPT = generate_key("other", tenant="other", scopes=ALL_SCOPES)
ANN, ANN_KEPT = generate_key("ann", tenant="acme", scopes=ALL_SCOPES, user="ann")
OLD, OLD_KEPT = generate_key("old", scopes=ALL_SCOPES, expires=Clock().now)
STRANGE, _ = generate_key("acme", scopes=ALL_SCOPES)
KEYS = (*(kept for _, kept in BY_SCOPE.values()), ACME_KEPT, OTHER_KEPT, ANN_KEPT, OLD_KEPT)


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    script = call_function("send_message", {"message": "Hello!"})
    memories = "{core: {type: core}, facts: {type: graph}, notes: {type: state}}"
    file = parse_agent_file(f"agent: ada\nmemories: {memories}\n", Path("ada.yaml"))
    with (
        ScriptedEndpoint(lambda body: script) as endpoint,
        open_agent(file, url=endpoint.url) as agent,
    ):
        yield agent


@pytest.fixture
def locked(serve: Serve, agent: Agent) -> TestClient:
    return serve(keys=KEYS, agents=[agent])


def call(
    api: TestClient, method: str, path: str, key: str = "", *, user: str = "", **headers: str
) -> Any:
    """Any endpoint with what it needs."""
    sent = ({"authorization": f"Bearer {key}"} if key else {}) | headers
    query = {"id": "tea"} if path.startswith("/v1/model") and path != "/v1/models" else {}
    if (method, path) == ("delete", SHARED):
        query = {"source": "diary"}
    body = BODIES.get(path, {}) | ({"user": user} if user else {})
    path = path.format(agent="ada", label="human", name="notes")
    if method in ("post", "put") and not query:
        return api.request(method, path, json=body, headers=sent)
    return api.request(method, path, params=query | ({"user": user} if user else {}), headers=sent)


def everyone(app: Any) -> set[tuple[str, str]]:
    """Every endpoint that the description tells of."""
    paths = app.openapi()["paths"]
    return {(method, path) for path, methods in paths.items() for method in methods}


class TestKeys:
    def test_no_endpoint_is_forgotten_here(self, engine: Engine) -> None:
        told = everyone(create_app(Settings(), engine=engine))
        nlpcraft = {one for one in told if one[1].startswith("/nlpcraft/")}
        assert told - nlpcraft == SCOPES.keys() | OPEN - nlpcraft

    @pytest.mark.parametrize(("method", "path"), sorted(SCOPES))
    def test_without_a_key_that_holds_nothing_is_open(
        self, locked: TestClient, method: str, path: str
    ) -> None:
        for key in ("", "x", STRANGE, OLD, ACME[:-1], ACME + "0"):
            response = call(locked, method, path, key)
            assert slug(response) == "unauthorized"
            assert response.headers["www-authenticate"].startswith("Bearer")

    def test_nothing_of_nlpcraft_is_open_either(self, serve: Serve) -> None:
        api = serve(keys=KEYS, nlpcraft=True)
        asked = {one for one in everyone(api.app) if one[1].startswith("/nlpcraft/")} - OPEN
        for method, path in asked:
            body = {"acsTok": STRANGE, "txt": "tea", "mdlId": "tea", "email": "a", "passwd": "b"}
            for sent in (body, {}, body | {"acsTok": ""}):
                assert api.request(method, path, json=sent).status_code in (400, 401), path

    @pytest.mark.parametrize(("method", "path"), sorted(OPEN))
    def test_what_a_balancer_asks_needs_no_key(self, serve: Serve, method: str, path: str) -> None:
        assert call(serve(keys=KEYS, nlpcraft=True), method, path).status_code == 200

    @pytest.mark.parametrize(("method", "path"), sorted(SCOPES))
    def test_each_scope_opens_what_is_its_own(
        self, locked: TestClient, method: str, path: str
    ) -> None:
        for scope, (key, _) in BY_SCOPE.items():
            response = call(locked, method, path, key)
            if path == SHARED and method != "get":
                continue  # see TestArchive
            if SCOPES[method, path] in (scope, None):
                allowed = (200, 404, 422)  # without a long-term memory some are not there
                assert response.status_code in allowed, response.text
            else:
                assert slug(response) == "forbidden"

    @pytest.mark.parametrize(("method", "path"), sorted(OF_A_USER))
    def test_a_key_of_one_user_speaks_for_no_other(
        self, locked: TestClient, method: str, path: str
    ) -> None:
        assert slug(call(locked, method, path, ANN, user="bob")) == "forbidden"
        is_there = 404 if path in ("/v1/history", "/v1/recall") else 200
        assert call(locked, method, path, ANN, user="ann").status_code == is_there
        if path != SHARED:
            assert call(locked, method, path, ANN).status_code == is_there

    def test_a_key_of_one_user_means_them_if_it_names_nobody(self, locked: TestClient) -> None:
        call(locked, "post", "/v1/ask", ANN)
        found = call(locked, "get", "/v1/conversation", ACME, user="ann").json()
        assert (found["user"], found["questions"]) == ("ann", 1)

    def test_no_tenant_reads_or_forgets_the_conversations_of_another(
        self, locked: TestClient
    ) -> None:
        call(locked, "post", "/v1/ask", ACME, user="ann")
        call(locked, "put", "/v1/active-model", OTHER, user="ann")
        theirs = call(locked, "get", "/v1/conversation", OTHER, user="ann").json()
        assert (theirs["questions"], theirs["remembered"], theirs["model"]) == (0, [], "lamp")
        call(locked, "delete", "/v1/conversation", OTHER, user="ann")
        locked.delete("/v1/conversation?user=ann&model=tea", headers={"x-api-key": OTHER})
        ours = call(locked, "get", "/v1/conversation", ACME, user="ann").json()
        assert (ours["questions"], ours["model"]) == (1, "tea")

    @pytest.mark.parametrize("user", ["acme/ann", "acme\0ann", '["acme", "ann"]', "acme:ann"])
    def test_no_id_of_a_user_leads_into_another_tenant(self, locked: TestClient, user: str) -> None:
        call(locked, "post", "/v1/ask", ACME, user="ann")
        for key in (OTHER, BY_SCOPE["read"][0]):
            assert call(locked, "get", "/v1/conversation", key, user=user).json()["questions"] == 0

    @pytest.mark.parametrize("name", ["tenant", "company", "key"])
    def test_nobody_can_name_a_tenant(self, locked: TestClient, name: str) -> None:
        headers = {"x-api-key": OTHER}
        body = {"text": "tea", name: "acme"}
        assert slug(locked.post("/v1/ask", json=body, headers=headers)) == "invalid-request"
        response = locked.get(f"/v1/conversation?{name}=acme", headers=headers)
        assert slug(response) == "invalid-request"

    def test_a_key_expires_while_the_service_runs(self, serve: Serve, now: Clock) -> None:
        key, kept = generate_key("soon", expires=now.now + timedelta(minutes=1))
        api = serve(keys=[kept])
        assert call(api, "get", "/v1/key", key).status_code == 200
        now.pass_time(minutes=1)
        response = call(api, "get", "/v1/key", key)
        assert slug(response) == "unauthorized"
        assert response.json()["detail"] == "The key 'soon' has expired."

    def test_a_key_is_shown_without_its_secret(self, locked: TestClient) -> None:
        response = call(locked, "get", "/v1/key", ANN)
        assert response.json() == {
            "id": "ann",
            "tenant": "acme",
            "scopes": list(ALL_SCOPES),
            "user": "ann",
            "expires": None,
        }


class TestHeaders:
    @pytest.mark.parametrize(
        "headers",
        [
            {"authorization": f"Bearer {ACME}"},
            {"authorization": f"bearer  {ACME} "},
            {"x-api-key": ACME},
            {"x-api-key": ACME, "authorization": f"Bearer {ACME}"},
        ],
    )
    def test_a_key_comes_in_one_of_two_ways(
        self, locked: TestClient, headers: dict[str, str]
    ) -> None:
        assert locked.get("/v1/key", headers=headers).json()["id"] == "acme"

    @pytest.mark.parametrize(
        "headers",
        [
            [("authorization", f"Bearer {ACME}"), ("authorization", f"Bearer {OTHER}")],
            [("authorization", f"Bearer {ACME}"), ("authorization", "Basic YTpi")],
            [("authorization", f"Bearer {ACME}"), ("x-api-key", OTHER)],
            [("x-api-key", ACME), ("x-api-key", "")],
            [("x-api-key", f"{ACME}, {OTHER}")],
            [("authorization", f"Basic {ACME}")],
            [("authorization", ACME)],
            [("authorization", f"Bearer {ACME} {ACME}")],
            [("authorization", f"Bearer {ACME}\xff")],
            [("cookie", f"authorization=Bearer {ACME}")],
            [("x-api-key", "ana_" + "x" * 60_000)],
        ],
    )
    def test_two_keys_or_something_like_a_key_are_none(
        self, locked: TestClient, headers: list[tuple[str, str]]
    ) -> None:
        encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers]
        assert slug(locked.get("/v1/key", headers=encoded)) == "unauthorized"

    def test_a_key_in_the_address_is_none(self, locked: TestClient) -> None:
        assert locked.get(f"/v1/key?api_key={ACME}").status_code == 401

    def test_other_origins_are_not_let_in(self, api: TestClient) -> None:
        origin = {"origin": "https://evil.example"}
        response = api.options(
            "/v1/ask", headers=origin | {"access-control-request-method": "POST"}
        )
        assert not any("access-control" in name for name in response.headers)
        response = api.get("/v1/models", headers=origin)
        assert not any("access-control" in name for name in response.headers)

    def test_those_that_are_allowed_are(self, serve: Serve) -> None:
        api = serve(cors=["https://good.example"], keys=KEYS)
        asked = {
            "access-control-request-method": "PUT",
            "access-control-request-headers": "x-api-key",
        }
        good = api.options("/v1/ask", headers={"origin": "https://good.example"} | asked)
        assert good.status_code == 200
        assert good.headers["access-control-allow-origin"] == "https://good.example"
        assert "access-control-allow-credentials" not in good.headers
        evil = api.options("/v1/ask", headers={"origin": "https://evil.example"} | asked)
        assert "access-control-allow-origin" not in evil.headers
        refused = api.get("/v1/key", headers={"origin": "https://good.example"})
        assert refused.headers["access-control-allow-origin"] == "https://good.example"

    def test_a_page_that_is_allowed_can_read_every_refusal(
        self, serve: Serve, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        api = serve(cors=["https://good.example"], keys=KEYS, max_body=100, default_rate="9/day")
        good = {"origin": "https://good.example"}
        key = good | {"x-api-key": ACME}

        def fail(*args: Any) -> Any:
            raise RuntimeError("nobody expected this")

        assert isinstance(api.app, FastAPI)
        monkeypatch.setattr(api.app.state.service.rate_limiter, "consume", fail)
        refused = [("internal", api.get("/v1/key", headers=key))]
        monkeypatch.undo()
        refused += [
            ("not-found", api.get("/nothing", headers=good)),
            ("method-not-allowed", api.patch("/v1/ask", headers=good)),
            ("too-large", api.post("/v1/ask", content=b"x" * 101, headers=key)),
            ("unsupported-media-type", api.post("/v1/ask", content=b"x", headers=key)),
            ("too-many-requests", [api.get("/v1/key", headers=key) for _ in range(10)][-1]),
        ]
        api.app.state.gate.close()
        refused.append(("shutting-down", api.get("/v1/key", headers=key)))
        for kind, answer in refused:
            assert slug(answer) == kind
            assert answer.headers["access-control-allow-origin"] == "https://good.example", kind
        evil = api.get("/v1/key", headers={"origin": "https://evil.example"})
        assert "access-control-allow-origin" not in evil.headers
        asked = {"access-control-request-method": "PUT"}
        assert api.options("/v1/ask", headers=good | asked).status_code == 200

    def test_the_name_of_the_host_leads_nowhere(self, api: TestClient) -> None:
        response = api.get("/v1/models/", headers={"host": "evil.example"}, follow_redirects=False)
        assert response.status_code == 404
        assert "evil" not in response.text

    def test_a_method_cannot_be_changed_by_a_header(self, api: TestClient) -> None:
        api.post("/v1/ask", json={"text": "I'd like a tea"})
        api.get("/v1/conversation", headers={"x-http-method-override": "DELETE"})
        assert api.get("/v1/conversation").json()["questions"] == 1


class TestBrowsers:
    """Without keys whoever reaches the service may do everything, and a browser beside it does."""

    @pytest.mark.parametrize(
        "host",
        [
            "evil.example",
            "Evil.Example.:8080",
            "127.0.0.1.evil.example",
            "0.0.0.0:8080",
            "[::]:8080",
            "[::ffff:0:0]",
            "0",
        ],
    )
    def test_a_name_of_elsewhere_is_not_answered_to(self, serve: Serve, host: str) -> None:
        api = serve(nlpcraft=True)
        for method, path in SCOPES:
            assert slug(call(api, method, path, host=host)) == "forbidden"
        asked = {"txt": "I'd like a tea", "mdlId": "tea"}
        theirs = api.post("/nlpcraft/api/v1/ask/sync", json=asked, headers={"host": host})
        assert theirs.status_code == 403

    @pytest.mark.parametrize(
        "host",
        [
            "localhost:8080",
            "127.0.0.1",
            "192.168.0.7:80",
            "[::1]:8080",
            "[::1]",
            "tea.localhost",
            "",
        ],
    )
    def test_names_of_this_machine_are(self, api: TestClient, host: str) -> None:
        assert api.get("/v1/models", headers={"host": host}).status_code == 200

    def test_so_is_any_if_everyone_is_let_in_or_has_a_key(self, serve: Serve) -> None:
        evil = {"host": "evil.example"}
        assert serve(open=True).get("/v1/models", headers=evil).status_code == 200
        assert call(serve(keys=KEYS), "get", "/v1/models", ACME, **evil).status_code == 200

    @pytest.mark.parametrize("site", ["cross-site", "same-site", None])
    @pytest.mark.parametrize("is_open", [True, False])
    def test_the_page_of_another_origin_changes_and_runs_nothing(
        self, serve: Serve, site: str | None, *, is_open: bool
    ) -> None:
        api = serve(cors=["https://good.example"], open=is_open, nlpcraft=True)
        told = {} if site is None else {"sec-fetch-site": site}
        evil = told | {"origin": "https://evil.example"}
        for method, path in SCOPES:
            assert slug(call(api, method, path, **evil)) == "forbidden", path
        asked = {"txt": "I'd like a tea", "mdlId": "tea"}
        for path in ("ask", "ask/sync", "check", "cancel", "clear/dialog", "signout"):
            theirs = api.post(f"/nlpcraft/api/v1/{path}", json=asked, headers=evil)
            assert theirs.status_code == 403, path
        good = evil | {"origin": "https://good.example"}
        assert call(api, "post", "/v1/ask", **good).status_code == 200
        assert call(serve(cors=["*"]), "post", "/v1/ask", **evil).status_code == 200
        assert call(serve(keys=KEYS), "post", "/v1/ask", ACME, **evil).status_code == 200

    @pytest.mark.parametrize(
        "origin", ["null", "http://testserver:81", "http://0.0.0.0:8080", "file://", ""]
    )
    def test_an_origin_that_is_nearly_ours_is_another(self, api: TestClient, origin: str) -> None:
        assert slug(call(api, "post", "/v1/ask", origin=origin)) == "forbidden"

    @pytest.mark.parametrize(
        ("host", "headers"),
        [
            ("testserver", {"sec-fetch-site": "same-origin", "origin": "http://testserver"}),
            ("testserver", {"sec-fetch-site": "none"}),
            ("testserver", {"origin": "http://testserver"}),
            ("localhost:8080", {"origin": "http://LOCALHOST:8080"}),
            ("localhost:80", {"origin": "http://localhost"}),
            ("[::1]:443", {"origin": "https://[::1]"}),
        ],
    )
    def test_our_own_page_does(self, api: TestClient, host: str, headers: dict[str, str]) -> None:
        for method, path in (("post", "/v1/ask"), ("get", "/v1/models")):
            assert call(api, method, path, host=host, **headers).status_code == 200


class TestPaths:
    def test_a_parameter_does_not_stand_twice(self, api: TestClient) -> None:
        api.post("/v1/ask", json={"text": "I'd like a tea", "user": "bob"})
        response = api.delete("/v1/conversation?user=ann&user=bob")
        assert slug(response) == "invalid-request"
        assert response.json()["errors"] == [
            {"where": "user", "message": "The parameter is repeated."}
        ]
        assert api.get("/v1/conversation?user=bob").json()["questions"] == 1

    """As a server hands them over: already decoded, and not made plain."""

    PATHS = (
        "/v1/../v1/models",
        "/v1/./models",
        "//v1/models",
        "/v1//models",
        "/v1/models\0",
        "/v1/models;x",
        "/v1\\models",
        "/V1/MODELS",
        "/page/../settings.py",
        "/page/../../../etc/passwd",
        "/page//etc/passwd",
        "/page/..%2f..%2fapp.py",
        "/page/\0index.html",
        "/page/__init__.py",
        "/page/",
        "/page",
        "/page/index.html/",
        "/page/./index.html",
    )

    @pytest.mark.parametrize("path", PATHS)
    def test_a_path_is_what_it_is(self, engine: Engine, path: str) -> None:
        app = create_app(Settings(keys=KEYS), engine=engine)
        status, body = asyncio.run(self._get(app, path))
        assert (status, json.loads(body)["type"]) == (404, "urn:anaphora:problem:not-found")

    def test_the_page_is_served_under_a_strict_policy(self, api: TestClient) -> None:
        for path in ("/", "/page/app.js"):
            response = api.get(path)
            assert response.status_code == 200
            policy = response.headers["content-security-policy"]
            assert policy.startswith("default-src 'self';")
            assert "require-trusted-types-for 'script'" in policy
            assert response.headers["x-content-type-options"] == "nosniff"
        assert api.get("/").headers["content-type"] == "text/html; charset=utf-8"

    def test_a_page_that_a_browser_has_is_not_sent_again(self, api: TestClient) -> None:
        tag = api.get("/").headers["etag"]
        response = api.get("/", headers={"if-none-match": tag})
        assert (response.status_code, response.content) == (304, b"")

    def test_the_page_can_be_switched_off(self, serve: Serve) -> None:
        assert slug(serve(page=False).get("/")) == "not-found"

    def test_only_files_of_the_folder_are_served(self, tmp_path: Path) -> None:
        (tmp_path / "secret.js").write_text("secret")
        folder = tmp_path / "page"
        folder.mkdir()
        (folder / "index.html").write_text("hello")
        (folder / "link.js").symlink_to(tmp_path / "secret.js")
        (folder / "code.py").write_text("secret")
        app = FastAPI()
        app.include_router(page_router(folder))
        with TestClient(app) as api:
            assert api.get("/").text == "hello"
            for name in ("link.js", "code.py", "%2e%2e/secret.js", "..%5csecret.js"):
                assert api.get(f"/page/{name}").status_code == 404

    def test_every_file_of_the_page_is_there(self, api: TestClient) -> None:
        names = [path.relative_to(PAGE_FOLDER) for path in PAGE_FOLDER.rglob("*.js")]
        assert names
        for name in names:
            assert api.get(f"/page/{name}").status_code == 200

    @staticmethod
    async def _get(app: Any, path: str) -> tuple[int, bytes]:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await app(http_scope("GET", path), receive, send)
        return sent[0]["status"], sent[1]["body"]


class TestWhatIsWritten:
    SAID = "my number is four-nine-two-nine"  # no digits: times have all of them

    @pytest.fixture
    def log(self) -> Iterator[io.StringIO]:
        """All that is logged, as the service logs it."""
        root, stream = logging.getLogger(), io.StringIO()
        before = root.handlers[:], root.level
        configure_logs(LogSettings(level="debug"), stream)
        yield stream
        root.handlers[:] = before[0]
        root.setLevel(before[1])
        structlog.reset_defaults()

    @pytest.fixture
    def quiet(self, engine: Engine, now: Clock, log: io.StringIO) -> Iterator[TestClient]:
        app = create_app(Settings(keys=KEYS), engine=engine, clock=now)
        with TestClient(app) as api:
            yield api

    def test_neither_what_users_say_nor_a_key_is_logged_or_told_in_a_problem(
        self,
        quiet: TestClient,
        bar: OrderHandler,
        log: io.StringIO,
        engine: Engine,
        monkeypatch: Any,
    ) -> None:
        def fail(text: str) -> str:
            raise ValueError(f"what is {text}?")

        bar.handler = fail
        said = f"I'd like a tea, {self.SAID}"
        key, _ = BY_SCOPE["ask"]
        headers = {"authorization": f"Bearer {key}"}
        answered = [
            quiet.post("/v1/ask", json={"text": said}, headers=headers),
            quiet.post("/v1/ask", json={"text": [said]}, headers=headers),
            quiet.post("/v1/ask", json={"text": "a", "at": said}, headers=headers),
            quiet.post("/v1/ask", content=f'{{"{said}"', headers=headers),
            quiet.post("/v1/dialog", json={"texts": [said]}, headers=headers),
            quiet.get("/v1/models", headers={"x-api-key": key + self.SAID}),
            quiet.post("/v1/ask", json={"text": said, "model": said}, headers=headers),
        ]
        monkeypatch.setattr(engine, "ask", lambda text, **_: {}[text])
        answered.append(quiet.post("/v1/ask", json={"text": said}, headers=headers))
        answered.append(quiet.post("/v1/dialog", json={"texts": [said]}, headers=headers))

        assert [one.status_code for one in answered] == [
            500,
            422,
            422,
            415,
            200,
            401,
            404,
            500,
            200,
        ]
        secret = key.rpartition("_")[2]
        for text in (log.getvalue(), *(one.text for one in answered)):
            assert "four-nine" not in text
            assert secret not in text
        assert "only-ask" in log.getvalue()
        assert "ValueError" in log.getvalue()

    def test_labels_of_metrics_are_bounded(self, quiet: TestClient) -> None:
        headers = {"x-api-key": ACME}
        for number in range(20):
            quiet.get(f"/unknown-{number}", headers=headers)
            quiet.request(f"METHOD{number}", "/v1/ask", headers=headers)
            quiet.get("/v1/conversation", params={"user": f"u-{number}"}, headers=headers)
            body = {"text": "tea", "model": f"m-{number}", "user": f"u-{number}"}
            quiet.post("/v1/ask", json=body, headers=headers)
        text = quiet.get("/metrics", headers=headers).text
        for mark in ("/unknown", "METHOD", "u-1", "m-1"):
            assert mark not in text
        assert 'anaphora_failures_total{kind="unknown-model"} 20.0' in text
        assert 'route="/v1/conversation"' in text
