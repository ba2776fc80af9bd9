"""The component around one recognizer: where in the tokens its mentions come to stand."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language

from anaphora import Mention, ModelError
from anaphora.entities.builtin import registry
from anaphora.entities.spacy import entity_component
from anaphora.entities.spacy.entity_component import TIME_KEY, EntityComponent
from anaphora.models.schema.builtin_entities import NLPCRAFT_ENTITIES

Finding = Callable[[str, datetime], Iterable[Mention]]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Finding], list[Any]]:
    """Lets a function of the text and the time be the recognizer of a built-in entity; gives the
    list of what it was made with."""

    def put(name: str, find: Finding) -> list[Any]:
        made: list[Any] = []
        module = ModuleType(f"tests_stand_in_{name}")

        def create(language: str, options: Mapping[str, Any]) -> Any:
            made.append((language, dict(options)))
            return lambda doc, at: find(doc.text, at)

        module.create = create  # type: ignore[attr-defined] # a module made on the spot
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr(registry, "import_module", lambda _: module)
        return made

    return put


def words(*wanted: str) -> Finding:
    """Finds these wherever they stand, in whatever word."""

    def find(text: str, at: datetime) -> Iterable[Mention]:
        for one in wanted:
            start = text.find(one)
            while start >= 0:
                yield Mention(start, start + len(one), one)
                start = text.find(one, start + 1)

    return find


def found(nlp: Language, text: str) -> list[str]:
    doc = nlp(text)
    return [span.text for span in doc.spans["anaphora:it"]]


@pytest.fixture
def finding(stand_in) -> Callable[..., Language]:
    def make(*wanted: str, language: str = "en") -> Language:
        stand_in("email", words(*wanted))
        nlp = spacy.blank(language)
        nlp.add_pipe("anaphora_entity", name="it", config={"recognizer": "email"})
        return nlp

    return make


def test_the_component_is_all_that_a_pipeline_needs(stand_in) -> None:
    made = stand_in("date", lambda text, at: [Mention(4, 9, "today", {"from": 1})])
    nlp = spacy.blank("en")
    config = {"recognizer": "date", "options": {"prefer": "past"}}
    nlp.add_pipe("anaphora_entity", name="day", config=config)
    doc = nlp("not today")
    group = doc.spans["anaphora:day"]
    (span,) = group
    assert (span.text, span.label_, span.kb_id_) == ("today", "day", "today")
    assert group.attrs == {"mentions": [{"value": "today", "meta": {"from": 1}}]}
    ((language, options),) = made
    assert language == "en"
    assert options.items() >= {"prefer": "past", "week": ""}.items()


def test_it_may_write_under_the_name_of_another_element_and_for_another_language(stand_in) -> None:
    made = stand_in("date", lambda text, at: [Mention(0, len(text))])
    nlp = spacy.blank("xx")
    config = {"recognizer": "date", "element": "when", "language": "ru"}
    nlp.add_pipe("anaphora_entity", config=config)
    doc = nlp("сегодня")
    assert [span.label_ for span in doc.spans["anaphora:when"]] == ["when"]
    assert made[0][0] == "ru"


def test_it_finds_nothing_until_it_is_configured() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("anaphora_entity", name="it")
    assert found(nlp, "anything") == []


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"recognizer": "dates"}, "no built-in entity 'dates'"),
        ({"recognizer": "date", "options": {"prefr": "past"}}, "no option 'prefr'"),
        ({"recognizer": "date", "options": {"prefer": "never"}}, "'never' is not one of"),
        ({"recognizer": "no_such_module#x"}, "no_such_module#x cannot be found"),
        ({"recognizer": "json#loads"}, "requires 's', which is not available"),
    ],
)
def test_a_wrong_configuration_is_reported(config, message) -> None:
    nlp = spacy.blank("en")
    with pytest.raises(ModelError, match=message):
        nlp.add_pipe("anaphora_entity", config=config)


def test_the_time_comes_from_the_doc_and_is_now_by_default(stand_in) -> None:
    seen: list[datetime] = []
    stand_in("date", lambda text, at: seen.append(at) or ())
    nlp = spacy.blank("en")
    nlp.add_pipe("anaphora_entity", config={"recognizer": "date"})
    doc = nlp.make_doc("x")
    at = datetime(2026, 1, 5, tzinfo=UTC)
    doc.user_data[TIME_KEY] = at
    nlp(doc)
    before = datetime.now(UTC)
    nlp("x")
    assert seen[0] == at
    assert before <= seen[1] <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Paris", "en", ["Paris"]),
        ("(Paris)", "en", ["Paris"]),
        ("Parisian", "en", []),
        ("comParis", "en", []),
        ("Paris5", "en", []),
        ("Paris's", "en", ["Paris"]),
        ("Paris’te", "tr", ["Paris’te"]),
        ("d'Paris", "xx", ["d'Paris"]),
        ("Paris_Nord", "en", []),
        ("天気Paris", "xx", ["天気Paris"]),
        ("Pariszeitung", "de", []),
        ("Paris에서는", "xx", ["Paris에서는"]),
        ("한국Paris", "xx", []),
    ],
)
def test_a_mention_is_whole_words_and_no_part_of_a_longer_one(
    finding, text, language, expected
) -> None:
    assert found(finding("Paris", language=language), text) == expected


def test_scripts_without_blanks_are_cut_anywhere(finding) -> None:
    assert found(finding("東京", language="xx"), "東京の天気") == ["東京の天気"]
    assert found(finding("北京", language="zh"), "北京天气怎么样") == ["北京"]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 5, ["alpha"]), (5, 11, ["beta"]), (0, 13, ["alpha  beta"]), (5, 7, []), (3, 3, []),
        (7, 3, []), (-5, 5, ["alpha"]), (7, 99, ["beta"]), (50, 60, []), (-9, -1, []),
    ],
)  # fmt: skip
def test_places_that_are_none_and_blanks_around_a_place_do_no_harm(
    stand_in, start, end, expected
) -> None:
    stand_in("email", lambda text, at: [Mention(start, end)])
    nlp = spacy.blank("en")
    nlp.add_pipe("anaphora_entity", name="it", config={"recognizer": "email"})
    assert found(nlp, "alpha  beta") == expected


@given(st.text(max_size=20), st.integers(-3, 25), st.integers(-3, 25))
def test_every_span_covers_its_mention(text: str, start: int, end: int) -> None:
    text = text.encode("utf-8", "replace").decode()
    doc = BLANK(text)
    one = EntityComponent("it")
    one._recognize = lambda doc, at: [Mention(start, end)]
    (*spans,) = one(doc).spans["anaphora:it"]
    for span in spans:
        assert text[max(start, 0) : max(end, 0)].strip() in span.text


BLANK = spacy.blank("en")


def test_a_repeated_mention_counts_once(stand_in) -> None:
    told = [Mention(0, 1, "a", {"x": 1}), Mention(0, 1, "a", {"x": 2}), Mention(0, 1, "b")]
    stand_in("email", lambda text, at: [*told, *told])
    nlp = spacy.blank("en")
    nlp.add_pipe("anaphora_entity", name="it", config={"recognizer": "email"})
    assert [one["value"] for one in nlp("x").spans["anaphora:it"].attrs["mentions"]] == [
        "a", "a", "b",
    ]  # fmt: skip


def test_what_it_looks_for_is_saved_and_loaded(stand_in, tmp_path) -> None:
    made = stand_in("place", words("Rome"))
    nlp = spacy.blank("en")
    options = {"kinds": ["city"], "ambiguity": 2}
    nlp.add_pipe("anaphora_entity", name="it", config={"recognizer": "place", "options": options})
    nlp.to_disk(tmp_path / "nlp")
    for again in (spacy.load(tmp_path / "nlp"), spacy.blank("en")):
        if "it" not in again.pipe_names:
            again.add_pipe("anaphora_entity", name="it")
            again.from_bytes(nlp.to_bytes())
        assert found(again, "Rome") == ["Rome"]
    assert all(one == made[0] for one in made)
    with pytest.raises(ValueError, match="not the data of a recognizer in format 1"):
        EntityComponent("it").from_bytes(b"\x80")


def test_a_component_without_a_recognizer_is_saved_too() -> None:
    assert EntityComponent("x").from_bytes(EntityComponent("it").to_bytes()).element == "it"


# NLPCraft's names for what they find


def metadata(stand_in, name: str, meta: Mapping[str, Any]) -> Mapping[str, Any]:
    made = stand_in(name, lambda text, at: [Mention(0, 1, None, meta)])
    options = {"chosen": 1}
    (mention,) = registry.create_builtin(name, "en", options)(BLANK("x"), datetime.now(UTC))
    assert made[0] == ("en", options | dict(NLPCRAFT_ENTITIES[name].fixed_options))
    return mention.meta


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (
            {"value": 5},
            {"from": 5.0, "to": 5.0, "fromincl": True, "toincl": True, "isequalcondition": True},
        ),
        (
            {"from": 5, "fromincl": False, "comparison": "more", "unit": "km"},
            {
                "from": 5.0, "to": sys.float_info.max, "fromincl": False, "toincl": True,
                "israngecondition": True, "istopositiveinfinity": True, "unit": "kilometer",
                "isfromnegativeinfinity": False, "isequalcondition": False,
            },
        ),
        (
            {"to": 2.5, "toincl": True, "comparison": "less"},
            {
                "from": -sys.float_info.max, "to": 2.5, "isfromnegativeinfinity": True,
                "istopositiveinfinity": False, "isfractional": True,
            },
        ),
        (
            {"from": 2, "to": 4, "comparison": "between"},
            {"from": 2.0, "to": 4.0, "israngecondition": True, "isfractional": False},
        ),
        (
            {"value": 5, "comparison": "not"},
            {"isnotequalcondition": True, "isequalcondition": False, "israngecondition": False},
        ),
    ],
)  # fmt: skip
def test_numbers_have_both_ends_and_the_kind_of_the_condition(stand_in, ours, theirs) -> None:
    assert metadata(stand_in, "nlpcraft:num", ours).items() >= theirs.items()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("min", "minute"),
        ("h", "hour"),
        ("day", "day"),
        ("km", "kilometer"),
        ("°C", "celsius"),
        ("°", "degree"),
        ("km²", "square kilometer"),
        ("GB", "gigabyte"),
    ],
)
def test_units_have_their_names(stand_in, ours, theirs) -> None:
    meta = metadata(stand_in, "nlpcraft:num", {"value": 5, "unit": ours})
    assert meta["unit"] == theirs


def test_a_number_without_a_unit_has_none(stand_in) -> None:
    assert "unit" not in metadata(stand_in, "nlpcraft:num", {"value": 5})


def test_a_date_ends_a_millisecond_before_ours(stand_in) -> None:
    meta = metadata(stand_in, "nlpcraft:date", {"from": 1000, "to": 2000, "grain": "second"})
    assert meta == {"from": 1000, "to": 1999, "grain": "second"}
    assert metadata(stand_in, "nlpcraft:date", {"from": 1000}) == {"from": 1000}


def test_a_city_has_metadata_of_itself_and_of_its_country(stand_in) -> None:
    ours = {
        "kind": "city", "name": "Paris", "country": "FR", "country_name": "France",
        "region": "Île-de-France", "continent": "EU", "latitude": 48.85, "longitude": 2.35,
        "population": 2_138_551, "timezone": "Europe/Paris",
    }  # fmt: skip
    meta = metadata(stand_in, "nlpcraft:city", ours)
    assert (meta["city"], meta["country"], meta["continent"]) == ("Paris", "France", "Europe")
    assert meta["countrymeta"] == {"iso": "FR"}
    assert meta["citymeta"] == {
        "latitude": 48.85, "longitude": 2.35, "population": 2_138_551, "timezone": "Europe/Paris",
    }  # fmt: skip
    country = metadata(stand_in, "nlpcraft:country", {"name": "France", "country": "FR"})
    assert (country["country"], country["countrymeta"]) == ("France", {"iso": "FR"})
    assert metadata(stand_in, "nlpcraft:continent", {"name": "Asia"})["continent"] == "Asia"


def test_limits_are_numbers_with_a_fraction_as_theirs(stand_in) -> None:
    meta = metadata(stand_in, "nlpcraft:limit", {"limit": 10, "asc": False, "indexes": [3]})
    assert meta == {"limit": 10.0, "asc": False, "indexes": [3]}
    assert isinstance(meta["limit"], float)


def test_every_built_in_entity_has_a_module() -> None:
    from anaphora.models.schema.builtin_entities import BUILTIN_ENTITIES

    assert registry._MODULES.keys() == BUILTIN_ENTITIES.keys()
    assert entity_component.ENTITY_FACTORY == "anaphora_entity"


def test_words_in_the_gap_of_a_mention_are_no_tokens_of_it():
    nlp = spacy.blank("en")
    nlp.add_pipe("anaphora_entity", name="it", config={"recognizer": "recurrence"})
    doc = nlp("every Monday remind me at 9")
    (said,) = doc.spans["anaphora:it"].attrs["mentions"]
    tokens = entity_component.tokens_without(doc, 0, len(doc), said["gap"])
    assert [doc[token].text for token in tokens] == ["every", "Monday", "at", "9"]
