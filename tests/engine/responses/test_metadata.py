"""What recognizers know of an entity beside its value, as slots, templates and samples see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphora import Engine, ModelError
from anaphora.engine.samples.runner import run_dialog
from anaphora.models.loader import load_model

BOT = """\
id: rooms
code: rooms_code
elements:
  - {id: room, recognizer: "#rooms", id_synonym: false}
  - {id: light, values: [lamp]}
intents:
  - intent=one term(light)={# == 'light'} term(room)~{# == 'room'}
  - intent=many term(rooms)={# == 'room' && meta_ent('floor') > 0}[2,9]
responses:
  one: "{{ room }}: {{ slots.room.text }} on {{ slots.room.meta.floor }}{{ MORE }}"
  many: "{{ rooms | join('+') }}: {% for one in slots.rooms.meta %}{{ one.floor }}{% endfor %}"
"""

CODE = '''
import re
from anaphora.entities.recognizers.recognizer import Mention

def rooms(text):
    """Rooms are written as R and their number, whose first digit is the floor."""
    return [
        Mention(m.start(), m.end(), m[1], {"floor": int(m[1][0])})
        for m in re.finditer("[rR]([0-9]+)", text)
    ]
'''


@pytest.fixture
def file(tmp_path):
    (tmp_path / "rooms_code.py").write_text(CODE, encoding="utf-8")

    def write(text: str = BOT.replace("{{ MORE }}", "")) -> Path:
        (tmp_path / "rooms.yaml").write_text(text, encoding="utf-8")
        return tmp_path / "rooms.yaml"

    return write


def test_a_slot_tells_what_was_found_out_also_from_memory(file):
    engine = Engine(file())
    engine.ask("lamp in r207")
    slot = engine.ask("the lamp").slots["room"]
    assert (slot.value, slot.text, slot.source) == ("207", "r207", "memory")
    assert slot.meta == {"floor": 2}
    assert slot.to_dict()["meta"] == {"floor": 2}


def test_a_slot_with_several_has_a_list(file):
    slot = Engine(file()).ask("r207 and r101").slots["rooms"]
    assert slot.meta == [{"floor": 2}, {"floor": 1}]
    assert slot.to_dict()["meta"] == slot.meta


def test_what_the_model_itself_declares_shows_no_metadata(file):
    plain = Engine(file()).ask("lamp in r207").slots["light"].to_dict()
    assert "meta" not in plain


def test_templates_show_the_words_and_the_metadata(file):
    engine = Engine(file())
    assert engine.ask("lamp in R207").text == "207: R207 on 2"
    assert engine.ask("R207 R101").text == "207+101: 21"


def test_a_slot_that_the_intent_does_not_have_is_a_mistake_of_the_template(file):
    with pytest.raises(ModelError, match="unknown slot 'roon'") as raised:
        load_model(file(BOT.replace("{{ MORE }}", "{{ slots.roon.text }}")))
    assert raised.value.line == 10
    assert raised.value.hint == "did you mean 'room'?"


@pytest.mark.parametrize("name", ["items", "values", "keys"])
def test_a_slot_may_be_named_as_a_method_of_dictionaries_is(file, name):
    text = BOT.replace("term(room)", f"term({name})").replace("slots.room.", f"slots.{name}.")
    text = text.replace("{{ room }}", "x").replace("{{ MORE }}", "")
    assert Engine(file(text)).ask("lamp in R207").text == "x: R207 on 2"


@pytest.mark.parametrize(
    ("expected", "fits"),
    [
        ("{room: R207}", True),
        ("{room: '207'}", True),
        ("{room: r207}", False),
        ("{room: null}", False),
        ("{room: ['207']}", False),
        ("{light: lamp}", True),
        ("{light: lamps}", False),
    ],
)
def test_samples_name_what_was_found_by_its_value_or_by_the_words(file, expected, fits):
    samples = f"samples: [dialog: [{{ask: the lamps in R207, slots: {expected}}}]]\n"
    model = load_model(file(BOT.replace("{{ MORE }}", "") + samples))
    assert run_dialog(Engine(model), *model.samples).passed == fits


@pytest.mark.parametrize(
    ("memory", "fits"),
    [("room=207, light", True), ("room=R207, light", True), ("room=R208, light", False)],
)
def test_so_do_they_with_what_is_remembered(file, memory, fits):
    samples = f"samples: [dialog: [{{ask: lamp in R207, memory: [{memory}]}}]]\n"
    model = load_model(file(BOT.replace("{{ MORE }}", "") + samples))
    assert run_dialog(Engine(model), *model.samples).passed == fits
