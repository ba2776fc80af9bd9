"""What lies on the table, and what the bot has told: pure functions on conversations."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.stm import offers as table
from anaphora.stm.conversation import Conversation, ConversationKey, Offers, RememberedEntity
from anaphora.stm.rules import find_replacement
from tests.stm.strategies import BEGIN, bundles, conversations, offers

LATER = BEGIN + timedelta(minutes=1)


def entity(element: str, value: str, *groups: str) -> Entity:
    return Entity(element, frozenset(groups or (element,)), value, value=value)


COMET, HERON = entity("line", "Comet"), entity("line", "Heron")
SEVEN, NINE = entity("time", "7:00"), entity("time", "9:00")
CHEAP = entity("price", "20")


def conversation(*remembered: Entity, on_table: Offers | None = None) -> Conversation:
    """The conversation after its second question, which has matched."""
    return replace(
        Conversation.empty(ConversationKey("ann", "trains")),
        remembered=tuple(RememberedEntity(one, 2, BEGIN, BEGIN, 1) for one in remembered),
        last=BEGIN,
        questions=2,
        matches=1,
        offers=on_table,
    )


def bundles_of(conversation: Conversation) -> tuple[tuple[Entity, ...], ...]:
    return conversation.offers.bundles if conversation.offers else ()


class TestMakeOffers:
    def test_new_offers_replace_those_before(self):
        before = Offers("find", ((COMET, SEVEN), (HERON, NINE)), BEGIN)
        after = table.make_offers("find", [(HERON, SEVEN)], LATER, before)
        assert after == Offers("find", ((HERON, SEVEN),), LATER)

    def test_one_that_names_some_of_the_values_leaves_the_others(self):
        before = Offers("find", ((COMET, SEVEN, CHEAP),), BEGIN, then="buy")
        after = table.make_offers("ask", [(NINE,)], LATER, before)
        assert after.bundles == ((NINE, COMET, CHEAP),)
        assert after.then == "buy"

    def test_an_intent_knows_what_of_its_own_was_declined(self):
        before = Offers("find", ((COMET,),), BEGIN, declined=((HERON,),))
        assert table.make_offers("find", [(COMET,)], LATER, before).declined == ((HERON,),)
        assert table.make_offers("ask", [(COMET,)], LATER, before).declined == ()
        again = table.make_offers("find", [(COMET,)], LATER, before, [(HERON,), (SEVEN,)])
        assert again.declined == ((HERON,), (SEVEN,))

    @given(st.lists(bundles, min_size=2, max_size=4), st.none() | offers)
    def test_several_are_offered_as_they_are(self, new, before):
        after = table.make_offers("find", new, LATER, before)
        assert after.bundles == tuple(new)
        assert (after.idle, after.at) == (0, LATER)

    @given(bundles, offers)
    def test_one_bundle_holds_what_is_new(self, new, before):
        (bundle,) = table.make_offers("find", [new], LATER, before).bundles
        assert bundle[: len(new)] == new
        assert all(find_replacement(one.groups, new) is None for one in bundle[len(new) :])


class TestReplaceOffered:
    def test_a_correction_takes_its_own_groups_from_the_offer(self):
        before = conversation(on_table=Offers("find", ((COMET, SEVEN),), BEGIN))
        assert bundles_of(table.replace_offered(before, [NINE])) == ((COMET,),)

    def test_an_offer_that_is_corrected_whole_is_gone(self):
        before = conversation(on_table=Offers("find", ((SEVEN,),), BEGIN))
        assert table.replace_offered(before, [NINE]).offers is None

    def test_a_value_that_is_only_named_stays(self):
        before = conversation(on_table=Offers("find", ((COMET, SEVEN),), BEGIN))
        assert table.replace_offered(before, [COMET]) == before

    def test_of_several_offers_nothing_is_taken(self):
        before = conversation(on_table=Offers("find", ((COMET, SEVEN), (HERON, NINE)), BEGIN))
        assert table.replace_offered(before, [entity("time", "8:00")]) == before

    @given(conversations, bundles)
    def test_twice_is_once(self, before, said):
        once = table.replace_offered(before, said)
        assert table.replace_offered(once, said) == once
        assert replace(once, offers=before.offers) == before


class TestRemoveBundles:
    def test_the_others_stay(self):
        before = conversation(on_table=Offers("find", ((COMET,), (HERON,)), BEGIN))
        after = table.remove_bundles(before, [(COMET,)])
        assert bundles_of(after) == ((HERON,),)
        assert after.offers is not None
        assert after.offers.declined == ((COMET,),)

    def test_the_table_knows_what_was_declined_even_if_nothing_is_left(self):
        before = conversation(on_table=Offers("find", ((COMET,),), BEGIN))
        after = table.remove_bundles(before, [(COMET,)]).offers
        assert after == Offers("find", (), BEGIN, declined=((COMET,),))

    def test_without_offers_nothing_changes(self):
        assert table.remove_bundles(conversation(COMET), [(COMET,)]) == conversation(COMET)

    @given(conversations, st.data())
    def test_only_what_is_declined_goes(self, before, data):
        on_table = bundles_of(before)
        declined = data.draw(st.lists(st.sampled_from(on_table))) if on_table else []
        after = table.remove_bundles(before, declined)
        assert bundles_of(after) == tuple(one for one in on_table if one not in declined)
        assert replace(after, offers=before.offers) == before


class TestAgeOffers:
    def test_they_go_after_so_many_questions(self):
        held = conversation(on_table=Offers("find", ((COMET,),), BEGIN))
        for _ in range(2):
            held = table.age_offers(held, depth=3)
            assert bundles_of(held) == ((COMET,),)
        assert table.age_offers(held, depth=3).offers is None

    def test_none_cannot_age(self):
        assert table.age_offers(conversation(COMET), depth=1) == conversation(COMET)
        assert table.clear_offers(conversation(COMET)) == conversation(COMET)


class TestWhatTheBotTells:
    def test_comes_after_what_the_user_said(self):
        after, _ = table.remember_mentions(conversation(COMET), [SEVEN])
        assert [(held.entity, held.by) for held in after.remembered] == [
            (COMET, "user"),
            (SEVEN, "bot"),
        ]
        assert {held.question_number for held in after.remembered} == {2}

    def test_comes_first_if_the_user_accepts_it(self):
        after, _ = table.remember(conversation(COMET), [SEVEN])
        assert [held.entity for held in after.remembered] == [SEVEN, COMET]

    def test_evicts_by_groups(self):
        after, forgotten = table.remember_mentions(conversation(COMET, SEVEN), [NINE])
        assert [held.entity for held in after.remembered] == [COMET, NINE]
        assert [(gone.remembered.entity, gone.rule, gone.by) for gone in forgotten] == [
            (SEVEN, "evicted", NINE)
        ]

    def test_is_the_users_if_the_user_said_it(self):
        after, forgotten = table.remember_mentions(conversation(COMET), [COMET])
        assert [(held.entity, held.by) for held in after.remembered] == [(COMET, "user")]
        assert not forgotten
