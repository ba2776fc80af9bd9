"""How a document is split into passages."""

from __future__ import annotations

import regex
from hypothesis import given
from hypothesis import strategies as st

from anaphora.agents.archive.passages import Section, split_passages
from anaphora.ltm.history.measure import count_words


def split(text, *headings):
    return [passage.text for passage in split_passages([Section(text, headings)])]


def without_space(text):
    return "".join(text.split())


def test_a_short_text_is_one_passage():
    assert split("  Tea is served at four.\n\nCome early. ") == [
        "Tea is served at four.\n\nCome early."
    ]
    assert split(" \n ") == []


def test_a_passage_has_the_headings_above_it():
    sections = [Section("A.", ("Guide", "Kyoto")), Section("B.", ("Guide", "Nara"))]
    assert [tuple(passage) for passage in split_passages(sections)] == [
        ("A.", ("Guide", "Kyoto")),
        ("B.", ("Guide", "Nara")),
    ]


def test_a_passage_ends_with_a_paragraph_if_it_is_long_enough():
    paragraphs = [f"Paragraph {number} " + "word " * 60 + "ends." for number in range(4)]
    passages = split("\n\n".join(paragraphs))
    assert passages == ["\n\n".join(paragraphs[:2]), "\n\n".join(paragraphs[2:])]


def test_a_long_paragraph_ends_with_a_sentence():
    passages = split("Dr. Smith said that it costs 3.5 euros in No. 5. " * 60)
    assert len(passages) > 3
    assert all(passage.endswith("in No. 5.") for passage in passages)
    assert all(120 < count_words(passage) <= 180 for passage in passages[:-1])


def test_texts_without_spaces_are_split_at_their_sentences():
    for sentence in ("京都の天気は晴れです。", "东京今天的天气很好。"):
        passages = split(sentence * 200)
        assert len(passages) > 2
        assert all(passage.endswith("。") and len(passage) <= 400 for passage in passages)
    thai = "วันนี้อากาศดีมาก" * 200  # no sentence marks at all
    passages = split(thai)
    assert "".join(passages) == thai
    assert all(len(passage) <= 360 for passage in passages)


def test_a_single_endless_line_is_cut():
    line = "x" * 100_000
    passages = split(line)
    assert "".join(passages) == line
    assert max(map(len, passages)) < 1_800
    words = split("word " * 10_000)
    assert all(count_words(passage) <= 180 for passage in words)
    assert sum(map(count_words, words)) == 10_000


def test_no_grapheme_is_cut():
    family = "👨‍👩‍👧‍👦"
    assert {len(passage) % len(family) for passage in split(family * 3_000)} == {0}
    accented = "e\u0301" * 5_000
    assert all(passage.startswith("e") for passage in split(accented))


@given(
    st.lists(st.text(st.sampled_from("aé.! \n\r\u0301👨‍👩นิ้京。,\t"), max_size=400), max_size=5).map(
        lambda parts: "".join(part * 5 for part in parts)
    )
)
def test_nothing_is_lost_and_every_cut_is_between_graphemes(text):
    passages = split(text)
    assert without_space("".join(passages)) == without_space(text)
    assert all(passages)
    assert all(count_words(passage) <= 240 and len(passage) <= 2_400 for passage in passages)
    ends = {match.end() for match in regex.finditer(r"\X", text)}
    place = 0
    for passage in passages:
        place = text.index(passage, place) + len(passage)
        assert place in ends or text[place : place + 1].isspace()
