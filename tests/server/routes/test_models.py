"""Models over HTTP: which there are, reloading their files, running their samples."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from anaphora import Engine, MemoryStore, StoreError
from anaphora.api.models import CheckReport, ModelInfo, ModelList
from anaphora.server.service.model_reloader import ModelReloader
from tests.server.api_schema import assert_described
from tests.server.conftest import Serve
from tests.server.sample_bots import LAMP, wait_for

MENDED = LAMP.replace("It is on.", "Let there be light.")
BROKEN = LAMP.replace("# == 'on'", "# ==")
MINUTE = timedelta(minutes=1)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lamp.yaml"
    path.write_text(LAMP)
    return path


async def run(function: Callable[[], None]) -> None:
    function()


def switch_on(api: TestClient, user: str = "user") -> str:
    reply = api.post("/v1/ask", json={"text": "switch on the lamp", "user": user}).json()
    text: str = reply["text"]
    return text


class TestShow:
    def test_the_models_are_listed(self, api: TestClient) -> None:
        listed = api.get("/v1/models").json()
        assert_described(ModelList, listed)
        assert listed["models"][0] == {
            "id": "tea",
            "name": "Tea room",
            "version": "1.0.0",
            "description": "",
            "languages": ["en", "de"],
            "default": True,
            "elements": 3,
            "intents": 1,
        }
        assert [(one["id"], one["default"]) for one in listed["models"]] == [
            ("tea", True),
            ("lamp", False),
        ]

    def test_a_model_is_shown_with_all_that_it_understands(self, api: TestClient) -> None:
        model = api.get("/v1/model?id=tea").json()
        assert_described(ModelInfo, model)
        assert model["elements"][1] == {
            "id": "drink",
            "groups": ["drink"],
            "topic": False,
            "values": ["tea", "coffee"],
            "description": "",
        }
        assert model["intents"][0]["terms"][2] == {
            "name": "size",
            "required": False,
            "conversational": True,
        }
        assert model["samples"] == [["I'd like a large tea", "And a coffee"]]
        assert (model["timeout"], model["depth"], model["default"]) == (300.0, 3, True)

    @pytest.mark.parametrize("query", ["", "?id=", "?id=tea&all=1"])
    def test_a_model_must_be_named_and_nothing_else(self, api: TestClient, query: str) -> None:
        assert api.get(f"/v1/model{query}").status_code == 422


class TestCheck:
    def test_the_samples_are_run_in_a_memory_of_their_own(self, api: TestClient) -> None:
        found = api.post("/v1/model/check?id=tea").json()
        assert_described(CheckReport, found)
        assert found["passed"]
        assert [turn["said"] for turn in found["dialogs"][0]["turns"]] == [
            "I'd like a large tea",
            "(pause of 1m)",
            "And a coffee",
        ]
        assert api.get("/v1/conversation").json()["questions"] == 0

    def test_a_sample_that_fails_says_what_came_instead(
        self, bot: Callable[..., Engine], serve: Serve
    ) -> None:
        api = serve(of=bot(LAMP + "samples: [{dialog: [{ask: lamp}, {reset: all}, {bot: Off.}]}]"))
        found = api.post("/v1/model/check?id=lamp").json()
        (dialog,) = found["dialogs"]
        assert (found["passed"], dialog["passed"]) == (False, False)
        assert dialog["turns"][0]["failures"] == [
            "status is rejected, not matched (for on it lacks: on)"
        ]
        assert [turn["said"] for turn in dialog["turns"][1:]] == ["(reset: all)", "(bot: Off.)"]

    def test_a_handler_that_fails_ends_its_dialog(self, tmp_path: Path, serve: Serve) -> None:
        (tmp_path / "lamp_code.py").write_text("def on(): raise ValueError('no current')\n")
        path = tmp_path / "lamp.yaml"
        path.write_text(
            LAMP
            + "handlers: {'on': 'lamp_code#on'}\n"
            + "samples: [{dialog: [{ask: switch on the lamp}, {ask: lamp}]}]"
        )
        found = serve(of=Engine(path)).post("/v1/model/check?id=lamp").json()
        (dialog,) = found["dialogs"]
        assert len(dialog["turns"]) == 1
        assert "no current" in dialog["turns"][0]["failures"][0]


class TestReload:
    def test_a_changed_file_answers_from_the_next_question_on(
        self, file: Path, serve: Serve
    ) -> None:
        api = serve(of=Engine(file))
        assert switch_on(api) == "It is on."
        file.write_text(MENDED)
        assert switch_on(api) == "It is on."

        response = api.post("/v1/model/reload?id=lamp")

        assert_described(ModelInfo, response.json())
        assert switch_on(api) == "Let there be light."
        assert api.get("/v1/conversation").json()["questions"] == 3

    def test_one_with_mistakes_is_refused_and_the_old_one_goes_on(
        self, file: Path, serve: Serve
    ) -> None:
        api = serve(of=Engine(file))
        file.write_text(BROKEN)

        response = api.post("/v1/model/reload?id=lamp")

        problem = response.json()
        assert (response.status_code, problem["type"]) == (
            422,
            "urn:anaphora:problem:model-invalid",
        )
        assert problem["errors"][0]["where"].startswith(f"{file}:8:")
        assert "^" in problem["detail"]
        assert switch_on(api) == "It is on."

    def test_one_that_does_not_come_from_a_file_cannot_be_read_again(self, api: TestClient) -> None:
        response = api.post("/v1/model/reload?id=tea")
        assert response.json()["type"] == "urn:anaphora:problem:model-invalid"

    def test_a_handler_that_no_longer_fits_is_told(self, file: Path, serve: Serve) -> None:
        engine = Engine(file)
        engine.on("on")(lambda light: f"{light} is on")
        api = serve(of=engine)
        file.write_text(LAMP.replace("term(light)", "term(thing)"))
        response = api.post("/v1/model/reload?id=lamp")
        assert response.json()["type"] == "urn:anaphora:problem:model-invalid"
        assert switch_on(api) == "lamp is on"

    def test_an_unknown_model_is_told(self, api: TestClient) -> None:
        for path in ("/v1/model/reload", "/v1/model/check"):
            assert api.post(f"{path}?id=no").status_code == 404

    def test_other_workers_do_it_as_well(self, file: Path, tmp_path: Path, serve: Serve) -> None:
        store = f"sqlite:///{tmp_path / 'bot.db'}"
        with Engine(file, store=store) as first, Engine(file, store=store) as second:
            one, other = serve(of=first, store=store), serve(of=second, store=store)
            file.write_text(MENDED)
            assert one.post("/v1/model/reload?id=lamp").status_code == 200
            assert wait_for(lambda: switch_on(other) == "Let there be light.")

    def test_in_development_a_file_is_taken_up_when_it_changes(
        self, file: Path, serve: Serve
    ) -> None:
        api = serve(of=Engine(file), reload=True)
        file.write_text(MENDED)
        assert wait_for(lambda: switch_on(api) == "Let there be light.")


class TestReloads:
    """What one worker does beside the requests."""

    @pytest.fixture
    def workers(self, file: Path) -> list[tuple[Engine, ModelReloader]]:
        store = MemoryStore()
        engines = [Engine(file, store=store) for _ in range(2)]

        return [(engine, ModelReloader(engine, run)) for engine in engines]

    def test_a_note_on_the_shelf_is_followed_once(
        self, file: Path, workers: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (_, mine), (engine, its) = workers
        reloaded = []
        reload = engine.reload
        monkeypatch.setattr(engine, "reload", lambda id: reloaded.append(id) or reload(id))
        file.write_text(MENDED)
        mine.reload("lamp")
        for _ in range(3):
            its.check_requests()
            mine.check_requests()
        assert reloaded == ["lamp"]
        mine.reload("lamp")
        its.check_requests()
        assert reloaded == ["lamp", "lamp"]

    def test_a_note_of_a_model_that_this_worker_lacks_is_left_alone(self, workers: Any) -> None:
        engine, its = workers[0]
        engine.store.put_note("reloads", "other", "1", MINUTE)
        its.check_requests()

    def test_a_file_with_mistakes_is_told_once(
        self, file: Path, workers: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        engine, reloads = workers[0]
        file.write_text(BROKEN)
        for _ in range(3):
            reloads.check_files()
        assert len(caplog.records) == 1
        assert engine.ask("switch on the lamp").text == "It is on."

    def test_a_file_that_is_gone_for_a_moment_has_not_changed(
        self, file: Path, workers: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        reloads = workers[0][1]
        file.unlink()
        reloads.check_files()
        assert not caplog.records

    def test_a_file_that_it_imports_counts_as_well(self, tmp_path: Path) -> None:
        path, intents = tmp_path / "lamp.yaml", tmp_path / "on.idl"
        intents.write_text("intent=on term={# == 'on'}")
        path.write_text(
            "id: lamp\nelements: [{id: 'on'}]\nintents: [\"import('on.idl')\"]\n"
            "responses: {'on': fine}\n"
        )
        engine = Engine(path)
        reloads = ModelReloader(engine, run)
        intents.write_text("intent=on term={# == 'on'} intent=more term={# == 'on'}")
        reloads.check_files()
        assert engine.model().intent("more")

    def test_a_store_that_is_away_is_told_once(
        self, workers: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        engine, reloads = workers[0]

        def away(shelf: str) -> None:
            raise StoreError("gone")

        with monkeypatch.context() as patch:
            patch.setattr(engine.store, "list_notes", away)
            reloads.check_requests()
            reloads.check_requests()
        assert len(caplog.records) == 1
        reloads.check_requests()
