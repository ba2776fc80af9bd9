"""The long-term memory of ``anaphora chat``: history, summaries, recall and erasure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anaphora import Engine, parse_model
from anaphora.cli import app
from anaphora.cli.dialog.chat_memory import ChatMemory
from anaphora.cli.terminal import create_console
from anaphora.errors import AnaphoraError, SummaryError
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.summarizers.first_words import FirstWords
from anaphora.stm.conversation import ConversationKey
from tests.server.server_process import wait_until
from tests.support.plain_models import PLAIN_WEATHER

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def chat(*lines: str, memory: str | None = "sqlite:///chats.db", **options: str) -> str:
    given = [] if memory is None else ["--memory", memory]
    given += [text for name, value in options.items() for text in (f"--{name}", value)]
    typed = "".join(f"{line}\n" for line in lines)
    result = CliRunner().invoke(app, ["chat", PLAIN_WEATHER, *given], input=typed)
    if isinstance(result.exception, AnaphoraError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_the_next_chat_has_the_history_of_this_one() -> None:
    chat("weather in Tokyo", "and in Kyoto?")
    output = chat("/history", "weather in Oslo", "/history")
    before, after = output.split("the weather in Oslo.", 1)
    assert re.search(rf"^{TIME}  you  weather in Tokyo$", before, re.MULTILINE)
    assert re.search(r"^ +bot  .*the weather in Kyoto\.$", before, re.MULTILINE)
    questions = re.findall(rf"^{TIME}  you  (.*)$", after, re.MULTILINE)
    assert questions == ["weather in Tokyo", "and in Kyoto?", "weather in Oslo"]


def test_the_next_chat_offers_entities_of_this_one() -> None:
    chat("weather in Tokyo")
    output = chat("and tomorrow?", "yes")
    assert "Tokyo?" in output
    assert "the weather in Tokyo" in output


def test_recall_shows_the_best_passages_first_without_repetition() -> None:
    chat("weather in Tokyo", "and in Kyoto?", "and in Oslo?", "and in Lima?")
    output = chat("/recall Oslo", "/recall", "/recall zebra")
    questions = re.findall(rf"^{TIME}  you  (.*)$", output, re.MULTILINE)
    assert questions[0] == "and in Oslo?"
    assert {"and in Kyoto?", "and in Oslo?", "and in Lima?"} <= set(questions)
    assert len(set(questions)) == len(questions)
    assert "/recall TEXT searches earlier exchanges" in output
    assert "nothing was found" in output


def test_recall_accepts_all_languages_of_the_model(folder: Path) -> None:
    (folder / "two.yaml").write_text(
        "id: two\nname: Two\nlanguage: [en, ru]\n"
        "elements: [{id: weather, synonyms: {en: [weather], ru: [погода]}}]\n"
        "intents: [\"intent=ask term(weather)={# == 'weather'}\"]\nresponses: {ask: Well.}\n",
        encoding="utf-8",
    )
    lines = "какая погода в Лондоне\n/recall погоды\n/recall Лондоне\n/recall weather\n"
    given = ["chat", "two.yaml", "--memory", "sqlite:///chats.db"]
    output = CliRunner().invoke(app, given, input=lines).output
    assert output.count("you  какая погода в Лондоне") == 2
    assert output.count("nothing was found") == 1


def test_erase_covers_all_models() -> None:
    output = chat("weather in Tokyo", "/model cafe", "a coffee at Costa", "/erase", "/history")
    assert "everything is erased (2 exchanges)" in output
    assert output.count("the history is empty") == 1
    assert "the history is empty" in chat("/history")


def test_summary_shows_the_length_of_the_history() -> None:
    output = chat("/history", "/summary", "weather in Tokyo", "/summary")
    assert "the history is empty" in output
    assert "0 words (summarized when it has more than 1,000): 0 summaries and 0 exch" in output
    assert "0 summaries and 1 exchange in full" in output


def test_summaries_are_shown_with_their_span_and_summarizer(folder: Path) -> None:
    settings = HistorySettings(max_size=20, segment=2, verbatim=1)
    with LongTermMemory("sqlite:///chats.db", summarizer=FirstWords(), settings=settings) as memory:
        with Engine(PLAIN_WEATHER, long_term=memory) as engine:
            for city in ("Tokyo", "Kyoto", "Oslo", "Lima", "Rome"):
                engine.ask(f"weather in {city}")
        assert memory.flush(60)
    for command in ("/summary", "/history"):
        output = chat(command)
        found = rf"^{TIME}.*  summary of \d exchanges(, level 2)?, by cut\n  \S"
        assert re.search(found, output, re.MULTILINE), output


class Failing:
    name = "failing"

    def summarize(self, segments: object) -> Sequence[str]:
        raise SummaryError("the endpoint is away")


def test_a_failing_summarizer_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    settings = HistorySettings(max_size=1, segment=1, verbatim=0)
    with LongTermMemory(summarizer=Failing(), settings=settings) as memory:
        memory.add(ConversationKey("user", "any"), Exchange("And now?", "Rain.", datetime.now(UTC)))
        memory.flush(60)
        wait_until(lambda: memory.status().failures, "the failure")
        model = parse_model("{id: any, elements: [{id: thing}], intents: ['intent=a term={true}']}")
        ChatMemory(memory, max_words=1).show_summary(create_console(), model, "")
    assert "It could not be summarized: the endpoint is away" in capsys.readouterr().out


def test_without_a_memory_the_commands_name_the_option() -> None:
    output = chat("/history", "/summary", "/recall tea", memory=None)
    assert output.count("start 'anaphora chat --memory sqlite:///chats.db'") == 3


def test_a_memory_in_the_process_ends_with_the_chat(folder: Path) -> None:
    assert "weather in Tokyo" in chat("weather in Tokyo", "/history", memory="memory:")
    assert "the history is empty" in chat("/history", memory="memory:")
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": "mysql://host"}, "sqlite:///"),
        ({"summarizer": "bard"}, "'bard' is no summarizer: expected extractive, cut"),
        ({"embedder": "word2vec"}, "'word2vec' is no embedder: expected none"),
    ],
)
def test_an_unusable_memory_is_an_error(options: dict[str, str], message: str) -> None:
    with pytest.raises(AnaphoraError, match=message):
        chat("hello", **options)
