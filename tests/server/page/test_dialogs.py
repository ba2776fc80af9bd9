"""The dialogs of the bundled models, played in the browser."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.server.page.conftest import MovingClock, Visit

Visits = Callable[..., Visit]


def left(page: Page) -> list[str]:
    return [text.replace("\n", " ") for text in page.locator("#gone .out li").all_inner_texts()]


def intents(page: Page) -> list[str]:
    return page.locator("#flow .step .intent").all_inner_texts()


def test_the_dialog_of_the_sales_model_shows_how_each_report_pushes_the_earlier_out(visit: Visits):
    at = visit().open("sales")
    page = at.page
    at.ask("Give me the sales data")
    assert at.cards == ["sales data"]
    at.ask("Who was the best?")
    assert at.cards == ["best", "sales data"]
    expect(page.locator("#sentence .entity.recalled .word")).to_have_text("sales data")
    winner = page.locator("#ranking .winner")
    expect(winner.locator("h3")).to_have_text("sale_best")
    expect(winner.locator("[data-source=memory]")).to_contain_text(
        "from memory, 1 question ago: “Give me the sales data”"
    )
    at.ask("Give me the purchasing data")
    assert at.cards == ["purchasing data"]
    assert left(page) == [
        "best gave way to purchasing data",
        "sales data gave way to purchasing data",
    ]
    at.ask("Who was the best?")
    expect(page.locator(".turn .say").last).to_have_text("I would name the best buyer.")
    at.ask("Give me the sales report once more")
    assert intents(page) == ["sale", "sale_best", "buy", "buy_best", "sale"]
    expect(page.locator("#flow [aria-current=step]")).to_contain_text("sale")


def test_the_dialog_of_the_weather_model_carries_over_what_a_question_leaves_out(visit: Visits):
    at = visit().open("weather")
    page = at.page
    at.ask("What is the weather in Tokyo now?")
    words = page.locator("#sentence .entity .word").all_inner_texts()
    assert words == ["What is the weather", "Tokyo", "now"]
    at.ask("And in Kyoto?")
    recalled = page.locator("#sentence .recalled .word").all_inner_texts()
    assert recalled == ["What is the weather", "now"]
    assert left(page) == ["Tokyo gave way to Kyoto"]
    assert set(at.cards) == {"Kyoto", "What is the weather", "now"}
    at.ask("And tomorrow, dear bot?")
    expect(page.locator("#sentence .unknown .word")).to_have_text("dear bot")
    assert left(page) == ["now gave way to tomorrow"]


def test_the_same_groups_have_the_same_colour_in_the_sentence_the_memory_and_the_slots(
    visit: Visits,
):
    at = visit().open("cafe")
    at.ask("How much is a large coffee at Costa?")
    hues = "element => getComputedStyle(element).getPropertyValue('--hue')"

    def hue(selector: str) -> str:
        return str(at.page.locator(selector).evaluate(hues))

    food = hue("#sentence .entity[data-element=food]")
    assert food == hue("#memory .cluster[data-groups=food]") == hue(".slots > div:has-text('food')")
    large = hue("#sentence .entity[data-element=size]")
    assert large == hue("#memory .cluster[data-groups='food · size']")
    assert len({food, large, hue("#sentence .entity[data-element=place]")}) == 3


def test_an_entity_tells_of_itself_when_the_focus_is_on_it(visit: Visits):
    at = visit().open("cafe")
    at.ask("How much is a latte macchiato at Costa?")
    latte = at.page.locator("#sentence .entity[data-element=food]")
    latte.focus()
    tip = at.page.get_by_role("tooltip")
    expect(tip).to_contain_text("latte")
    expect(tip).to_contain_text("in the sentence")
    expect(latte).to_have_attribute("aria-describedby", "tip")
    at.page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_what_is_pending_is_a_card_that_says_what_it_waits_for(visit: Visits):
    at = visit().open("cafe")
    page = at.page
    at.ask("What are the prices?")
    pending = page.locator("#memory .pending")
    expect(pending).to_contain_text("food, then place")
    expect(pending).to_contain_text("What would you like?")
    expect(page.locator(".turn .need")).to_have_text(["food", "place"])
    expect(page.locator("#question")).to_have_attribute("placeholder", "What would you like?")
    at.ask("a large latte")
    expect(page.locator("#ranking .lacking")).to_contain_text("place")
    at.ask("Costa")
    expect(pending).to_be_hidden()
    assert {"Costa", "latte", "large"} < set(at.cards)


def test_a_rejected_question_says_why_and_shows_the_near_misses(visit: Visits):
    at = visit().open("weather")
    at.ask("now in Tokyo?")
    expect(at.page.locator(".turn .rejected")).to_contain_text("lacks: topic")
    misses = at.page.locator("#ranking .misses")
    expect(misses).to_have_attribute("open", "")
    expect(misses.locator("li").first).to_contain_text("nothing fills topic")


def test_a_change_of_topic_is_named_as_the_reason(visit: Visits):
    at = visit().open("weather")
    at.ask("What is the weather in Tokyo now?", "Does it rain in Oslo?")
    assert left(at.page), "nothing has left"
    assert all("the topic changed" in line for line in left(at.page))


def test_another_way_to_read_the_words_is_named(visit: Visits):
    at = visit().open("weather")
    at.ask("What is the weather in Paris?")
    expect(at.page.locator("#sentence .otherwise")).to_contain_text("“Paris” could also be")


def test_what_is_held_back_from_a_question_is_named(visit: Visits):
    at = visit().open("cafe")
    at.ask("How much is a coffee at Costa?")
    at.page.get_by_role("button", name="Forget the group topic").click()
    expect(at.page.locator("#memory .card")).to_have_count(2)
    at.ask("And at Starbucks?")
    held = at.page.locator("#gone .held li")
    expect(held).to_have_count(1)
    expect(held).to_contain_text("Costa")
    expect(held).to_contain_text("Starbucks stands in for it")


def test_silence_lets_the_rings_run_out_and_the_cards_leave(
    visit: Visits, moving_clock: MovingClock
):
    at = visit().open("sales")
    page = at.page
    at.ask("Give me the sales data")
    ring = page.locator("#memory .card .ring")
    expect(ring).to_have_text(re.compile("^(5:00|4:5[0-9])$"))
    before = ring.locator(".arc").evaluate("arc => parseFloat(arc.style.strokeDashoffset)")
    moving_clock.pass_time(minutes=3)
    at.ask("hmm")
    offset = "arc => parseFloat(arc.style.strokeDashoffset)"
    assert page.locator("#memory .card .arc").evaluate(offset) > before + 50
    moving_clock.pass_time(minutes=6)
    at.come_back()
    expect(page.locator("#memory .card")).to_have_count(0)
    expect(page.locator("#gone .out")).to_contain_text("nothing has used it for 5 minutes")


def test_the_dots_tell_how_many_answers_a_card_outlives(visit: Visits):
    at = visit().open("weather")
    at.ask("What is the weather in Tokyo tomorrow?", "Hello")
    assert at.page.locator("#memory .card[data-element=date] .dots .on").count() == 2


def test_a_question_on_another_channel_is_seen(visit: Visits):
    at = visit().open("sales")
    at.ask("Give me the sales data")
    at.server.ask("purchases", user=at.user, model="sales")
    expect(at.page.locator("#memory .card .main")).to_have_text(["purchases"])
    expect(at.page.locator("#gone .out")).to_contain_text("on another channel")
    expect(at.page.locator(".elsewhere")).to_contain_text("1 question came by another channel")
