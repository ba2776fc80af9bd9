"""Utterances are matched against whole sentences."""

from __future__ import annotations

import pytest

from anaphora.entities.sentences.matcher import SentenceMatcher
from tests.entities.sentences.sentence_files import match, matcher_of

LIGHTS = """
intents:
  TurnOn:
    data:
      - sentences:
          - "<turn> on [the] (light|lamp)[s] in [the] {area}"
          - "<turn> [the] {area} lights (on;[now])"
        slots: {domain: light}
      - sentences: ["<turn> on [the] {name}"]
        requires_context: {domain: [light, media_player]}
      - sentences: ["<turn> on [the] lights [[in] here]"]
        slots: {domain: light}
        requires_context: {area: {slot: true}}
  SetBrightness:
    data:
      - sentences: ["set [the] {area} to {brightness}[([ ]%)| percent]"]
  Lock:
    data:
      - sentences: ["lock [the] {name}"]
        requires_context: {domain: lock}
  Play:
    data:
      - sentences:
          - "play {title} in [the] {area}"
          - "play {title}"
  Timer:
    data:
      - sentences: ["[set] {minutes} minute[s] timer", "timer for {half:minutes} hours"]
lists:
  brightness: {range: {from: 0, to: 100}}
  minutes: {range: {from: 5, to: 60, step: 5}}
  half: {range: {from: 1, to: 4, fractions: halves, multiplier: 60}}
  title: {wildcard: true}
expansion_rules:
  turn: (turn|switch)
skip_words: [please, could you]
"""


@pytest.fixture(scope="module")
def lights() -> SentenceMatcher:
    return matcher_of(LIGHTS)


@pytest.mark.parametrize(
    ("text", "intent", "slots"),
    [
        ("turn on the lights in the kitchen", "TurnOn", {"area": "Kitchen", "domain": "light"}),
        ("Switch on lamp in lounge", "TurnOn", {"area": "Living Room", "domain": "light"}),
        ("turn the kitchen lights on", "TurnOn", {"area": "Kitchen", "domain": "light"}),
        ("turn the kitchen lights now on", "TurnOn", {"area": "Kitchen", "domain": "light"}),
        ("turn on the bedroom lamp", "TurnOn", {"name": "Bedroom Lamp"}),
        ("turn on bedroom-lamp", "TurnOn", {"name": "Bedroom Lamp"}),
        ("turn the kitchen-lights on", "TurnOn", {"area": "Kitchen", "domain": "light"}),
        ("turn the_kitchen lights-now on", "TurnOn", {"area": "Kitchen", "domain": "light"}),
        ("set kitchen to 20%", "SetBrightness", {"area": "Kitchen", "brightness": 20}),
        ("set kitchen to 20 %", "SetBrightness", {"area": "Kitchen", "brightness": 20}),
        ("set kitchen to twenty percent", "SetBrightness", {"area": "Kitchen", "brightness": 20}),
        ("set kitchen to forty-two", "SetBrightness", {"area": "Kitchen", "brightness": 42}),
        ("lock the front door", "Lock", {"name": "Front Door"}),
        ("play Take Five", "Play", {"title": "Take Five"}),
        ("play Take Five in the kitchen", "Play", {"title": "Take Five", "area": "Kitchen"}),
        ("15 minute timer", "Timer", {"minutes": 15}),
        ("timer for 1.5 hours", "Timer", {"minutes": 90}),
        ("timer for 1,5 hours", "Timer", {"minutes": 90}),
    ],
)
def test_a_sentence_gives_the_intent_and_its_slots(
    lights: SentenceMatcher, text: str, intent: str, slots: dict[str, object]
) -> None:
    assert match(lights, text) == (intent, slots)


@pytest.mark.parametrize(
    "text",
    [
        "turnon the lights in the kitchen",
        "turn on the lights in the attic",
        "turn on the front door",  # it is no light
        "lock the lamp",
        "set kitchen to 120",
        "set kitchen to 2.5",
        "7 minute timer",  # the step is 5
        "turn on the lights",  # where?
        "play",
        "hello",
        "",
        " ",
    ],
)
def test_other_texts_match_nothing(lights: SentenceMatcher, text: str) -> None:
    assert match(lights, text) is None


def test_case_white_space_and_punctuation_do_not_count(lights: SentenceMatcher) -> None:
    expected = ("TurnOn", {"name": "Bedroom Lamp"})
    for text in ("TURN ON THE BEDROOM LAMP!", "  turn   on the\tbedroom lamp… ", "Turn on, Lamp."):
        found = match(lights, text)
        assert found is not None
        assert found[0] == expected[0]


def test_skip_words_may_stand_anywhere(lights: SentenceMatcher) -> None:
    assert match(lights, "could you turn on the lamp please") == ("TurnOn", {"name": "Lamp"})
    assert match(lights, "please play please please me") == ("Play", {"title": "please please me"})


def test_the_context_fills_a_slot(lights: SentenceMatcher) -> None:
    expected = ("TurnOn", {"area": "Kitchen", "domain": "light"})
    assert match(lights, "turn on the lights", {"area": "Kitchen"}) == expected
    written = {"area": {"value": "Kitchen", "text": "kitchen"}}
    assert match(lights, "turn on the lights", written) == expected


def test_what_the_context_lacks_is_named(lights: SentenceMatcher) -> None:
    (found,) = lights.match("turn on the lights")
    assert found.missing == ("area",)


def test_a_list_in_the_context_fills_no_slot(lights: SentenceMatcher) -> None:
    (found,) = lights.match("turn on the lights", {"area": ["Kitchen"]})
    assert found.missing == ("area",)


def test_a_slot_says_where_its_words_are(lights: SentenceMatcher) -> None:
    text = "Please, turn on the  bedroom lamp!"
    slot = lights.match(text)[0].slots["name"]
    assert text[slot.start : slot.end] == slot.text == "bedroom lamp"


@pytest.mark.parametrize(
    ("text", "value", "words"),
    [
        ("play  Take,  Five!", "Take Five", "Take,  Five"),
        ("play Don’t  Stop", "Don't Stop", "Don’t  Stop"),
        ("play Voila\u0300 Cafe\u0301", "Voilà Café", "Voila\u0300 Cafe\u0301"),
        ("play e\u0301 x in the kitchen", "é x", "e\u0301 x"),
        ("play \u1112\u1161\u11ab x", "한 x", "\u1112\u1161\u11ab x"),
        ("play \u0958 x", "\u0915\u093c x", "\u0958 x"),
    ],
)
def test_any_words_are_without_punctuation_and_say_where_they_stand(
    lights: SentenceMatcher, text: str, value: str, words: str
) -> None:
    slot = lights.match(text)[0].slots["title"]
    assert (slot.value, slot.text) == (value, words)
    assert text[slot.start : slot.end] == words


def test_a_skip_word_is_no_part_of_any_words() -> None:
    matcher = matcher_of("""
intents:
  A: {data: [{sentences: ["put {title} on the list"]}]}
lists: {title: {wildcard: true}}
skip_words: [please]
""")
    assert match(matcher, "put Milk please and eggs on the list") == (
        "A",
        {"title": "Milk and eggs"},
    )


def test_a_fixed_name_is_a_name() -> None:
    matcher = matcher_of("""
intents:
  A: {data: [{sentences: ["start everything"]}]}
  B: {data: [{sentences: ["start {title}"], slots: {name: Lamp}}]}
lists: {title: {wildcard: true}}
""")
    assert match(matcher, "start everything") == ("B", {"title": "everything", "name": "Lamp"})


def test_the_longest_name_wins() -> None:
    matcher = matcher_of("""
intents:
  A: {data: [{sentences: ["on {name}", "on {area} {name}"]}]}
""")
    assert match(matcher, "on bedroom lamp") == ("A", {"name": "Bedroom Lamp"})


def test_fewer_wildcards_win() -> None:
    matcher = matcher_of("""
intents:
  Any: {data: [{sentences: ["play {title}"]}]}
  Radio: {data: [{sentences: ["play [the] {name}"]}]}
lists: {title: {wildcard: true}}
""")
    assert match(matcher, "play the jazz radio") == ("Radio", {"name": "Jazz Radio"})
    assert match(matcher, "play the blues") == ("Any", {"title": "the blues"})


def test_excluded_context_keeps_a_sentence_out() -> None:
    matcher = matcher_of("""
intents:
  A: {data: [{sentences: ["open {name}"], excludes_context: {domain: lock}}]}
""")
    assert match(matcher, "open front door") is None
    assert match(matcher, "open lamp") == ("A", {"name": "Lamp"})


def test_excluded_context_without_a_value_excludes_nothing() -> None:
    matcher = matcher_of("""
intents:
  A: {data: [{sentences: ["open {name}"], excludes_context: {area: null}}]}
""")
    assert match(matcher, "open lamp", {"area": "Kitchen"}) == ("A", {"name": "Lamp"})


def test_a_block_may_have_rules_and_lists_of_its_own() -> None:
    matcher = matcher_of("""
intents:
  A:
    data:
      - sentences: ["<verb> {color}"]
        expansion_rules: {verb: paint it}
        lists: {color: {values: [{in: "(dark|deep) red", out: crimson}, green]}}
  B: {data: [{sentences: ["<verb> {color}"]}]}
expansion_rules: {verb: show}
lists: {color: {values: [green]}}
""")
    assert match(matcher, "paint it deep red") == ("A", {"color": "crimson"})
    assert match(matcher, "show green") == ("B", {"color": "green"})
    assert match(matcher, "show deep red") is None


def test_required_keywords_and_captures() -> None:
    matcher = matcher_of("""
intents:
  A: {data: [{sentences: ["[now] say {any:@words}"], required_keywords: [now]}]}
lists: {any: {wildcard: true}}
""")
    assert match(matcher, "say it") is None
    (found,) = matcher.match("now say it")
    assert (dict(found.slots), found.captures["words"].text) == ({}, "it")


def test_inline_ranges() -> None:
    matcher = matcher_of("""
intents:
  A: {data: [{sentences: ["dim to {0..100,10:level}"]}]}
""")
    assert match(matcher, "dim to 50") == ("A", {"level": 50})
    assert match(matcher, "dim to 55") is None


def test_an_elided_article_needs_no_blank() -> None:
    matcher = matcher_of("""
intents:
  A: {data: [{sentences: ["accendi la luce (in|nell') {area}"]}]}
""")
    assert match(matcher, "accendi la luce nell'kitchen") == ("A", {"area": "Kitchen"})
    assert match(matcher, "accendi la luce nell’ kitchen") == ("A", {"area": "Kitchen"})


def test_without_white_space_between_words() -> None:
    matcher = matcher_of("""
settings: {ignore_whitespace: true}
intents:
  A: {data: [{sentences: ["打开{place}的 灯"]}]}
lists: {place: {values: [厨房, 客 厅]}}
""")
    assert match(matcher, "打开厨房的灯") == ("A", {"place": "厨房"})
    assert match(matcher, "打开 客厅 的灯。") == ("A", {"place": "客 厅"})


def test_a_thousand_strange_texts_do_no_harm(lights: SentenceMatcher) -> None:
    for code in range(0x20, 0x3000, 7):
        character = chr(code)
        assert match(lights, f"play {character}x{character}") is not None or not character.strip()


def test_many_wildcards_in_a_row_take_no_time_for_long_texts() -> None:
    matcher = matcher_of("""
intents:
  A: {data: [{sentences: ["{a} {b} {c} {d} end", "{a} {b} {c} {d} {e}"]}]}
lists: {a: &any {wildcard: true}, b: *any, c: *any, d: *any, e: *any}
""")
    found = match(matcher, "word " * 1_000)
    assert found is not None
    assert [found[1][name] for name in "abcd"] == ["word"] * 4


def test_a_huge_range_has_digits_but_no_words() -> None:
    matcher = matcher_of("""
intents:
  A: {data: [{sentences: ["dial {number}"]}]}
lists: {number: {range: {from: 0, to: 100000000}}}
""")
    assert match(matcher, "dial 12345678") == ("A", {"number": 12345678})
    assert match(matcher, "dial seven") is None
