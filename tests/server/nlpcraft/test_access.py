"""Keys as access tokens: whose questions they may ask, see, cancel and clear."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Engine
from anaphora.core.request import Company, User
from anaphora.server.auth.keys import generate_key
from tests.server.nlpcraft.api_client import (
    ANNS,
    ASKER,
    KEYS,
    OTHER,
    READER,
    SHOP,
    running_api,
    weather,
)

BODIES = {
    "ask": {"txt": "weather in Tokyo"},
    "ask/sync": {"txt": "weather in Tokyo"},
    "check": {},
    "cancel": {},
    "clear/conversation": {},
    "clear/dialog": {},
    "signout": {},
}
each_path = pytest.mark.parametrize("path", BODIES)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return weather()


@pytest.fixture(scope="module")
def api(engine):
    with running_api(engine, *KEYS) as api:
        yield api


@each_path
@pytest.mark.parametrize(
    "key",
    ["", "ana_shop_wrong", "ana_none_x", "x", SHOP[:-1], SHOP + "0"],
    ids=["none", "wrong", "unknown", "no key", "shorter", "longer"],
)
def test_without_a_key_of_the_service_nothing_is_done(api, path, key):
    expected = (401, "NC_INVALID_ACCESS_TOKEN")
    assert api.with_key(key).refused(path, **BODIES[path]) == expected


@each_path
def test_a_key_in_a_header_does_not_count(api, path):
    response = api.client.post(
        f"/nlpcraft/api/v1/{path}",
        json={"mdlId": "weather", **BODIES[path]},
        headers={"Authorization": f"Bearer {SHOP}"},
    )
    assert response.status_code == 401


def test_a_key_that_has_expired_is_none():
    old, kept = generate_key("old", expires=datetime(2020, 1, 1, tzinfo=UTC))
    with running_api(weather(), kept) as api:
        assert api.with_key(old).refused("check") == (401, "NC_INVALID_ACCESS_TOKEN")


def test_every_path_of_the_api_is_tried_here(api):
    paths = api.client.get("/openapi.json").json()["paths"]
    ours = {path.removeprefix("/nlpcraft/api/v1/") for path in paths if "nlpcraft" in path}
    assert ours == {*BODIES, "signin", "health"}


@pytest.mark.parametrize("path", ["ask", "ask/sync", "check", "cancel"])
def test_questions_need_the_scope_ask(api, path):
    assert api.with_key(READER).refused(path, **BODIES[path]) == (403, "NC_ADMIN_REQUIRED")
    api.with_key(ASKER).post(path, **BODIES[path])


@pytest.mark.parametrize("path", ["clear/conversation", "clear/dialog"])
def test_clearing_needs_the_scope_write(api, path):
    assert api.with_key(ASKER).refused(path) == (403, "NC_ADMIN_REQUIRED")
    api.with_key(SHOP).post(path)


@pytest.mark.parametrize("path", ["ask", "ask/sync", "check", "cancel", "clear/dialog"])
def test_the_key_of_one_user_speaks_for_nobody_else(api, path):
    anns = api.with_key(ANNS)
    for named in ({"usrId": "ben"}, {"usrId": 7}, {"usrExtId": "ben"}):
        assert anns.refused(path, **BODIES[path], **named) == (403, "NC_ADMIN_REQUIRED")
    anns.post(path, **BODIES[path], usrId="ann")


def test_the_user_left_out_is_that_of_the_key_else_the_key_itself(api):
    assert api.with_key(ANNS).ask_sync("weather in Tokyo")["usrId"] == "ann"
    assert api.with_key(SHOP).ask_sync("weather in Tokyo")["usrId"] == "shop"


def test_tenants_share_neither_questions_nor_conversations(api, engine):
    shop, other = api.with_key(SHOP), api.with_key(OTHER)
    id = shop.ask("weather in Tokyo", usrId="zoe")
    shop.ready(id, usrId="zoe")
    assert other.check(usrId="zoe") == []
    assert other.check(usrId="zoe", srvReqIds=[id]) == []
    other.post("cancel", usrId="zoe")
    other.post("cancel", usrId="zoe", srvReqIds=[id])
    other.post("clear/conversation", usrId="zoe")
    assert other.ask_sync("And in Kyoto?", usrId="zoe")["errorCode"] == 1
    assert len(shop.check(usrId="zoe")) == 1
    assert shop.ask_sync("And in Kyoto?", usrId="zoe")["resBody"] == "Kyoto"
    assert len(engine.memory(user=User("zoe", company=Company("shop")))) == 2


def test_no_user_id_reaches_into_another_tenant(api):
    shop, other = api.with_key(SHOP), api.with_key(OTHER)
    shop.ready(shop.ask("weather in Tokyo", usrId="a"), usrId="a")
    for trick in ('shop", "a', "shop:a", "../shop/a", 'a"]', "a\x00", "shop\x1fa", "*"):
        assert other.check(usrId=trick) == []


def test_the_rate_of_a_key_holds_here_too():
    key, kept = generate_key("slow", rate="2/hour")
    with running_api(weather(), kept) as api:
        slow = api.with_key(key)
        slow.check()
        slow.check()
        assert slow.refused("check") == (429, "NC_TOO_MANY_REQUESTS")


class TestSignIn:
    def test_the_key_as_a_password_comes_back_as_the_token(self, api):
        token = api.post("signin", email="ann@example.org", passwd=SHOP)["acsTok"]
        assert api.with_key(token).check() is not None
        assert api.with_key(token).post("signout") == {}

    def test_a_wrong_password_is_a_failure_of_its_own(self, api):
        refused = api.refused("signin", email="ann@example.org", passwd="secret")
        assert refused == (401, "NC_SIGNIN_FAILURE")

    def test_a_service_without_keys_takes_any(self, engine):
        with running_api(engine) as api:
            assert api.post("signin", email="a", passwd="b") == {"acsTok": "b"}
            assert api.with_key("b").ask_sync("weather in Tokyo")["resBody"] == "Tokyo"


def test_health_needs_no_key(api):
    response = api.client.get("/nlpcraft/api/v1/health")
    assert (response.status_code, response.json()) == (200, {"status": "API_OK"})
