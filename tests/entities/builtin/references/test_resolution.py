"""The targets of limits, sorts and relations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from anaphora import parse_model
from anaphora.core.utterance import Entity
from anaphora.entities.pipeline import Pipeline

MODEL = """
id: shop
language: {language}
entities: [limit, sort, relation, number]
elements:
  - {{id: spot, values: {{Paris: [Paris, Париж, Парижем, パリ, 巴黎], London: [London, Лондон, Лондоном, 東京, 伦敦]}}}}
  - {{id: place, groups: [things], synonyms: [cities, города, городов]}}
  - {{id: hotel, groups: [things], synonyms: [hotels, отели, ホテル, 酒店]}}
  - {{id: price, groups: [measure], synonyms: [price, цене, цены, 価格, 价格]}}
  - {{id: size, groups: [measure], synonyms: [size, population, размеру, 人口]}}
  - {{id: color, synonyms: [red]}}
  - {{id: band, values: {{Paris: [], Abba: []}}}}
{more}
intents: ["intent=any term={{true}}"]
"""  # noqa: E501


def find_entities(text: str, language: str = "en", more: str = "") -> list[Entity]:
    model = parse_model(MODEL.format(language=language, more=more))
    return list(Pipeline(model)(text, language).entities)


def metadata_of(text: str, kind: str, language: str = "en") -> list[Mapping[str, Any]]:
    return [one.meta for one in find_entities(text, language) if one.element == kind]


def words_at(text: str, kind: str, key: str, language: str = "en") -> list[str]:
    """The words at the indexes that stand under ``key``, for each way to understand it."""
    model = parse_model(MODEL.format(language=language, more=""))
    utterance = Pipeline(model)(text, language)
    words = [token.text for token in utterance.tokens]
    found = [one.meta for one in utterance.entities if one.element == kind]
    blank = "" if language in {"ja", "zh"} else " "
    return [blank.join(words[at] for at in meta[key]) for meta in found if key in meta]


@pytest.mark.parametrize(
    ("text", "language", "limited"),
    [
        ("top 10 cities", "en", "cities"),
        ("show me 5 of the most beautiful hotels", "en", "hotels"),
        ("hotels, 5 in total", "en", "hotels"),
        ("cities top 10", "en", "cities"),
        ("hotels 5 in total cities", "en", "hotels"),
        ("топ 10 городов", "ru", "городов"),
        ("上位10件のホテル", "ja", "ホテル"),
        ("前10个酒店", "zh", "酒店"),
    ],
)
def test_a_limit_refers_to_the_nearest_entity(text: str, language: str, limited: str) -> None:
    assert words_at(text, "limit", "indexes", language) == [limited]


def test_a_limit_names_the_element_that_it_limits() -> None:
    assert [meta["note"] for meta in metadata_of("top 10 cities", "limit")] == ["place"]


def test_a_limit_far_from_any_entity_refers_to_nothing() -> None:
    (meta,) = metadata_of("the top 10 of whatever you may know about all the hotels", "limit")
    assert meta == {"limit": 10, "asc": False}


def test_a_limit_refers_to_each_element_on_the_same_tokens() -> None:
    assert [meta["note"] for meta in metadata_of("top 3 Paris", "limit")] == ["spot", "band"]


def test_a_referring_entity_is_no_target() -> None:
    (meta,) = metadata_of("sorted by price the top 3", "limit")
    assert meta["note"] == "price"
    assert [meta.get("note") for meta in metadata_of("top 3 sorted", "limit")] == [None]


def test_the_option_of_restricts_the_targets() -> None:
    more = "  - {id: most, recognizer: limit, config: {of: [things]}}"
    (found,) = [
        one for one in find_entities("top 10 red hotels", more=more) if one.element == "most"
    ]
    assert found.meta["note"] == "hotel"
    (found,) = [one for one in find_entities("top 10 red", more=more) if one.element == "most"]
    assert "note" not in found.meta


def test_the_option_except_excludes_targets() -> None:
    more = "  - {id: most, recognizer: limit, config: {except: [hotel, band]}}"
    texts = ("top 10 hotels", "top 10 hotels by price", "top 3 Paris")
    found = [
        [one.meta.get("note") for one in find_entities(text, more=more) if one.element == "most"]
        for text in texts
    ]
    assert found == [[None], ["price"], ["spot"]]


@pytest.mark.parametrize(
    ("text", "language", "what", "by"),
    [
        ("sort the cities by population", "en", ["cities"], ["population"]),
        ("cities sorted by population", "en", ["cities"], ["population"]),
        ("sort by price", "en", [], ["price"]),
        ("sort by price and size", "en", [], ["price size"]),
        ("sort cities and hotels by price, size", "en", ["cities hotels"], ["price size"]),
        ("sort cities in Paris by price", "en", ["cities"], ["price"]),
        ("hotels sorted by price in Paris", "en", ["hotels"], ["price"]),
        ("hotels in descending order of price", "en", ["hotels"], ["price"]),
        ("sort hotels", "en", ["hotels"], []),
        ("hotels alphabetically", "en", ["hotels"], []),
        ("отсортируй города по цене", "ru", ["города"], ["цене"]),
        ("города по цене отсортируй", "ru", ["города"], ["цене"]),
        ("отели по убыванию цены", "ru", ["отели"], ["цены"]),
        ("ホテルを価格で並べて", "ja", ["ホテル"], ["価格"]),
        ("按价格排序酒店", "zh", ["酒店"], ["价格"]),
    ],
)
def test_a_sort_refers_to_what_is_sorted_and_by_what(
    text: str, language: str, what: list[str], by: list[str]
) -> None:
    assert words_at(text, "sort", "subjindexes", language) == what
    assert words_at(text, "sort", "byindexes", language) == by


def test_a_sort_names_the_elements() -> None:
    (meta,) = metadata_of("sort cities by price and size descending", "sort")
    assert (meta["subjnotes"], meta["bynotes"], meta["asc"]) == (
        ["place"],
        ["price", "size"],
        False,
    )


@pytest.mark.parametrize(
    ("text", "language", "connected"),
    [
        ("compare Paris and London", "en", ["Paris London"]),
        ("compare hotels in Paris with hotels in London", "en", ["Paris London"]),
        ("compare the price and the size", "en", ["price size"]),
        ("Paris vs. London", "en", ["Paris London"]),
        ("how does Paris compare to London", "en", ["Paris London"]),
        ("hotels in Paris compared with London", "en", ["Paris London"]),
        ("correlation between price and size in London", "en", ["price size"]),
        ("сравни Париж с Лондоном", "ru", ["Париж Лондоном"]),
        ("パリと東京を比較", "ja", ["パリ東京"]),
        ("比较巴黎和伦敦", "zh", ["巴黎伦敦"]),
    ],
)
def test_a_relation_refers_to_what_it_connects(
    text: str, language: str, connected: list[str]
) -> None:
    assert words_at(text, "relation", "indexes", language) == connected


def test_a_relation_between_things_of_one_element_names_it() -> None:
    assert [meta["note"] for meta in metadata_of("compare London and Paris", "relation")] == [
        "spot"
    ]


def test_a_relation_between_several_elements_names_them_all() -> None:
    (meta,) = metadata_of("compare price and size", "relation")
    assert meta["notes"] == ["price", "size"]
    assert "note" not in meta


def test_a_relation_to_a_single_thing_refers_to_it() -> None:
    assert [meta["note"] for meta in metadata_of("compare with London", "relation")] == ["spot"]


def test_a_limit_has_at_most_four_readings() -> None:
    more = "".join(f"\n  - {{id: e{at}, synonyms: [widgets]}}" for at in range(6))
    found = [one for one in find_entities("top 3 widgets", more=more) if one.element == "limit"]
    assert [one.meta["note"] for one in found] == ["e0", "e1", "e2", "e3"]


def test_many_referring_entities_are_resolved_quickly() -> None:
    text = "top 3 Paris vs London sorted by price " * 200
    assert sum(one.element == "limit" for one in find_entities(text)) >= 200
