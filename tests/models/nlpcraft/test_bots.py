"""Realistic bots in the formats of several versions of NLPCraft: they load and answer."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anaphora import Engine, load_model
from anaphora.cli.authoring.importing.app import import_app

BOTS = Path(__file__).parent / "bots"
NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
DIALOGS: dict[str, list[list[tuple[str, str | None]]]] = {
    "lights-0.6/lights.json": [
        [
            ("Turn on the lamp in the upstairs hall", "switch"),
            ("guest bedroom", "switch"),
            ("switch off", "switch"),
        ],
        [("lights_on", "switch"), ("kill all lights", "switch"), ("kill time", None)],
        [("shut off the light, living_room", "switch"), ("What is the time?", None)],
    ],
    "robot-0.6/robot.yaml": [
        [
            ("Roll forward 10 meters", "go"),
            ("rotate left by 90 degrees", "turn"),
            ("say", "again"),
        ],
        [("move", "go"), ("say", None), ("tell me navy blue", "paint"), ("red", None)],
    ],
    "weather-0.7/weather.json": [
        [
            ("What is the weather in Oslo?", "now"),
            ("and tomorrow?", "now"),
            ("Tell me about the snow outlook", "ahead"),
            ("in Bergen", "ahead"),
        ],
        [("storm conditions, Tokyo", "now"), ("past rain data for last week", "history")],
        [("in Oslo", None)],
    ],
    "sales-0.7/sales.json": [
        [("Show me all order_details with price more than 20", "filter")],
        [("show orders with amount of more than 5", "columns")],
        [("list top 10 customers", "top"), ("top 99 customers", "rows")],
        [("give me the price", "columns"), ("city of clients", "columns")],
        [("Show buyers", "rows"), ("order details and customers", "rows")],
    ],
    "alarm-0.9/alarm.yaml": [
        [("Ring me in 3 minutes", "alarm")],
        [("Wake us up in an hour and 15 mins", "alarm")],
        [("Set my timer for thirty seconds!", "alarm"), ("in 5 minutes", None)],
        [("Remind me in few minutes", "alarm"), ("Buzz me in a couple of minutes", "alarm")],
        [("Call me in an hour", "alarm"), ("Call me in more than 5 minutes", None)],
    ],
    "clock-0.9/clock.json": [
        [("What is the local time in Tokyo now?", "remote"), ("how late is it", "local")],
        [("What time is it right now", "local"), ("time of my life", None)],
    ],
    "phone-0.9/phone.json": [
        [("Call Oslo", "call"), ("dial +1 650 253 0000", "call"), ("call nobody", None)],
        [("from Oslo to Bergen", "route"), ("to Bergen", None)],
    ],
}


@pytest.mark.parametrize("name", DIALOGS)
def test_a_bot_of_json_or_yaml_answers_as_it_is(name: str) -> None:
    engine = Engine(load_model(BOTS / name))
    for number, dialog in enumerate(DIALOGS[name]):
        replies = [engine.ask(text, user=str(number), at=NOW) for text, _ in dialog]
        expected = [(text, intent) for text, intent in dialog]
        assert [(one[0], reply.intent) for one, reply in zip(dialog, replies, strict=True)] == (
            expected
        ), [reply.reason for reply in replies]


@pytest.mark.parametrize(
    ("name", "callbacks", "samples"),
    [
        ("alarm-0.9/alarm.yaml", {"alarm": "on_alarm"}, 7),
        ("lights-1.0/lamps_ru.yaml", {"lamps": "on_match"}, 4),
        ("calculator-1.0/calculator.yaml", {"calc": "on_match", "more": "on_match_mem"}, 5),
        (
            "pizzeria-1.0/pizzeria.yaml",
            {
                "yes": "on_yes",
                "no": "on_no",
                "stop": "on_stop",
                "menu": "on_menu",
                "status": "on_status",
                "order": "on_order",
            },
            9,
        ),
    ],
)
def test_a_bot_with_its_code_is_ported_and_its_samples_are_answered(
    name: str, callbacks: dict[str, str], samples: int, tmp_path: Path
) -> None:
    output = tmp_path / "bot.yaml"
    result = CliRunner().invoke(import_app, ["nlpcraft", str(BOTS / name), "-o", str(output)])
    assert result.exit_code == 0, result.stderr
    for file in (BOTS / name).parent.glob("*.idl"):
        (tmp_path / file.name).write_text(file.read_text())
    model = load_model(output)
    handlers = {id: one.reference for id, one in model.handlers.items()}
    assert handlers == {id: f"bot_handlers#{name}" for id, name in callbacks.items()}
    engine = Engine(model)
    asked = [(str(n), step) for n, one in enumerate(model.samples) for step in one.steps]
    assert len(asked) == samples
    found = [(step.text, engine.ask(step.text, user=user, at=NOW).intent) for user, step in asked]
    assert found == [(step.text, step.intent) for _, step in asked]


def test_the_slots_of_a_ported_bot_have_the_values_of_its_entities(tmp_path: Path) -> None:
    output = tmp_path / "bot.yaml"
    model = BOTS / "pizzeria-1.0" / "pizzeria.yaml"
    CliRunner().invoke(import_app, ["nlpcraft", str(model), "-o", str(output)])
    slots = Engine(output).ask("I want a huge sailor pizza and an espresso").slots
    assert {name: slot.value for name, slot in slots.items()} == {
        "pizzas": ["marinara"],
        "sizes": ["large"],
        "drinks": ["coffee"],
    }
