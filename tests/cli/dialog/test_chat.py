"""``anaphora chat`` with piped input and in a terminal."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from anaphora import Engine
from anaphora.cli import app
from anaphora.cli.dialog import chat as chat_module
from anaphora.cli.dialog.input_lines import read_lines as lines
from tests.support.plain_models import CINEMA, PLAIN_WEATHER
from tests.support.terminal import Terminal


def chat(*lines: str, model: str = PLAIN_WEATHER) -> str:
    result = CliRunner().invoke(app, ["chat", model], input="".join(f"{line}\n" for line in lines))
    assert result.exit_code == 0, result.output
    return result.output


def test_questions_are_answered_one_after_the_other():
    output = chat("weather in Tokyo", "and in Kyoto?")
    assert "the weather in Tokyo." in output
    assert "the weather in Kyoto." in output


def test_the_end_of_the_input_ends_the_chat():
    assert "Traceback" not in chat()


def test_invalid_bytes_are_answered_and_the_chat_continues():
    done = subprocess.run(
        [sys.executable, "-m", "anaphora", "chat", PLAIN_WEATHER],
        input=b"\xff\xfe\nweather in Oslo\n",
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"the weather in Oslo." in done.stdout


def test_a_closed_standard_input_ends_the_chat():
    command = f"{sys.executable} -m anaphora chat {PLAIN_WEATHER} <&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.fixture
def interrupted(monkeypatch):
    """Raise KeyboardInterrupt while one of the questions is answered."""
    answer = Engine.ask

    def ask(self, text, **options):
        if text == "a long one":
            raise KeyboardInterrupt
        return answer(self, text, **options)

    monkeypatch.setattr(Engine, "ask", ask)


def test_ctrl_c_interrupts_an_answer_and_the_chat_continues(interrupted, monkeypatch):
    monkeypatch.setattr(chat_module, "is_typed", lambda: True)
    lines_of = iter(["a long one", "weather in Oslo"])
    monkeypatch.setattr(chat_module, "read_lines", lambda: lines_of)
    output = chat()
    assert "interrupted" in output
    assert "the weather in Oslo." in output


def test_ctrl_c_ends_a_chat_with_piped_input(interrupted):
    result = CliRunner().invoke(app, ["chat", PLAIN_WEATHER], input="a long one\nweather in Oslo\n")
    assert result.exit_code == 130
    assert "Oslo" not in result.stdout.split("leaves.")[1]


def test_an_error_of_the_model_is_printed_and_the_chat_continues(tmp_path):
    file = tmp_path / "kitchen.yaml"
    file.write_text(
        "id: kitchen\nelements: [{id: tea}, {id: milk}]\n"
        "intents: [\"intent=tea term={# == 'tea'}\", \"intent=milk term={# == 'milk'}\"]\n"
        "responses: {tea: '{{ 1 // 0 }}', milk: Here you are.}\n",
        encoding="utf-8",
    )
    output = chat("tea", "milk", model=str(file))
    assert "division" in output
    assert "Here you are." in output


def test_stm_shows_the_memory_as_a_table():
    output = chat("/stm", "weather in Tokyo", "/stm")
    assert "the memory is empty" in output
    assert "element" in output
    assert "city" in output.split("element")[1]


def test_stm_shows_the_missing_slot():
    assert "waiting for city of weather" in chat("What's the weather?", "/stm")


def test_stm_shows_the_question_that_another_one_suspends(tmp_path):
    file = tmp_path / "hotel.yaml"
    file.write_text(
        "id: hotel\n"
        "dialog_acts: true\n"
        "elements: [{id: book}, {id: room, values: [attic]}, {id: sun}]\n"
        "intents:\n"
        "  - {id: book, slots: {book: book, room: {ask: Which room?}}, response: Done.}\n"
        "  - {id: sun, slots: {sun: sun, city: {element: room, ask: Where?}}, response: No.}\n",
        encoding="utf-8",
    )
    output = chat("book", "is there sun?", "/stm", model=str(file))
    assert "waiting for city of sun" in output
    assert "then again waiting for room of book" in output


def test_stm_shows_what_lies_on_the_table():
    output = chat("What's on?", "/stm", model=CINEMA)
    assert "on the table:" in output
    assert "2. film=Brazil, hall=blue" in output


def test_stm_shows_who_said_it_if_the_bot_did():
    assert "said by" not in chat("What's on?", "/stm", model=CINEMA)
    output = chat("What's on?", "the second one", "/stm", model=CINEMA)
    assert "said by" in output
    rows = [line.split() for line in output.splitlines()]
    assert {row[0]: row[-1] for row in rows if row and row[0] in ("film", "hall", "find")} == {
        "film": "bot",
        "hall": "bot",
        "find": "user",
    }


def test_why_explains_the_last_answer():
    output = chat("/why", "weather in Tokyo", "/why")
    assert "there is no answer yet" in output
    assert "match 1: weather" in output


def test_reset_forgets_the_conversation():
    output = chat("weather in Tokyo", "/reset", "and tomorrow?")
    assert "everything is forgotten" in output
    assert "rejected" in output


def test_small_talk_and_a_no_are_no_failures():
    output = chat(
        "hello", "book a table at Forno for two, tomorrow at 7 pm", "no", model="restaurant"
    )
    assert "rejected (small talk)" in output
    assert "rejected (acknowledged)" in output
    assert "(small talk)" not in chat("sing a song", model="restaurant")


def test_each_model_has_its_own_memory():
    output = chat(
        "weather in Tokyo",
        "/model cafe",
        "how much is a coffee at Starbucks?",
        f"/model {PLAIN_WEATHER}",
        "and tomorrow?",
    )
    assert "a coffee on the menu of Starbucks" in output
    assert "the weather in Tokyo for tomorrow" in output


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/model", "lights"),
        ("/model nowhere", "the bundled models are"),
        ("/sttm", "did you mean '/stm'?"),
        ("/qiut", "did you mean '/quit'?"),
        ("/STM", "did you mean '/stm'?"),
        ("/nonsense", "/help lists the commands"),
        ("/help", "/quit"),
        ("", ""),
        ("[red]weather[/red] in Tokyo", "the weather in Tokyo"),
    ],
)
def test_any_command_gets_an_answer(line, said):
    output = chat(line, "weather in Oslo")
    assert said in output
    assert "the weather in Oslo." in output


def test_quit_leaves_at_once():
    assert "Oslo" not in chat("/quit", "weather in Oslo")


class TestWatching:
    BOT = (
        "id: kitchen\nelements: [{id: tea}, {id: milk, groups: [with]}]\n"
        "intents: [\"intent=tea term={# == 'tea'} term(with)~{# == 'milk'}?\"]\n"
        "responses: {tea: 'Black tea{{ with }}'}\n"
    )

    def talk(self, file: Path, monkeypatch, *steps: str, options: tuple[str, ...]) -> str:
        """The output of a chat for the given lines and changes of its model file."""
        clock = itertools.count(1)

        def write(text: str) -> None:
            file.write_text(text, encoding="utf-8")
            os.utime(file, ns=(0, next(clock) * 10**9))

        def typed():
            for step in steps:
                if step.startswith("id:"):
                    write(step)
                else:
                    yield step

        write(self.BOT)
        monkeypatch.setattr(chat_module, "read_lines", typed)
        result = CliRunner().invoke(app, ["chat", str(file), *options])
        assert result.exit_code == 0, result.output
        return result.output

    def test_a_changed_model_answers_the_next_line_with_the_old_memory(self, tmp_path, monkeypatch):
        green = self.BOT.replace("Black", "Green")
        file = tmp_path / "kitchen.yaml"
        steps = ("tea with milk", green, "tea", "tea")
        output = self.talk(file, monkeypatch, *steps, options=("--watch",))
        before, after = output.split("reloaded kitchen.yaml\n")
        assert "Black teamilk" in before
        assert after.count("Green teamilk") == 2

    def test_mistakes_are_shown_once_and_the_old_model_answers(self, tmp_path, monkeypatch):
        file = tmp_path / "kitchen.yaml"
        broken = self.BOT.replace("responses", "respnses")
        steps = ("tea", broken, "tea", "tea", self.BOT.replace("Black", "Green"), "tea")
        output = self.talk(file, monkeypatch, *steps, options=("--watch",))
        assert output.count("did you mean 'responses'?") == 1
        assert output.count("the previous version of the model stays in use") == 1
        assert output.count("\nBlack tea\n") == 3
        assert output.count("\nGreen tea\n") == 1

    def test_without_watch_the_model_stays_the_same(self, tmp_path, monkeypatch):
        green = self.BOT.replace("Black", "Green")
        file = tmp_path / "kitchen.yaml"
        output = self.talk(file, monkeypatch, "tea", green, "tea", options=())
        assert output.count("Black tea") == 2
        assert "reloaded" not in output


@pytest.fixture
def terminal(tmp_path):
    opened = Terminal(str(tmp_path), "chat", PLAIN_WEATHER)
    yield opened
    opened.close()


def test_a_user_without_a_home_folder_can_chat_without_history(monkeypatch):
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    def no_more(prompt: str) -> str:
        raise EOFError

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", no_more)
    assert list(lines()) == []


def test_in_a_terminal_ctrl_c_stays_ctrl_d_leaves_and_the_history_is_saved(terminal, tmp_path):
    terminal.wait_for("> ")
    terminal.type("weather in Tokyo\n")
    terminal.wait_for("the weather in Tokyo.")
    terminal.wait_for("> ")
    terminal.press_ctrl_c(until="/quit leaves")
    terminal.type("and tomorrow?\n")
    terminal.wait_for("the weather in Tokyo for tomorrow.")
    terminal.wait_for("> ")
    terminal.type("\x04")
    assert terminal.process.wait(30) == 0
    assert "and tomorrow?" in (tmp_path / "anaphora" / "history").read_text(encoding="utf-8")


def test_a_folder_of_sentence_templates_is_talked_to(tmp_path):
    folder = tmp_path / "sentences"
    folder.mkdir()
    intents = "intents: {Ring: {data: [{sentences: ['(ring|sound) [the] bell']}]}}"
    (folder / "bell.yaml").write_text(f"language: en\n{intents}\n")
    assert "matched Ring" in chat("please ring the bell", "ring the bell", model=str(folder))
