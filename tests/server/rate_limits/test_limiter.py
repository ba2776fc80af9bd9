"""How often a key may be used."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from anaphora import Engine
from anaphora.server.app import create_app
from anaphora.server.auth.keys import generate_key
from anaphora.server.settings.model import Settings
from tests.server.conftest import Serve
from tests.server.test_problems import slug
from tests.support.long_form import is_long_form
from tests.support.real_server import wait_until
from tests.support.redis_cluster import redis_cluster  # noqa: F401 - a fixture
from tests.support.redis_sentinel import redis_sentinels  # noqa: F401 - a fixture
from tests.support.redis_server import RedisServer

# By the day, so that no window ends while a test runs.
ONE, ONE_KEPT = generate_key("one", rate="3/day")
OTHER, OTHER_KEPT = generate_key("other", rate="3/day")
FREE, FREE_KEPT = generate_key("free")
KEYS = (ONE_KEPT, OTHER_KEPT, FREE_KEPT)


def use(api: TestClient, key: str, times: int = 1) -> Any:
    """The last answer of so many uses."""
    for _ in range(times):
        response = api.get("/v1/key", headers={"x-api-key": key})
    return response


def ask(api: TestClient, key: str, number: int, path: str = "/v1/dialog") -> Any:
    return api.post(path, json={"texts": ["tea"] * number}, headers={"x-api-key": key})


def test_a_key_that_is_used_too_often_is_told_when_to_come_back(serve: Serve) -> None:
    api = serve(keys=KEYS)
    assert use(api, ONE, 3).status_code == 200
    response = use(api, ONE)
    assert slug(response) == "too-many-requests"
    assert 1 <= int(response.headers["retry-after"]) <= 86_400
    assert response.json()["detail"] == "The rate of this key is 3/day."


def test_each_key_has_a_count_of_its_own(serve: Serve) -> None:
    api = serve(keys=KEYS)
    use(api, ONE, 4)
    assert use(api, OTHER).status_code == 200
    assert use(api, FREE, 10).status_code == 200


@pytest.mark.parametrize("path", ["/v1/dialog", "/v1/ask/events"])
def test_each_question_of_a_dialog_counts(serve: Serve, path: str) -> None:
    api = serve(keys=KEYS)
    assert ask(api, ONE, 2, path).status_code == 200
    assert slug(ask(api, ONE, 2, path)) == "too-many-requests"


def test_a_dialog_that_could_never_be_allowed_is_told_so(serve: Serve) -> None:
    response = ask(serve(keys=KEYS), ONE, 5)
    assert slug(response) == "invalid-request"  # to wait would not help
    assert "more than the rate of 3/day allows" in response.json()["detail"]


def test_a_dialog_may_have_as_many_questions_as_the_rate_allows(serve: Serve) -> None:
    assert ask(serve(keys=KEYS), ONE, 3).status_code == 200


def test_looking_at_a_conversation_takes_nothing_from_its_questions(serve: Serve) -> None:
    api = serve(keys=KEYS)
    polls = [api.get("/v1/conversation", headers={"x-api-key": ONE}) for _ in range(31)]
    assert {poll.status_code for poll in polls[:30]} == {200}
    assert slug(polls[30]) == "too-many-requests"
    assert ask(api, ONE, 3).status_code == 200


def test_the_default_rate_is_for_keys_that_have_none(serve: Serve) -> None:
    api = serve(keys=KEYS, default_rate="1/day")
    assert use(api, FREE).status_code == 200
    assert use(api, FREE).status_code == 429
    assert use(api, ONE, 3).status_code == 200


def test_where_there_are_no_keys_addresses_are_counted(serve: Serve, engine: Engine) -> None:
    app = create_app(Settings(default_rate="1/day"), engine=engine)
    for address in ("10.0.0.1", "10.0.0.2"):
        with TestClient(app, client=(address, 1)) as api:
            assert api.get("/v1/key").status_code == 200
            # Whoever sends it, nothing makes it true.
            assert api.get("/v1/key", headers={"x-forwarded-for": "1.2.3.4"}).status_code == 429


def test_behind_a_proxy_that_is_trusted_those_before_it_are_counted(engine: Engine) -> None:
    settings = Settings(default_rate="1/day", trusted_proxies=("10.0.0.0/8",))
    with TestClient(create_app(settings, engine=engine), client=("10.0.0.1", 1)) as api:
        for address in ("1.2.3.4", "9.9.9.9, 1.2.3.5", "1.2.3.6, 10.0.0.2"):
            headers = {"x-forwarded-for": address}
            assert api.get("/v1/key", headers=headers).status_code == 200
            assert api.get("/v1/key", headers=headers).status_code == 429
        made_up = {"x-forwarded-for": "8.8.8.8, 1.2.3.4"}
        assert api.get("/v1/key", headers=made_up).status_code == 429


def test_one_client_with_very_many_addresses_is_one(engine: Engine) -> None:
    app = create_app(Settings(default_rate="1/day"), engine=engine)
    answers = []
    for address in ("2001:db8:1:2::1", "2001:db8:1:2:ffff::7", "2001:db8:1:3::1"):
        with TestClient(app, client=(address, 1)) as api:
            answers.append(api.get("/v1/key").status_code)
    assert answers == [200, 429, 200]


def test_health_is_not_counted(serve: Serve) -> None:
    api = serve(default_rate="1/day")
    assert [api.get("/health").status_code for _ in range(3)] == [200] * 3


def test_workers_on_one_redis_count_together(serve: Serve, engine: Engine) -> None:
    with RedisServer() as server:
        shared = {"keys": KEYS, "store": f"{server.url}?prefix=shop&lease=5"}
        one, other = serve(**shared), serve(**shared)
        assert use(one, ONE, 2).status_code == 200
        assert use(other, ONE).status_code == 200
        assert use(one, ONE).status_code == use(other, ONE).status_code == 429
        with server.client() as redis:
            assert all(key.startswith(b"shop:rates") for key in redis.scan_iter())
        server.stop()
        assert slug(use(one, ONE)) == "store-unavailable"


@pytest.mark.cluster
@pytest.mark.parametrize("servers", ["redis_cluster", "redis_sentinels"])
def test_workers_on_a_cluster_and_behind_sentinel_count_together(
    serve: Serve, request: pytest.FixtureRequest, servers: str
) -> None:
    """In the long form also after a replica has taken over."""
    group = request.getfixturevalue(servers)
    options = "prefix=shop&lease=5&patience=60&min_replicas=1&replica_timeout=30"
    shared = {"keys": KEYS, "store": f"{group.url}?{options}"}
    one, other = serve(**shared), serve(**shared)
    assert use(one, ONE, 2).status_code == 200
    assert use(other, ONE).status_code == 200
    assert use(one, ONE).status_code == use(other, ONE).status_code == 429
    assert use(other, OTHER).status_code == 200
    if is_long_form(request, "cluster"):
        group.wait_until_replicated()
        group.fail_over(*getattr(group, "masters", ())[:1])
        wait_until(lambda: use(other, ONE).status_code == 429)
        assert use(one, ONE).status_code == 429
