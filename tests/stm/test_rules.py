"""The nine rules of short-term memory, one after the other."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import chain
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from anaphora import Conversation, Entity
from anaphora.models.domain import ConversationSettings, Element, ElementValue, RecognizerSpec
from anaphora.stm import rules
from anaphora.stm.conversation import ForgetRule, PendingQuestion, RecallOffer, RememberedEntity
from tests.stm.strategies import BEGIN, conversations, entities, groups

SETTINGS = ConversationSettings()
MINUTE = timedelta(minutes=1)
TINY = timedelta(microseconds=1)


def entity(name: str, *names: str) -> Entity:
    return Entity(name, frozenset(names or (name,)), name)


def held(conversation: Conversation) -> list[str]:
    return [one.entity.element for one in conversation.remembered]


def matched(
    conversation: Conversation, at: datetime, *new: Entity, used: tuple[str, ...] = ()
) -> Conversation:
    """The conversation after a question that used these entities."""
    chosen = [one for one in conversation.remembered if one.entity.element in used]
    return rules.record_match(conversation, at, intent="x", new=new, used=chosen)[0]


def started(*new: Entity) -> Conversation:
    return matched(Conversation("ann", "weather"), BEGIN, *new)


class TestTimeout:
    def test_a_pause_of_exactly_the_timeout_forgets_nothing(self):
        before = started(entity("city"))
        assert rules.expire(before, BEGIN + 5 * MINUTE, SETTINGS) == (before, ())

    def test_a_longer_pause_forgets_entities_flow_data_and_what_is_pending(self):
        before = rules.replace_data(started(entity("city")), {"asked": 1})
        before = rules.record_incomplete(
            before, BEGIN, PendingQuestion("x", (entity("a"),), ("b",), BEGIN)
        )
        after, forgotten = rules.expire(before, BEGIN + 5 * MINUTE + TINY, SETTINGS)
        assert (after.remembered, after.flow, after.data, after.pending) == ((), (), {}, None)
        assert [gone.rule for gone in forgotten] == [ForgetRule.TIMEOUT]

    def test_the_pause_is_measured_from_the_last_question_whatever_became_of_it(self):
        asked = started(entity("city"))
        asked = rules.record_rejection(asked, BEGIN + 3 * MINUTE, SETTINGS)[0]
        at = BEGIN + 8 * MINUTE
        assert asked.last == BEGIN + 3 * MINUTE
        assert [gone.rule for gone in rules.expire(asked, at, SETTINGS)[1]] == [ForgetRule.AGE]
        assert rules.expire(asked, at, SETTINGS)[0].flow
        assert not rules.expire(asked, at + TINY, SETTINGS)[0].flow

    def test_a_clock_that_goes_backwards_forgets_nothing(self):
        before = started(entity("city"))
        assert rules.expire(before, BEGIN - 60 * MINUTE, SETTINGS) == (before, ())
        after = matched(before, BEGIN - MINUTE, entity("date"))
        assert (after.last, after.remembered[0].used_at) == (BEGIN, BEGIN)

    def test_the_timeout_is_the_models_own(self):
        hour = ConversationSettings(timeout=timedelta(hours=1))
        before = started(entity("city"))
        assert rules.expire(before, BEGIN + 60 * MINUTE, hour) == (before, ())

    @given(conversations, st.timedeltas(timedelta(0), timedelta(days=2)))
    def test_it_goes_exactly_when_the_pause_is_longer_than_the_timeout(self, before, pause):
        if before.last is None:
            return
        after, _ = rules.expire(before, before.last + pause, SETTINGS)
        if pause > SETTINGS.timeout:
            assert (after.remembered, after.flow, after.pending) == ((), (), None)
        else:
            assert (after.flow, after.data) == (before.flow, before.data)

    def test_two_minutes_are_two_minutes_when_the_clocks_go_forward(self):
        berlin = ZoneInfo("Europe/Berlin")
        asked = Conversation("ann", "weather")
        asked = matched(asked, datetime(2026, 3, 29, 1, 59, tzinfo=berlin), entity("city"))
        after, forgotten = rules.expire(asked, datetime(2026, 3, 29, 3, 1, tzinfo=berlin), SETTINGS)
        assert (held(after), forgotten) == (["city"], ())

    def test_an_hour_is_an_hour_when_the_clocks_go_back(self):
        first = datetime(2026, 10, 25, 2, 58, tzinfo=ZoneInfo("Europe/Berlin"))
        asked = matched(Conversation("ann", "weather"), first, entity("city"))
        after, forgotten = rules.expire(asked, first.replace(minute=59, fold=1), SETTINGS)
        assert held(after) == []
        assert [gone.rule for gone in forgotten] == [ForgetRule.TIMEOUT]
        again = rules.record_rejection(asked, first.replace(minute=0, fold=1), SETTINGS)[0]
        assert again.last - asked.last == 2 * MINUTE


class TestAge:
    def test_an_entity_that_nothing_used_for_longer_is_forgotten_by_itself(self):
        asked = started(entity("city"), entity("date"))
        asked = matched(asked, BEGIN + 4 * MINUTE, used=("city",))
        after, forgotten = rules.expire(asked, BEGIN + 6 * MINUTE, SETTINGS)
        assert held(after) == ["city"]
        assert [(gone.remembered.entity.element, gone.rule) for gone in forgotten] == [
            ("date", ForgetRule.AGE)
        ]

    def test_at_exactly_that_age_it_is_still_there(self):
        asked = started(entity("city"), entity("date"))
        asked = matched(asked, BEGIN + 4 * MINUTE, used=("city",))
        assert held(rules.expire(asked, BEGIN + 5 * MINUTE, SETTINGS)[0]) == ["city", "date"]


class TestDepth:
    def test_an_entity_that_three_matched_questions_did_not_use_is_forgotten(self):
        asked = started(entity("old"), entity("kept"))
        for number in range(3):
            assert "old" in held(rules.expire(asked, BEGIN, SETTINGS)[0])
            asked = matched(asked, BEGIN, entity(f"new{number}"), used=("kept",))
        after, forgotten = rules.expire(asked, BEGIN, SETTINGS)
        assert "old" not in held(after)
        assert "kept" in held(after)
        assert [gone.rule for gone in forgotten] == [ForgetRule.DEPTH]

    def test_rejected_and_incomplete_questions_do_not_count(self):
        asked = started(entity("old"))
        asked = matched(matched(asked, BEGIN, entity("a")), BEGIN, entity("b"))
        asked = rules.record_rejection(asked, BEGIN, SETTINGS)[0]
        asked = rules.record_incomplete(asked, BEGIN, PendingQuestion("x", (), ("y",), BEGIN))
        assert "old" in held(rules.expire(asked, BEGIN, SETTINGS)[0])

    def test_more_than_three_rejections_in_a_row_forget_everything(self):
        asked = started(entity("city"))
        for _ in range(3):
            asked, forgotten = rules.record_rejection(asked, BEGIN, SETTINGS)
            assert (held(asked), forgotten) == (["city"], ())
        asked, forgotten = rules.record_rejection(asked, BEGIN, SETTINGS)
        assert (held(asked), asked.flow) == ([], ())
        assert [gone.rule for gone in forgotten] == [ForgetRule.REJECTIONS]
        assert asked.rejections == 0

    def test_an_incomplete_question_breaks_the_row(self):
        asked = started(entity("city"))
        for _ in range(3):
            asked = rules.record_rejection(asked, BEGIN, SETTINGS)[0]
        asked = rules.record_incomplete(asked, BEGIN, PendingQuestion("x", (), ("y",), BEGIN))
        assert held(rules.record_rejection(asked, BEGIN, SETTINGS)[0]) == ["city"]


class TestEviction:
    @pytest.mark.parametrize(
        ("new", "old", "goes"),
        [
            ("G1 G2 G3", "G1 G2 G3", True),
            ("G1 G2 G3", "G1 G2 G3 G4", True),
            ("G1 G2 G3", "G1 G2", False),
            ("G1 G2 G3", "G10 G11", False),
            ("G1", "G1", True),
            ("G1", "G1 G2", True),
            ("G1 G2", "G1", False),
            ("A C", "A B C", True),
        ],
    )
    def test_the_table(self, new, old, goes):
        asked = matched(started(entity("old", *old.split())), BEGIN, entity("new", *new.split()))
        assert ("old" not in held(asked)) == goes

    def test_entities_of_one_question_do_not_evict_each_other(self):
        asked = started(entity("a", "A"), entity("b", "A", "B"), entity("c", "A"))
        assert held(asked) == ["a", "b", "c"]

    @given(st.lists(groups), st.lists(groups))
    def test_what_goes_is_every_superset_and_nothing_else(self, old, new):
        stored = started(*(entity(str(n), *each) for n, each in enumerate(old))).remembered
        fresh = [entity(f"new{n}", *each) for n, each in enumerate(new)]
        kept, forgotten = rules.evict(stored, fresh)
        for one in stored:
            superset = any(one.entity.groups >= each for each in new)
            assert (one in kept) != superset
            assert (one in [gone.remembered for gone in forgotten]) == superset
        for gone in forgotten:
            assert gone.by.groups <= gone.remembered.entity.groups
            assert gone.rule is ForgetRule.EVICTED

    @given(st.lists(groups), st.lists(groups))
    def test_it_is_idempotent(self, old, new):
        stored = started(*(entity(str(n), *each) for n, each in enumerate(old))).remembered
        fresh = [entity("new", *each) for each in new]
        kept, _ = rules.evict(stored, fresh)
        assert rules.evict(kept, fresh) == (kept, ())

    @given(st.lists(groups), st.lists(groups), st.randoms())
    def test_the_order_of_the_new_entities_does_not_matter(self, old, new, random):
        stored = started(*(entity(str(n), *each) for n, each in enumerate(old))).remembered
        fresh = [entity(f"new{n}", *each) for n, each in enumerate(new)]
        shuffled = random.sample(fresh, len(fresh))
        assert rules.evict(stored, fresh)[0] == rules.evict(stored, shuffled)[0]

    @given(conversations, st.lists(entities, max_size=3))
    def test_the_new_ones_are_remembered_first_and_all_of_them(self, before, new):
        after, _ = rules.record_match(before, BEGIN, intent="x", new=new, used=())
        assert [one.entity for one in after.remembered[: len(new)]] == new
        assert set(map(id, after.remembered[len(new) :])) <= set(map(id, before.remembered))


class TestNoMixing:
    def test_what_a_new_entity_would_evict_is_not_offered_beside_it(self):
        asked = started(entity("city", "place"), entity("shop", "place", "food"), entity("date"))
        offers, hidden = rules.split_visible(asked, [entity("new", "place")])
        assert [one.entity.element for one in offers] == ["date"]
        assert [one.entity.element for one, _ in hidden] == ["city", "shop"]
        assert {by for _, by in hidden} == {frozenset({"place"})}

    @given(conversations, st.lists(groups, max_size=3))
    def test_what_is_offered_is_what_would_stay(self, conversation, sentence):
        new = [entity("new", *each) for each in sentence]
        offers, hidden = rules.split_visible(conversation, new)
        assert offers == rules.evict(conversation.remembered, new)[0]
        assert len(offers) + len(hidden) == len(conversation.remembered)


class TestRemembering:
    def test_what_is_used_again_is_refreshed_where_it_stands(self):
        asked = started(entity("city"), entity("date"))
        later = BEGIN + MINUTE
        after = matched(asked, later, entity("topic"), used=("date",))
        assert held(after) == ["topic", "city", "date"]
        date: RememberedEntity = after.remembered[2]
        assert (date.used_at, date.used_match, date.question_number) == (later, 2, 1)
        assert date.stored_at == BEGIN
        assert after.remembered[1].used_at == BEGIN

    def test_it_ends_what_was_pending_and_the_row_of_rejections(self):
        asked = rules.record_incomplete(started(), BEGIN, PendingQuestion("x", (), ("y",), BEGIN))
        asked = rules.record_rejection(asked, BEGIN, SETTINGS)[0]
        after = matched(asked, BEGIN, entity("city"))
        assert (after.pending, after.rejections) == (None, 0)

    def test_what_a_new_entity_evicts_goes_though_it_was_used(self):
        asked = matched(started(entity("city")), BEGIN, entity("town", "city"), used=("city",))
        assert held(asked) == ["town"]

    def test_the_flow_is_the_intents_in_their_order_and_does_not_grow_for_ever(self):
        asked = Conversation("ann", "weather")
        for number in range(150):
            asked = rules.record_match(asked, BEGIN, intent=str(number), new=(), used=())[0]
        assert [step.intent for step in asked.flow] == [str(n) for n in range(50, 150)]

    def test_a_rejected_question_keeps_what_is_pending(self):
        pending = PendingQuestion("x", (entity("a"),), ("y",), BEGIN)
        asked = rules.record_incomplete(started(), BEGIN, pending)
        assert rules.record_rejection(asked, BEGIN, SETTINGS)[0].pending == pending


class TestForgetting:
    def test_everything(self):
        after, forgotten = rules.forget_all(started(entity("city")), ForgetRule.TOPIC)
        assert (after.remembered, after.flow) == ((), ())
        assert [gone.rule for gone in forgotten] == [ForgetRule.TOPIC]

    def test_by_a_predicate_and_by_a_group(self):
        asked = started(entity("city", "place"), entity("shop", "place", "food"), entity("date"))
        assert held(rules.forget(asked, lambda one: one.element == "date")[0]) == ["city", "shop"]
        assert held(rules.forget_group(asked, "food")[0]) == ["city", "date"]

    def test_also_what_is_pending(self):
        pending = PendingQuestion("x", (entity("a"), entity("b")), ("y",), BEGIN)
        asked = rules.record_incomplete(started(), BEGIN, pending)
        after, _ = rules.forget_group(asked, "a")
        assert [one.element for one in after.pending.entities] == ["b"]
        assert rules.forget(after, lambda one: True)[0].pending is None

    def test_the_flow_alone(self):
        after = rules.forget_flow(started(entity("city")))
        assert (held(after), after.flow) == (["city"], ())

    def test_a_reset_counts_as_a_question(self):
        asked = rules.replace_data(started(entity("city")), {"a": 1})
        after, _ = rules.record_reset(asked, BEGIN + MINUTE)
        assert (after.remembered, after.data, after.last) == ((), {}, BEGIN + MINUTE)
        assert after.questions == asked.questions + 1


def element(name: str, *values: str, **options: Any) -> Element:
    named = tuple(ElementValue(value, {}) for value in values)
    return Element(name, **{"groups": frozenset({name}), "values": named} | options)


def elements_of(conversation: Conversation) -> list[Element]:
    """Elements with which everything in the conversation fits."""
    waiting = conversation.pending
    pending = waiting.entities if waiting else ()
    if waiting and waiting.suspended:
        pending = (*pending, *waiting.suspended.entities)
    offered = conversation.recall_offer.entities if conversation.recall_offer else ()
    bundles = conversation.offers.bundles if conversation.offers else ()
    held = (*conversation.remembered, *conversation.earlier)
    all_of_them = [*(one.entity for one in held), *pending, *offered, *chain(*bundles)]
    values = {}
    for one in all_of_them:
        values.setdefault(one.element, set()).update({one.value} - {None})
    return [
        element(
            one.element,
            *values[one.element],
            groups=one.groups,
            ancestors=one.ancestors,
            topic=one.topic,
            meta=one.meta,
        )
        for one in all_of_them
    ]


class TestFitting:
    """The conversation goes on with another state of its model."""

    def test_what_the_model_still_has_stays_as_the_model_has_it_now(self):
        asked = started(replace(entity("city"), value="Tokyo"), entity("sale"))
        now = element(
            "city",
            *("Tokyo", "Kyoto"),
            groups=frozenset("AB"),
            ancestors=("place",),
            topic=True,
            meta={"a": 1},
        )
        after, forgotten = rules.migrate(asked, [now, element("sale")])
        assert forgotten == ()
        assert [replace(one, entity=None) for one in after.remembered] == [
            replace(one, entity=None) for one in asked.remembered
        ]
        assert after.remembered[0].entity == Entity(
            *("city", frozenset("AB"), "city"),
            value="Tokyo",
            ancestors=("place",),
            topic=True,
            meta={"a": 1},
        )

    @pytest.mark.parametrize(
        ("elements", "stays"),
        [
            ([], False),
            ([element("town", "Tokyo")], False),
            ([element("city")], False),
            ([element("city", "Kyoto")], False),
            ([element("city", "Kyoto", "Tokyo")], True),
            ([element("city", "Tokyo", abstract=True)], False),
        ],
    )
    def test_an_element_or_a_value_that_is_gone_is_forgotten(self, elements, stays):
        asked = started(replace(entity("city"), value="Tokyo"))
        pending = PendingQuestion("x", tuple(one.entity for one in asked.remembered), ("y",), BEGIN)
        asked = rules.record_incomplete(asked, BEGIN, pending)
        after, forgotten = rules.migrate(asked, elements)
        assert held(after) == (["city"] if stays else [])
        assert [(gone.remembered.entity.value, gone.rule) for gone in forgotten] == (
            [] if stays else [("Tokyo", ForgetRule.RESET)]
        )
        assert (after.pending is not None) == stays

    def test_what_is_pending_is_completed_with_what_still_fits_of_it(self):
        pending = PendingQuestion("x", (entity("a"), entity("b")), ("y",), BEGIN)
        asked = rules.record_incomplete(started(), BEGIN, pending)
        after, forgotten = rules.migrate(asked, [element("b", topic=True)])
        assert forgotten == ()
        assert after.pending == replace(pending, entities=(replace(entity("b"), topic=True),))

    def test_an_entity_without_a_value_fits_an_element_that_has_got_some(self):
        assert held(rules.migrate(started(entity("city")), [element("city", "Tokyo")])[0])

    def test_an_entity_of_others_fits_if_all_of_them_do(self):
        asked = started(replace(entity("order"), parts=(entity("size"), entity("food"))))
        size, food = element("size", abstract=True, topic=True), element("food")
        after, _ = rules.migrate(asked, [element("order"), size, food])
        assert [part.topic for part in after.remembered[0].entity.parts] == [True, False]
        assert not held(rules.migrate(asked, [element("order"), size])[0])

    def test_a_built_in_entity_needs_no_element(self):
        asked = started(replace(entity("date"), is_from_phrase=False))
        assert rules.migrate(asked, []) == (asked, ())

    def test_a_declared_element_named_like_a_built_in_one_is_needed(self):
        asked = started(replace(entity("date", "when"), is_from_phrase=False))
        assert not held(rules.migrate(asked, [])[0])

    def test_a_recognized_entity_needs_its_element(self):
        asked = started(replace(entity("order"), is_from_phrase=False, value="AB-1", meta={"n": 1}))
        assert not held(rules.migrate(asked, [])[0])
        assert not held(rules.migrate(asked, [element("order", "x")])[0])
        recognition = RecognizerSpec("function", "shop#orders")
        now = element("order", groups=frozenset("A"), meta={"a": 1}, recognition=recognition)
        (kept,) = rules.migrate(asked, [now])[0].remembered
        assert (kept.entity.groups, kept.entity.meta) == (frozenset("A"), {"n": 1})
        assert kept.entity.value == "AB-1"

    @given(conversations)
    def test_with_the_same_elements_nothing_changes(self, before):
        names = [each.id for each in elements_of(before)]
        if len(set(names)) == len(names):
            assert rules.migrate(before, elements_of(before)) == (before, ())

    @given(conversations, st.data())
    def test_what_stays_and_what_is_forgotten_is_all_there_was(self, before, data):
        elements = elements_of(before)
        chosen = data.draw(st.lists(st.sampled_from(elements))) if elements else []
        after, forgotten = rules.migrate(before, chosen)
        assert rules.migrate(after, chosen) == (after, ())
        gone = [id(one.remembered) for one in forgotten]
        left = [one for one in before.remembered if id(one) not in gone]
        assert held(after) == [one.entity.element for one in left]
        known = {each.id for each in chosen}
        assert all(one.entity.element in known for one in left)


@given(conversations, st.timedeltas(timedelta(0), timedelta(days=2)))
def test_recalling_twice_is_recalling_once(before, pause):
    at = BEGIN + pause
    after, _ = rules.expire(before, at, SETTINGS)
    assert rules.expire(after, at, SETTINGS)[0] == after


def test_a_time_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        rules.expire(started(), datetime(2026, 1, 1), SETTINGS)
    with pytest.raises(ValueError, match="time zone"):
        rules.record_rejection(started(), datetime(2026, 1, 1), SETTINGS)
    with pytest.raises(ValueError, match="time zone"):
        rules.record_reset(started(), datetime(2026, 1, 1))
    with pytest.raises(ValueError, match="time zone"):
        rules.record_incomplete(
            started(), datetime(2026, 1, 1), PendingQuestion("x", (), ("y",), BEGIN)
        )
    with pytest.raises(ValueError, match="time zone"):
        matched(started(), datetime(2026, 1, 1))


def offer_of(*names: str, at: datetime = BEGIN) -> RecallOffer:
    entities = tuple(entity(name) for name in names)
    ages, speakers = tuple(range(len(names))), ("user",) * len(names)
    return RecallOffer("And tomorrow?", "en", at, entities, ages, speakers, 7, BEGIN)


def offered_to(conversation: Conversation, *names: str) -> Conversation:
    return rules.record_recall_offer(conversation, BEGIN, offer_of(*names), None)


class TestOffers:
    def test_one_stands_for_as_long_as_the_timeout(self):
        before = offered_to(started(), "city")
        assert rules.expire(before, BEGIN + 5 * MINUTE, SETTINGS)[0].recall_offer == offer_of(
            "city"
        )
        assert rules.expire(before, BEGIN + 5 * MINUTE + TINY, SETTINGS)[0].recall_offer is None

    def test_one_lapses_though_the_conversation_goes_on(self):
        before = rules.decline_recall_offer(offered_to(started(), "city"))
        before = rules.record_rejection(before, BEGIN + 3 * MINUTE, SETTINGS)[0]
        assert before.recall_offer == replace(offer_of("city"), declined=True)
        assert rules.expire(before, BEGIN + 6 * MINUTE, SETTINGS)[0].recall_offer is None

    def test_one_leaves_what_is_pending_or_puts_its_own_question_there(self):
        pending = PendingQuestion("x", (entity("a"),), ("b",), BEGIN)
        asked = rules.record_incomplete(started(), BEGIN, pending)
        assert offered_to(asked, "city").pending == pending
        mine = replace(pending, intent="y")
        assert rules.record_recall_offer(asked, BEGIN, offer_of("city"), mine).pending == mine

    def test_a_question_that_matches_ends_one(self):
        assert matched(offered_to(started(), "city"), BEGIN, entity("date")).recall_offer is None

    @pytest.mark.parametrize(
        "forget",
        [
            rules.forget_all,
            lambda before: rules.forget_group(before, "city"),
            lambda before: rules.record_reset(before, BEGIN),
            lambda before: rules.migrate(before, [element("date")]),
        ],
        ids=["all", "group", "reset", "model"],
    )
    def test_what_is_forgotten_is_not_offered_any_more(self, forget):
        assert forget(offered_to(started(), "city", "date"))[0].recall_offer is None

    def test_forgetting_something_else_leaves_one(self):
        before = offered_to(started(), "city")
        assert rules.forget_group(before, "date")[0].recall_offer == offer_of("city")
        assert rules.drop_recall_offer(before).recall_offer is None

    def test_what_is_brought_back_is_remembered_as_far_away_as_it_was(self):
        before = offered_to(started(), "date", "city")
        at = BEGIN + 4 * MINUTE
        after = rules.restore_recall_offer(before, at, offer_of("date", "city"))
        assert held(after) == ["date", "city"]
        assert [before.questions + 1 - one.question_number for one in after.remembered] == [1, 2]
        assert (after.recall_offer, after.last) == (None, at)
        assert rules.expire(after, at + 5 * MINUTE, SETTINGS) == (after, ())
