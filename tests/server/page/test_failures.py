"""The page in trouble: what is tried again, for whom, and what is said where nothing helps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Page, Request, Route, expect

from anaphora import Engine
from anaphora.server.auth.keys import generate_key
from anaphora.server.settings.model import Settings
from tests.server.page.conftest import Server, Visit, serving

Visits = Callable[..., Visit]

_START = ("v1/key", "v1/active-model", "v1/models", "v1/model?")


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine("sales", "cafe") as engine:
        yield engine


@pytest.fixture
def own_server(engine: Engine) -> Iterator[Server]:
    """A server that a test may stop."""
    with serving(engine, Settings(models=("sales", "cafe"))) as server:
        yield server


class Network:
    """The network of a page: what was sent, and what does not get through."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.sent: list[tuple[str, str, dict[str, Any]]] = []
        page.on("request", self._listen)

    def _listen(self, request: Request) -> None:
        url = urlsplit(request.url)
        if not url.path.startswith("/v1/"):
            return
        said = {name: values[0] for name, values in parse_qs(url.query).items()}
        if request.post_data:
            said |= json.loads(request.post_data)
        self.sent.append((request.method, url.path, said))

    def users(self, method: str, path: str) -> list[str]:
        """The users that requests of a method spoke of, one for each request."""
        return [said["user"] for how, where, said in self.sent if (how, where) == (method, path)]

    @contextmanager
    def down(self, method: str = "", path: str = "/v1/") -> Iterator[None]:
        """The requests of a method to a path do not reach the service."""

        def stop(route: Route) -> None:
            if method in ("", route.request.method):
                route.abort()
            else:
                route.fallback()

        self._page.route(f"**{path}**", stop)
        yield
        self._page.unroute(f"**{path}**", stop)

    def answer(self, path: str, status: int, problem: dict[str, Any], *, times: int = 1) -> None:
        """The next requests to a path are answered with a problem."""
        body = json.dumps({"type": "urn:anaphora:problem:test", "status": status, **problem})
        headers = {"Content-Type": "application/problem+json"}
        self._page.route(
            lambda url: path in url,
            lambda route: route.fulfill(status=status, headers=headers, body=body),
            times=times,
        )


def conversation(server: Server, user: str, model: str = "sales", key: str = "") -> dict[str, Any]:
    found = httpx.get(
        f"{server.url}/v1/conversation",
        params={"user": user, "model": model},
        headers={"X-API-Key": key} if key else {},
    )
    return dict(found.raise_for_status().json())


def reset(page: Page) -> None:
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("menuitem", name="Everything").click()


def become(page: Page, user: str) -> None:
    page.locator("#user").fill(user)
    page.locator("#user").press("Enter")


def enter(page: Page, key: str) -> None:
    page.locator("#door-key").fill(key)
    page.locator("#door-key").press("Enter")


class TestAResetThatDidNotGetThrough:
    def test_is_made_once_the_service_is_back(self, visit: Visits):
        at = visit(refused=True).open("sales")
        at.ask("sales report")
        with Network(at.page).down():
            reset(at.page)
            expect(at.page.locator("#notice")).to_contain_text("Trying again")
        expect(at.page.locator("#memory .card")).to_have_count(0)
        expect(at.page.locator("#notice")).not_to_contain_text("Trying again")
        assert conversation(at.server, at.user)["remembered"] == []

    def test_is_not_made_for_the_user_that_the_page_was_given_to(self, visit: Visits):
        at = visit(refused=True)
        at.page.clock.install()
        at.open("sales")
        page, friend = at.page, f"{at.user}-friend"
        at.server.ask("purchases", user=friend, model="sales")
        at.ask("sales report")
        network = Network(page)
        with network.down():
            reset(page)
            expect(page.locator("#notice")).to_contain_text("Trying again")
            become(page, friend)
            expect(page.locator("#notice")).to_contain_text("Not reset")
        expect(page.locator("#memory .card .main")).to_have_text(["purchases"])
        page.clock.fast_forward(60_000)
        assert friend not in network.users("DELETE", "/v1/conversation")
        expect(page.locator("#notice")).to_contain_text(at.user)
        page.locator("#notice").get_by_role("button", name="Dismiss").click()
        expect(page.locator("#notice")).not_to_contain_text("Not reset")

    def test_is_not_made_in_the_conversation_with_another_model(self, visit: Visits):
        at = visit(refused=True)
        at.page.clock.install()
        at.open("cafe")
        page = at.page
        at.ask("How much is a tea at Costa?")
        at.switch("sales")
        at.ask("sales report")
        network = Network(page)
        with network.down("DELETE"):
            reset(page)
            expect(page.locator("#notice")).to_contain_text("Trying again")
            at.switch("cafe")
            expect(page.locator("#notice")).to_contain_text("Not reset")
        before = len(network.users("DELETE", "/v1/conversation"))
        page.clock.fast_forward(60_000)
        at.ask("And a coffee?")
        assert len(network.users("DELETE", "/v1/conversation")) == before
        assert len(conversation(at.server, at.user, "sales")["remembered"]) == 1

    def test_is_not_made_with_another_key(self, visit: Visits, engine: Engine):
        keys = [
            generate_key(name, tenant=name, scopes=("ask", "read", "write"))
            for name in ("one", "two")
        ]
        settings = Settings(models=("sales",), keys=tuple(kept for _, kept in keys))
        (one, _), (two, _) = keys
        with serving(engine, settings) as server:
            at = visit(server, refused=True)
            page = at.page
            page.clock.install()
            httpx.post(
                f"{server.url}/v1/ask",
                json={"text": "purchases", "user": at.user, "model": "sales"},
                headers={"X-API-Key": two},
            ).raise_for_status()
            page.goto(f"{server.url}/?user={at.user}")
            enter(page, one)
            expect(page.locator("#welcome h2")).to_be_visible()
            at.ask("sales report")
            network = Network(page)
            with network.down("DELETE"):
                reset(page)
                expect(page.locator("#notice")).to_contain_text("Trying again")
                page.locator("#key").click()
                enter(page, two)
                expect(page.locator("#memory .card .main")).to_have_text(["purchases"])
            before = len(network.users("DELETE", "/v1/conversation"))
            page.clock.fast_forward(60_000)
            expect(page.locator("#notice")).to_contain_text("Not reset")
            assert len(network.users("DELETE", "/v1/conversation")) == before
            assert len(conversation(server, at.user, key=two)["remembered"]) == 1

    def test_does_not_forget_what_was_said_after_it(self, visit: Visits):
        at = visit(refused=True)
        at.page.clock.install()
        at.open("sales")
        at.ask("sales report")
        network = Network(at.page)
        with network.down("DELETE"):
            reset(at.page)
            expect(at.page.locator("#notice")).to_contain_text("Trying again")
            at.ask("purchases")
        expect(at.page.locator("#notice")).to_contain_text("Not reset")
        before = len(network.users("DELETE", "/v1/conversation"))
        at.page.clock.fast_forward(60_000)
        at.ask("sales report")
        assert len(network.users("DELETE", "/v1/conversation")) == before

    def test_is_told_of_when_the_answer_to_it_fails_after_the_user_has_changed(self, visit: Visits):
        at = visit(refused=True).open("sales")
        page = at.page
        at.ask("sales report")
        held: list[Route] = []
        page.route("**/v1/conversation?*what=all*", lambda route: held.append(route))
        with page.expect_request(lambda request: request.method == "DELETE"):
            reset(page)
        become(page, f"{at.user}-friend")
        expect(page.locator(".turn")).to_have_count(0)
        expect(page.locator("#welcome h2")).to_be_visible()
        held.pop().abort()
        expect(page.locator("#notice")).to_contain_text("Not reset")
        expect(page.locator("#notice")).to_contain_text(at.user)
        assert held == []


class TestTheSwitchOfAModel:
    def test_is_made_once_the_service_is_back(self, visit: Visits):
        at = visit(refused=True).open("sales")
        with Network(at.page).down("PUT"):
            at.page.locator("#model").select_option("cafe")
            expect(at.page.locator("#notice")).to_contain_text("Trying again")
            expect(at.page.locator("#model")).to_have_value("sales")
        expect(at.page.locator("#model")).to_have_value("cafe")
        expect(at.page.locator("#welcome h2")).to_have_text("Coffee shops")

    def test_is_not_made_for_another_user(self, visit: Visits):
        at = visit(refused=True)
        at.page.clock.install()
        at.open("sales")
        page, friend = at.page, f"{at.user}-friend"
        network = Network(page)
        with network.down():
            page.locator("#model").select_option("cafe")
            expect(page.locator("#notice")).to_contain_text("Trying again")
            become(page, friend)
            expect(page.locator("#notice")).to_contain_text("Not switched")
        expect(page.locator("#welcome h2")).to_be_visible()
        page.clock.fast_forward(60_000)
        assert friend not in network.users("PUT", "/v1/active-model")

    def test_that_is_slow_does_not_carry_another_user_along(self, visit: Visits):
        at = visit().open("sales")
        page, friend = at.page, f"{at.user}-friend"
        url = f"{at.server.url}/v1/active-model"
        httpx.put(url, json={"user": friend, "model": "weather"}).raise_for_status()
        held: list[Route] = []

        def hold(route: Route) -> None:
            if route.request.method == "PUT":
                held.append(route)
            else:
                route.fallback()

        page.route("**/v1/active-model**", hold)
        with page.expect_request(lambda request: request.method == "PUT"):
            page.locator("#model").select_option("cafe")
        become(page, friend)
        expect(page.locator("#model")).to_have_value("weather")
        with page.expect_response(lambda response: response.request.method == "PUT"):
            held.pop().continue_()
        at.ask("What is the weather in Oslo?")
        expect(page.locator("#model")).to_have_value("weather")
        expect(page.locator("#welcome h2")).to_be_hidden()
        assert conversation(at.server, friend, "weather")["questions"] == 1

    def test_ends_with_the_model_that_was_chosen_last(self, visit: Visits):
        at = visit().open("sales")
        page = at.page
        held: list[Route] = []

        def hold_first(route: Route) -> None:
            if route.request.method == "PUT" and not held:
                held.append(route)
            else:
                route.fallback()

        page.route("**/v1/active-model**", hold_first)
        with page.expect_request(lambda request: request.method == "PUT"):
            page.locator("#model").select_option("cafe")
        page.locator("#model").select_option("weather")
        held[0].continue_()
        expect(page.locator("#welcome h2")).to_have_text("Weather")
        expect(page.locator("#model")).to_have_value("weather")
        active = httpx.get(f"{at.server.url}/v1/active-model", params={"user": at.user}).json()
        assert active["model"] == "weather"


class TestAnotherUserOrKey:
    def test_nothing_is_asked_for_the_former_user_while_the_new_one_is_not_there(
        self, visit: Visits
    ):
        at = visit(refused=True).open("sales")
        page, friend = at.page, f"{at.user}-friend"
        at.ask("sales report")
        network = Network(page)
        with network.down(path="/v1/active-model"):
            become(page, friend)
            expect(page.locator("#notice")).to_contain_text("cannot be reached")
            expect(page.locator(".turn")).to_have_count(0)
            page.locator("#question").fill("who was the best?")
            page.locator("#question").press("Enter")
            expect(page.locator("#unsent")).to_contain_text("Not sent")
            page.get_by_role("button", name="Reset").click()
            page.get_by_role("menuitem", name="Everything").click()
            expect(page.locator("#notice")).to_contain_text("Not reset")
        expect(page.locator("#welcome h2")).to_be_visible()
        assert network.users("POST", "/v1/ask") == []
        assert network.users("DELETE", "/v1/conversation") == []
        expect(page.locator("#question")).to_have_value("who was the best?")

    def test_the_chat_of_one_key_is_not_shown_to_another(self, visit: Visits, engine: Engine):
        keys = [
            generate_key(name, tenant=name, scopes=("ask", "read", "write"))
            for name in ("one", "two")
        ]
        settings = Settings(models=("sales",), keys=tuple(kept for _, kept in keys))
        with serving(engine, settings) as server:
            at = visit(server, refused=True)
            page = at.page
            page.goto(f"{server.url}/?user={at.user}")
            enter(page, keys[0][0])
            expect(page.locator("#welcome h2")).to_be_visible()
            at.ask("sales report")
            page.locator("#question").fill("half a question")
            page.locator("#key").click()
            enter(page, keys[1][0])
            expect(page.locator("#welcome h2")).to_be_visible()
            expect(page.locator(".turn")).to_have_count(0)
            expect(page.locator("#question")).to_have_value("")
            page.locator("#key").click()
            enter(page, keys[0][0])
            expect(page.locator(".turn .text")).to_have_text(["sales report"])
            expect(page.locator("#question")).to_have_value("half a question")

    def test_a_late_refusal_of_the_former_key_is_not_held_against_the_new_one(
        self, visit: Visits, engine: Engine
    ):
        keys = [generate_key(name, scopes=("ask", "read")) for name in ("one", "two")]
        settings = Settings(models=("sales",), keys=tuple(kept for _, kept in keys))
        with serving(engine, settings) as server:
            at = visit(server, refused=True)
            page = at.page
            page.goto(f"{server.url}/?user={at.user}")
            enter(page, keys[0][0])
            expect(page.locator("#welcome h2")).to_be_visible()
            at.ask("sales report")
            held: list[Route] = []
            page.route("**/v1/conversation**", lambda route: held.append(route), times=1)
            with page.expect_request("**/v1/conversation**"):
                at.come_back()
            page.locator("#key").click()
            enter(page, keys[1][0])
            expect(page.locator("#memory .card .main")).to_have_text(["sales report"])
            with page.expect_response("**/v1/conversation**"):
                held.pop().fulfill(status=401, body="{}")
            at.ask("who was the best?")
            expect(page.locator("#door")).to_be_hidden()


class TestAStartThatFails:
    @pytest.mark.parametrize("path", _START)
    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_is_tried_again_until_it_works(self, visit: Visits, path: str, status: int):
        at = visit(refused=True)
        page = at.page
        page.clock.install()
        network = Network(page)
        network.answer(path, status, {"title": "Not now", "detail": "Later."}, times=2)
        page.goto(f"{at.server.url}/?user={at.user}")
        expect(page.locator("#notice")).to_contain_text("Not now")
        expect(page.locator("#notice")).to_contain_text("Trying again")
        page.locator("#question").fill("a question")
        page.locator("#question").press("Enter")
        expect(page.locator("#unsent")).to_contain_text("Not sent")
        page.clock.fast_forward(10_000)
        expect(page.locator("#welcome h2")).to_be_visible()
        expect(page.locator("#notice")).not_to_contain_text("Not now")
        expect(page.locator("#unsent")).to_be_empty()
        expect(page.locator("#question")).to_have_value("a question")
        page.locator("#question").press("Enter")
        expect(page.locator(".turn.done")).to_have_count(1)

    def test_waits_as_long_as_the_service_says(self, visit: Visits):
        at = visit(refused=True)
        page = at.page
        page.clock.install()
        tries: list[str] = []

        def refuse(route: Route) -> None:
            tries.append(route.request.url)
            route.fulfill(status=503, headers={"Retry-After": "600"}, body="{}")

        page.route("**/v1/key", refuse, times=1)
        page.goto(f"{at.server.url}/?user={at.user}")
        expect(page.locator("#notice")).to_contain_text("Trying again")
        page.on("request", lambda request: tries.append(request.url))
        page.clock.fast_forward(300_000)
        assert len(tries) == 1
        page.clock.fast_forward(300_000)
        expect(page.locator("#welcome h2")).to_be_visible()

    def test_waits_longer_after_each_failure(self, visit: Visits):
        pauses = (
            visit()
            .open()
            .page.evaluate(
                """async () => {
                const { pause } = await import("/page/retries.js");
                return [1, 2, 3, 4, 50].map((failures) => pause(failures, { wait: 0 }));
            }"""
            )
        )
        assert pauses == [1_500, 3_000, 6_000, 12_000, 30_000]

    def test_with_a_key_that_may_not_ask_says_so_and_takes_another_one(
        self, visit: Visits, engine: Engine
    ):
        reader, kept_reader = generate_key("reader", scopes=("read",))
        desk, kept_desk = generate_key("desk", scopes=("ask", "read"))
        settings = Settings(models=("sales",), keys=(kept_reader, kept_desk))
        with serving(engine, settings) as server:
            at = visit(server, refused=True)
            page = at.page
            page.goto(server.url)
            enter(page, reader)
            notice = page.locator("#notice")
            expect(notice).to_contain_text("This key may not ask")
            expect(notice).to_contain_text("scope ask")
            page.locator("#question").fill("sales report")
            page.locator("#question").press("Enter")
            expect(page.locator("#unsent")).to_contain_text("This key may not ask")
            notice.get_by_role("button", name="Enter a key").click()
            enter(page, desk)
            expect(page.locator("#welcome h2")).to_be_visible()
            expect(notice).not_to_contain_text("may not ask")

    def test_for_a_user_id_that_is_too_long_says_so_until_it_is_shorter(self, visit: Visits):
        at = visit(refused=True)
        page = at.page
        page.set_viewport_size({"width": 360, "height": 780})
        page.goto(f"{at.server.url}/?user={'a' * 501}")
        expect(page.locator("#notice")).to_contain_text("user")
        expect(page.locator("#notice")).to_contain_text("500 characters")
        page.locator("#question").fill("sales report")
        page.locator("#question").press("Enter")
        expect(page.locator("#unsent")).to_contain_text("Not sent")
        expect(page.locator("#user")).to_be_visible()
        expect(page.locator("#user")).to_have_attribute("aria-invalid", "true")
        become(page, at.user)
        expect(page.locator("#welcome h2")).to_be_visible()
        expect(page.locator("#user")).not_to_have_attribute("aria-invalid", "true")
        expect(page.locator("#notice")).to_be_empty()

    def test_that_nothing_heals_can_be_tried_again_by_hand(self, visit: Visits):
        at = visit(refused=True)
        network = Network(at.page)
        network.answer("v1/active-model", 404, {"title": "Not found", "detail": "Not here."})
        at.page.goto(f"{at.server.url}/?user={at.user}")
        expect(at.page.locator("#notice")).to_contain_text("Not here.")
        at.page.get_by_role("button", name="Try again").click()
        expect(at.page.locator("#welcome h2")).to_be_visible()
        expect(at.page.locator("#notice")).to_be_empty()

    def test_of_a_server_that_is_down_goes_on_once_it_is_there(
        self, visit: Visits, own_server: Server
    ):
        at = visit(own_server, refused=True)
        with Network(at.page).down():
            at.page.goto(f"{own_server.url}/?user={at.user}")
            expect(at.page.locator("#notice")).to_contain_text("cannot be reached")
            at.page.locator("#question").fill("sales report")
            at.page.locator("#question").press("Enter")
            expect(at.page.locator("#unsent")).to_contain_text("cannot be reached")
        at.page.locator("#question").press("Enter")  # at once, whatever the pause
        expect(at.page.locator("#welcome h2")).to_be_visible()
        expect(at.page.locator("#question")).to_have_value("sales report")


class TestEnter:
    def test_on_nothing_says_what_to_do(self, visit: Visits):
        at = visit().open("sales")
        at.page.locator("#question").press("Enter")
        expect(at.page.locator("#unsent")).to_contain_text("Type a question")
        at.ask("sales report")
        expect(at.page.locator("#unsent")).to_be_empty()

    def test_while_an_answer_is_awaited_says_so_and_keeps_the_question(self, visit: Visits):
        at = visit().open("sales")
        page = at.page
        held: list[Route] = []
        page.route("**/v1/ask", lambda route: held.append(route), times=1)
        with page.expect_request("**/v1/ask"):
            page.locator("#question").fill("sales report")
            page.locator("#question").press("Enter")
        page.locator("#question").fill("who was the best?")
        page.locator("#question").press("Enter")
        expect(page.locator("#unsent")).to_contain_text("Not sent")
        expect(page.locator("#question")).to_have_value("who was the best?")
        held.pop().continue_()
        expect(page.locator(".turn.done")).to_have_count(1)
        expect(page.locator("#unsent")).to_be_empty()
        page.locator("#question").press("Enter")
        expect(page.locator(".turn.done")).to_have_count(2)

    def test_a_failed_question_is_kept_while_the_model_is_switched(self, visit: Visits):
        at = visit(refused=True).open("sales")
        page = at.page
        with Network(page).down(path="/v1/ask"):
            page.locator("#question").fill("sales report")
            page.locator("#question").press("Enter")
            expect(page.locator(".turn.failed")).to_have_count(1)
        held: list[Route] = []

        def hold(route: Route) -> None:
            if route.request.method == "PUT":
                held.append(route)
            else:
                route.fallback()

        page.route("**/v1/active-model**", hold)
        with page.expect_request(lambda request: request.method == "PUT"):
            page.locator("#model").select_option("cafe")
        page.get_by_role("button", name="Ask again").click()
        expect(page.locator(".turn.failed")).to_have_count(1)
        expect(page.locator("#unsent")).to_contain_text("Not sent")
        held.pop().continue_()
        expect(page.locator("#welcome h2")).to_have_text("Coffee shops")


def test_a_look_that_was_overtaken_by_a_reset_brings_nothing_back(visit: Visits):
    at = visit().open("sales")
    page = at.page
    at.ask("sales report")
    late: list[tuple[Route, Any]] = []

    def hold(route: Route) -> None:
        if route.request.method == "GET" and not late:
            late.append((route, route.fetch()))
        else:
            route.fallback()

    page.route("**/v1/conversation**", hold)
    with page.expect_request("**/v1/conversation**"):
        at.come_back()
    reset(page)
    expect(page.locator("#memory .card")).to_have_count(0)
    with ExitStack() as stack:
        stack.enter_context(page.expect_response(lambda response: response.request.method == "GET"))
        route, response = late[0]
        route.fulfill(response=response)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(page.locator("#memory .card")).to_have_count(0)
    expect(page.locator("#gone .out")).to_contain_text("a reset was asked for")
