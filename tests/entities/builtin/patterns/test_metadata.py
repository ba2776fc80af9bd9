"""The metadata of patterns, booleans and limits."""

from __future__ import annotations

import builtins
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from anaphora import ModelError, parse_model
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.tokens.tokenizers import blank
from anaphora.models.schema.builtin_entities import resolve_options

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)


def find_mentions(kind: str, text: str, language: str = "en", **options: Any) -> list[Mention]:
    recognize = create_builtin(kind, language, resolve_options(kind, options))
    return list(recognize(blank(language).make_doc(text), AT))


def metadata_of(kind: str, text: str, language: str = "en", **options: Any) -> Mapping[str, Any]:
    (mention,) = find_mentions(kind, text, language, **options)
    assert json.loads(json.dumps(mention.meta)) == mention.meta
    return mention.meta


def test_an_email_address_has_its_local_part_and_domain() -> None:
    assert metadata_of("email", "to Jo.Do@Example.ORG.") == {
        "local": "Jo.Do",
        "domain": "example.org",
    }


def test_a_url_has_its_parts() -> None:
    assert metadata_of("url", "http://Example.com:8080/a/b?c=1#d") == {
        "scheme": "http",
        "host": "example.com",
        "port": 8080,
        "path": "/a/b",
        "query": "c=1",
        "fragment": "d",
    }


def test_a_url_without_a_scheme_has_none() -> None:
    assert metadata_of("url", "example.com") == {"host": "example.com", "path": ""}


def test_a_url_with_an_invalid_port_is_not_found() -> None:
    assert find_mentions("url", "http://example.com:99999/") == []


def test_a_phone_number_has_its_country_and_type() -> None:
    assert metadata_of("phone", "ring 020 7946 0958 ext. 12", region="GB") == {
        "number": "+442079460958",
        "country": "GB",
        "national": "020 7946 0958 x12",
        "type": "fixed_line",
        "extension": "12",
    }


@pytest.mark.parametrize(
    ("language", "options", "country"),
    [("de", {}, "DE"), ("de-AT", {}, "AT"), ("de", {"region": "ch"}, "CH")],
)
def test_a_national_phone_number_belongs_to_the_region_of_the_option_or_the_language(
    language: str, options: dict[str, str], country: str
) -> None:
    numbers = {"DE": "030 12345678", "AT": "01 5322345", "CH": "044 668 18 00"}
    assert metadata_of("phone", numbers[country], language, **options)["country"] == country


def test_an_unknown_region_is_reported() -> None:
    with pytest.raises(ModelError, match="unknown region 'XY'"):
        find_mentions("phone", "", region="XY")


def test_the_missing_package_for_phone_numbers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refusing(name: str, *rest: Any) -> Any:
        if name == "phonenumbers":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refusing)
    with pytest.raises(ModelError, match=r"pip install 'anaphora\[phones\]'"):
        create_builtin("phone", "en", {})


def test_a_coordinate_has_latitude_and_longitude() -> None:
    assert metadata_of("coordinate", "33.87 S 151.21 E") == {
        "latitude": -33.87,
        "longitude": 151.21,
    }


def test_an_answer_has_a_boolean() -> None:
    assert metadata_of("boolean", "no way") == {"value": False}


def test_adjacent_answers_with_the_same_value_are_one() -> None:
    (mention,) = find_mentions("boolean", "yes, of course, I think so.")
    assert (mention.start, mention.end) == (0, 26)


def test_a_language_without_a_table_has_the_phrases_of_all_languages() -> None:
    assert [one.value for one in find_mentions("boolean", "okay", "eu")] == ["true"]
    assert [one.value for one in find_mentions("limit", "top 5", "eu")] == ["5"]
    assert [one.value for one in find_mentions("coordinate", "48°51'N 2°21'E", "eu")] == [
        "48.85,2.35"
    ]


def test_a_calculation_is_no_limit() -> None:
    assert find_mentions("limit", "quanto fa due più due", "it") == []


def test_the_default_of_a_limit_is_an_option() -> None:
    assert [one.value for one in find_mentions("limit", "top cities", default=3)] == ["3"]


def test_intents_match_the_pattern_entities() -> None:
    model = parse_model(
        """
        id: form
        entities: [boolean, email, url, coordinate, phone]
        intents: ["intent=agree term(answer)={# == 'boolean' && meta_ent('value')}"]
        """.replace("\n        ", "\n")
    )
    read = Pipeline(model)
    said = "yes, mail a@b.org, call +1 650-253-0000, see https://c.org/x at 48.85, 2.35"
    found = {one.element: one.text for one in read(said).entities}
    assert found == {
        "boolean": "yes",
        "email": "a@b.org",
        "phone": "+1 650-253-0000",
        "url": "https://c.org/x",
        "coordinate": "48.85, 2.35",
    }
