"""A bot behind NLPCraft's API, and a client of it that reads well in tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import dedent
from threading import Event
from typing import Any

from starlette.testclient import TestClient

from anaphora import Engine, parse_model
from anaphora.server.app import create_app
from anaphora.server.auth.keys import generate_key
from anaphora.server.nlpcraft import PREFIX
from anaphora.server.settings.model import KeySettings, Settings
from tests.support.weather_models import WEATHER

WAIT_LIMIT = 30.0  # seconds: a loaded machine is slow, a lost answer never comes

SHOP, SHOP_KEY = generate_key("shop", tenant="shop", scopes=("ask", "write"))
OTHER, OTHER_KEY = generate_key("other", tenant="other", scopes=("ask", "write"))
ANNS, ANNS_KEY = generate_key("anns", tenant="shop", user="ann", scopes=("ask", "write"))
ASKER, ASKER_KEY = generate_key("asker", tenant="shop", scopes=("ask",))
READER, READER_KEY = generate_key("reader", tenant="shop", scopes=("read",))
KEYS = (SHOP_KEY, OTHER_KEY, ANNS_KEY, ASKER_KEY, READER_KEY)


class Api:
    """Sends what tests say, with the key and the model that they don't."""

    def __init__(self, client: TestClient, key: str = "") -> None:
        self.client = client
        self.key = key

    def with_key(self, key: str) -> Api:
        """The same service, spoken to with another key."""
        return Api(self.client, key)

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """What is answered to a request that is all right."""
        response = self.client.post(f"{PREFIX}/{path}", json=self._body(path, body))
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        assert answer.pop("status") == "API_OK"
        return answer

    def refused(self, path: str, **body: Any) -> tuple[int, str]:
        """The status and the code of the answer to one that is not."""
        response = self.client.post(f"{PREFIX}/{path}", json=self._body(path, body))
        answer = response.json()
        assert answer.keys() == {"code", "msg"}, answer
        return response.status_code, answer["code"]

    def ask(self, txt: str, **body: Any) -> str:
        """Enlist a question."""
        id: str = self.post("ask", txt=txt, **body)["srvReqId"]
        return id

    def ask_sync(self, txt: str, **body: Any) -> dict[str, Any]:
        """The state of a question that was waited for."""
        state: dict[str, Any] = self.post("ask/sync", txt=txt, **body)["state"]
        return state

    def check(self, **body: Any) -> list[dict[str, Any]]:
        states: list[dict[str, Any]] = self.post("check", **body)["states"]
        return states

    def ready(self, id: str, **body: Any) -> dict[str, Any]:
        """The state of an enlisted question once it is ready."""
        state = wait_for(
            lambda: next(
                (
                    state
                    for state in self.check(srvReqIds=[id], **body)
                    if state["status"] == "QRY_READY"
                ),
                None,
            )
        )
        assert isinstance(state, dict)
        return state

    def _body(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        named = {"mdlId": "weather"} if path.startswith(("ask", "clear")) else {}
        return ({"acsTok": self.key} if self.key else {}) | named | body


class BlockingHandler:
    """A handler that holds questions up, in order to be seen, and leaves the answer to the model.
    It is open at first."""

    def __init__(self, engine: Engine) -> None:
        self.cities: list[str] = []
        self._entered = Event()
        self._opened = Event()
        self._opened.set()
        engine.on("weather")(self)

    def __call__(self, city: str) -> None:
        self.cities.append(city)
        self._entered.set()
        assert self._opened.wait(WAIT_LIMIT)

    def close(self) -> None:
        """Hold up questions from now on."""
        self.cities.clear()
        self._entered.clear()
        self._opened.clear()

    def wait(self) -> None:
        """Return when a question stands before it."""
        assert self._entered.wait(WAIT_LIMIT)

    def open(self) -> None:
        self._opened.set()


@contextmanager
def running_api(engine: Engine, *keys: KeySettings, **settings: Any) -> Iterator[Api]:
    """The service of ``engine``, as long as the block runs."""
    app = create_app(Settings(keys=keys, **settings), engine=engine)
    with TestClient(app) as client:
        yield Api(client)


def weather(**options: Any) -> Engine:
    """The small weather bot."""
    return Engine(parse_model(dedent(WEATHER)), **options)


def wait_for(condition: Callable[[], Any]) -> Any:
    """The first value of ``condition`` that counts as true."""
    end = time.monotonic() + WAIT_LIMIT
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.01)
    raise AssertionError("it never came")
