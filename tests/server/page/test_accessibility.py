"""The page for those who use it by the keyboard, by ear, or with weak eyes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from anaphora import Engine
from anaphora.server.auth.keys import generate_key
from anaphora.server.settings.model import Settings
from tests.server.page.conftest import MovingClock, Server, Visit, serving

Visits = Callable[..., Visit]

_NARROW = {"width": 360, "height": 780}
_WEAK_BORDERS = """() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = (colors) => {
        canvas.clearRect(0, 0, 1, 1);
        for (const color of colors) {
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
        }
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
            .map((one) => one / 255)
            .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const found = [];
    for (const element of document.querySelectorAll("input, select, button, .composer form")) {
        const style = getComputedStyle(element);
        if (!element.checkVisibility() || parseFloat(style.borderTopWidth) === 0
            || style.borderTopStyle === "none") continue;
        const grounds = [];
        for (let at = element.parentElement; at; at = at.parentElement) {
            grounds.unshift(getComputedStyle(at).backgroundColor);
        }
        for (const inside of [grounds, [...grounds, style.backgroundColor]]) {
            const [a, b] = [light([...grounds, style.borderTopColor]), light(inside)]
                .sort((a, b) => b - a);
            found.push([element.id || element.className, (a + 0.05) / (b + 0.05)]);
        }
    }
    return found;
}"""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine("sales") as engine:
        yield engine


@pytest.fixture
def locked(engine: Engine) -> Iterator[Server]:
    """A server that nobody has a key for."""
    _, kept = generate_key("desk", scopes=("ask", "read"))
    with serving(engine, Settings(models=("sales",), keys=(kept,))) as server:
        yield server


def said(page: Page) -> Locator:
    return page.locator("#said")


class TestTheFocus:
    def test_goes_to_the_next_group_when_one_is_forgotten(self, visit: Visits):
        at = visit().open("cafe")
        page = at.page
        at.ask("How much is a coffee at Costa?")
        buttons = page.locator("#memory .forget")
        count = buttons.count()
        assert count > 1
        for left in range(count - 1, -1, -1):
            buttons.first.focus()
            page.keyboard.press("Enter")
            expect(buttons).to_have_count(left)
            if left:
                expect(buttons.first).to_be_focused()
        expect(page.locator("#memory-title")).to_be_focused()

    def test_goes_to_the_question_that_was_looked_at_on_the_way_back(self, visit: Visits):
        at = visit().open("sales")
        page = at.page
        at.ask("sales report", "the best")
        first = page.locator(".turn .asked").first
        first.focus()
        page.keyboard.press("Enter")
        expect(first).to_be_focused()
        page.get_by_role("button", name="Back to now").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#then")).to_be_hidden()
        expect(first).to_be_focused()

    @pytest.mark.parametrize("tab", ["Memory", "Why"])
    def test_stays_in_the_view_on_the_way_back_on_a_narrow_screen(self, visit: Visits, tab: str):
        at = visit().open("sales")
        page = at.page
        at.ask("sales report", "the best")
        page.set_viewport_size(_NARROW)
        page.locator(".turn .asked").first.click()
        page.get_by_role("tab", name=tab).click()
        page.get_by_role("button", name="Back to now").focus()
        page.keyboard.press("Escape")
        expect(page.locator("#then")).to_be_hidden()
        expect(page.locator("#why")).to_be_focused()

    def test_stays_on_a_sample_and_on_the_next_question_of_a_sample(self, visit: Visits):
        at = visit().open("sales")
        page = at.page
        page.locator(".samples button").nth(1).focus()
        at.server.ask("sales report", user=at.user, model="sales")
        at.come_back()
        expect(page.locator("#welcome")).to_contain_text("1 question came before")
        expect(page.locator(".samples button").nth(1)).to_be_focused()
        page.locator(".samples button").first.click()
        expect(page.locator(".turn.done")).to_have_count(1)
        page.locator("#next button.text").focus()
        at.server.ask("purchases", user=at.user, model="sales")
        at.come_back()
        expect(page.locator(".elsewhere")).to_be_visible()
        expect(page.locator("#next button.text")).to_be_focused()
        page.get_by_role("button", name="Leave the sample").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#question")).to_be_focused()

    def test_stays_in_the_field_of_the_user_when_another_one_is_entered(self, visit: Visits):
        page = visit().open("sales").page
        page.locator("#user").fill("zoe")
        page.locator("#user").press("Enter")
        expect(said(page)).to_contain_text("zoe")
        expect(page.locator("#user")).to_be_focused()

    def test_stays_on_the_button_that_has_sent_a_question(self, visit: Visits):
        at = visit().open("sales")
        page = at.page
        held: list[Route] = []
        page.route("**/v1/ask", lambda route: held.append(route))
        page.locator("#question").fill("sales report")
        page.locator("#send").focus()
        with page.expect_request("**/v1/ask"):
            page.keyboard.press("Enter")
        expect(page.locator(".turn.sending")).to_have_count(1)
        expect(page.locator("#send")).to_be_focused()
        held.pop().continue_()
        expect(page.locator(".turn.done")).to_have_count(1)
        expect(page.locator("#send")).to_be_focused()

    def test_stays_on_the_notice_until_it_goes_and_then_is_on_the_question(self, visit: Visits):
        at = visit(refused=True)
        page = at.page
        page.route(
            "**/v1/active-model**", lambda route: route.fulfill(status=404, body="{}"), times=2
        )
        page.goto(f"{at.server.url}/?user={at.user}")
        again = page.get_by_role("button", name="Try again")
        again.focus()
        with page.expect_response("**/v1/active-model**"):
            page.keyboard.press("Enter")
        expect(again).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#welcome h2")).to_be_visible()
        expect(page.locator("#question")).to_be_focused()


class TestAnEventFromAnotherChannel:
    def test_closes_nothing_and_leaves_the_focus(self, visit: Visits):
        at = visit().open("weather")
        page = at.page
        at.ask("What is the weather in Tokyo now?")
        misses = page.locator("#ranking .misses")
        if misses.get_attribute("open") is None:
            misses.locator("summary").click()
        expect(misses).to_have_attribute("open", "")
        for place in (
            misses.locator("summary"),
            page.locator("#sentence .entity").nth(1),
            page.locator("#memory .forget").last,
            page.locator("#flow .rail"),
            page.locator(".turn .asked").first,
        ):
            place.focus()
            name = place.evaluate("element => element.ariaLabel ?? element.textContent")
            asked = page.locator(".elsewhere").all_inner_texts()
            at.server.ask("And in Kyoto tomorrow?", user=at.user, model="weather")
            at.come_back()
            expect(page.locator(".elsewhere")).not_to_have_text(asked or [""])
            expect(misses).to_have_attribute("open", "")
            focused = page.evaluate(
                "document.activeElement.ariaLabel ?? document.activeElement.textContent"
            )
            assert focused == name

    def test_leaves_the_tip_of_an_entity_and_what_is_marked_in_an_answer(self, visit: Visits):
        at = visit().open("sales")
        page = at.page
        at.ask("sales report")
        page.locator("#sentence .entity").first.focus()
        expect(page.get_by_role("tooltip")).to_be_visible()
        page.evaluate("getSelection().selectAllChildren(document.querySelector('.turn .say'))")
        at.server.ask("purchases", user=at.user, model="sales")
        at.come_back()
        expect(page.locator(".elsewhere")).to_be_visible()
        expect(page.get_by_role("tooltip")).to_be_visible()
        assert page.evaluate("String(getSelection())") == "I would show the report on sales."

    def test_leaves_the_flow_where_it_was_scrolled_to(self, visit: Visits):
        at = visit(viewport={"width": 800, "height": 700}).open("sales")
        page = at.page
        at.ask(*("sales report", "purchases") * 4)
        rail = page.locator("#flow .rail")
        assert rail.evaluate("rail => rail.scrollLeft") > 0
        rail.evaluate("rail => rail.scrollLeft = 10")
        at.server.ask("sales report", user=at.user, model="sales")
        at.come_back()
        expect(page.locator("#flow .step")).to_have_count(9)
        assert rail.evaluate("rail => rail.scrollLeft") == 10

    def test_is_told(self, visit: Visits):
        at = visit().open("sales")
        at.ask("sales report")
        at.server.ask("purchases", user=at.user, model="sales")
        at.come_back()
        expect(said(at.page)).to_contain_text("1 question came by another channel")
        expect(said(at.page)).to_contain_text("Left the memory: sales report")


class TestWhoListens:
    def test_hears_what_was_forgotten(self, visit: Visits):
        at = visit().open("cafe")
        page = at.page
        at.ask("How much is a coffee at Costa?")
        page.get_by_role("button", name="Forget the group place").click()
        expect(said(page)).to_have_text("Forgotten: Costa.")
        page.get_by_role("button", name="Reset").click()
        page.get_by_role("menuitem", name="The dialog flow").click()
        expect(said(page)).to_have_text("The dialog flow is forgotten.")
        page.get_by_role("button", name="Reset").click()
        page.get_by_role("menuitem", name="Everything").click()
        expect(said(page)).to_have_text("Everything is forgotten.")

    def test_hears_which_answer_is_looked_at_and_the_way_back(self, visit: Visits):
        at = visit().open("sales")
        page = at.page
        at.ask("sales report", "the best")
        page.keyboard.press("Alt+ArrowUp")
        expect(said(page)).to_have_text("Question 1 of 2, as it was: sales report")
        page.keyboard.press("Escape")
        expect(said(page)).to_have_text("Back to now.")

    def test_hears_what_grows_old(self, visit: Visits, moving_clock: MovingClock):
        at = visit().open("sales")
        at.ask("sales report")
        moving_clock.pass_time(minutes=6)
        at.come_back()
        expect(said(at.page)).to_contain_text("Left the memory: sales report.")

    def test_hears_of_another_model_and_another_user(self, visit: Visits):
        at = visit().open("sales")
        at.switch("cafe")
        expect(said(at.page)).to_have_text(f"The conversation of {at.user} with Coffee shops.")
        at.page.locator("#user").fill("zoe")
        at.page.locator("#user").press("Enter")
        expect(said(at.page)).to_have_text("The conversation of zoe with Sales.")

    def test_hears_why_a_question_failed_once(self, visit: Visits):
        at = visit(refused=True).open("sales")
        page = at.page
        page.route(
            "**/v1/ask",
            lambda route: route.fulfill(status=500, body='{"title": "No", "detail": "Not now."}'),
            times=1,
        )
        page.locator("#question").fill("sales report")
        page.locator("#question").press("Enter")
        expect(said(page)).to_have_text("No Not now.")
        expect(page.locator("#turns [role=alert], #turns [aria-live]")).to_have_count(0)

    def test_has_the_places_of_news_there_before_the_news(self, visit: Visits):
        page = visit().open("sales").page
        for place in ("#notice", "#said", "#unsent"):
            role = page.locator(place).get_attribute("role")
            assert role in ("status", "log", "alert")
            displayed = page.locator(place).evaluate("one => getComputedStyle(one).display")
            assert displayed != "none", place


class TestANarrowScreen:
    @pytest.mark.parametrize("tab", ["Memory", "Why"])
    def test_leads_to_the_question_by_the_skip_link_and_by_the_slash(self, visit: Visits, tab: str):
        page = visit(viewport=_NARROW).open().page
        question = page.locator("#question")
        page.get_by_role("tab", name=tab).click()
        expect(question).to_be_hidden()
        page.keyboard.press("/")
        expect(question).to_be_focused()
        expect(question).to_have_value("")
        expect(page.get_by_role("tab", name="Chat")).to_have_attribute("aria-selected", "true")
        page.get_by_role("tab", name=tab).click()
        page.locator(".skip").focus()
        page.keyboard.press("Enter")
        expect(question).to_be_focused()

    def test_begins_with_the_name_of_the_model(self, visit: Visits):
        page = visit(viewport=_NARROW).open("cafe").page
        expect(page.locator("#welcome h2")).to_be_in_viewport()

    def test_has_a_panel_for_each_tab(self, visit: Visits):
        at = visit(viewport=_NARROW).open("sales")
        page = at.page
        at.ask("sales report")
        for name, shown in (("Chat", "#question"), ("Memory", "#memory"), ("Why", "#ranking")):
            tab = page.get_by_role("tab", name=name)
            tab.click()
            panel = page.locator(f"#{tab.get_attribute('aria-controls')}")
            expect(panel).to_have_role("tabpanel")
            expect(panel).to_have_accessible_name(name)
            expect(panel.locator(shown)).to_be_visible()
            expect(page.get_by_role("tabpanel")).to_have_count(1)

    def test_walks_its_tabs_by_the_arrows_and_leaves_other_keys_alone(self, visit: Visits):
        page = visit(viewport=_NARROW).open().page
        page.get_by_role("tab", name="Chat").focus()
        for key, name in (
            ("ArrowRight", "Memory"),
            ("ArrowRight", "Why"),
            ("ArrowRight", "Chat"),
            ("ArrowLeft", "Why"),
            ("Home", "Chat"),
            ("End", "Why"),
            ("Control+ArrowLeft", "Why"),
            ("Shift+ArrowLeft", "Why"),
        ):
            page.keyboard.press(key)
            tab = page.get_by_role("tab", name=name)
            expect(tab).to_be_focused()
            expect(tab).to_have_attribute("aria-selected", "true")
        page.keyboard.press("Tab")
        expect(page.locator("#why")).to_be_focused()

    def test_has_no_tabs_and_no_tabpanels_when_it_is_wide(self, visit: Visits):
        page = visit(viewport=_NARROW).open().page
        page.set_viewport_size({"width": 1280, "height": 900})
        expect(page.get_by_role("tab")).to_have_count(0)
        expect(page.locator("[role=tabpanel]")).to_have_count(0)
        expect(page.get_by_role("region", name="Chat")).to_be_visible()


class TestTheKeys:
    @pytest.mark.parametrize(
        ("place", "key"),
        [
            ("#model", "Alt+ArrowDown"),
            ("#model", "Alt+ArrowUp"),
            ("#question", "Shift+ArrowUp"),
            ("#question", "Control+Alt+ArrowUp"),
            ("#question", "Alt+Shift+ArrowUp"),
            ("#user", "Alt+ArrowUp"),
            ("#question", "Control+ArrowUp"),
            ("#reset", "Control+ArrowDown"),
        ],
    )
    def test_of_the_browser_are_left_to_it(self, visit: Visits, place: str, key: str):
        at = visit().open("sales")
        page = at.page
        at.ask("sales report", "the best")
        page.evaluate(
            """() => addEventListener("keydown", (event) => {
                if (event.key.startsWith("Arrow")) window.swallowed = event.defaultPrevented;
            })"""
        )
        page.locator(place).focus()
        page.keyboard.press(key)
        assert page.evaluate("window.swallowed") is False
        expect(page.locator("#then")).to_be_hidden()
        expect(page.locator("#reset-menu")).to_be_hidden()

    def test_open_the_menu_by_alt_and_arrow_and_step_nowhere(self, visit: Visits):
        at = visit().open("sales")
        at.ask("sales report", "the best")
        at.page.locator("#reset").focus()
        at.page.keyboard.press("Alt+ArrowDown")
        expect(at.page.get_by_role("menuitem").first).to_be_focused()
        at.page.keyboard.press("Alt+ArrowUp")
        expect(at.page.locator("#then")).to_be_hidden()


class TestTheDoor:
    def test_stays_shut_after_escape_and_opens_when_asked(self, visit: Visits, locked: Server):
        at = visit(locked, refused=True)
        page = at.page
        page.clock.install()
        page.goto(locked.url)
        door = page.locator("#door")
        expect(door).to_be_visible()
        page.keyboard.press("Escape")
        expect(door).to_be_hidden()
        page.locator("#question").focus()
        page.clock.fast_forward(120_000)
        expect(door).to_be_hidden()
        expect(page.locator("#question")).to_be_focused()
        expect(page.locator("#notice")).to_contain_text("Key missing or wrong")
        page.keyboard.type("sales report")
        page.keyboard.press("Enter")
        expect(page.locator("#unsent")).to_contain_text("Key missing or wrong")
        page.locator("#notice").get_by_role("button", name="Enter a key").click()
        expect(door).to_be_visible()

    def test_stays_shut_while_the_conversation_is_looked_at(self, visit: Visits, engine: Engine):
        text, kept = generate_key("desk", scopes=("ask", "read"))
        with serving(engine, Settings(models=("sales",), keys=(kept,))) as server:
            at = visit(server, refused=True)
            page = at.page
            page.clock.install()
            page.goto(server.url)
            page.locator("#door-key").fill(text)
            page.locator("#door-key").press("Enter")
            expect(page.locator("#welcome h2")).to_be_visible()
            at.ask("sales report")
            page.route("**/v1/conversation**", lambda route: route.fulfill(status=401, body="{}"))
            at.come_back()
            door = page.locator("#door")
            expect(door).to_be_visible()
            page.keyboard.press("Escape")
            for _ in range(3):
                with page.expect_response("**/v1/conversation**") as answered:
                    page.clock.fast_forward(60_000)
                answered.value.finished()
                page.evaluate("0")  # the page has read it, and asks anew when its time has come
                expect(door).to_be_hidden()
            at.ask("the best")

    def test_says_why_as_an_alert_and_lets_one_leave_without_a_keyboard(
        self, visit: Visits, locked: Server
    ):
        at = visit(locked, refused=True)
        page = at.page
        page.goto(locked.url)
        alert = page.locator("#door").get_by_role("alert")
        expect(alert).to_be_empty()
        page.locator("#door-key").fill("ana_desk_wrong")
        page.locator("#door-key").press("Enter")
        expect(alert).to_contain_text("key")
        expect(page.locator("#door-key")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#door-key")).to_be_focused()
        page.get_by_role("button", name="Not now").click()
        expect(page.locator("#door")).to_be_hidden()


class TestTheEye:
    def test_sees_the_borders_of_fields_and_buttons_in_both_themes(self, visit: Visits):
        at = visit(refused=True).open("sales")
        page = at.page
        page.route("**/v1/ask", lambda route: route.fulfill(status=500, body="{}"), times=1)
        page.locator("#question").fill("sales report")
        page.locator("#question").press("Enter")
        expect(page.locator(".turn.failed")).to_be_visible()
        page.evaluate("document.querySelector('#key').hidden = false")
        page.evaluate("document.querySelector('#door').showModal()")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            borders = page.evaluate(_WEAK_BORDERS)
            names = {name for name, _ in borders}
            assert {"model", "user", "door-key", "reset", "quiet again"} <= names
            assert [one for one in borders if one[1] < 3] == [], scheme

    def test_sees_the_lines_of_an_answer_and_of_a_question(self, visit: Visits):
        with Engine("sales") as engine, serving(engine, Settings(models=("sales",))) as server:

            @engine.on("sale")
            def poem() -> str:
                return "First line\n  second line\n\nlast line"

            at = visit(server).open()
            at.ask("sales report")
            say = at.page.locator(".turn .say")
            expect(say).to_have_text("First line\n  second line\n\nlast line")
            assert say.inner_text() == "First line\n  second line\n\nlast line"
