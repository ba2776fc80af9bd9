"""Both sides of the dialog on the page: what the bot said, what it offers, what it waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from anaphora import Engine
from anaphora.server.auth.keys import generate_key
from anaphora.server.settings.model import Settings
from tests.server.page.conftest import MovingClock, Server, Visit, serving
from tests.server.page.contrast import NOTHING_WIDER, POOR_CONTRAST
from tests.support.plain_models import CINEMA

Visits = Callable[..., Visit]


@pytest.fixture(scope="module")
def engine(moving_clock: MovingClock) -> Iterator[Engine]:
    with Engine(CINEMA, clock=moving_clock) as engine:
        yield engine


@pytest.fixture
def cinema(engine: Engine, moving_clock: MovingClock) -> Iterator[Server]:
    with serving(engine, Settings(models=(CINEMA,)), moving_clock) as server:
        yield server


def test_an_offer_is_accepted_by_a_click(visit: Visits, cinema: Server):
    at = visit(cinema).open()
    page = at.page
    at.ask("What's on?")
    table = page.get_by_role("region", name="On the table")
    expect(table).to_contain_text("offered by find")
    expect(table.get_by_role("button")).to_have_text(
        ["Accept: Alienred", "Accept: Brazilblue", "Accept: Casablancared"]
    )
    table.get_by_role("button").nth(1).click()
    expect(page.locator(".turn.done .text").last).to_have_text("option 2")
    expect(page.locator(".turn .say").last).to_have_text("How many seats?")
    expect(page.locator("#question")).to_be_focused()
    expect(table).to_have_count(0)


def test_what_the_bot_said_stands_apart_in_the_memory(visit: Visits, cinema: Server):
    at = visit(cinema).open()
    at.ask("What's on?", "the last one")
    heard = at.page.locator("#memory .card.by-bot")
    expect(heard.locator(".main")).to_have_text(["Casablanca", "red"])
    expect(heard.first).to_contain_text("just said by the bot")
    own = at.page.locator("#memory .card:not(.by-bot)")
    expect(own).to_contain_text("said 1 question ago")


def test_a_confirmation_is_answered_by_a_button_in_the_language_of_the_dialog(
    visit: Visits, cinema: Server
):
    at = visit(cinema).open()
    page = at.page
    answers = page.get_by_role("group", name="Answers")
    at.ask("Что идёт?", "Бразилия")
    expect(answers).to_have_count(0)
    at.ask("3")
    expect(page.locator(".turn .meta").last).to_have_text("a yes carries it out")
    expect(page.locator("#memory .pending")).to_contain_text("a yes or a no")
    expect(answers.get_by_role("button")).to_have_text(["да", "нет"])
    answers.get_by_role("button", name="да").click()
    expect(page.locator(".turn .say").last).to_have_text("Забронировано: Brazil.")
    expect(answers).to_have_count(0)


def test_what_lay_on_the_table_then_cannot_be_accepted_now(visit: Visits, cinema: Server):
    at = visit(cinema).open()
    page = at.page
    at.ask("What's on?", "the first one")
    page.locator(".turn .asked").first.click()
    table = page.get_by_role("region", name="On the table")
    expect(table.locator(".offer")).to_have_count(3)
    expect(table.get_by_role("button")).to_have_count(0)


def test_offers_are_withdrawn_after_the_timeout(
    visit: Visits, cinema: Server, moving_clock: MovingClock
):
    at = visit(cinema).open()
    at.ask("What's on?")
    moving_clock.pass_time(minutes=6)
    at.come_back()
    expect(at.page.get_by_role("region", name="On the table")).to_have_count(0)


def test_a_key_that_may_only_ask_has_the_buttons_too(visit: Visits, engine: Engine):
    text, kept = generate_key("kiosk", scopes=("ask",), user="kiosk")
    with serving(engine, Settings(models=(CINEMA,), keys=(kept,))) as server:
        at = visit(server, refused=True)
        at.page.goto(server.url)
        at.page.locator("#door-key").fill(text)
        at.page.locator("#door-key").press("Enter")
        expect(at.page.locator("#welcome h2")).to_be_visible()
        at.ask("What's on?", "the first one", "2")
        at.page.get_by_role("group", name="Answers").get_by_role("button", name="no").click()
        expect(at.page.locator(".turn .say").last).to_have_text("All right, not that then.")


def test_offers_can_be_read_in_both_themes_and_on_a_narrow_screen(visit: Visits, cinema: Server):
    at = visit(cinema).open()
    page = at.page
    for texts in (("What's on?", "the first one", "2"), ("no", "What's on?")):
        at.ask(*texts)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate(POOR_CONTRAST) == [], scheme
    page.set_viewport_size({"width": 360, "height": 780})
    page.get_by_role("tab", name="Memory").click()
    table = page.get_by_role("region", name="On the table")
    expect(table).to_be_visible()
    assert page.evaluate(NOTHING_WIDER)
    table.get_by_role("button").first.click()
    expect(page.locator("#question")).to_be_focused()
