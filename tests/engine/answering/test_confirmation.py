"""An intent that the user confirms is carried out at most once (rule 15)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anaphora import Engine, HandlerError, parse_model
from anaphora.stm.stores.sqlite.store import SqliteStore
from tests.conftest import Clock
from tests.support.dialog_models import SALON
from tests.support.dialogs import check_dialog, describe_turn

QUESTION = "an appointment for a haircut with Vera tomorrow, dry"


def count_bookings(engine: Engine, booked: list[str]) -> Engine:
    """Note what the bot books."""

    @engine.on("book")
    def book(service: str, master: str) -> str:
        booked.append(f"{service}, {master}")
        return "Done."

    return engine


class TestTheAnswer:
    @pytest.mark.parametrize(
        "answer", ["yes", "yes please", "that's right", "ok", "да", "ja, gerne", "sí", "correct"]
    )
    def test_yes_carries_it_out(self, bot, answer):
        booked: list[str] = []
        engine = count_bookings(bot(SALON), booked)
        assert describe_turn(engine, QUESTION)["says"] == "cut, Vera, tomorrow, dry?"
        assert not booked
        turn = describe_turn(engine, answer)
        assert (turn["says"], booked) == ("Done.", ["cut, Vera"])
        assert turn["remembers"] == "book, service=cut, master=Vera, date=2026-01-06, wash=dry"

    @pytest.mark.parametrize(
        ("answer", "kept"),
        [
            *[(no, True) for no in ("no", "no thanks", "нет", "nein", "better not")],
            *[(stop, False) for stop in ("cancel", "отмена", "abbrechen")],
        ],
    )
    def test_no_drops_it(self, bot, answer, kept):
        booked: list[str] = []
        engine = count_bookings(bot(SALON), booked)
        describe_turn(engine, "opening hours")
        describe_turn(engine, QUESTION)
        turn = describe_turn(engine, answer)
        said = "book, service=cut, master=Vera, date=2026-01-06, wash=dry, "
        assert (turn[""], turn["remembers"]) == ("rejected", f"{said * kept}hours")
        assert describe_turn(engine, "yes")[""] == "rejected"
        assert not booked

    @pytest.mark.parametrize(
        ("answer", "asked"),
        [
            ("no, with Olga", "cut, Olga, tomorrow, dry?"),
            ("not Vera, Olga", "cut, Olga, tomorrow, dry?"),
            ("not Vera but Olga", "cut, Olga, tomorrow, dry?"),
            ("make it Friday", "cut, Vera, Friday, dry?"),
            ("Olga", "cut, Olga, tomorrow, dry?"),
            ("no, colouring, and on Friday", "colour, Vera, Friday, dry?"),
            ("нет, к Ольге", "cut, Olga, tomorrow, dry?"),
            ("nein, bei Olga", "cut, Olga, tomorrow, dry?"),
            ("no, con Olga", "cut, Olga, tomorrow, dry?"),
        ],
    )
    def test_a_correction_replaces_and_asks_again(self, bot, answer, asked):
        booked: list[str] = []
        engine = count_bookings(bot(SALON), booked)
        describe_turn(engine, QUESTION)
        assert describe_turn(engine, answer)["says"] == asked
        assert not booked
        describe_turn(engine, "yes")
        service, master, *_ = asked.split(", ")
        assert booked == [f"{service}, {master}"]

    def test_with_another_question_drops_nothing(self, bot):
        check_dialog(
            bot(SALON),
            f"""
            > {QUESTION}
            book? service=cut master=Vera day=2026-01-06 wash=dry
            > opening hours?
            hours
            says: Nine to five. cut, Vera, tomorrow, dry?
            > yes
            book service=cut master=Vera day=2026-01-06 wash=dry
            """,
        )


class TestAtMostOnce:
    @pytest.fixture
    def open_engine(self, clock: Clock, tmp_path: Path) -> Callable[[list[str]], Engine]:
        """Opens an engine on a store that outlives it."""
        model = parse_model(SALON)

        def open_store(booked: list[str]) -> Engine:
            store = SqliteStore(tmp_path / "talks.db", clock=clock)
            return count_bookings(Engine(model, clock=clock, store=store), booked)

        return open_store

    def test_another_yes_does_nothing(self, open_engine):
        booked: list[str] = []
        engine = open_engine(booked)
        for text in (QUESTION, "yes", "yes", "ok", "yes"):
            engine.ask(text)
        assert booked == ["cut, Vera"]

    def test_after_a_restart(self, open_engine):
        booked: list[str] = []
        for text in (QUESTION, "yes", "yes"):
            open_engine(booked).ask(text)
        assert booked == ["cut, Vera"]

    def test_if_the_handler_fails(self, open_engine):
        tried: list[str] = []
        engine = open_engine([])

        @engine.on("book")
        def book(service: str) -> str:
            tried.append(service)
            raise OSError

        engine.ask(QUESTION)
        with pytest.raises(HandlerError):
            engine.ask("yes")
        assert engine.ask("yes").status == "rejected"
        assert tried == ["cut"]

    def test_with_two_engines_at_once(self, open_engine):
        booked: list[str] = []
        engines = [open_engine(booked) for _ in range(2)]
        engines[0].ask(QUESTION)
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda i: engines[i % 2].ask("yes"), range(8)))
        assert booked == ["cut, Vera"]
        assert sorted(reply.status for reply in replies) == ["matched", *["rejected"] * 7]

    def test_each_time_it_is_asked_for(self, open_engine):
        booked: list[str] = []
        engine = open_engine(booked)
        for text in (QUESTION, "yes", "an appointment for colouring", "yes"):
            engine.ask(text)
        assert booked == ["cut, Vera", "colour, Vera"]
