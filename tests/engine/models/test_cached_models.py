"""An engine whose models come from a cache: it answers as one that has read them."""

from __future__ import annotations

import sys

import pytest

from anaphora import Engine, ModelError
from anaphora.entities.phrases.phrase_reader import PhraseReader
from anaphora.models import catalog, loader
from anaphora.storage.cache import Cache

CITIES = "".join(f"      city {number}: [stad {number}]\n" for number in range(400))
MODEL = """
id: travel
language: [en, fr]
elements:
  - id: go
    synonyms: [go, travel, "{fly|ride} {there|_}", "//[a-z]+bound//"]
  - id: city
    typos: 1
    values:
CITIES
      Besançon: {fr: [besac]}
  - id: pair
    synonyms: ["^^[one]{# == 'city'}^^ and ^^[other]{# == 'city'}^^"]
intents:
  - |
    intent=travel flow='(travel)*' meta={'a': [1, 2.5]}
      term(act)~{# == 'go'} term(to)~{@v = ent_value() # == 'city' && @v != null}
reset: [forget it]
responses: {travel: {en: "to {{ to }}", fr: "vers {{ to }}"}}
prompts: {travel: {to: "Where to?"}}
samples:
  - at: 2026-05-04T10:00+02:00
    dialog:
      - ask: go to city 3
        slots: {to: city 3}
      - pause: 6m
      - reset: all
""".replace("CITIES\n", CITIES)
SAID = ["go to city 7", "and city 8", "fly there to citi 9", "homebound", "je travel besac"]


def answers(engine: Engine) -> list[tuple[str, str, dict[str, object]]]:
    replies = [engine.ask(text) for text in SAID]
    return [
        (reply.status, reply.text, {name: slot.value for name, slot in reply.slots.items()})
        for reply in replies
    ]


@pytest.fixture(autouse=True)
def bytecode_is_not_kept(monkeypatch):
    """Python takes a file of the same size and second for the same."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "travel.yaml"
    path.write_text(MODEL)
    return path


@pytest.fixture
def nothing_is_read(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("this must come from the cache")

    def forbid() -> None:
        monkeypatch.setattr(loader, "read_yaml", refuse)
        monkeypatch.setattr(PhraseReader, "read", refuse)

    return forbid


def test_the_second_engine_reads_nothing_and_answers_the_same(path, tmp_path, nothing_is_read):
    expected = Engine(path)
    first = Engine(path, cache=tmp_path / "cache")
    nothing_is_read()
    second = Engine(path, cache=tmp_path / "cache")
    assert first.models == second.models == expected.models
    assert first.models[0].warnings == second.models[0].warnings == expected.models[0].warnings
    assert answers(first) == answers(second) == answers(expected)
    assert all(status == "matched" for status, _, _ in answers(expected))


@pytest.mark.parametrize("name", catalog.model_names())
def test_every_bundled_model_is_the_same_from_a_cache(name, tmp_path):
    expected = Engine(name).models
    for _ in range(2):
        (model,) = Engine(name, cache=tmp_path).models
        assert (model,) == expected
        assert model.warnings == expected[0].warnings
        assert [intent.mentions for intent in model.intents] == [
            intent.mentions for intent in expected[0].intents
        ]


def test_a_file_that_has_changed_is_read_again(path, tmp_path):
    Engine(path, cache=tmp_path / "cache")
    path.write_text(MODEL.replace("city 399:", "city four hundred:"))
    engine = Engine(path, cache=tmp_path / "cache")
    assert engine.ask("go to city four hundred").slots["to"].value == "city four hundred"


def test_an_imported_file_that_has_changed_is_read_again(path, tmp_path):
    imported = tmp_path / "more.idl"
    path.write_text(MODEL.replace("reset: [", "  - import('more.idl')\nreset: ["))
    imported.write_text("intent=more term(act)={# == 'go'}")
    for id in ("more", "most"):
        imported.write_text(f"intent={id} term(act)={{# == 'go'}}")
        for _ in range(2):
            (model,) = Engine(path, cache=tmp_path / "cache").models
            assert [intent.id for intent in model.intents] == ["travel", id]


def test_a_number_that_plain_data_does_not_know_is_no_matter(tmp_path):
    path = tmp_path / "big.yaml"
    path.write_text(
        "id: big\nmeta: {n: 99999999999999999999999999}\nelements:\n  - id: a\n"
        "  - {id: b, synonyms: [\"big ^^{# == 'a'}^^\"], meta: {n: 99999999999999999999999999}}\n"
        "intents: [\"intent=i term(b)={# == 'b'}\"]\n"
    )
    for _ in range(2):
        assert Engine(path, cache=tmp_path / "cache").ask("big a").status == "matched"


def test_damaged_files_are_made_anew(path, tmp_path, nothing_is_read):
    cache = tmp_path / "cache"
    expected = answers(Engine(path, cache=cache))
    for damage in (b"", b"rubbish", None):
        for file in cache.iterdir():
            file.write_bytes(file.read_bytes()[:-3] if damage is None else damage)
        assert answers(Engine(path, cache=cache)) == expected
    nothing_is_read()
    assert answers(Engine(path, cache=cache)) == expected


def test_data_of_another_kind_under_our_name_is_made_anew(path, tmp_path):
    cache = tmp_path / "cache"
    expected = answers(Engine(path, cache=cache))
    for data in (None, 3, [], {}, {"layers": [{}], "imports": [], "bare": 1}):
        for file in cache.iterdir():
            kind, _, key = file.stem.partition("-")
            Cache(cache).put(kind, key, data)
        assert answers(Engine(path, cache=cache)) == expected


def test_mistakes_are_told_each_time(path, tmp_path):
    path.write_text(MODEL.replace("# == 'go'", "# == 'went'"))
    for _ in range(2):
        with pytest.raises(ModelError, match="went"):
            Engine(path, cache=tmp_path / "cache")


def test_a_model_with_functions_in_python_is_loaded_each_time(path, tmp_path, monkeypatch):
    """They may be others by then, and nothing that a cache says is run."""
    (tmp_path / "cached_bot_code.py").write_text("def cities(element): return ['one']")
    text = MODEL.replace("typos: 1", "typos: 1\n    value_loader: cached_bot_code#cities")
    path.write_text(text)
    for name in ("one", "two"):
        (tmp_path / "cached_bot_code.py").write_text(f"def cities(element): return ['{name}']")
        monkeypatch.delitem(sys.modules, "cached_bot_code", raising=False)
        engine = Engine(path, cache=tmp_path / "cache")
        assert engine.models[0].element("city").values[-1].name == name
        assert engine.ask(f"go to {name}").slots["to"].value == name


def test_a_model_made_in_python_is_learnt_once(path, tmp_path, nothing_is_read):
    model = Engine(path).models[0]
    expected = answers(Engine(model, cache=tmp_path / "cache"))
    nothing_is_read()
    assert answers(Engine(model, cache=tmp_path / "cache")) == expected


def test_a_reload_reads_what_the_file_says_now(path, tmp_path):
    engine = Engine(path, cache=tmp_path / "cache")
    path.write_text(MODEL.replace("city 399:", "city four hundred:"))
    engine.reload()
    assert engine.ask("go to city four hundred").slots["to"].value == "city four hundred"


def test_phrases_whose_words_may_stand_apart_are_found_from_a_cache(
    path, tmp_path, nothing_is_read
):
    sparse = "sparse: true\n    permute: true"
    pair = f"- id: pair\n    {sparse}"
    more = "^^[one]{# == 'city'}^^ at //[0-9]+pm//"
    text = MODEL.replace("typos: 1", f"typos: 1\n    {sparse}").replace("- id: pair", pair)
    path.write_text(text.replace("^^[one]{# == 'city'}^^ and", more))
    said = ["go to 7 of city", "go to citi the 7", "city 3 at about 5pm city 4"]
    explained = []
    for _ in range(2):
        engine = Engine(path, cache=tmp_path / "cache")
        assert engine.ask(said[0]).slots["to"].value == "city 7"
        assert engine.ask(said[1]).slots["to"].value == "city 7"
        explained.append(engine.explain(said[2]).to_dict())
        nothing_is_read()
    assert "pair" in str(explained[0])
    assert explained[0] == explained[1]


def test_stop_words_between_the_words_of_phrases_are_passed_over_from_a_cache(path, tmp_path):
    path.write_text(MODEL + "stop_words: {skip: true}\n")
    for _ in range(2):
        engine = Engine(path, cache=tmp_path / "cache")
        assert engine.ask("go to city of the 7").slots["to"].value == "city 7"


HANDLERS = "code: cached_handlers\nhandlers: {travel: '#go'}\n"


@pytest.fixture
def write_handler(tmp_path, monkeypatch):
    def write(name: str, says: str) -> None:
        (tmp_path / "cached_handlers.py").write_text(f"def {name}(to): return f'{says} {{to}}'")
        monkeypatch.delitem(sys.modules, "cached_handlers", raising=False)

    return write


def test_handlers_are_looked_up_anew_and_nothing_else(
    path, tmp_path, write_handler, nothing_is_read
):
    path.write_text(MODEL + HANDLERS)
    write_handler("go", "off to")
    assert Engine(path, cache=tmp_path / "cache").ask("go to city 7").text == "off to city 7"
    write_handler("go", "here is")
    nothing_is_read()
    assert Engine(path, cache=tmp_path / "cache").ask("go to city 7").text == "here is city 7"


def test_a_handler_that_is_gone_is_reported(path, tmp_path, write_handler):
    path.write_text(MODEL + HANDLERS)
    write_handler("go", "off to")
    Engine(path, cache=tmp_path / "cache")
    write_handler("went", "off to")
    with pytest.raises(ModelError, match="has no function 'go'"):
        Engine(path, cache=tmp_path / "cache")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("code", "cached_evil"),
        ("code", "cached"),
        ("handlers", [["travel", "cached_evil#go", {"message": ""}]]),
        ("handlers", [["travel", "#evil", {"message": ""}]]),
    ],
)
def test_what_only_the_cache_names_is_not_called(path, tmp_path, write_handler, key, value):
    path.write_text(MODEL + HANDLERS)
    write_handler("go", "off to")
    Engine(path, cache=tmp_path / "cache")
    cache = Cache(tmp_path / "cache")
    for module in ("cached_evil", "cached"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('this was run')")
    for file in (tmp_path / "cache").glob("model-*"):
        kind, _, digest = file.stem.partition("-")
        cache.put(kind, digest, cache.get(kind, digest) | {key: value})
    assert Engine(path, cache=tmp_path / "cache").ask("go to city 7").text == "off to city 7"
