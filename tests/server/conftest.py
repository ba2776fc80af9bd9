"""The API of small bots, for tests. The bots are made once: that takes half a second."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import datetime
from itertools import product
from typing import Any, TypeAlias

import pytest
import structlog
from starlette.testclient import TestClient

from anaphora import Company, Engine, User, parse_model
from anaphora.agents.agent import Agent
from anaphora.server.app import create_app
from anaphora.server.settings.model import Settings
from tests.conftest import Clock
from tests.server.sample_bots import LAMP, TEA, OrderHandler

Serve: TypeAlias = Callable[..., TestClient]


class Shop:
    """A tea room with a lamp, and who serves in it."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.engine = Engine(parse_model(TEA), parse_model(LAMP), clock=self.clock)
        self.bar = OrderHandler()

        @self.engine.on("order")
        def order(
            drink: str, size: str | None, text: str, user: str, at: datetime, data: dict[str, Any]
        ) -> Any:
            return self.bar(drink=drink, size=size, text=text, user=user, at=at, data=data)

    def clean(self) -> None:
        """Be as at first."""
        self.clock.now = Clock().now
        self.bar.handler = None
        for key in tuple(self.engine.store.keys()):
            self.engine.store.forget(key)
        for name, tenant in product(("user", "ann", "bob"), (None, "acme", "other")):
            company = Company(tenant) if tenant else None
            self.engine.switch(None, user=User(name, company=company))


@pytest.fixture(autouse=True)
def _nothing_said_of_logs() -> Iterator[None]:
    """How one test has logs written is no matter of the next one's."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def _shop() -> Shop:
    return Shop()


@pytest.fixture
def shop(_shop: Shop) -> Shop:
    """The tea room before its first guest."""
    _shop.clean()
    return _shop


@pytest.fixture
def engine(shop: Shop) -> Engine:
    return shop.engine


@pytest.fixture
def bar(shop: Shop) -> OrderHandler:
    return shop.bar


@pytest.fixture
def now(shop: Shop) -> Clock:
    """The clock of the tea room and of its API."""
    return shop.clock


@pytest.fixture
def serve(shop: Shop) -> Iterator[Serve]:
    """Starts the API with further settings; it ends with the test."""
    # Its own way to show an error takes seconds.
    structlog.configure(processors=[structlog.processors.JSONRenderer(default=repr)])
    with ExitStack() as stack:
        stack.callback(structlog.reset_defaults)

        def start(
            *,
            of: Engine | None = None,
            agents: Iterable[Agent] = (),
            headers: Any = None,
            **settings: Any,
        ) -> TestClient:
            app = create_app(
                Settings(**{"nlpcraft": False} | settings),
                engine=of or shop.engine,
                agents=agents,
                clock=shop.clock,
            )
            return stack.enter_context(TestClient(app, headers=headers))

        yield start


@pytest.fixture
def api(serve: Serve) -> TestClient:
    """The API without keys."""
    return serve()
