"""A model file that changes while one talks to its model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anaphora.cli.watching import WatchedFile, WatchedModel
from anaphora.errors import ModelError

BOT = """\
id: weather
elements:
  - {id: weather, groups: [topic], topic: true}
  - {id: city, values: [Tokyo, Kyoto]}
  - {id: date, values: [now, tomorrow]}
intents: ["intent=weather term(topic)~{# == 'weather'} term(city)~{# == 'city'}
  term(date)~{# == 'date'}?"]
responses: {weather: "{{ city }} {{ date }}"}
prompts: {weather: {city: Where?}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "bot.yaml"
    path.write_text(BOT, encoding="utf-8")
    os.utime(path, ns=(0, 0))
    return path


def change(file: Path, old: str, new: str) -> None:
    """Write it with another text, as if a second had passed since it was last written."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    then = file.stat().st_mtime_ns
    file.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(file, ns=(0, then + 10**9))


class TestFile:
    def test_it_has_changed_once_for_each_change(self, file):
        watched = WatchedFile(file)
        assert not watched.has_changed()
        change(file, "Kyoto", "Osaka")
        assert watched.has_changed()
        assert not watched.has_changed()

    def test_another_size_is_enough(self, file):
        watched = WatchedFile(file)
        file.write_text("other", encoding="utf-8")
        os.utime(file, ns=(0, 0))
        assert watched.has_changed()

    def test_a_file_that_an_editor_puts_in_its_place_is_another(self, file):
        watched = WatchedFile(file)
        draft = file.with_suffix(".new")
        draft.write_text(BOT.replace("Kyoto", "Osaka"), encoding="utf-8")
        os.utime(draft, ns=(0, 0))
        file.unlink()
        assert not watched.has_changed()
        draft.rename(file)
        assert watched.has_changed()


class TestModel:
    def test_nothing_is_loaded_while_the_file_stays_as_it_is(self, file):
        talk = WatchedModel(str(file))
        engine = talk.engine
        assert talk.refresh() == ""
        assert talk.engine is engine

    def test_the_conversation_goes_on_with_the_new_model(self, file):
        talk = WatchedModel(str(file))
        talk.engine.ask("weather in Tokyo now")
        change(file, "{{ city }}", "{{ city }}!")
        assert talk.refresh() == "reloaded bot.yaml"
        assert talk.engine.ask("Kyoto").text == "Kyoto! now"

    def test_what_the_new_model_does_not_know_is_forgotten_and_named(self, file):
        talk = WatchedModel(str(file))
        talk.engine.ask("weather in Tokyo now")
        change(file, "Tokyo", "Osaka")
        said = talk.refresh()
        assert said.startswith("reloaded bot.yaml; ")
        assert "city=Tokyo" in said
        assert {str(held.entity) for held in talk.engine.memory()} == {"weather", "date=now"}

    def test_a_file_with_mistakes_is_an_error_once_and_changes_nothing(self, file):
        talk = WatchedModel(str(file))
        talk.engine.ask("weather in Tokyo now")
        change(file, "values: [Tokyo", "valeus: [Tokyo")
        with pytest.raises(ModelError, match="did you mean 'values'"):
            talk.refresh()
        assert talk.refresh() == ""
        assert talk.engine.ask("Kyoto").text == "Kyoto now"
        change(file, "valeus", "values")
        assert talk.refresh() == "reloaded bot.yaml"
        assert talk.engine.ask("Tokyo").text == "Tokyo now"

    def test_a_model_of_another_id_goes_on_with_the_conversation(self, file):
        talk = WatchedModel(str(file))
        talk.engine.ask("weather in Tokyo")
        change(file, "id: weather\n", "id: climate\n")
        talk.refresh()
        assert talk.engine.models[0].id == "climate"
        assert talk.engine.ask("Kyoto").status == "matched"
        change(file, "id: climate\n", "id: weather\n")
        talk.refresh()
        (city,) = (held for held in talk.engine.memory() if held.entity.element == "city")
        assert city.entity.value == "Kyoto"

    def test_an_incomplete_question_can_still_be_completed(self, file):
        talk = WatchedModel(str(file))
        assert talk.engine.ask("weather").status == "incomplete"
        change(file, "Where?", "In which city?")
        talk.refresh()
        assert talk.engine.ask("Tokyo").status == "matched"

    def test_an_incomplete_question_of_an_intent_that_is_gone_is_dropped(self, file):
        talk = WatchedModel(str(file))
        talk.engine.ask("weather")
        change(file, "intent=weather", "intent=climate")
        change(file, "{weather: {city", "{climate: {city")
        change(file, "responses: {weather", "responses: {climate")
        assert talk.refresh() == "reloaded bot.yaml"
        assert talk.engine.conversation().pending is None
        assert talk.engine.ask("Tokyo").status == "rejected"

    def test_a_bundled_model_is_watched_by_its_name(self):
        talk = WatchedModel("weather")
        assert talk.engine.models[0].id == "weather"
        assert talk.refresh() == ""
