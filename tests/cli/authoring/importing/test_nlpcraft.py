"""``anaphora import nlpcraft`` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from anaphora import Engine
from anaphora.cli.authoring.importing.app import import_app
from anaphora.cli.authoring.importing.skeleton import read_sources
from anaphora.errors import ModelError
from anaphora.models.loader import load_model
from tests.models.nlpcraft.translation_helpers import DRINKS, LAMPS

INTENTS = "intent=order term(what)={# == 'drink'} term(size)~{# == 'size'}?\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(import_app, ["nlpcraft", *map(str, arguments)])


@pytest.fixture
def idl(tmp_path: Path) -> Path:
    path = tmp_path / "drinks.idl"
    path.write_text(INTENTS, encoding="utf-8")
    return path


def test_the_translation_goes_to_stdout_and_the_report_to_stderr() -> None:
    result = run(LAMPS)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("# Translated from 'lamps-0.9.yaml', a model of NLPCraft 0.9.")
    assert "\nid: demo.lamps\n" in result.stdout
    lines = [" ".join(line.split()) for line in result.stderr.splitlines()]
    assert lines[0].endswith("a model file of NLPCraft 0.9")
    assert lines.index("mapped:") < lines.index("changed:") < lines.index("ignored:")
    assert "line 13 conversationTimeout: 300000 ms → conversation.timeout: 5m" in lines
    assert "line 19 maxUnknownWords: there is no dictionary of known words" in lines


def test_the_output_file_is_a_valid_model(tmp_path: Path) -> None:
    output = tmp_path / "lamps.yaml"
    result = run(LAMPS, "--output", output)
    assert (result.exit_code, result.stdout) == (0, "")
    assert load_model(output).elements == load_model(LAMPS).elements


def test_an_existing_file_is_overwritten_only_with_force(tmp_path: Path) -> None:
    output = tmp_path / "lamps.yaml"
    output.write_text("mine", encoding="utf-8")
    result = run(LAMPS, "--output", output)
    assert result.exit_code == 2
    assert "--force" in result.stderr
    assert output.read_text(encoding="utf-8") == "mine"
    assert run(LAMPS, "--output", output, "--force").exit_code == 0
    assert load_model(output).id == "demo.lamps"


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    result = run(LAMPS, "--output", tmp_path / "nowhere" / "lamps.yaml")
    assert result.exit_code == 2
    assert "cannot write" in result.stderr


def test_intents_from_the_code_of_the_bot_are_added(tmp_path: Path, idl: Path) -> None:
    output = tmp_path / "drinks.yaml"
    result = run(DRINKS, "--intents", idl, "--output", output)
    assert result.exit_code == 0, result.stderr
    assert "no intents in the file" not in result.stderr
    assert [intent.id for intent in load_model(output).intents] == ["order"]


def test_an_intent_without_its_python_function_is_reported(
    tmp_path: Path,
) -> None:
    bot = tmp_path / "bot.json"
    bot.write_text(
        """{"id": "bot", "elements": [{"id": "tea", "synonyms": []}], "maxFreeWords": 5, "intents":
        ["intent=tea term={# == 'tea'}", "intent=late term=/org.bot.Rules#isLate/"]}""",
        encoding="utf-8",
    )
    result = run(bot)
    assert result.exit_code == 0, result.stderr
    assert "The new file has intents that are ignored now: late." in result.stderr
    output = tmp_path / "bot.yaml"
    output.write_text(result.stdout, encoding="utf-8")
    with pytest.raises(ModelError, match=r"org\.bot\.Rules"):
        load_model(output)


def test_a_python_function_that_exists_stays(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("def isLate(entity):\n    return True\n")
    bot = tmp_path / "bot.yaml"
    bot.write_text(
        "maxFreeWords: 5\nelements: [{id: a}]\nintents: [intent=x term=/rules#isLate/]\n"
    )
    assert run(bot, "-o", tmp_path / "new.yaml").exit_code == 0
    assert "/rules#isLate/" in (tmp_path / "new.yaml").read_text()
    assert "isLate" not in (tmp_path / "new_handlers.py").read_text()


def test_without_intents_the_report_names_the_option() -> None:
    result = run(DRINKS)
    assert result.exit_code == 0
    assert "no intents in the file: give them with --intents" in result.stderr


def test_the_id_and_the_language_can_be_given(tmp_path: Path, idl: Path) -> None:
    output = tmp_path / "bar.yaml"
    run(DRINKS, "--intents", idl, "--id", "bar", "--language", "fr", "--output", output)
    model = load_model(output)
    assert (model.id, model.languages) == ("bar", ("fr",))


@pytest.mark.parametrize("option", [("--id", "a b"), ("--language", "French")])
def test_an_invalid_id_or_language_is_an_error(option: tuple[str, str]) -> None:
    result = run(DRINKS, *option)
    assert result.exit_code == 2
    assert option[1] in result.stderr


def test_mistakes_have_their_places_in_the_original(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(
        "id: bad\nconversationTimeout: soon\nelements:\n  - {id: a, parentId: b}\n",
        encoding="utf-8",
    )
    result = run(file)
    assert result.exit_code == 1
    assert "bad.yaml:2:22: 'soon' is not a duration" in result.stderr
    assert "bad.yaml:4:23: unknown parent 'b'" in result.stderr
    assert "parent: b" in result.stdout


def test_a_model_with_mistakes_is_not_written(tmp_path: Path) -> None:
    file, output = tmp_path / "bad.yaml", tmp_path / "new.yaml"
    file.write_text("id: bad\nelements:\n  - {id: a, parentId: b}\n", encoding="utf-8")
    result = run(file, "--output", output)
    assert result.exit_code == 1
    assert "is not written: the model has mistakes" in " ".join(result.stderr.split())
    file.write_text("id: good\nmaxFreeWords: 5\nelements: [{id: a}]\n", encoding="utf-8")
    assert run(file, "--output", output).exit_code == 0


def test_mistakes_in_the_intents_name_their_own_file(tmp_path: Path) -> None:
    idl = tmp_path / "wrong.idl"
    idl.write_text("// a comment\nintent=i term={no_such()}\n", encoding="utf-8")
    result = run(DRINKS, "--intents", idl)
    assert result.exit_code == 1
    assert "wrong.idl:2:" in result.stderr


def test_imported_files_must_be_copied_to_the_new_folder(tmp_path: Path) -> None:
    (tmp_path / "more.idl").write_text("intent=i term={# == 'e'}", encoding="utf-8")
    file = tmp_path / "m.yaml"
    file.write_text(
        "maxWords: 9\nelements: [{id: e}]\nintents: [\"import('more.idl')\"]\n", encoding="utf-8"
    )
    beside, elsewhere = tmp_path / "n.yaml", tmp_path / "sub" / "n.yaml"
    elsewhere.parent.mkdir()
    assert "copy the imported files there" not in run(file, "--output", beside).stderr
    assert "copy the imported files there" in run(file, "--output", elsewhere).stderr
    assert load_model(beside).intent("i")


def test_a_model_file_of_anaphora_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "ours.yaml"
    file.write_text("id: m\nlanguage: en\nelements: [{id: e}]\n", encoding="utf-8")
    result = run(file)
    assert isinstance(result.exception, ModelError)
    assert "this is not a model file of NLPCraft" in result.exception.message


def test_a_file_without_any_mark_of_nlpcraft_is_imported(tmp_path: Path) -> None:
    file, output = tmp_path / "notes.yaml", tmp_path / "new.yaml"
    file.write_text(
        "elements: [{id: note, metadata: {a: 1}, synonyms: [remember]}]\n"
        "intents: [\"intent=n term={# == 'note'} term(words)={!tok_is_user()}*\"]\n",
        encoding="utf-8",
    )
    assert run(file, "--output", output).exit_code == 0
    reply = Engine(load_model(output)).ask("remember the blue elephants")
    assert reply.slots["words"].value == ["blue", "elephants"]


def test_a_missing_file_is_an_error() -> None:
    result = run("nowhere.yaml")
    assert result.exit_code == 2
    assert "nowhere.yaml" in result.stderr


def test_the_report_contains_no_terminal_escapes(tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text('maxWords: 9\n"\\e[31mred": 1\nelements: [{id: e}]\n', encoding="utf-8")
    assert "\x1b" not in run(file).stderr


class TestPorting:
    """The callbacks and value loaders of a bot become functions of a Python module."""

    MODEL = """
id: kiosk
name: Kiosk
version: '1'
enabledBuiltInTokens: []
elements:
  - {id: sell, groups: [act], synonyms: ["{sell|give} me"]}
  - {id: drink, values: [{name: tea}, {name: milk}], valueLoader: org.kiosk.Drinks}
intents:
  - "intent=sell flow=/#isOpen/ term(act)={# == 'sell'} term(from)={# == 'drink'}* term=/a.A#isIt/?"
  - "intent=act term(act)={# == 'sell'}"
"""
    JAVA = """
class Kiosk {
    @NCIntentRef("sell") @NCIntentSample({"Sell me milk", "Give me tea"})
    Result onSell(@NCIntentTerm("act") Token act, @NCIntentTerm("from") List<Token> drinks) {}
    @NCIntentRef("buy") Result onBuy() {}
}
class Drinks implements NCValueLoader {}
"""

    @pytest.fixture
    def model(self, tmp_path: Path) -> Path:
        (tmp_path / "java").mkdir()
        (tmp_path / "java" / "Kiosk.java").write_text(self.JAVA)
        path = tmp_path / "kiosk.yaml"
        path.write_text(self.MODEL)
        return path

    def ported(self, model: Path, *options: object) -> Result:
        return run(
            model, "--source", model.parent / "java", "-o", model.parent / "new.yaml", *options
        )

    def test_the_new_model_loads_and_its_samples_pass(self, model: Path) -> None:
        result = self.ported(model)
        assert result.exit_code == 0, result.stderr
        new = load_model(model.parent / "new.yaml")
        assert not new.warnings
        assert set(new.handlers) == {"sell", "act"}
        engine = Engine(new)
        reply = engine.ask("Sell me milk")
        assert (reply.intent, reply.slots["from"].value) == ("sell", ["milk"])
        (dialog,) = new.samples
        assert [step.text for step in dialog.steps] == ["Sell me milk", "Give me tea"]

    def test_each_function_says_what_it_ports(self, model: Path) -> None:
        self.ported(model)
        text = (model.parent / "new_handlers.py").read_text()
        assert "def on_sell(act, **slots):" in text  # 'from' is a keyword of Python
        assert 'Result onSell(@NCIntentTerm("act") Token act,' in text
        assert "Kiosk.java, line 4" in text
        assert "slots.get('from'): a list of values, or None (drinks in Java)." in text
        assert "def on_act(act):" in text
        assert "def load_drink(element):" in text
        assert "In Java: org.kiosk.Drinks, Kiosk.java, line 7," in text
        assert "def is_open(matches):" in text
        assert "def is_it(entity):" in text

    def test_a_filled_in_body_answers(self, model: Path) -> None:
        self.ported(model)
        file = model.parent / "new_handlers.py"
        text = file.read_text()
        body = text[text.index("def on_sell") :].partition("return None")[0]
        file.write_text(
            text.replace(f"{body}return None", f'{body}return "Sold: " + slots["from"][0]').replace(
                "return {}", 'return {"cocoa": ["hot chocolate"]}'
            )
        )
        engine = Engine(model.parent / "new.yaml")
        assert engine.ask("Give me hot chocolate").text == "Sold: cocoa"

    def test_an_edited_module_is_overwritten_only_with_force(self, model: Path) -> None:
        self.ported(model)
        file = model.parent / "new_handlers.py"
        written = file.read_text()
        (model.parent / "new.yaml").unlink()
        assert self.ported(model).exit_code == 0  # nobody has edited it
        (model.parent / "new.yaml").unlink()
        file.write_text(written + "# mine\n")
        result = self.ported(model)
        assert result.exit_code == 2
        assert "has been edited" in " ".join(result.stderr.split())
        assert file.read_text().endswith("# mine\n")
        assert not (model.parent / "new.yaml").exists()
        assert self.ported(model, "--force").exit_code == 0
        assert file.read_text() == written

    def test_a_callback_of_an_unknown_intent_is_reported(self, model: Path) -> None:
        assert "onBuy: buy" in " ".join(self.ported(model).stderr.split())

    def test_intents_in_annotations_are_those_of_the_model(self, tmp_path: Path) -> None:
        path = tmp_path / "lamp.yaml"
        path.write_text("elements: [{type: 'on', synonyms: [switch on]}, {type: room}]\n")
        (tmp_path / "Other.java").write_text("@NCIntent(\"intent=y term={# == 'z'}\") void y() {}")
        (tmp_path / "Lamp.kt").write_text(
            'val m = "lamp.yaml"\n'
            "@NCIntent(\"intent=go term(a)={# == 'on'} term(r)~{# == 'room'}?\")\n"
            'fun onGo(@NCIntentTerm("a") a: Token): Result\n'
        )
        result = run(path, "-o", tmp_path / "new.yaml")
        assert result.exit_code == 0, result.stderr
        model = load_model(tmp_path / "new.yaml")
        assert [one.id for one in model.intents] == ["go"]
        assert model.handlers.keys() == {"go"}
        assert "no intents in the file" not in result.stderr

    def test_without_an_output_no_module_is_written(self, model: Path) -> None:
        assert run(model).exit_code == 0
        assert not list(model.parent.glob("*.py"))

    def test_sources_beside_the_model_are_read(self, tmp_path: Path) -> None:
        assert [one.name for one in read_sources(LAMPS, [])] == []
        (tmp_path / "A.java").write_text('@NCIntentRef("x") void x() {}')
        assert [one.name for one in read_sources(tmp_path / "m.yaml", [])] == ["A.java"]


class TestBotOfParsers:
    """A bot of 1.0 whose entities come from parsers in its code, in Scala."""

    MODEL = """
elements:
  - {type: "x:alarm", synonyms: ["{ping|wake} me"]}
"""
    SCALA = """
class Alarm extends NCModel {
    @NCIntent("intent=alarm term={# == 'x:alarm'} term(in)={# == 'stanford:number'} " +
        "term(who)={# == 'x:who'}? term(what)={# == 'nlp:entity'}*")
    @NCIntentSampleRef("alarms.txt")
    def onAlarm(@NCIntentTerm("in") in: NCEntity): NCResult = ???
    @NCIntentRef("alarm") @NCIntentSampleRef("lost.txt")
    def onLost(): NCResult = ???
}
"""

    @pytest.fixture
    def result(self, tmp_path: Path) -> Result:
        for name, text in (
            ("alarm.yaml", self.MODEL),
            ("scala/Alarm.scala", self.SCALA),
            ("resources/alarms.txt", "# of the team\n\nping me in 5 minutes\n"),
        ):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        return run(
            *(tmp_path / "alarm.yaml", "--output", tmp_path / "new.yaml"),
            *("--source", tmp_path / "scala", "--source", tmp_path / "resources"),
        )

    def test_what_parsers_find_is_found_here_or_by_a_function(
        self, result: Result, tmp_path: Path
    ) -> None:
        assert result.exit_code == 0, result.stderr
        assert "stanford:number: the built-in entity number finds them" in result.stderr
        assert "nothing here finds" not in result.stderr
        new = load_model(tmp_path / "new.yaml")
        assert not new.warnings
        reply = Engine(new).ask("Wake me in ten minutes gently")
        assert (reply.slots["in"].value, reply.slots["what"].value) == ("10 min", ["gently"])
        assert "def find_x_who(text):" in (tmp_path / "new_handlers.py").read_text()

    def test_samples_come_from_the_file_that_the_code_names(
        self, result: Result, tmp_path: Path
    ) -> None:
        (dialog,) = load_model(tmp_path / "new.yaml").samples
        assert [step.text for step in dialog.steps] == ["ping me in 5 minutes"]
        assert "The samples of onLost: lost.txt are not found" in result.stderr

    def test_the_functions_say_which_language_they_come_from(
        self, result: Result, tmp_path: Path
    ) -> None:
        text = (tmp_path / "new_handlers.py").read_text()
        assert "In Scala (Alarm, Alarm.scala, line 6):" in text
        assert "in Java" not in text


class TestBotOfCode:
    """A bot without a model file: all is in its code."""

    CODE = """
class Calculator extends NCModel(NCModelConfig("calc", "Calculator", "1.0"), pipeline):
    @NCIntent(
        "intent=calc options={'ordered': true}" +
        "  term(x)={# == 'stanford:number'}" +
        "  term(op)={has(list('+', '*'), meta_ent('nlp:entity:text'))}" +
        "  term(y)={# == 'stanford:number'}"
    )
    @NCIntentSample(Array("2 + 2", "three * 4"))
    def onMatch(@NCIntentTerm("x") x: NCEntity, @NCIntentTerm("y") y: NCEntity): NCResult = ???
"""

    def test_its_source_is_imported(self, tmp_path: Path) -> None:
        source, output = tmp_path / "Calculator.scala", tmp_path / "calc.yaml"
        source.write_text(self.CODE)
        result = run(source, "--output", output)
        assert result.exit_code == 0, result.stderr
        assert "a model file of NLPCraft 1.0" in result.stderr
        model = load_model(output)
        assert (model.id, model.name, model.version) == ("calc", "Calculator", "1.0")
        assert "taken from its name" not in result.stderr
        assert model.handlers.keys() == {"calc"}
        engine = Engine(model)
        texts = [step.text for one in model.samples for step in one.steps]
        assert [engine.ask(text).intent for text in texts] == ["calc", "calc"]

    def test_its_source_may_be_in_the_folder_of_sources(self, tmp_path: Path) -> None:
        source = tmp_path / "Calculator.scala"
        source.write_text(self.CODE)
        result = run(source, "--source", tmp_path, "--output", tmp_path / "calc.yaml")
        assert result.exit_code == 0, result.stderr
        assert len(load_model(tmp_path / "calc.yaml").samples) == 1

    def test_a_mistake_in_its_intents_is_an_error(self, tmp_path: Path) -> None:
        source = tmp_path / "Calculator.java"
        source.write_text(self.CODE.replace("has(", "hass("))
        result = run(source, "--output", tmp_path / "calc.yaml")
        assert result.exit_code == 1
        assert "Error: Calculator.java, @NCIntent of onMatch:1:" in result.stderr
        assert "there is no function 'hass'" in result.stderr
        assert not (tmp_path / "calc.yaml").exists()


def test_what_the_new_file_still_lacks_is_said(tmp_path: Path) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text(
        "id: bot\nname: Bot\nversion: '1'\nenabledBuiltInTokens: []\n"
        "elements: [{id: a, group: g}]\nexamples: [a]\n"
        "intents: [\"intent=i term={has(tok_groups(), 'g')}\"]\n"
    )
    result = run(path, "--output", tmp_path / "new.yaml")
    assert (result.exit_code, "cannot be used" in result.stderr) == (0, False)
    assert [step.text for one in load_model(tmp_path / "new.yaml").samples for step in one.steps]

    path.write_text(path.read_text().replace("'g')", "'gg')"))
    result = run(path, "--output", tmp_path / "new.yaml", "--force")
    assert "new.yaml cannot be used before this is mended:" in result.stderr
    assert "refers to the unknown group 'gg'" in result.stderr.partition("mended:")[2]
