"""``anaphora ask``, ``explain``, ``check``, ``new``, ``models`` and ``schema``, and all output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from anaphora import cli
from anaphora.cli import app
from anaphora.version import __version__
from tests.support.plain_models import PLAIN_WEATHER

STRANGE = ["", " ", "🌧️", "مرحبا", "\u202eabc", "\0", "[bold]weather[/bold]"]


def run(*arguments: str, stdin: str | bytes | None = "") -> Result:
    return CliRunner().invoke(app, arguments, input=stdin)


def anaphora(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the command in its own process; the result has its exit code and its error output."""
    return subprocess.run(
        [sys.executable, "-m", "anaphora", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
    )


def closed_stdin(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command with a closed standard input, as some service managers do."""
    command = ["bash", "-c", 'exec "$@" <&-', "bash", sys.executable, "-m", "anaphora", *arguments]
    return subprocess.run(command, capture_output=True, check=False)


def replies(*arguments: str, stdin: str | bytes | None = "") -> list[dict]:
    result = run("ask", "--json", *arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


class TestAsk:
    def test_several_texts_are_one_dialog_with_pauses(self):
        found = replies(
            PLAIN_WEATHER,
            "What is the weather in Tokyo now?",
            "And in New York?",
            "@6m",
            "And now?",
        )
        assert [reply["status"] for reply in found] == ["matched", "matched", "rejected"]
        assert found[1]["slots"]["city"] == {
            "value": "New York",
            "text": "New York",
            "element": "city",
            "source": "sentence",
        }
        assert found[1]["slots"]["date"]["source"] == "memory"

    def test_pauses_add_up(self):
        assert replies(PLAIN_WEATHER, "weather in Tokyo", "@PT4M", "@60s", "tomorrow")[1]["intent"]
        after = replies(PLAIN_WEATHER, "weather in Tokyo", "@4m", "@61s", "tomorrow")
        assert after[1]["status"] == "rejected"

    def test_a_reply_in_json_has_these_keys_and_no_others(self):
        (reply,) = replies(PLAIN_WEATHER, "What's the weather?")
        assert list(reply) == [
            "status",
            "intent",
            "slots",
            "missing",
            "prompt",
            "text",
            "memory",
            "unused",
        ]
        assert reply["missing"] == ["city"]
        assert reply["prompt"] == reply["text"] == "For which city?"

    def test_json_has_the_memory_after_each_question(self):
        (reply,) = replies(PLAIN_WEATHER, "weather in Tokyo")
        assert {"element": "city", "value": "Tokyo", "groups": ["city"]} in reply["memory"]

    def test_text_output_has_the_answer_and_its_interpretation(self):
        output = run("ask", PLAIN_WEATHER, "weather in Tokyo", "and tomorrow?").output
        assert "I would look up the weather in Tokyo." in output
        assert "topic=weather" in output
        assert "matched weather" in output
        assert "city=Tokyo (memory)" in output

    def test_unknown_words_are_listed(self):
        output = run("ask", PLAIN_WEATHER, "weather in Tokyo", "weather in Boston").output
        assert "not understood: Boston" in output

    def test_a_reset_is_reported(self):
        assert "Everything is forgotten." in run("ask", PLAIN_WEATHER, "forget it").output

    def test_questions_may_be_piped_in(self):
        found = replies(PLAIN_WEATHER, stdin="weather in Tokyo\nand tomorrow?\n@6m\nnow\n")
        assert [reply["status"] for reply in found] == ["matched", "matched", "rejected"]

    @pytest.mark.parametrize("text", STRANGE)
    def test_unusual_texts_are_answered(self, text):
        assert replies(PLAIN_WEATHER, text)[0]["status"] in ("rejected", "incomplete")

    def test_invalid_bytes_and_a_megabyte_are_answered(self):
        done = anaphora("ask", PLAIN_WEATHER, stdin=b"\xff\xfe\0\n" + b"weather " * 131_072 + b"\n")
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"longer than 10,000 characters" in done.stdout

    def test_an_argument_with_invalid_bytes_is_answered(self):
        done = anaphora("ask", PLAIN_WEATHER, "\udcff weather in Tokyo")
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"Tokyo" in done.stdout

    def test_an_invalid_pause_is_an_error(self):
        result = run("ask", PLAIN_WEATHER, "@soon")
        assert result.exit_code == 2
        assert "write @6m" in result.output

    def test_an_invalid_pause_is_an_error_before_any_question(self):
        done = anaphora("ask", PLAIN_WEATHER, "weather in Tokyo", "@soon")
        assert (done.returncode, done.stdout) == (2, b"")

    def test_a_pause_without_a_question_is_an_error(self):
        result = run("ask", PLAIN_WEATHER, "@6m")
        assert result.exit_code == 2
        assert "no question" in result.output

    def test_a_closed_standard_input_requires_a_question(self):
        done = closed_stdin("ask", PLAIN_WEATHER)
        assert done.returncode == 2
        assert b"give at least one question" in done.stderr

    def test_an_unknown_model_gets_a_suggestion_and_no_traceback(self):
        done = anaphora("ask", "wether", "hi")
        assert done.returncode == 2
        assert b"did you mean 'weather'" in done.stderr
        assert b"Traceback" not in done.stderr

    def test_a_cache_folder_keeps_the_compiled_model(self, tmp_path, monkeypatch):
        usual = replies(PLAIN_WEATHER, "weather in Tokyo")
        assert replies(PLAIN_WEATHER, "weather in Tokyo", "--cache", str(tmp_path / "a")) == usual
        monkeypatch.setenv("ANAPHORA_CACHE", str(tmp_path / "b"))
        assert replies(PLAIN_WEATHER, "weather in Tokyo") == usual
        assert run("explain", PLAIN_WEATHER, "weather in Tokyo").exit_code == 0
        for folder in ("a", "b"):
            assert list((tmp_path / folder).glob("model-*"))

    def test_a_cache_that_is_a_file_is_rejected(self, tmp_path):
        (tmp_path / "file").touch()
        result = run("ask", PLAIN_WEATHER, "hi", "--cache", str(tmp_path / "file"))
        assert result.exit_code == 2
        assert "--cache" in result.output

    def test_the_language_may_be_given(self):
        (reply,) = replies("lights", "--language", "ru", "Включи свет на кухне")
        assert reply["slots"]["room"]["value"] == ["kitchen"]
        done = anaphora("ask", "lights", "--language", "de", "Licht an")
        assert done.returncode == 2
        assert b"does not know the language 'de'" in done.stderr

    def test_a_closed_pipe_is_not_an_error(self):
        command = f"{sys.executable} -m anaphora schema | head -c 10"
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
        assert done.stderr == b""


class TestExplain:
    def test_the_last_answer_is_explained(self):
        output = run("explain", PLAIN_WEATHER, "weather in Tokyo now", "and tomorrow?").output
        assert "'and tomorrow?' is matched" in output
        assert "'weather in Tokyo now'" not in output
        assert "evicted by date=tomorrow" in output

    def test_all_answers_can_be_explained_as_json(self):
        result = run("explain", "--all", "--json", PLAIN_WEATHER, "weather in Tokyo", "Kyoto")
        first, second = (json.loads(line) for line in result.output.splitlines())
        assert first["matches"][0]["intent"] == "weather"
        assert second["forgotten"][0]["rule"] == "evicted"


BROKEN = """\
id: broken
elements:
  - id: tea
    synonim: [chai]
intents:
  - intent=tea term={# == 'tee'}
"""


UNFILLABLE = """\
id: kitchen
elements: [{id: tea}, {id: milk}]
intents: ["intent=tea term(tea)={# == 'tea'}", "intent=milk term(milk)={# == 'milk'}"]
responses: {tea: "{{ 1 // 0 }}"}
samples:
  - {name: the broken one, dialog: [{ask: tea}]}
  - {name: the sound one, dialog: [{ask: milk}]}
"""


class TestCheck:
    def test_a_model_with_passing_samples_passes(self):
        result = run("check", PLAIN_WEATHER)
        assert result.exit_code == 0
        assert "dialogs passed" in result.output

    def test_all_mistakes_of_a_file_are_shown_with_their_places(self, tmp_path):
        file = tmp_path / "broken.yaml"
        file.write_text(BROKEN, encoding="utf-8")
        done = anaphora("check", str(file))
        assert done.returncode == 1
        errors = done.stderr.decode()
        assert "broken.yaml:4:5: " in errors
        assert "did you mean 'synonyms'" in errors
        assert "broken.yaml:6:27: " in errors
        assert "did you mean 'tea'" in errors

    def test_a_dialog_that_fails_is_shown_turn_by_turn(self, tmp_path):
        file = tmp_path / "more.yaml"
        file.write_text(
            "samples:\n  - dialog:\n      - ask: weather in Tokyo\n        slots: {city: Kyoto}\n",
            encoding="utf-8",
        )
        result = run("check", PLAIN_WEATHER, "--samples", str(file))
        assert result.exit_code == 1
        assert "slot city is 'Tokyo', not 'Kyoto'" in result.output
        assert "| 'weather in Tokyo' is matched" in result.output
        assert "1 of 1 dialog failed" in result.output

    def test_mistakes_in_a_sample_file_are_shown(self, tmp_path):
        file = tmp_path / "more.yaml"
        file.write_text("samples:\n  - dialog:\n      - ask: hi\n        intent: wether\n")
        done = anaphora("check", PLAIN_WEATHER, "--samples", str(file))
        assert done.returncode == 1
        assert b"more.yaml:4:17" in done.stderr

    def test_a_missing_sample_file_is_an_error(self):
        result = run("check", PLAIN_WEATHER, "--samples", "nowhere")
        assert result.exit_code == 2
        assert "'nowhere' does not exist" in result.stderr

    def test_a_model_without_samples_is_reported(self, tmp_path):
        file = tmp_path / "tea.yaml"
        file.write_text(
            "id: tea\nelements: [{id: tea}]\nintents: [\"intent=tea term={# == 'tea'}\"]\n"
        )
        result = run("check", str(file))
        assert result.exit_code == 0
        assert "no samples to run" in result.output

    def test_a_failing_response_fails_only_its_own_dialog(self, tmp_path):
        file = tmp_path / "kitchen.yaml"
        file.write_text(UNFILLABLE, encoding="utf-8")
        result = run("check", str(file))
        assert result.exit_code == 1
        assert "✗ the broken one" in result.output
        assert "division" in result.output
        assert "✓ the sound one" in result.output
        assert "1 of 2 dialogs failed" in result.output


class TestOthers:
    def test_the_starter_model_passes_its_own_samples(self, tmp_path):
        result = run("new", "my-bot", "--directory", str(tmp_path))
        assert result.exit_code == 0
        assert run("check", str(tmp_path / "my-bot.yaml")).exit_code == 0

    def test_new_overwrites_only_with_force(self, tmp_path):
        (tmp_path / "bot.yaml").write_text("mine")
        assert run("new", "bot", "-d", str(tmp_path)).exit_code == 2
        assert (tmp_path / "bot.yaml").read_text() == "mine"
        assert run("new", "bot", "-d", str(tmp_path), "--force").exit_code == 0

    def test_new_rejects_an_invalid_id(self, tmp_path):
        assert run("new", "../bot", "-d", str(tmp_path)).exit_code == 2
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("name", ["null", "True", "FALSE"])
    def test_new_rejects_yaml_keywords(self, tmp_path, name):
        assert run("new", name, "-d", str(tmp_path)).exit_code == 2
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("name", ["yes", "on", "y", "кафе"])
    def test_new_accepts_other_names(self, tmp_path, name):
        assert run("new", name, "-d", str(tmp_path)).exit_code == 0
        result = run("check", str(tmp_path / f"{name}.yaml"))
        assert result.exit_code == 0, result.output

    def test_the_schema_is_json_and_can_be_written_to_a_file(self, tmp_path):
        schema = json.loads(run("schema").output)
        assert "elements" in schema["properties"]
        assert run("schema", "-o", str(tmp_path / "s.json")).exit_code == 0
        assert json.loads((tmp_path / "s.json").read_text(encoding="utf-8")) == schema

    def test_the_bundled_models_are_listed(self):
        output = run("models").output
        assert all(name in output for name in ("weather", "sales", "cafe", "lights"))

    def test_version_is_printed(self):
        assert run("--version").output.strip() == f"anaphora {__version__}"

    @pytest.mark.parametrize(
        "command", ["chat", "ask", "explain", "check", "new", "models", "schema"]
    )
    def test_every_command_has_help(self, command):
        result = run(command, "--help")
        assert result.exit_code == 0
        assert "Usage:" in result.output

    def test_the_list_of_commands_has_a_full_sentence_for_each(self):
        listed = run("--help").output.split("Commands:")[1].strip().splitlines()
        assert len(listed) == 24
        assert all(line.endswith(".") and not line.endswith("...") for line in listed)

    def test_help_does_not_wait_for_spacy(self):
        code = "import sys, anaphora.cli; print('spacy' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        assert done.stdout.strip() == b"False"


class TestStreams:
    FULL = Path("/dev/full")  # a disk without a free byte

    @pytest.mark.skipif(not FULL.exists(), reason="there is no such device")
    @pytest.mark.parametrize(
        "arguments", [("functions",), ("eval", "1"), ("ask", PLAIN_WEATHER, "hi")]
    )
    def test_a_full_disk_is_reported_in_one_line(self, arguments):
        command = [sys.executable, "-m", "anaphora", *arguments]
        with self.FULL.open("wb") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
        (line,) = done.stderr.decode().splitlines()
        assert line.startswith("Error: the output cannot be written: ")
        assert done.returncode == 2

    @pytest.mark.parametrize(("model", "code"), [(PLAIN_WEATHER, 0), ("wether", 1)])
    def test_the_exit_code_does_not_depend_on_open_output_streams(self, model, code):
        script = 'exec "$@" >&- 2>&-'
        command = ["bash", "-c", script, "bash", sys.executable, "-m", "anaphora", "check", model]
        assert subprocess.run(command, check=False).returncode == code

    def test_ctrl_c_before_a_command_starts_exits_quietly(self, monkeypatch, capsys):
        def interrupted() -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(cli, "app", interrupted)
        with pytest.raises(SystemExit) as left:
            cli.main()
        assert left.value.code == 130
        assert capsys.readouterr().err == ""


def test_the_module_runs_as_the_command():
    assert anaphora("--version").stdout.decode().strip() == f"anaphora {__version__}"
