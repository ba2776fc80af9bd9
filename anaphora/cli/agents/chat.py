"""``anaphora agent chat``: talk to an agent in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, TypeAlias
from uuid import uuid4

import typer
from rich.console import Console
from rich.text import Text

from anaphora.cli.agents import memory_views
from anaphora.cli.agents.options import ModelOption, UrlOption, WindowOption
from anaphora.cli.agents.step_view import format_end, format_event, format_step, printable
from anaphora.cli.completion import complete_agent
from anaphora.cli.dialog.input_lines import is_typed, read_lines
from anaphora.cli.terminal import create_console, print_error, value_option
from anaphora.core.name_hints import did_you_mean
from anaphora.errors import AnaphoraError, ChatModelError

if TYPE_CHECKING:
    from anaphora.agents.agent import Agent
    from anaphora.agents.answer import AgentAnswer, AgentStep

__all__ = ["chat"]

_IN_MEMORY = "memory:"
_HELP = {
    "/core [LABEL [TEXT]]": "show the core memory and declared memories, or write one of them",
    "/queue": "show what the next prompt contains, and its size",
    "/recall TEXT": "search this conversation, also the part that the model does not see",
    "/archive [TEXT]": "search documents and notes, or list their sources",
    "/graph [ENTITY]": "show the facts about an entity, or the entities",
    "/steps": "show the thoughts and calls behind the last answers in full",
    "/usage": "show the tokens that the model has read and written",
    "/retry": "send the last message again if it was not answered",
    "/erase": "erase everything that the agent knows of you",
    "/help": "show this list",
    "/quit": "leave (so do Ctrl-D and Ctrl-C)",
}

_View: TypeAlias = "Callable[[Console, Agent, str, str], None]"


def chat(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="An agent file or the name of a bundled agent.",
            autocompletion=complete_agent,
        ),
    ] = "assistant",
    *,
    url: UrlOption = None,
    model: ModelOption = None,
    window: WindowOption = None,
    memory: Annotated[
        str,
        value_option(
            "URL",
            "Where the agent remembers: sqlite:///FILE or postgresql://HOST/DATABASE. Default: "
            "memory:, for this chat only.",
        ),
    ] = _IN_MEMORY,
    user: Annotated[
        str, typer.Option(metavar="NAME", help="Who talks; the agent knows each user separately.")
    ] = "user",
) -> None:
    """Talk to an agent: a language model with a memory of its own.

    The steps of the model are shown dimmed as they happen. Ctrl-C ends a long answer (the
    message is kept), and at the prompt, the chat. /core and /queue show what the model sees, /help
    lists all commands.

    Examples:

    anaphora agent assistant --url http://localhost:8080/v1

    anaphora agent ada.yaml --memory sqlite:///ada.db --user ann
    """
    from anaphora.agents.files.loader import load_agent

    with load_agent(agent, url=url, model=model, window=window, memory=memory) as loaded:
        session = _AgentSession(loaded, user)
        session.greet(is_kept=memory != _IN_MEMORY)
        for line in read_lines(ends_on_interrupt=True):
            if not session.answer(line):
                break
        loaded.flush()


class _AgentSession:
    """A chat of a user with an agent."""

    def __init__(self, agent: Agent, user: str) -> None:
        self._out = create_console()
        self._agent, self._user = agent, user
        self._unanswered: tuple[str, str] | None = None  # the text and the id of a message
        self._views: dict[str, _View] = {
            "/core": memory_views.show_core,
            "/queue": memory_views.show_queue,
            "/recall": memory_views.show_recall,
            "/archive": memory_views.show_archive,
            "/graph": memory_views.show_graph,
            "/steps": memory_views.show_steps,
            "/usage": memory_views.show_usage,
        }

    def greet(self, *, is_kept: bool) -> None:
        model = self._agent.model
        line = Text(self._agent.name, style="bold")
        line.append(f": {model.name}, {model.window:,} tokens", style="not bold")
        self._out.print(line)
        if not is_kept:
            kept = "This chat is forgotten when it ends; --memory sqlite:///FILE keeps it."
            self._out.print(Text(kept, style="dim"))
        self._out.print(Text("/help lists the commands, Ctrl-D leaves.", style="dim"))

    def answer(self, line: str) -> bool:
        """Answer one line; False when the user wants to leave."""
        command, _, argument = line.strip().partition(" ")
        if command in ("/quit", "/exit"):
            return False
        try:
            if command.startswith("/"):
                self._run_command(command, argument.strip())
            elif command:
                self._send(line, uuid4().hex)
        except AnaphoraError as error:
            print_error(error)
        except KeyboardInterrupt:
            if not is_typed():  # there is no /quit or Ctrl-D in piped input
                raise
            self._out.print(Text("interrupted", style="dim"))
        return True

    def _run_command(self, command: str, argument: str) -> None:
        if view := self._views.get(command):
            view(self._out, self._agent, self._user, argument)
        elif command == "/retry":
            self._retry()
        elif command == "/erase":
            count = self._agent.erase(self._user)
            self._unanswered = None
            self._out.print(Text(f"everything is erased ({count:,} records)", style="dim"))
        elif command == "/help":
            for usage, meaning in _HELP.items():
                self._out.print(f"  {usage:21} {meaning}")
        else:
            hint = did_you_mean(command, [usage.split()[0] for usage in _HELP])
            self._out.print(f"There is no command {command}; {hint or '/help lists the commands'}")

    def _retry(self) -> None:
        if self._unanswered is None:
            self._out.print(Text("the last message was answered", style="dim"))
        else:
            self._send(*self._unanswered)

    def _send(self, text: str, id: str) -> None:
        self._unanswered = text, id
        view = _AnswerView(self._out, self._agent, self._user, id)
        try:
            with self._wait():
                answer = self._agent.send(text, user=self._user, id=id, on_step=view.show_step)
        except ChatModelError as error:
            print_error(error)
            self._out.print(Text("Your message is kept; /retry sends it again.", style="dim"))
            return
        except KeyboardInterrupt:
            self._agent.interrupt(user=self._user)
            if is_typed():
                kept = "interrupted; your message is kept, /retry sends it again"
                self._out.print(Text(kept, style="dim"))
                return
            raise
        self._unanswered = None
        view.show_end(answer)

    def _wait(self) -> AbstractContextManager[object]:
        """Show that the agent works, on a terminal."""
        return self._out.status("", spinner="dots") if self._out.is_terminal else nullcontext()


class _AnswerView:
    """Shows the answer to an event as it is made: each message to the user, and dimmed, each
    step."""

    def __init__(self, out: Console, agent: Agent, user: str, event: str) -> None:
        self._out, self._agent, self._user, self._event = out, agent, user, event
        self._shown = 0  # messages

    def show_step(self, step: AgentStep) -> None:
        answer = self._agent.answer(self._event, user=self._user)
        messages = () if answer is None else answer.messages
        for line in format_step(step, messages):
            self._out.print(Text(line, style="dim"))
        self._show_messages(messages)

    def show_end(self, answer: AgentAnswer) -> None:
        for earlier in answer.earlier:
            self._out.print(Text("An earlier message has been answered:", style="dim"))
            self._out.print(format_event(earlier))
            self._out.print(Text(printable(earlier.text)))
        self._show_messages(answer.messages)
        if not answer.messages:
            self._out.print(Text("(no answer)", style="dim"))
        self._out.print(format_end(answer))

    def _show_messages(self, messages: tuple[str, ...]) -> None:
        for message in messages[self._shown :]:
            self._out.print(Text(printable(message)))
        self._shown = len(messages)
