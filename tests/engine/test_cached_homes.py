"""A home's sentences start from a cache as they start without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphora import Area, Device, Engine, Home, Model, load_model
from anaphora.models.hassil import attachment
from anaphora.storage.cache import Cache

SENTENCES = """
language: en
intents:
  TurnOn:
    data:
      - sentences: ["turn on [the] {name}", "(turn|switch) on [the] lights in [the] {area}"]
        slots: {domain: light}
  SetLevel:
    data:
      - sentences: ["set {name} to {level} percent", "dim [the] lights in {area} to {level}"]
        requires_context: {domain: light}
lists:
  level: {range: {from: 0, to: 100}}
"""
LAMP = Device("Lamp", "light", ("bulb",))
HOME = Home(areas=(Area("Kitchen"), Area("Bedroom")), devices=(LAMP,))
DIALOG = ("switch on the lights in the kitchen", "and in the bedroom?", "set bulb to fifty percent")


def write(path: Path, text: str = SENTENCES) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def answers(model: Model, *texts: str, cache: Path | None = None) -> list[object]:
    with Engine(model, cache=cache) as engine:
        replies = [engine.ask(text, user="ann") for text in texts]
        return [
            (one.status, one.intent, {name: slot.value for name, slot in one.slots.items()})
            for one in replies
        ]


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where sentences are read rather than restored."""

    def fail(*_: object) -> None:
        raise AssertionError("the sentences were read again")

    monkeypatch.setattr(attachment, "_read", fail)


def test_a_model_from_the_cache_answers_as_the_model_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, cache = write(tmp_path / "home.yaml"), tmp_path / "cache"
    first = load_model(file, home=HOME, cache=cache)
    expected = answers(first, *DIALOG, cache=cache)
    assert [status for status, _, _ in expected] == ["matched"] * 3
    assert expected == answers(load_model(file, home=HOME), *DIALOG)
    forbid_reading(monkeypatch)
    again = load_model(file, home=HOME, cache=cache)
    assert again == first
    assert answers(again, *DIALOG) == expected  # the engine need not name the cache
    assert answers(again, *DIALOG, cache=cache) == expected


@pytest.mark.parametrize(
    ("language", "dialog"),
    [
        ("en", ("turn on the lights in the kitchen", "and in the bedroom?", "dim them to 20 %")),
        ("de", ("schalte das Licht in Kitchen ein", "und in Bedroom?")),
        ("es", ("enciende las luces de Kitchen", "¿y en Bedroom?")),
        ("ru", ("включи свет в Kitchen", "а в Bedroom?")),
        ("zh-CN", ("打开Kitchen的灯", "Bedroom呢？")),
    ],
)
def test_home_assistants_sentences_come_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, dialog: tuple[str, ...]
) -> None:
    pytest.importorskip("home_assistant_intents")
    source = f"home-assistant:{language}"
    expected = answers(load_model(source, home=HOME, cache=tmp_path), *dialog, cache=tmp_path)
    assert expected[0][0] == "matched"
    forbid_reading(monkeypatch)
    restored = load_model(source, home=HOME, cache=tmp_path)
    assert answers(restored, *dialog, cache=tmp_path) == expected


def test_another_home_has_its_own_names_and_the_same_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, cache = write(tmp_path / "home.yaml"), tmp_path / "cache"
    answers(load_model(file, home=HOME, cache=cache), "turn on the bulb", cache=cache)
    forbid_reading(monkeypatch)  # what the files say is in the cache, whatever the home
    renamed = Home(areas=HOME.areas, devices=(Device("Candle", "light"),))
    model = load_model(file, home=renamed, cache=cache)
    found = answers(model, "turn on the candle", "turn on the bulb", cache=cache)
    assert found[0] == ("matched", "TurnOn", {"name": "Candle", "domain": "light"})
    assert found[1][0] == "rejected"


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    folder, cache = tmp_path / "sentences", tmp_path / "cache"
    file = write(folder / "lights.yaml")
    question = "illuminate the kitchen"
    model = load_model(folder, home=HOME, cache=cache)
    assert answers(model, question, cache=cache)[0][0] == "rejected"
    write(file, SENTENCES.replace("turn on [the] {name}", "illuminate [the] {area}"))
    model = load_model(folder, home=HOME, cache=cache)
    assert answers(model, question, cache=cache)[0][1] == "TurnOn"


def test_a_new_file_of_a_folder_is_read(tmp_path: Path) -> None:
    folder, cache = tmp_path / "sentences", tmp_path / "cache"
    write(folder / "lights.yaml")
    load_model(folder, home=HOME, cache=cache)
    more = 'language: en\nintents: {Leave: {data: [{sentences: ["good night"]}]}}'
    write(folder / "night.yaml", more)
    model = load_model(folder, home=HOME, cache=cache)
    assert answers(model, "good night", cache=cache)[0][1] == "Leave"


def test_a_changed_file_of_a_home_is_read_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    write(tmp_path / "lights.yaml")
    bot = write(
        tmp_path / "bot.yaml", "{id: bot, language: en, sentences: lights.yaml, home: home.yaml}"
    )
    for name in ("Cellar", "Attic"):
        write(tmp_path / "home.yaml", f"areas: [{name}]")
        model = load_model(bot, cache=cache)
        question = f"turn on the lights in the {name}"
        slots = {"area": name, "domain": "light"}
        assert answers(model, question, cache=cache) == [("matched", "TurnOn", slots)]


def test_warnings_of_files_are_there_from_the_cache_as_well(tmp_path: Path) -> None:
    file = write(tmp_path / "home.yaml", SENTENCES.replace("lists:", "extra: 1\nlists:"))
    models = [load_model(file, home=HOME, cache=tmp_path / "cache") for _ in range(2)]
    other = load_model(file, cache=tmp_path / "cache")  # another home
    for model in (*models, other):
        assert ["unknown key 'extra' is ignored" in one.message for one in model.warnings] == [True]


@pytest.mark.parametrize("damage", ["cut", "changed", "foreign", "another"])
def test_damaged_files_are_written_again(tmp_path: Path, damage: str) -> None:
    file, cache = write(tmp_path / "home.yaml"), tmp_path / "cache"
    expected = answers(load_model(file, home=HOME, cache=cache), *DIALOG, cache=cache)
    for path in tuple(cache.iterdir()):
        whole = path.read_bytes()
        if damage == "another":  # a valid file with data of another kind
            kind, _, key = path.name.removesuffix(".compiled").rpartition("-")
            Cache(cache).put(kind, key, [1, {"paths": "x"}])
        else:
            broken = {"cut": whole[:-20], "changed": whole[:-1] + b"?", "foreign": b"{}"}
            path.write_bytes(broken[damage])
        model = load_model(file, home=HOME, cache=cache)
        assert answers(model, *DIALOG, cache=cache) == expected


def test_a_folder_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "home.yaml")
    (tmp_path / "taken").write_text("a file is in the way")
    cache = tmp_path / "taken" / "cache"
    model = load_model(file, home=HOME, cache=cache)
    assert answers(model, *DIALOG, cache=cache) == answers(load_model(file, home=HOME), *DIALOG)


def test_what_is_no_plain_data_in_a_home_is_not_cached(tmp_path: Path) -> None:
    file, cache = write(tmp_path / "home.yaml"), tmp_path / "cache"
    device = Device("Lamp", context={"mark": object()})
    model = load_model(file, home=Home(devices=(device,)), cache=cache)
    assert answers(model, "turn on the lamp")[0][0] == "matched"
    assert not list(cache.glob("model-*"))


def test_an_engine_is_prepared_before_the_first_question(tmp_path: Path) -> None:
    with Engine(load_model(write(tmp_path / "home.yaml"), home=HOME)) as engine:
        bot = engine._bots.get()
        assert "pipeline" not in vars(bot)
        engine.prepare()
        assert "pipeline" in vars(bot)
