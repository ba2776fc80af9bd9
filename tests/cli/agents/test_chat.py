"""``anaphora agent``: a chat with a language model that plays a script."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from anaphora.chat_model.chat_model import ChatModel
from anaphora.cli import app
from anaphora.cli.agents import chat as chat_module
from tests.support.chat_endpoint import Reply, ScriptedEndpoint, call, calls, fault
from tests.support.terminal import Terminal

HELLO = call("send_message", {"message": "Hello, Ann!"}, thought="A new user.")
SAVED = call("core_memory_append", {"name": "human", "content": "Name: Ann."})


class Chats:
    """Starts chats with the bundled assistant."""

    def __init__(self, endpoint: ScriptedEndpoint) -> None:
        self._endpoint = endpoint
        self.errors = ""

    def __call__(self, *lines: str, script: list[Reply] | None = None, **options: str) -> str:
        if script is not None:
            self._endpoint.play(script)
        given = [text for name, value in options.items() for text in (f"--{name}", value)]
        result = CliRunner().invoke(
            app,
            ["agent", "assistant", "--url", self._endpoint.url, *given],
            input="".join(f"{line}\n" for line in lines),
        )
        assert result.exit_code == 0, result.output
        self.errors = result.stderr
        return result.stdout


@pytest.fixture
def chat(endpoint: ScriptedEndpoint) -> Chats:
    return Chats(endpoint)


def test_the_steps_are_shown_before_the_answer(chat: Chats) -> None:
    output = chat("Hi, I'm Ann.", script=[calls(SAVED, HELLO)])
    thought, saved, hello, end = output.splitlines()[-4:]
    assert thought == "  … A new user."
    assert saved == '  → core_memory_append("name": "human", "content": "Name: Ann.")'
    assert hello == "Hello, Ann!"
    assert re.fullmatch(r"  done  1 step, [\d,]+ \+ \d+ tokens, \d\.\d s", end)


def test_a_failed_call_says_why(chat: Chats) -> None:
    wrong = call("core_memory_append", {"name": "humor", "content": "x"})
    output = chat("Hi!", script=[wrong, HELLO])
    assert "    failed: " in output
    assert "there is no block 'humor'" in output


def test_a_call_that_breaks_off_is_shown_as_it_is(chat: Chats) -> None:
    output = chat("Hi!", script=[call("send_message", '{"message": "Hel'), HELLO])
    assert '  → send_message({"message": "Hel)' in output
    assert "they break off after 16 characters" in " ".join(output.split())


def test_nothing_that_a_model_writes_steers_the_terminal(chat: Chats) -> None:
    wild = call("send_message", {"message": "one\n\ttwo \x1b[31mred\x00"})
    output = chat("Hi!", "/steps", "/recall Hi", script=[wild])
    assert output.count("one\n        two \N{REPLACEMENT CHARACTER}[31mred") == 2
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", output)


def test_the_command_chat_may_be_named(endpoint: ScriptedEndpoint) -> None:
    endpoint.play([HELLO])
    command = ["agent", "chat", "assistant", "--url", endpoint.url]
    assert "Hello, Ann!" in CliRunner().invoke(app, command, input="Hi!\n").output


def test_the_next_chat_remembers_this_one(chat: Chats) -> None:
    memory = "sqlite:///ada.db"
    first = chat("Hi, I'm Ann.", script=[calls(SAVED, HELLO)], memory=memory)
    assert "is forgotten when it ends" not in first
    assert "Name: Ann." in chat("/core human", memory=memory)
    assert "Name: Ann." not in chat("/core human", memory=memory, user="bob")


def test_a_chat_without_a_memory_says_so(chat: Chats) -> None:
    assert "is forgotten when it ends" in chat()


class TestViews:
    def test_core_shows_and_writes_blocks(self, chat: Chats) -> None:
        output = chat("/core", "/core plans Buy a cake.", "/core humor")
        assert re.search(r"^persona  \d+/2,000$", output, re.MULTILINE)
        assert re.search(r"^plans  11/1,500\n  Buy a cake\.$", output, re.MULTILINE)
        assert "there is no block 'humor'" in chat.errors

    def test_core_shows_and_writes_declared_memories(self, endpoint: ScriptedEndpoint) -> None:
        """Without core memory, of which the model would see nothing."""
        command = ["agent", "dungeon-master", "--url", endpoint.url]
        hero = '{"name": "Ada", "race": "elf"}'
        lines = ["/core", "/core quest In a cave.", f"/core character {hero}", "/core character"]
        result = CliRunner().invoke(app, command, input="\n".join([*lines, "/core persona", ""]))
        assert "character\n  (empty)\nquest\n  (empty)\n" in result.stdout
        assert "quest  turn 0\n  In a cave.\n" in result.stdout
        assert result.stdout.count('  {"name": "Ada", "race": "elf"}') == 2
        assert "there is no block 'persona'" in result.stderr

    def test_a_text_that_is_too_long_for_a_block_is_refused(self, chat: Chats) -> None:
        chat(f"/core plans {'x' * 1_501}")
        assert "more than its limit of 1,500\n" in chat.errors

    def test_queue_shows_messages_and_sizes(self, chat: Chats) -> None:
        output = chat("Hi!", "/queue", script=[HELLO])
        assert re.search(r"^ +\d+  user_message  Hi!$", output, re.MULTILINE)
        assert "assistant  A new user. → send_message" in output
        assert re.search(r"[\d,]+ of 7,168 tokens \(system", output)

    def test_recall_finds_what_was_said(self, chat: Chats) -> None:
        output = chat("I moved to Kyoto.", "/recall Kyoto", "/recall xyz", script=[HELLO])
        assert re.search(r"you  I moved to Kyoto\.\n +bot  Hello, Ann!", output)
        assert "nothing was found" in output

    def test_recall_shows_the_beginning_of_a_long_text(self, chat: Chats) -> None:
        output = chat("Kyoto. " * 500, "/recall Kyoto", script=[HELLO])
        assert len(output.partition("you  ")[2].split()) < 100
        assert re.search(r"Kyoto\. …\n", output)

    def test_archive_lists_and_finds(self, chat: Chats, folder: Path) -> None:
        (folder / "guide.md").write_text("# Kyoto\n\nThe temple is golden.\n", encoding="utf-8")
        memory = "sqlite:///ada.db"
        assert "the archival memory is empty" in chat("/archive", memory=memory)
        command = ["agent", "load", "guide.md", "--agent", "assistant", "--memory", memory]
        assert CliRunner().invoke(app, command).exit_code == 0
        output = chat("/archive", "/archive temple", memory=memory)
        assert "guide.md  1 passage" in output
        assert "  The temple is golden." in output

    def test_graph_says_if_there_is_none(self, chat: Chats) -> None:
        assert "no knowledge graph" in chat("/graph")

    def test_graph_shows_entities_and_facts(self, endpoint: ScriptedEndpoint, folder: Path) -> None:
        (folder / "ada.yaml").write_text(
            "agent: ada\nmemories: {recent: {type: conversation}, facts: {type: graph}}\n",
            encoding="utf-8",
        )
        command = ["agent", "ada.yaml", "--url", endpoint.url]
        output = CliRunner().invoke(app, command, input="/graph\n/graph Ann\n").output
        assert "the graph is empty" in output
        assert "no facts" in output

    def test_steps_show_results_in_full(self, chat: Chats) -> None:
        output = chat("Hi!", "/steps", script=[calls(SAVED, HELLO)])
        assert "    done" in output.partition("done  1 step")[2]

    def test_steps_show_what_they_answer(self, chat: Chats) -> None:
        script = [calls(SAVED, HELLO), HELLO]
        output = chat("Hi, I'm Ann.", "How are you?", "/steps", script=script)
        shown = [line for line in output.splitlines() if line.startswith("you  ")]
        assert shown == ["you  Hi, I'm Ann.", "you  How are you?"]

    def test_usage_counts(self, chat: Chats) -> None:
        output = chat("Hi!", "/usage", script=[HELLO])
        assert re.search(r"^  in all +1 call, [\d,]+ \+ \d+ tokens", output, re.MULTILINE)

    def test_erase_forgets_everything(self, chat: Chats) -> None:
        output = chat("Hi!", "/erase", "/queue", "/core human", script=[calls(SAVED, HELLO)])
        assert re.search(r"everything is erased \(\d+ records\)", output)
        assert "Name: Ann." not in output.partition("is erased")[2]
        assert "user_message" not in output.partition("is erased")[2]

    def test_help_lists_all_commands(self, chat: Chats) -> None:
        output = chat("/help", "/quueue")
        for command in ("/core", "/queue", "/recall", "/archive", "/graph", "/steps", "/usage"):
            assert f"  {command}" in output
        assert "There is no command /quueue; did you mean '/queue'" in output


class TestTrouble:
    def test_a_message_to_an_endpoint_that_is_down_is_kept(
        self, chat: Chats, endpoint: ScriptedEndpoint
    ) -> None:
        output = chat("Hi!", "/retry", "/retry", script=[fault("status 400", "no"), HELLO])
        assert "no" in chat.errors
        assert "Your message is kept; /retry sends it again." in output
        assert output.count("Hello, Ann!") == 1
        assert "the last message was answered" in output
        prompt = endpoint.requests[-1]["messages"]
        assert len([one for one in prompt if "Hi!" in str(one["content"])]) == 1

    def test_no_endpoint(self) -> None:
        result = CliRunner().invoke(app, ["agent", "assistant"])
        assert "names no endpoint" in str(result.exception)

    def test_an_unknown_agent(self) -> None:
        result = CliRunner().invoke(app, ["agent", "asistant", "--url", "http://localhost/v1"])
        assert "assistant" in str(result.exception)

    def test_ctrl_c_ends_an_answer_and_the_chat_continues(
        self, chat: Chats, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(chat_module, "is_typed", lambda: True)
        lines = iter(["A long one", "/retry"])
        monkeypatch.setattr(chat_module, "read_lines", lambda **_: lines)
        complete = ChatModel.complete

        def interrupted(self: ChatModel, *args: Any, **options: Any) -> Any:
            monkeypatch.setattr(ChatModel, "complete", complete)
            raise KeyboardInterrupt

        monkeypatch.setattr(ChatModel, "complete", interrupted)
        output = chat(script=[HELLO])
        assert "interrupted; your message is kept" in output
        assert output.count("Hello, Ann!") == 1
        prompt = endpoint.requests[-1]["messages"]
        assert len([one for one in prompt if "A long one" in str(one["content"])]) == 1

    def test_an_interrupted_call_has_a_result(
        self, chat: Chats, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch, folder: Path
    ) -> None:
        """Endpoints refuse calls without results."""
        (folder / "tools.py").write_text(
            'def ring(bell: str) -> str:\n    """Ring a bell."""\n    raise KeyboardInterrupt\n',
            encoding="utf-8",
        )
        (folder / "ada.yaml").write_text("agent: ada\nfunctions: [tools#ring]\n", encoding="utf-8")
        monkeypatch.setattr(chat_module, "is_typed", lambda: True)
        lines = iter(["Ring!", "And now?"])
        monkeypatch.setattr(chat_module, "read_lines", lambda **_: lines)
        endpoint.play([call("ring", {"bell": "door"}), HELLO])
        command = ["agent", "ada.yaml", "--url", endpoint.url]
        result = CliRunner().invoke(app, command)
        assert "Hello, Ann!" in result.stdout, result.output
        roles = [one["role"] for one in endpoint.requests[-1]["messages"]]
        assert roles == ["system", "user", "assistant", "tool", "user"]


class SlowModel:
    """A model that answers a long message when it is told to."""

    def __init__(self) -> None:
        self.asked, self.let_go = threading.Event(), threading.Event()

    def __call__(self, body: dict[str, Any]) -> Reply:
        if "A long one" in str(body["messages"][-1]["content"]):
            self.asked.set()
            self.let_go.wait(120)
        return HELLO


class TestTerminal:
    """A real pseudo-terminal: Ctrl-C is a key there."""

    @pytest.fixture
    def model(self) -> Iterator[SlowModel]:
        model = SlowModel()
        yield model
        model.let_go.set()

    @pytest.fixture
    def terminal(
        self, endpoint: ScriptedEndpoint, model: SlowModel, tmp_path: Path
    ) -> Iterator[Terminal]:
        endpoint.play(model)
        command = ("agent", "assistant", "--url", endpoint.url, "--memory", "sqlite:///ada.db")
        opened = Terminal(str(tmp_path), *command)
        yield opened
        opened.close()

    def test_ctrl_c_during_an_answer_leaves_a_chat_that_works(
        self, terminal: Terminal, model: SlowModel, endpoint: ScriptedEndpoint
    ) -> None:
        terminal.wait_for("> ")
        terminal.type("A long one\n")
        assert model.asked.wait(60)
        terminal.type("\x03")
        terminal.wait_for("interrupted; your message is kept, /retry sends it again", seconds=30)
        assert not model.let_go.is_set()
        model.let_go.set()  # the endpoint answers one request after the other
        terminal.wait_for("> ")
        terminal.type("Are you there?\n")
        terminal.wait_for("Hello, Ann!")
        terminal.wait_for("done")
        terminal.wait_for("> ")
        roles = [one["role"] for one in endpoint.requests[-1]["messages"]]
        assert roles == ["system", "user", "user"]
        terminal.type("/steps\n")
        terminal.wait_for("failed")
        terminal.wait_for("interrupted")
        terminal.wait_for("> ")
        terminal.type("\x04")
        assert terminal.process.wait(30) == 0
        assert "Traceback" not in terminal.seen

    def test_ctrl_c_at_the_prompt_leaves(self, terminal: Terminal) -> None:
        terminal.wait_for("> ")
        terminal.type("Hi!\n")
        terminal.wait_for("Hello, Ann!")
        terminal.wait_for("> ")
        assert terminal.leave_by_ctrl_c() == 0
        assert "Traceback" not in terminal.seen
