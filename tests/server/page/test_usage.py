"""The page in the hands of people: keys, resets, models, themes, narrow screens, trouble."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from anaphora import Engine
from anaphora.server.auth.keys import generate_key
from anaphora.server.settings.model import Settings
from tests.server.page.conftest import MovingClock, Server, Visit, serving
from tests.server.page.contrast import NOTHING_WIDER, POOR_CONTRAST

Visits = Callable[..., Visit]

_BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine("sales") as engine:
        yield engine


@pytest.fixture
def own_server(engine: Engine) -> Iterator[Server]:
    """A server of one model that a test may stop."""
    with serving(engine, Settings(models=("sales",))) as server:
        yield server


def test_a_sample_is_asked_by_a_click_and_leads_on_to_the_next_of_its_dialog(visit: Visits):
    at = visit().open("sales")
    at.page.locator(".samples button").first.click()
    expect(at.page.locator(".turn.done .text")).to_have_text("Give me the sales data")
    at.page.locator("#next button.text").click()
    expect(at.page.locator(".turn.done .text").last).to_have_text("Who was the best?")
    at.page.get_by_role("button", name="Leave the sample").click()
    expect(at.page.locator("#next")).to_be_hidden()


def test_an_earlier_answer_is_looked_at_and_escape_goes_back_to_now(visit: Visits):
    at = visit().open("sales")
    page = at.page
    at.ask("Give me the sales data", "Who was the best?", "Give me the purchasing data")
    page.locator(".turn .asked").nth(1).click()
    expect(page.locator("#then")).to_contain_text("Question 2 of 3, as it was")
    expect(page.locator("#ranking .winner h3")).to_have_text("sale_best")
    assert at.cards == ["best", "sales data"]
    assert page.locator("#flow .step .intent").all_inner_texts() == ["sale", "sale_best"]
    expect(page.get_by_role("button", name="Forget the group A")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("#then")).to_be_hidden()
    assert at.cards == ["purchasing data"]


def test_everything_can_be_done_without_a_mouse(visit: Visits):
    at = visit().open("sales")
    page, keyboard = at.page, at.page.keyboard
    question = page.locator("#question")
    keyboard.press("/")
    expect(question).to_be_focused()
    keyboard.type("sales report")
    keyboard.press("Enter")
    expect(page.locator(".turn.done")).to_have_count(1)
    keyboard.type("the best")
    keyboard.press("Enter")
    expect(page.locator(".turn.done")).to_have_count(2)
    keyboard.type("half a question")
    for key, text in (
        ("ArrowUp", "the best"),
        ("ArrowUp", "sales report"),
        ("ArrowUp", "sales report"),
        ("ArrowDown", "the best"),
        ("ArrowDown", "half a question"),
    ):
        keyboard.press(key)
        expect(question).to_have_value(text)
    keyboard.press("Alt+ArrowUp")
    expect(page.locator("#then")).to_contain_text("Question 1")
    keyboard.press("Escape")
    expect(page.locator("#then")).to_be_hidden()
    page.locator("#reset").focus()
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="What is remembered")).to_be_focused()
    keyboard.press("Enter")
    expect(page.locator("#memory .card")).to_have_count(0)
    expect(page.locator("#reset")).to_be_focused()
    keyboard.press("?")
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Keys")).to_be_hidden()


def test_whatever_has_the_focus_shows_it(visit: Visits):
    at = visit().open("sales")
    at.ask("sales report")
    at.page.locator(".skip").focus()
    seen = set()
    for _ in range(16):
        at.page.keyboard.press("Tab")
        name, shown = at.page.evaluate(
            """() => {
                const at = document.activeElement, style = getComputedStyle(at);
                const frame = getComputedStyle(at.closest("form") ?? at);
                const lit = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
                return [at.id || at.className, lit || frame.boxShadow !== "none"];
            }"""
        )
        seen.add(name)
        assert shown or name == "", name
    assert {"model", "user", "reset", "theme", "help", "asked", "question", "send"} <= seen


def test_replies_are_told_to_those_who_listen(visit: Visits):
    at = visit().open("sales")
    expect(at.page.locator("#said")).to_have_attribute("aria-live", "polite")
    at.ask("sales report")
    expect(at.page.locator("#said")).to_have_text("I would show the report on sales.")


def test_the_menu_forgets_the_flow_or_the_cards_or_all(visit: Visits):
    at = visit().open("sales")
    for choice, cards, steps in (
        ("The dialog flow", 1, 0),
        ("What is remembered", 0, 1),
        ("Everything", 0, 0),
    ):
        at.ask("sales report")
        at.page.get_by_role("button", name="Reset").click()
        at.page.get_by_role("menuitem", name=choice).click()
        expect(at.page.locator("#memory .card")).to_have_count(cards)
        expect(at.page.locator("#flow .step")).to_have_count(steps)
        if not cards:
            expect(at.page.locator("#gone .out")).to_contain_text("a reset was asked for")


def test_one_group_is_forgotten_from_its_card(visit: Visits):
    at = visit().open("cafe")
    at.ask("How much is a coffee at Costa?")
    at.page.get_by_role("button", name="Forget the group place").click()
    expect(at.page.locator("#memory .cluster[data-groups=place]")).to_have_count(0)
    assert set(at.cards) == {"How much is", "coffee"}


def test_each_model_keeps_its_own_memory_and_chat(visit: Visits):
    at = visit().open("sales")
    at.ask("sales report")
    at.switch("cafe")
    expect(at.page.locator("#welcome h2")).to_have_text("Coffee shops")
    expect(at.page.locator("#memory .card")).to_have_count(0)
    at.ask("How much is a tea at Costa?")
    at.switch("sales")
    expect(at.page.locator("#memory .card .main")).to_have_text(["sales report"])
    expect(at.page.locator(".turn .text")).to_have_text(["sales report"])
    at.page.reload()
    expect(at.page.locator("#model")).to_have_value("sales")
    expect(at.page.locator("#welcome")).to_contain_text("1 question came before")


def test_another_user_has_another_conversation(visit: Visits):
    at = visit().open("sales")
    at.ask("sales report")
    at.page.locator("#user").fill(f"{at.user}-friend")
    at.page.locator("#user").press("Enter")
    expect(at.page.locator("#memory .card")).to_have_count(0)
    expect(at.page.locator(".turn")).to_have_count(0)
    assert at.page.url.endswith(f"user={at.user}-friend")


def test_the_theme_follows_the_system_until_one_is_chosen(visit: Visits):
    at = visit(color_scheme="dark").open("sales")
    page = at.page
    dark = page.evaluate(_BACKGROUND)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(_BACKGROUND)
    assert dark != light
    theme = page.locator("#theme")
    theme.click()
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(_BACKGROUND) == light
    theme.click()
    page.emulate_media(color_scheme="light")
    page.reload()
    assert page.evaluate(_BACKGROUND) == dark
    theme.click()
    assert page.evaluate(_BACKGROUND) == light


def test_all_text_can_be_read_in_both_themes(visit: Visits):
    at = visit().open("cafe")
    at.ask("How much is a large coffee at Costa, folks?", "What are the prices of a bagel?", "hm")
    for scheme in ("light", "dark"):
        at.page.emulate_media(color_scheme=scheme)
        assert at.page.evaluate(POOR_CONTRAST) == [], scheme


def test_nothing_is_wider_than_the_screen(visit: Visits):
    at = visit().open("cafe")
    page = at.page
    at.ask("How much is a large latte macchiato at Tim Hortons, my dear and patient friend?")
    at.ask("a" * 300)
    for width in (2560, 1440, 1024, 768, 700, 360):
        page.set_viewport_size({"width": width, "height": 780})
        assert page.evaluate(NOTHING_WIDER), width
    for tab, shown in (("Memory", "#memory"), ("Why", "#ranking"), ("Chat", "#question")):
        page.get_by_role("tab", name=tab).click()
        expect(page.locator(shown)).to_be_visible()
        assert page.evaluate(NOTHING_WIDER), tab
    page.get_by_role("button", name="User, reset and display").click()
    expect(page.locator("#theme")).to_be_visible()
    assert page.evaluate(NOTHING_WIDER)


def test_what_looks_like_html_is_shown_as_text(visit: Visits):
    attack = (
        "sales <img src=x onerror=\"document.title='caught'\"><script>1</script> \U0001f600 best"
    )
    at = visit().open("sales")
    at.ask(attack)
    expect(at.page.locator(".turn .text")).to_have_text(attack)
    pieces = at.page.locator("#sentence .unknown .word").all_inner_texts()
    assert any("onerror" in piece for piece in pieces)
    assert at.page.locator("main img, main script").count() == 0
    assert at.page.title() == "Anaphora"
    words = at.page.locator("#sentence .entity[data-element] .word").all_inner_texts()
    assert words == ["sales", "best"]  # whatever stands before them


def test_a_server_that_goes_away_and_comes_back_loses_nothing(visit: Visits, own_server: Server):
    at = visit(own_server, refused=True).open()
    page = at.page
    at.ask("sales report")
    own_server.stop()
    page.locator("#question").fill("who was the best?")
    page.locator("#question").press("Enter")
    expect(page.locator(".turn.failed")).to_contain_text("cannot be reached")
    expect(page.locator("#notice")).to_contain_text("Trying again")
    page.locator("#question").fill("half a question")
    own_server.start()
    expect(page.locator("#notice")).to_contain_text("The service is back")
    expect(page.locator("#question")).to_have_value("half a question")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".turn.done .say").last).to_have_text("I would name the best seller.")
    expect(page.locator(".turn.failed")).to_have_count(0)


def test_a_page_that_is_opened_before_the_server_is_ready_waits_for_it(
    visit: Visits, own_server: Server
):
    at = visit(own_server, refused=True)
    at.page.route("**/v1/key", lambda route: route.abort(), times=1)
    at.page.goto(own_server.url)
    expect(at.page.locator("#notice")).to_contain_text("cannot be reached")
    expect(at.page.locator("#welcome h2")).to_have_text("Sales")


def test_a_key_is_asked_for_and_kept_for_this_tab_alone(visit: Visits, engine: Engine):
    text, kept = generate_key("desk", scopes=("ask", "read", "write"))
    with serving(engine, Settings(models=("sales",), keys=(kept,))) as server:
        at = visit(server, refused=True)
        page = at.page
        page.goto(f"{server.url}/?user={at.user}")
        door = page.locator("#door")
        expect(door).to_be_visible()
        door.locator("input").fill("ana_desk_wrong")
        door.locator("input").press("Enter")
        expect(door).to_be_visible()
        expect(door.locator("input")).to_have_value("")
        door.locator("input").fill(text)
        door.locator("input").press("Enter")
        expect(page.locator("#welcome h2")).to_have_text("Sales")
        at.ask("sales report")
        assert at.cards == ["sales report"]
        page.reload()
        expect(page.locator("#welcome h2")).to_have_text("Sales")
        assert page.evaluate("Object.keys(localStorage)") == []
        assert text not in page.url


def test_a_key_that_may_only_ask_still_chats(visit: Visits, engine: Engine):
    text, kept = generate_key("kiosk", scopes=("ask",), user="kiosk")
    with serving(engine, Settings(models=("sales",), keys=(kept,))) as server:
        at = visit(server, refused=True)
        at.page.goto(server.url)
        at.page.locator("#door-key").fill(text)
        at.page.locator("#door-key").press("Enter")
        expect(at.page.locator("#welcome h2")).to_be_visible()
        expect(at.page.locator("#user")).to_have_value("kiosk")
        expect(at.page.locator("#user")).not_to_be_editable()
        at.ask("sales report")
        expect(at.page.locator("#ranking .winner h3")).to_have_text("sale")
        expect(at.page.locator("#memory")).to_contain_text("not look into the memory")


def test_too_many_questions_wait_until_they_may_be_asked_again(visit: Visits, own_server: Server):
    at = visit(own_server, refused=True).open()
    page: Page = at.page
    page.route(
        "**/v1/ask",
        lambda route: route.fulfill(
            status=429,
            headers={"Retry-After": "1", "Content-Type": "application/problem+json"},
            body='{"type": "urn:anaphora:problem:too-many-requests", "status": 429,'
            ' "title": "Too many requests", "detail": "The rate is 1/minute."}',
        ),
        times=1,
    )
    page.locator("#question").fill("sales report")
    page.locator("#question").press("Enter")
    again = page.get_by_role("button", name="Ask again")
    expect(again).to_contain_text("in 1 s")
    expect(again).to_be_disabled()
    expect(again).to_be_enabled()
    again.click()
    expect(page.locator(".turn.done .text")).to_have_text("sales report")


def test_an_offer_of_the_long_term_memory_is_shown_until_it_is_taken_up(visit: Visits):
    clock = MovingClock()
    with (
        Engine("weather", clock=clock, long_term="memory:") as engine,
        serving(engine, Settings(models=("weather",)), clock) as server,
    ):
        at = visit(server).open()
        at.ask("What is the weather in Tokyo?")
        clock.pass_time(hours=3)
        at.ask("And in Kyoto?")
        turn = at.page.locator(".turn").last
        expect(turn.locator(".say")).to_have_text("Still about the weather in Kyoto?")
        expect(turn.locator(".meta")).to_have_text("an offer: a yes takes it up")
        offer = at.page.get_by_role("region", name="Offer")
        expect(offer.locator(".chip")).to_have_text(["What is the weather", "Tokyo"])
        expect(offer).to_contain_text("and answers: And in Kyoto?")
        at.ask("yes")
        expect(offer).to_have_count(0)
        assert at.cards == ["Kyoto", "What is the weather"]
