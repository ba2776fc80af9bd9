"""Sentences in hassil's format are models, and mistakes in them are shown where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphora import Area, Device, Engine, Home, Model, load_model
from anaphora.errors import ModelError
from anaphora.models.hassil.home_reader import read_home

SENTENCES = """
language: en
intents:
  TurnOn:
    data:
      - sentences: ["turn on [the] {name}", "turn on [the] lights in [the] {area}"]
  TurnOff:
    data:
      - sentences: ["turn off [the] {name}", "turn off [the] lights in [the] {area}"]
"""
HOME = Home(areas=(Area("Kitchen"),), devices=(Device("Lamp", "light", ("bulb",)),))


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def slots(model: Model, text: str) -> dict[str, object]:
    reply = Engine(model).ask(text)
    return {name: slot.value for name, slot in reply.slots.items()}


def test_a_file_is_a_model(tmp_path: Path) -> None:
    model = load_model(write(tmp_path, "home.yaml", SENTENCES), home=HOME)
    assert (model.id, model.languages) == ("home", ("en",))
    assert [intent.id for intent in model.intents] == ["TurnOn", "TurnOff"]
    assert slots(model, "turn on the bulb") == {"name": "Lamp"}


def test_a_folder_is_one_collection(tmp_path: Path) -> None:
    write(tmp_path, "en/lights.yaml", SENTENCES)
    write(
        tmp_path,
        "en/more.yaml",
        """
language: en
intents:
  TurnOn:
    data:
      - sentences: ["illuminate {area}"]
lists:
  color: {values: [red]}
""",
    )
    model = load_model(tmp_path / "en", home=HOME)
    assert (model.id, len(model.intents)) == ("en", 2)
    assert slots(model, "illuminate kitchen") == {"area": "Kitchen"}


def test_a_model_file_names_sentences_and_a_home(tmp_path: Path) -> None:
    write(tmp_path, "sentences/lights.yaml", SENTENCES)
    write(tmp_path, "home.yaml", "areas: [{name: Kitchen, aliases: [cook's room]}]")
    model = load_model(
        write(
            tmp_path,
            "bot.yaml",
            """
id: bot
language: en
sentences: [sentences]
home: home.yaml
responses:
  TurnOn: "On it: {{ area or name }}."
elements:
  - id: greeting
    synonyms: [hello]
intents:
  - intent=greet term(greeting)={# == 'greeting'}
""",
        )
    )
    engine = Engine(model)
    reply = engine.ask("turn on the lights in the cook's room")
    assert (reply.intent, reply.text) == ("TurnOn", "On it: Kitchen.")
    assert engine.ask("hello").intent == "greet"


def test_home_assistants_sentences_come_from_its_package() -> None:
    model = load_model("home-assistant:de", home=Home(areas=(Area("Küche"),)))
    assert (model.id, model.languages) == ("home-assistant", ("de",))
    expected = {"area": "Küche", "domain": "light"}
    assert slots(model, "Mach bitte das Licht in der Küche an!") == expected


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(ModelError, match="no sentences for the language 'xx'"):
        load_model("home-assistant:xx")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("intents: {A: {data: [{sentences: ['go (on']}]}}", 1, 39, "'(' is not closed"),
        ("intents: {A: {data: [{sentences: ['go <up>']}]}}", 1, 39, "there is no rule <up>"),
        ("intents: {A: {data: [{sentences: ['to {room}']}]}}", 1, 39, "there is no list {room}"),
        ("intents: {A: {data: [{sentences: []}]}}", 1, 22, "the block has no sentences"),
        ("intents: {A: {data: [{sentences: [5]}]}}", 1, 35, "a template is a text, not 5"),
        ("intents: {A: {data: [{sentences: [a]}]}}\nlists: {b: {}}", 2, 9, "neither values nor"),
        (
            "intents: {A: {data: [{sentences: [a]}]}}\nexpansion_rules: {b: 'x <b>'}",
            2, 19, "the rule <b> contains itself",
        ),
        (
            "intents: {A: {data: [{sentences: [a]}]}}\nlists: {b: {range: {from: 9, to: 1}}}",
            2, 13, "the range begins at 9 and ends before it",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_shown_in_its_file(
    tmp_path: Path, text: str, line: int, column: int, message: str
) -> None:
    path = write(tmp_path, "home.yaml", f"{text}\nlanguage: en\n")
    with pytest.raises(ModelError) as caught:
        load_model(path)
    (problem,) = caught.value.problems
    assert message in problem.message
    assert (problem.source, problem.line, problem.column) == (str(path), line, column)


def test_a_mistake_in_the_second_file_is_shown_there(tmp_path: Path) -> None:
    write(tmp_path, "en/a.yaml", SENTENCES)
    path = write(
        tmp_path,
        "en/b.yaml",
        """
language: en
intents:
  TurnOn:
    data:
      - sentences: ["light up {ara}"]
""",
    )
    with pytest.raises(ModelError) as caught:
        load_model(tmp_path / "en")
    (problem,) = caught.value.problems
    assert (problem.source, problem.line) == (str(path), 6)
    assert "area" in problem.hint


def test_unknown_keys_are_warnings(tmp_path: Path) -> None:
    text = SENTENCES + "skip_wrds: [please]\n"
    model = load_model(write(tmp_path, "home.yaml", text), home=HOME)
    (warning,) = model.warnings
    assert "unknown key 'skip_wrds'" in warning.message
    assert "skip_words" in warning.hint


def test_a_home_is_read_from_a_file(tmp_path: Path) -> None:
    home, warnings = read_home(
        write(
            tmp_path,
            "home.yaml",
            """
areas: [Kitchen, {name: Hall, aliases: [hallway], floor: Ground}]
floors: [Ground]
entities: [{name: Lamp, id: light.lamp, area: Hall}]
""",
        )
    )
    assert home.areas == (Area("Kitchen"), Area("Hall", ("hallway",), "Ground"))
    assert home.devices == (Device("Lamp", "light", (), "Hall"),)
    assert warnings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- Kitchen", "a home is a mapping"),
        ("areas: Kitchen", "'areas' is a list"),
        ("areas: [{aliases: [x]}]", "it has no name"),
        ("areas: [{name: x, aliases: y}]", "home.yaml:1:28: 'aliases' is a list"),
        ("areas: ['lamp[s']", r"home.yaml:1:9: the name is a broken template: '\[' is not closed"),
        ("", "a home is a mapping"),
    ],
)
def test_mistakes_in_a_home(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_home(write(tmp_path, "home.yaml", text))


def test_a_home_warns_of_what_it_does_not_list(tmp_path: Path) -> None:
    home = write(
        tmp_path,
        "rooms.yaml",
        """areas: [{name: Kitchen, floor: Gruond}]
floors: [Ground]
devices:
  - {name: Lamp, domain: lihgt, area: Kitchn}
""",
    )
    bot = write(tmp_path, "bot.yaml", "id: bot\nsentences: home-assistant\nhome: rooms.yaml\n")
    expected = [
        ("no floor 'Gruond'", 1, 32, "did you mean 'Ground'?"),
        ("unknown domain 'lihgt'", 4, 26, "did you mean 'light'?"),
        ("no area 'Kitchn'", 4, 39, "did you mean 'Kitchen'?"),
    ]
    for model in (load_model(bot), load_model("home-assistant:en", home=home)):
        found = [one for one in model.warnings if one.source == str(home)]
        for warning, (message, line, column, hint) in zip(found, expected, strict=True):
            assert message in warning.message
            assert (warning.line, warning.column, warning.hint) == (line, column, hint)


def test_sentences_in_several_languages_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "bot.yaml", "id: bot\nlanguage: [en, de]\nsentences: home-assistant\n")
    with pytest.raises(ModelError, match=r"bot\.yaml:2:16: a model with sentences has"):
        load_model(path)


def test_a_home_that_is_no_file_is_reported_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "rooms.yaml").mkdir()
    text = "id: bot\nsentences: home-assistant\nhome: rooms.yaml\n"
    path = write(tmp_path, "bot.yaml", text)
    with pytest.raises(ModelError, match=r"bot\.yaml:3:7: the home .*rooms\.yaml: cannot be read"):
        load_model(path)


def test_sentences_that_are_not_there_are_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, "bot.yaml", "id: bot\nsentences: nowhere.yaml\n")
    with pytest.raises(ModelError, match=r"nowhere\.yaml"):
        load_model(path)


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("lists: {x: {range: {from: 0, to: 9, multiplier: much}}}", "the multiplier is no number"),
        ("lists: {x: {values: [a]}}\nexpansion_rules: {r: '{9..1:y}'}", "the range {9..1} has no"),
        ("lists: {x: {values: [a]}}\nexpansion_rules: {r: '{x:1st}'}", "'1st' cannot be the name"),
        ("lists: {x: {values: [a]}}\nexpansion_rules: {r: '{x:intent}'}", "'intent' cannot be"),
    ],
)
def test_mistakes_in_lists_and_slots_have_a_place(tmp_path: Path, rest: str, message: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(f"language: en\nintents: {{A: {{data: [{{sentences: ['{{x}}']}}]}}}}\n{rest}\n")
    with pytest.raises(ModelError) as caught:
        load_model(path)
    assert message in str(caught.value)
    assert all((one.line or 0) > 2 for one in caught.value.problems)


def test_templates_that_are_nested_too_deeply_are_refused(tmp_path: Path) -> None:
    rules = ", ".join(f"r{i}: 'a <r{i + 1}>'" for i in range(500))
    path = tmp_path / "deep.yaml"
    path.write_text(
        "language: en\nintents: {A: {data: [{sentences: [<r0>]}]}}\n"
        f"expansion_rules: {{{rules}, r500: b}}\n"
    )
    with pytest.raises(ModelError, match="nested too deeply"):
        load_model(path)


def test_an_intent_needs_a_name_that_the_intent_language_can_write(tmp_path: Path) -> None:
    path = tmp_path / "names.yaml"
    path.write_text("language: en\nintents: {My Intent: {data: [{sentences: [go]}]}}\n")
    with pytest.raises(ModelError, match="'My Intent' cannot be the name of an intent"):
        load_model(path)


@pytest.mark.parametrize(
    ("language", "text"),
    [("en-GB", "turn on the lights in the kitchen"), ("zh", "打开kitchen的灯")],
)
def test_a_region_that_the_package_lacks_is_read_as_its_language(
    tmp_path: Path, language: str, text: str
) -> None:
    pytest.importorskip("home_assistant_intents")
    path = tmp_path / "home.yaml"
    path.write_text(
        f"id: home\nlanguage: {language}\nsentences: home-assistant\nhome: {{areas: [Kitchen]}}\n"
    )
    reply = Engine(load_model(path)).ask(text)
    assert (reply.intent, reply.slots["area"].value) == ("HassTurnOn", "Kitchen")


def test_norwegian_numbers_are_understood_in_words() -> None:
    pytest.importorskip("home_assistant_intents")
    engine = Engine(load_model("home-assistant:nb"))
    assert engine.ask("start en timer på fem minutter").slots["minutes"].value == "5"


def test_a_folder_of_other_files_is_no_model(tmp_path: Path) -> None:
    write(tmp_path, "bot.yaml", "id: bot\nelements: [{id: a}]\n")
    with pytest.raises(ModelError, match="a directory, not a model file"):
        load_model(tmp_path)


@pytest.mark.parametrize("key", ["sentences: [none.yaml]", "sentences: a.yaml\nhome: none.yaml"])
def test_a_file_that_is_missing_is_shown_where_it_is_named(tmp_path: Path, key: str) -> None:
    write(tmp_path, "a.yaml", SENTENCES)
    text = f"id: home\nlanguage: en\n{key}\n"
    with pytest.raises(ModelError) as raised:
        load_model(write(tmp_path, "home.yaml", text))
    assert raised.value.problems[0].message == "there is no file 'none.yaml'"
    assert raised.value.problems[0].line == text[: text.index("none")].count("\n") + 1


def test_a_value_without_a_name_is_what_was_said(tmp_path: Path) -> None:
    text = """
language: en
intents:
  Paint: {data: [{sentences: ["paint it {color}"]}]}
lists:
  color: {values: ["warm [white]", "blue"]}
"""
    engine = Engine(load_model(write(tmp_path, "paint.yaml", text)))
    engine.ask("paint it blue")
    values = [engine.ask(f"and {color}").slots["color"].value for color in ("warm white", "warm")]
    assert values == ["warm white", "warm"]


@pytest.mark.parametrize("code", ["cy", "gl", "kw"])
def test_collections_in_languages_that_spacy_lacks_load(code: str) -> None:
    pytest.importorskip("home_assistant_intents")
    model = load_model(f"home-assistant:{code}")
    assert model.languages == ("xx",)
    assert model.intents
