"""``anaphora check``: reports, warnings, notes, processes and the progress bar."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from anaphora.cli import app
from anaphora.cli.authoring import check
from anaphora.cli.authoring.sample_results import Case, CaseTurn, format_case, run_case
from anaphora.cli.terminal import create_console
from anaphora.engine.engine import Engine
from anaphora.engine.samples import process_pool
from anaphora.engine.samples.process_pool import default_jobs, run_in_processes
from anaphora.errors import AnaphoraError, Problem
from anaphora.models import loader
from anaphora.models.domain import AskStep, Dialog
from anaphora.models.loader import load_model, load_samples
from tests.support.plain_models import PLAIN_WEATHER

DAY_OUT = """\
samples:
  - name: a day out
    dialog:
      - ask: weather in Tokyo now
        intent: weather
      - pause: 1m
      - ask: And in Kyoto?
        slots: {city: Tokyo}
        memory: [city=Tokyo, weather]
  - dialog: [{ask: weather in Oslo}]
"""

# The response to "coffee" takes hours to fill.
KITCHEN = """\
id: kitchen
elements: [{id: tea}, {id: milk}, {id: coffee}]
intents:
  - intent=tea term(tea)={# == 'tea'}
  - intent=milk term(milk)={# == 'milk'}
  - intent=coffee term(coffee)={# == 'coffee'}
responses:
  tea: "{{ 1 // 0 }}"
  coffee: >-
    {% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["check", *arguments])


@pytest.fixture
def day_out(tmp_path: Path) -> str:
    file = tmp_path / "day.yaml"
    file.write_text(DAY_OUT, encoding="utf-8")
    return str(file)


@pytest.fixture
def kitchen(tmp_path: Path):
    """Write the kitchen model with the given samples and return its path."""

    def write(*dialogs: str) -> str:
        file = tmp_path / "kitchen.yaml"
        samples = "".join(f"  - dialog: [{dialog}]\n" for dialog in dialogs)
        file.write_text(f"{KITCHEN}samples:\n{samples}", encoding="utf-8")
        return str(file)

    return write


def many(number: int) -> tuple[Dialog, ...]:
    return tuple(
        Dialog((AskStep(f"weather in {city}", line=at),), f"{at}: {city}", at)
        for at in range(1, number + 1)
        for city in (("Tokyo", "Atlantis")[at % 5 == 0],)
    )


class TestReport:
    def test_a_dialog_that_fails_is_shown_turn_by_turn(self, day_out):
        result = run(PLAIN_WEATHER, "--samples", day_out)
        assert result.exit_code == 1
        shown = [line.rstrip() for line in result.stdout.splitlines()]
        assert shown[1:10] == [
            "  ✗ a day out (line 2)",
            "      ✓ weather in Tokyo now  → matched weather  topic=weather  city=Tokyo  date=now",
            "      · (pause of 1m)",
            "      ✗ And in Kyoto? (line 7)",
            "          came:     matched weather  topic=weather (memory)  city=Kyoto"
            "  date=now (memory)",
            "          answer:   I would look up the weather in Kyoto for now.",
            "          expected: matched  city=Tokyo  memory: city=Tokyo, weather",
            "          wrong:    slot city is 'Kyoto', not 'Tokyo'",
            "          wrong:    memory holds city=Kyoto, date=now, weather; "
            "city=Tokyo, weather was expected",
        ]
        assert "          |   forgotten: city=Tokyo, evicted by city=Kyoto" in shown
        assert shown[-2:] == ["  ✓ weather in Oslo (line 10)", "1 of 2 dialogs failed"]

    def test_an_error_is_shown_at_its_question(self, kitchen):
        result = run(kitchen("{ask: milk}, {ask: tea}, {ask: milk}"))
        assert result.exit_code == 1
        assert "      ✓ milk  → matched milk" in result.output
        before, after = result.output.split("      ✗ tea (line ")
        assert "division" in after
        assert "division" not in before

    def test_an_answer_of_several_lines_is_indented(self):
        turn = CaseTurn("hi", actual="matched hi", answer="one\ntwo", failures=("a\nb",))
        lines = [line for line, _ in format_case(Case("hi", turns=(turn,)))]
        assert lines[2:] == [
            "    answer:   one",
            "              two",
            "    wrong:    a",
            "              b",
        ]

    def test_every_kind_of_expectation_is_shown(self):
        step = AskStep(
            "What's the weather?",
            status="rejected",
            slots={"city": None, "date": ("now", "today")},
            from_memory=(),
            missing=("city", "date"),
            memory=(),
        )
        case = run_case(Engine(PLAIN_WEATHER), Dialog((step,)))
        assert case.turns[0].expected == (
            "rejected  city empty  date=now, today  from memory: nothing  missing: city, date"
            "  memory: nothing"
        )

    @pytest.mark.parametrize(("text", "title"), [("a\nb\tc", "a b c"), ("", "''"), (" ", "' '")])
    def test_a_question_is_shown_on_one_line(self, text, title):
        case = run_case(Engine(PLAIN_WEATHER), Dialog((AskStep(text, status="rejected"),)))
        assert (case.title, case.passed) == (title, True)

    def test_other_models_are_checked_after_one_that_cannot_be_loaded(self, tmp_path):
        result = run(PLAIN_WEATHER, str(tmp_path / "nothing.yaml"), "lights")
        assert result.exit_code == 1
        assert "weather: " in result.output
        assert "lights: " in result.output
        assert "nothing.yaml" in result.stderr

    def test_what_the_bot_says_is_shown_as_such(self, kitchen):
        result = run(kitchen("{bot: 'Is  anyone there?'}, {ask: hello}"))
        assert "      · (bot: Is anyone there?)\n" in result.stdout

    def test_a_model_without_samples_passes(self, tmp_path):
        file = tmp_path / "tea.yaml"
        file.write_text(KITCHEN, encoding="utf-8")
        result = run(str(file), "--jobs", "2")
        assert result.exit_code == 0
        assert "no samples to run" in result.output

    def test_json_has_a_line_per_dialog(self, day_out):
        result = run(PLAIN_WEATHER, "--samples", day_out, "--json")
        assert result.exit_code == 1
        failed, passed = map(json.loads, result.stdout.splitlines())
        assert (failed["model"], failed["title"], failed["line"]) == ("weather", "a day out", 2)
        assert [case["passed"] for case in (failed, passed)] == [False, True]
        assert failed["turns"][2]["failures"][0] == "slot city is 'Kyoto', not 'Tokyo'"
        assert failed["turns"][2].keys() == {
            *("said", "line", "came", "answer", "expected", "failures", "why")
        }


class TestWarnings:
    @pytest.fixture(autouse=True)
    def write_warning_model(self, monkeypatch):
        def load(name):
            odd = Problem("the element 'a' is never used", "m.yaml", 3, 7, "  - id: a")
            return replace(load_model(name), warnings=(odd, replace(odd, line=4)))

        monkeypatch.setattr(loader, "load_model", load)

    def test_warnings_are_shown_with_their_place_and_do_not_fail_the_check(self):
        result = run(PLAIN_WEATHER)
        assert result.exit_code == 0
        assert "Warning: m.yaml:3:7: the element 'a' is never used" in result.stderr
        assert "Warning" not in result.stdout

    def test_strict_counts_warnings(self, tmp_path):
        file = tmp_path / "r.xml"
        result = run(PLAIN_WEATHER, "--strict", "--junit", str(file))
        assert result.exit_code == 1
        assert "2 warnings of weather" in result.stderr
        suite = ElementTree.parse(file).getroot()[0]
        assert suite.get("failures") == "1"
        assert all(f"m.yaml:{at}:7" in suite.findtext("testcase/failure") for at in (3, 4))


class TestUnreachableElements:
    MODEL = "id: m\nelements: [{id: tea}, {id: cake}]\nintents: [\"intent=i term={# == 'tea'}\"]\n"

    def test_strict_reports_them(self, tmp_path):
        file = tmp_path / "m.yaml"
        file.write_text(self.MODEL)
        result = run(str(file), "--strict")
        assert result.exit_code == 1
        assert "no intent uses the element 'cake'" in result.stderr
        assert "1 warning of m" in result.stderr

    def test_they_are_not_reported_without_strict(self, tmp_path):
        file = tmp_path / "m.yaml"
        file.write_text(self.MODEL)
        result = run(str(file))
        assert result.exit_code == 0
        assert "no intent uses" not in result.stderr


class TestNotes:
    def test_uncovered_qualifiers_are_noted_once_and_the_model_passes(self, kitchen):
        result = run(kitchen("{ask: milk}"), "--strict")
        assert result.exit_code == 0
        assert result.stderr.count("words that change the meaning (not, without, only)") == 1
        assert "hint: 'do not …' is answered like 'do …'" in result.stderr
        assert "change the meaning" not in result.stdout

    def test_a_model_that_reads_negations_needs_no_words_for_them(self, kitchen):
        file = Path(kitchen("{ask: milk}"))
        file.write_text("dialog_acts: true\n" + file.read_text("utf-8"), "utf-8")
        assert "Note" not in run(str(file)).stderr

    def test_texts_that_lack_a_language_are_listed(self, tmp_path):
        file = tmp_path / "hall.yaml"
        file.write_text(
            """\
id: hall
language: [en, ru, de]
dialog_acts: true
elements: [{id: book}, {id: hall, values: [Astra, Ibis]}]
intents:
  - id: book
    slots: {book: book, hall: {ask: {en: Which hall?, de: Welcher Saal?}}}
    confirm: "{{ hall }}?"
    response: {en: Booked.}
fallback: {text: {en: Sorry?, ru: Что?, de: Wie?}, unknown: {en: I only book halls.}}
""",
            "utf-8",
        )
        result = run(str(file), "--strict")
        assert result.exit_code == 0
        assert "texts are missing in ru: responses.book, prompts.book.hall\n" in result.stderr
        assert "texts are missing in de: responses.book\n" in result.stderr

    def test_a_constant_that_is_no_value_is_a_warning(self, tmp_path):
        file = tmp_path / "hall.yaml"
        file.write_text(
            """\
id: hall
entities: [date]
elements: [{id: book}, {id: hall, values: {Astra: [the big one], Ibis: []}}]
intents: [{id: book, slots: {book: book}, response: Well.}]
mentions: {book: {hall: Zoo, date: Friday}}
offers: {book: [{hall: the big one}, {hall: ibis, date: someday}]}
""",
            "utf-8",
        )
        result = run(str(file))
        assert result.exit_code == 0
        assert result.stderr.count("Warning") == 2
        assert "'mentions' of 'book': 'Zoo' is no value of 'hall'" in result.stderr
        assert "'offers' of 'book': 'someday' is no value of 'date'" in result.stderr

    def test_a_covering_or_bundled_model_has_no_note(self, kitchen):
        file = Path(kitchen("{ask: milk}"))
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("{id: milk}", "{id: milk, synonyms: [without]}"), "utf-8")
        assert "Note" not in run(str(file)).stderr
        assert "Note" not in run("cafe", "--strict").stderr

    @pytest.mark.parametrize(
        ("language", "module", "note"),
        [
            ("zh", "words.segmentation", "Chinese words are not segmented"),
            ("th", "words.segmentation", "Thai words are not segmented"),
            ("ko", "words.korean", "Korean verb forms are not recognized"),
        ],
    )
    def test_a_missing_language_package_is_noted_once(
        self, tmp_path, monkeypatch, language, module, note
    ):
        file = tmp_path / "m.yaml"
        elements = (
            "elements: [{id: tea, synonyms: [茶]}]\nintents: [\"intent=i term={# == 'tea'}\"]"
        )
        file.write_text(f"id: m\nlanguage: {language}\n{elements}\n", "utf-8")
        assert note not in run(str(file)).stderr
        monkeypatch.setattr(f"anaphora.entities.{module}.find_spec", lambda name: None)
        result = run(str(file), "--strict")
        assert result.stderr.count(note) == 1
        extra = note.split()[0].lower()
        assert f"pip install 'anaphora[{extra}]'" in result.stderr


class TestProcesses:
    def test_results_equal_those_of_one_process_in_order(self):
        model, dialogs = load_model(PLAIN_WEATHER), many(60)
        engine = Engine(model)
        here = [replace(run_case(engine, dialog), seconds=0.0) for dialog in dialogs]
        there = run_in_processes(model.source, dialogs, run_case, 3)
        assert [replace(case, seconds=0.0) for case in there] == here
        assert {case.passed for case in here} == {True, False}
        assert not multiprocessing.active_children()

    def test_the_command_prints_the_same(self, day_out):
        alone = run(PLAIN_WEATHER, "--samples", day_out, "--jobs", "1")
        assert run(PLAIN_WEATHER, "--samples", day_out, "--jobs", "2").output == alone.output

    def test_a_dead_process_is_a_clear_error(self, kitchen):
        file = kitchen("{ask: milk}", "{ask: coffee}")
        dialogs = load_model(file).samples
        running = run_in_processes(file, dialogs, run_case, 2)
        assert next(running).passed
        for process in multiprocessing.active_children():
            process.kill()
        with pytest.raises(AnaphoraError, match=r"signal 9 while it ran .* on lines 13 to 13"):
            next(running)
        assert not multiprocessing.active_children()

    def test_a_deleted_model_is_a_clear_error(self, tmp_path):
        running = run_in_processes(str(tmp_path / "gone.yaml"), many(3), run_case, 2)
        with pytest.raises(AnaphoraError, match=r"gone\.yaml"):
            list(running)
        assert not multiprocessing.active_children()

    def test_more_processes_are_the_default_only_for_many_dialogs(self, monkeypatch):
        assert default_jobs(many(process_pool._MIN_PARALLEL_QUESTIONS - 1)) == 1
        monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 5}, raising=False)
        assert default_jobs(many(process_pool._MIN_PARALLEL_QUESTIONS)) == 3

    @pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.thorough), "2"])
    def test_ctrl_c_ends_all_processes_with_one_message(self, kitchen, jobs, tmp_path):
        file = kitchen("{ask: milk}", "{ask: coffee}", "{ask: milk}")
        report = tmp_path / "r.xml"
        with subprocess.Popen(
            [sys.executable, "-m", "anaphora", "check", file, "-j", jobs, "--junit", str(report)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
            start_new_session=True,
            preexec_fn=restore_ctrl_c,
        ) as process:
            shown = [process.stdout.readline().decode() for _ in range(2)]
            os.killpg(process.pid, signal.SIGINT)  # to every process, as a terminal does
            # A process that is left behind would keep the pipes open.
            _, errors = process.communicate(timeout=60)
        assert "✓ milk" in shown[1]
        # A note of two lines on the model precedes it.
        assert (process.returncode, errors.decode().splitlines()[2:]) == (130, ["Interrupted."])
        assert not report.exists()

    def test_processes_end_with_their_parent(self, kitchen):
        file = kitchen("{ask: milk}", "{ask: coffee}", "{ask: coffee}")
        with subprocess.Popen(
            [sys.executable, "-m", "anaphora", "check", file, "-j", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        ) as process:
            shown = [process.stdout.readline().decode() for _ in range(2)]
            process.kill()
            process.communicate(timeout=60)  # until nobody holds the pipes open any more
        assert "✓ milk" in shown[1]


def restore_ctrl_c() -> None:
    """Restore the default handling of Ctrl-C, which a background shell may ignore or block."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


class TestProgress:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    @pytest.mark.parametrize(("patience", "shown"), [(-1.0, True), (3_600.0, False)])
    def test_a_long_run_shows_a_progress_bar_in_a_terminal(self, monkeypatch, patience, shown):
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(check, "_PATIENCE", patience)
        monkeypatch.setattr(sys, "stderr", terminal := self.Terminal())
        with check._progress(create_console(), 2) as advance:
            advance()
            advance()
        assert ("2/2" in terminal.getvalue()) == shown

    def test_there_is_no_progress_bar_outside_a_terminal(self, monkeypatch):
        monkeypatch.setattr(check, "_PATIENCE", -1.0)
        assert run("weather").stderr == ""


class TestMemory:
    def test_a_sample_file_is_checked_against_the_model(self, tmp_path):
        file = tmp_path / "s.yaml"
        file.write_text("- dialog: [{ask: x, memory: [citi, city=Tokio]}]\n", encoding="utf-8")
        with pytest.raises(AnaphoraError) as caught:
            load_samples(file, load_model(PLAIN_WEATHER))
        assert "did you mean 'city'" in str(caught.value)
        assert "did you mean 'Tokyo'" in str(caught.value)


def test_an_agent_file_is_validated(tmp_path: Path) -> None:
    (tmp_path / "ada.yaml").write_text("agent: ada\npersona: I am Ada.\n", encoding="utf-8")
    (tmp_path / "bad.yaml").write_text("agent: bad\nmemorise: {}\n", encoding="utf-8")
    good = CliRunner().invoke(app, ["check", str(tmp_path / "ada.yaml"), "dungeon-master"])
    assert (good.exit_code, good.stdout.splitlines()) == (
        0,
        ["ada: an agent, 0 declared memories", "dungeon-master: an agent, 3 declared memories"],
    )
    bad = CliRunner().invoke(app, ["check", str(tmp_path / "bad.yaml")])
    assert bad.exit_code == 1
    assert "memorise" in bad.stderr
