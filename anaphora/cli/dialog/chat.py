"""``anaphora chat``: talk to a model in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from anaphora.cli.dialog.chat_memory import ChatMemory
from anaphora.cli.dialog.input_lines import is_typed, read_lines
from anaphora.cli.dialog.model_watcher import WatchedModel
from anaphora.cli.terminal import (
    CacheOption,
    ModelArgument,
    create_console,
    print_error,
    print_reply,
    value_option,
)
from anaphora.cli.time_options import local_now
from anaphora.core.plurals import pluralize
from anaphora.errors import AnaphoraError

if TYPE_CHECKING:
    from anaphora.engine.engine import Engine
    from anaphora.intents.explanation import Explanation
    from anaphora.models.domain import Model

__all__ = ["chat"]

_HELP = {
    "/stm": "show the short-term memory",
    "/why": "explain the last answer",
    "/reset": "forget this conversation",
    "/model NAME": "talk to another model; each has its own memory",
    "/history": "show the exchanges of this chat and of earlier ones (with --memory)",
    "/summary": "show the summaries and the length of the history (with --memory)",
    "/recall TEXT": "search earlier exchanges (with --memory)",
    "/erase": "erase everything that is stored about you, for every model",
    "/help": "show this list",
    "/quit": "leave (so does Ctrl-D)",
}


def chat(
    model: ModelArgument = "weather",
    *,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Reload a changed model file before the next line, and keep the conversation as "
            "far as its elements still exist.",
        ),
    ] = False,
    memory: Annotated[
        str | None,
        value_option(
            "URL",
            "A long-term memory that stores this chat and has earlier ones: "
            "sqlite:///FILE, postgresql://…, or memory: for this chat only.",
        ),
    ] = None,
    summarizer: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The summarizer of long histories: extractive, cut, bart, bart:FOLDER, none, or "
            "the URL of a chat-completions endpoint with #MODEL.",
        ),
    ] = "extractive",
    embedder: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The embedder with which /recall searches by meaning: none, minilm or "
            "sentence-transformers:FOLDER.",
        ),
    ] = "none",
    cache: CacheOption = None,
) -> None:
    """Talk to a model. /stm shows the memory, /why explains the last answer, /help lists all
    commands.

    Examples:

    anaphora chat weather

    anaphora chat weather --memory sqlite:///chats.db
    """
    chat_memory = None
    if memory is not None:
        chat_memory = ChatMemory.open(memory, summarizer=summarizer, embedder=embedder)
    try:
        session = _ChatSession(model, watch=watch, chat_memory=chat_memory, cache=cache)
        session.greet()
        for line in read_lines():
            if not session.answer(line):
                break
    finally:
        if chat_memory is not None:
            chat_memory.close()


class _ChatSession:
    """The models of a chat, with the current one, and the commands."""

    def __init__(
        self, model: str, *, watch: bool, chat_memory: ChatMemory | None, cache: Path | None
    ) -> None:
        self._out = create_console()
        self._watch = watch
        self._long_term = chat_memory
        self._cache = cache
        self._known: dict[str, WatchedModel] = {}
        self._current = self._load(model)
        self._last: Explanation | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            "/stm": self._show_short_term_memory,
            "/why": self._show_explanation,
            "/reset": self._reset,
            "/model": self._switch,
            "/history": self._long_term_command("history", ChatMemory.show_history),
            "/summary": self._long_term_command("summary", ChatMemory.show_summary),
            "/recall": self._long_term_command("recall", ChatMemory.show_recall),
            "/erase": self._erase,
            "/help": self._show_help,
        }

    @property
    def _engine(self) -> Engine:
        return self._current.engine

    def greet(self) -> None:
        model = self._engine.models[0]
        self._out.print(Text(f"{model.name or model.id}", style="bold"), end="")
        self._out.print(Text(f": {model.description}" if model.description else ""))
        steps = (step for dialog in model.samples for step in dialog.steps)
        question = next((step.text for step in steps if hasattr(step, "text")), None)
        if question:
            self._out.print(Text(f"Try: {question}", style="dim"))
        self._out.print(Text("/help lists the commands, Ctrl-D leaves.", style="dim"))

    def answer(self, line: str) -> bool:
        """Answer one line; False when the user wants to leave."""
        command, _, argument = line.strip().partition(" ")
        if command in ("/quit", "/exit"):
            return False
        try:
            if self._watch:
                self._reload_if_changed()
            if not command:
                pass
            elif command.startswith("/"):
                self._run_command(command, argument.strip())
            else:
                reply = self._engine.ask(line, at=local_now(), explain=True)
                self._last = reply.explanation
                print_reply(self._out, reply)
                if reply.status == "rejected" and line.strip().lower() in ("exit", "quit", "bye"):
                    self._out.print(Text("  (/quit or Ctrl-D leaves)", style="dim"))
        except AnaphoraError as error:
            print_error(error)
        except KeyboardInterrupt:
            if not is_typed():  # there is no /quit or Ctrl-D in piped input
                raise
            self._out.print(Text("interrupted; the memory is unchanged", style="dim"))
        return True

    def _reload_if_changed(self) -> None:
        """Reload the model file if it has changed; keep the old model if it has mistakes."""
        try:
            message = self._current.reload_if_changed()
        except AnaphoraError as error:
            print_error(error)
            message = "the previous version of the model stays in use"
        if message:
            self._out.print(Text(message, style="dim"))

    def _run_command(self, command: str, argument: str) -> None:
        if command in self._commands:
            self._commands[command](argument)
            return
        from anaphora.core.name_hints import did_you_mean

        hint = did_you_mean(command, [usage.split()[0] for usage in _HELP])
        self._out.print(f"There is no command {command}; {hint or '/help lists the commands'}")

    def _show_short_term_memory(self, _: str) -> None:
        from anaphora.models.schema.durations import format_duration

        now = datetime.now(UTC)
        conversation = self._engine.conversation(at=now)
        pending = conversation.pending
        for one in (pending, pending.suspended if pending else None):
            if one is None:
                continue
            understood = ", ".join(map(str, one.entities))
            missing = ", ".join(one.missing) or "a yes or a no"
            state = "waiting for" if one is pending else "then again waiting for"
            self._out.print(Text(f"{state} {missing} of {one.intent} ({understood})"))
        offer = conversation.recall_offer
        if offer and not offer.declined:
            entities = ", ".join(map(str, offer.entities))
            self._out.print(Text(f"a yes restores {entities}, for {offer.question!r}"))
        offers = conversation.open_offers.bundles if conversation.open_offers else ()
        if offers:
            self._out.print(Text("on the table:"))
            for place, bundle in enumerate(offers, 1):
                self._out.print(Text(f"  {place}. {', '.join(map(str, bundle))}"))
        if not conversation.remembered:
            if not (pending or offer or offers):
                self._out.print(Text("the memory is empty", style="dim"))
            return
        columns = ["element", "value", "groups", "questions ago", "last used"]
        is_bot_heard = any(held.by == "bot" for held in conversation.remembered)
        table = Table(*columns, *(["said by"] if is_bot_heard else []), box=None)
        for remembered in conversation.remembered:
            entity = remembered.entity
            age = timedelta(seconds=max(0, int((now - remembered.used_at).total_seconds())))
            table.add_row(
                Text(entity.element),
                Text(entity.value_or_text),
                Text(", ".join(sorted(entity.groups))),
                str(conversation.questions - remembered.question_number),
                f"{format_duration(age)} ago",
                *([remembered.by] if is_bot_heard else []),
            )
        self._out.print(table)

    def _show_explanation(self, _: str) -> None:
        if self._last is None:
            self._out.print(Text("there is no answer yet", style="dim"))
        else:
            self._out.print(Text(str(self._last)))

    def _reset(self, _: str) -> None:
        self._engine.forget()
        self._out.print(Text("everything is forgotten", style="dim"))

    def _erase(self, _: str) -> None:
        erased = sum(watched.engine.erase(user="user") for watched in self._known.values())
        count = f" ({pluralize(erased, 'exchange')})" if erased else ""
        self._out.print(Text(f"everything is erased{count}", style="dim"))

    def _switch(self, name: str) -> None:
        if not name:
            from anaphora.models.catalog import model_names

            self._out.print(f"/model NAME takes a file or one of: {', '.join(model_names())}")
            return
        self._current = self._load(name)
        self._last = None
        self.greet()

    def _long_term_command(
        self, name: str, show: Callable[[ChatMemory, Console, Model, str], None]
    ) -> Callable[[str], None]:
        """Create a command that shows a part of the long-term memory."""

        def run(argument: str) -> None:
            if self._long_term is None:
                self._out.print(
                    f"/{name} needs a long-term memory: start 'anaphora chat --memory "
                    "sqlite:///chats.db'"
                )
            else:
                show(self._long_term, self._out, self._engine.models[0], argument)

        return run

    def _show_help(self, _: str) -> None:
        for command, meaning in _HELP.items():
            self._out.print(f"  {command:12} {meaning}")

    def _load(self, name: str) -> WatchedModel:
        if name not in self._known:
            memory = self._long_term.memory if self._long_term else None
            self._known[name] = WatchedModel(name, long_term=memory, cache=self._cache)
        return self._known[name]
