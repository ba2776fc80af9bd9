"""How a model is found and read, and what comes of a file without mistakes."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from pathlib import Path

import pytest

from anaphora.errors import ModelError
from anaphora.grammar.patterns import Pattern
from anaphora.models import catalog
from anaphora.models.domain import AskStep, PauseStep, ResetStep
from anaphora.models.loader import load_model, load_samples, parse_model
from anaphora.models.reading.files import MAX_FILE_SIZE
from tests.models.model_texts import GOOD, START


def test_everything_that_a_file_says_is_in_the_model() -> None:
    model = parse_model(GOOD, source="good.yaml")
    assert (model.id, model.name, model.version) == ("weather", "Weather", "1.10")
    assert model.languages == ("en", "ru")
    assert model.source == "good.yaml"
    assert model.conversation.timeout == timedelta(minutes=90)
    assert model.conversation.depth == 4
    assert [intent.id for intent in model.intents] == ["weather", "hello"]
    assert model.prompts["weather"] == {
        "city": {"": "For which city?"},
        "topic": {"en": "What?", "ru": "Что?"},
    }
    assert model.responses["hello"] == {"en": "Hello", "ru": "Привет"}
    assert model.reset == {"": (("enough",), ("forget it",))}


def test_synonyms_become_phrases_by_language_and_the_id_is_one_of_them() -> None:
    element = parse_model(GOOD).element("weather")
    assert element is not None
    assert element.phrases[""] == (("weather",),)
    assert element.phrases["ru"] == (("погода",),)
    assert ("how about forecast",) in element.phrases["en"]
    assert element.groups == {"topic"}
    assert element.topic


def test_an_id_of_several_words_is_said_with_blanks_too() -> None:
    element = parse_model(GOOD).element("big_city")
    assert element is not None
    assert element.phrases == {"": (("big_city",), ("big city",))}
    assert element.groups == {"big_city"}
    assert element.ancestors == ("place",)


def test_an_id_is_no_synonym_where_that_is_switched_off() -> None:
    element = parse_model(GOOD).element("place")
    assert element is not None
    assert element.phrases == {"": (("somewhere",), ("90210",))}


def test_the_name_of_a_value_is_among_its_phrases() -> None:
    element = parse_model(GOOD).element("big_city")
    assert element is not None
    values = {value.name: value.phrases for value in element.values}
    assert values["Tokyo"] == {"": (("Tokyo",),)}
    assert values["New York"] == {"": (("New York",), ("big apple",), ("nyc",))}
    assert values["off"] == {"": (("off",),), "en": ((Pattern("o[f]+"),),), "ru": (("выкл",),)}


def test_values_may_be_a_list_of_names() -> None:
    element = parse_model(GOOD).element("date")
    assert element is not None
    assert [value.name for value in element.values] == ["now", "today"]


def test_on_off_yes_and_no_are_texts() -> None:
    model = parse_model(START + "responses: {i: on}\nname: no\nmeta: {a: yes, b: true, c: ~}\n")
    assert model.responses == {"i": {"": "on"}}
    assert model.name == "no"
    assert model.meta == {"a": "yes", "b": True, "c": None}


@pytest.mark.parametrize(
    "written", ["1.10", "007", "0x1F", "1_000", "2026-01-05", "12:30:00", "1e3", "9" * 5000]
)
def test_a_number_where_text_belongs_stays_as_it_was_written(written: str) -> None:
    model = parse_model(f"{START}version: {written}\n")
    assert model.version == written


def test_numbers_in_free_data_are_plain_numbers() -> None:
    meta = parse_model(GOOD).meta
    assert meta == {"owner": "us", "port": 8080, "ratio": 0.5, "on": True}
    assert {type(value) for value in meta.values()} == {str, int, float, bool}


def test_numbers_are_read_by_the_core_schema_of_yaml() -> None:
    numbers = "{a: 0x1F, b: 0o17, c: -.inf, d: 1e3, e: 1_000, f: 017}"
    meta = parse_model(f"{START}meta: {numbers}\n").meta
    assert meta == {"a": 31, "b": 15, "c": float("-inf"), "d": 1000.0, "e": "1_000", "f": 17}


def test_samples_keep_their_lines() -> None:
    (dialog,) = parse_model(GOOD).samples
    lines = GOOD.splitlines()
    assert dialog.name == "follow-up"
    assert "name: follow-up" in lines[dialog.line - 1]
    first, second, pause, third, reset = dialog.steps
    assert first == AskStep(
        "What is the weather in Tokyo now?",
        intent="weather",
        slots={"city": "Tokyo", "date": ("now", "today"), "topic": None},
        line=first.line,
    )
    assert lines[first.line - 1].strip() == "- ask: What is the weather in Tokyo now?"
    assert isinstance(second, AskStep)
    assert second.from_memory == ("topic", "date")
    assert second.missing is None
    assert isinstance(third, AskStep)
    assert third.missing == ("city",)
    assert pause == PauseStep(timedelta(minutes=6), line=pause.line)
    assert reset == ResetStep("all", line=reset.line)


def test_aliases_repeat_what_they_point_to() -> None:
    model = parse_model(
        "id: m\nelements:\n- {id: a, synonyms: &words [x, y]}\n- {id: b, synonyms: *words}\n"
        "intents: [\"intent=i term(t)~{# == 'a'}\"]\n"
    )
    assert [len(element.phrases[""]) for element in model.elements] == [3, 3]


def test_json_says_the_same_as_yaml() -> None:
    data = {
        "$schema": "https://example.org/anaphora.json",
        "id": "m",
        "elements": [{"id": "e", "synonyms": ["a/b \U0001f600", "tab\there"]}],
        "intents": ["intent=i term(t)~{# == 'e'}"],
    }
    text = json.dumps(data, indent="\t").replace("/", "\\/")
    model = parse_model(text, format="json")
    assert model.elements[0].phrases[""] == (("e",), ("a/b \U0001f600",), ("tab here",))


def test_a_file_is_read_by_its_suffix(tmp_path: Path) -> None:
    for name in ("a.yaml", "a.yml", "A.YAML"):
        (tmp_path / name).write_text(START, encoding="utf-8")
        assert load_model(tmp_path / name).id == "m"
        assert load_model(str(tmp_path / name)).source == str(tmp_path / name)
    (tmp_path / "a.json").write_text("{'id': 1}", encoding="utf-8")
    with pytest.raises(ModelError, match="not valid JSON"):
        load_model(tmp_path / "a.json")


def test_a_byte_order_mark_and_foreign_line_ends_do_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + START.replace("\n", "\r\n").encode() + b"foo: 1\r\n")
    with pytest.raises(ModelError) as caught:
        load_model(file)
    assert [(p.line, p.column, p.excerpt) for p in caught.value.problems] == [(4, 1, "foo: 1")]


def test_samples_may_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    model = parse_model(START)
    file = tmp_path / "dialogs.yaml"
    for text in (
        "- dialog: [{ask: x, intent: i}]",
        "model: m\nsamples:\n- dialog: [{ask: x, intent: i}]",
    ):
        file.write_text(text, encoding="utf-8")
        (dialog,) = load_samples(file, model)
        assert dialog.steps == (AskStep("x", intent="i", line=dialog.line),)
        assert dialog.line == text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("- dialog: [{ask: x, intent: j}]", (1, 29), "unknown intent 'j'"),
        ("samples:\n- dialog: [{ask: x, slots: {u: 1}}]", (2, 29), "unknown slot 'u'"),
        ("samples: []\nsample: []", (2, 1), "unknown key 'sample'"),
        ("{model: m}", (1, 1), "the file has no samples"),
        ("", (1, 1), "the file is empty"),
        ("- dialog: [{ask: x, language: fr}]", (1, 21), "no language 'fr'"),
    ],
)
def test_errors_in_a_file_of_samples_are_found(
    tmp_path: Path, text: str, place: tuple[int, int], message: str
) -> None:
    file = tmp_path / "dialogs.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=message) as caught:
        load_samples(file, parse_model(START))
    assert [(problem.line, problem.column) for problem in caught.value.problems] == [place]


@pytest.mark.parametrize("name", catalog.model_names())
def test_a_bundled_model_is_loaded_by_its_name(name: str) -> None:
    assert load_model(name).source == str(catalog.model_path(name))


def test_a_bundled_model_that_there_is_not_has_no_path() -> None:
    with pytest.raises(KeyError):
        catalog.model_path("../weather")


def test_an_unknown_name_lists_the_bundled_models_and_guesses() -> None:
    with pytest.raises(ModelError) as caught:
        load_model("wether")
    assert all(name in str(caught.value) for name in catalog.model_names())
    assert caught.value.hint == "did you mean 'weather'?"


def test_a_file_stands_before_a_bundled_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weather").mkdir()
    assert load_model("weather").source == str(catalog.model_path("weather"))
    (tmp_path / "weather").rmdir()
    (tmp_path / "weather").write_text(START, encoding="utf-8")
    with pytest.raises(ModelError, match="must end in"):
        load_model("weather")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"id: m", "its name must end in .yaml, .yml or .json"),
        ("a.yaml", b"\0\1\2\xff", "a binary file"),
        ("a.yaml", b"id: m\0", "a binary file"),
        ("a.yaml", "id: é".encode("latin-1"), "not UTF-8"),
        ("a.yaml", "id: m".encode("utf-16"), "a binary file"),
        ("a.yaml", b"", "the file is empty"),
        ("a.json", b" ", "the file is empty"),
        ("a.yaml", b"# nothing but a comment", "the file is empty"),
    ],
)
def test_what_is_no_text_of_a_model_is_rejected(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=message) as caught:
        load_model(tmp_path / name)
    assert caught.value.source == str(tmp_path / name)


def test_a_directory_and_a_missing_or_impossible_file_are_rejected(tmp_path: Path) -> None:
    for source, message in (
        (tmp_path, "a directory"),
        (tmp_path / "missing.yaml", "neither a file nor a bundled model"),
        ("a\0b", "neither a file nor a bundled model"),
        ("x" * 5000, "cannot be read"),
        ("/dev/null", "not a regular file"),
    ):
        with pytest.raises(ModelError, match=message):
            load_model(source)


@pytest.mark.parametrize(
    ("named", "hint"),
    [
        ("restaurants.yml", "did you mean '{}/restaurants.yaml'?"),
        ("restaurants", "did you mean '{}/restaurants.yaml'?"),
        ("restaurant.yaml", "did you mean '{}/restaurants.yaml'?"),
        ("", "name a file in it: {}/restaurants.yaml"),
        ("rasa", "'anaphora import rasa {}/rasa' translates a Rasa project"),
        ("rasa/domain.yml", "'anaphora import rasa FOLDER' translates the project"),
    ],
)
def test_the_model_that_is_meant_is_named(tmp_path: Path, named: str, hint: str) -> None:
    (tmp_path / "restaurants.yaml").write_text("id: a")
    (tmp_path / "rasa").mkdir()
    (tmp_path / "rasa" / "domain.yml").write_text("version: '3.1'\nintents: [a]\nslots: {}\n")
    with pytest.raises(ModelError) as caught:
        load_model(tmp_path / named)
    (problem,) = caught.value.problems
    assert problem.hint == hint.format(tmp_path)


def test_a_hundred_megabytes_are_rejected_at_once(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    with file.open("wb") as stream:
        stream.truncate(100_000_000)
    start = time.process_time()
    with pytest.raises(ModelError, match="may have 32,000,000 bytes"):
        load_model(file)
    assert time.process_time() - start < 0.5
    with pytest.raises(ModelError, match="may have 32,000,000 bytes"):
        parse_model(" " * (MAX_FILE_SIZE + 1))


def test_a_hundred_thousand_synonyms_load_in_seconds() -> None:
    synonyms = "".join(f"  - word{number} number\n" for number in range(100_000))
    intents = "intents: [\"intent=i term(t)~{# == 'e'}\"]\n"
    start = time.process_time()
    model = parse_model(f"id: m\n{intents}elements:\n- id: e\n  synonyms:\n{synonyms}")
    assert time.process_time() - start < 6  # some 0.5 s on two slow cores
    assert len(model.elements[0].phrases[""]) == 100_001
