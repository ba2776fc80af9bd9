"""``anaphora new`` writes starters that work at once, and overwrites nothing."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from anaphora.agents.files.schema import agent_schema
from anaphora.cli import app
from anaphora.cli.authoring.new import STARTER_KINDS, starter_languages
from anaphora.models.schema.json_schema import json_schema

PROJECTS = [kind for kind in STARTER_KINDS if kind != "order"]
STARTERS = [(kind, language) for kind in STARTER_KINDS for language in starter_languages(kind)]


def run(*arguments: object):
    return CliRunner().invoke(app, [str(one) for one in arguments])


def create(folder: Path, kind: str, language: str) -> Path:
    """The model of a new starter."""
    result = run("new", "shop", "--kind", kind, "--language", language, "-d", folder)
    assert result.exit_code == 0, result.output
    return folder / "shop.yaml" if kind == "order" else folder / "shop" / "shop.yaml"


@pytest.mark.parametrize(("kind", "language"), STARTERS)
class TestStarters:
    def test_its_samples_pass(self, tmp_path, kind, language):
        model = create(tmp_path, kind, language)
        result = run("check", model, "--strict")
        assert result.exit_code == 0, result.output
        assert "2 dialogs passed" in result.output

    def test_it_fits_the_schema(self, tmp_path, kind, language):
        data = yaml.safe_load(create(tmp_path, kind, language).read_text(encoding="utf-8"))
        jsonschema.validate(data, json_schema())
        assert data["id"] == "shop"
        assert data["language"] == language


@pytest.mark.parametrize("kind", STARTER_KINDS)
def test_editors_find_the_schema_that_the_first_line_names(tmp_path, kind):
    model = create(tmp_path, kind, "en")
    first, *_ = model.read_text(encoding="utf-8").splitlines()
    before, _, name = first.partition("=")
    assert before == "# yaml-language-server: $schema"
    schema = (model.parent / name).read_text(encoding="utf-8")
    assert json.loads(schema) == json.loads(json.dumps(json_schema()))


def test_two_starters_in_a_folder_have_one_schema(tmp_path):
    assert run("new", "coffee", "-d", tmp_path).exit_code == 0
    assert run("new", "tea", "-d", tmp_path).exit_code == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["anaphora.schema.json", "coffee.yaml", "tea.yaml"]


@pytest.mark.parametrize("kind", PROJECTS)
class TestProjects:
    def test_the_readme_tells_what_to_run(self, tmp_path, kind):
        model = create(tmp_path, kind, "en")
        readme = (model.parent / "README.md").read_text(encoding="utf-8")
        assert len(readme.splitlines()) <= 12
        assert "$" not in readme
        assert "anaphora chat shop.yaml" in readme
        assert ("handlers.py" in readme) == (model.parent / "handlers.py").exists()

    def test_the_readme_is_in_the_language_of_the_project(self, tmp_path, kind):
        model = create(tmp_path, kind, "de")
        readme = (model.parent / "README.md").read_text(encoding="utf-8")
        assert "Beispieldialoge" in readme
        assert "Talk to it" not in readme

    def test_each_language_of_a_project_is_there(self, kind, tmp_path):
        assert starter_languages(kind) == ["de", "en", "ru"]

    def test_it_replaces_nothing_that_is_there(self, tmp_path, kind):
        model = create(tmp_path, kind, "en")
        for path in model.parent.iterdir():
            path.unlink()
        (model.parent / "README.md").write_text("mine")
        result = run("new", "shop", "--kind", kind, "-d", tmp_path)
        assert result.exit_code == 2
        assert "README.md already exists" in " ".join(result.output.split())
        assert (model.parent / "README.md").read_text() == "mine"
        assert [path.name for path in model.parent.iterdir()] == ["README.md"]
        assert run("new", "shop", "--kind", kind, "-d", tmp_path, "--force").exit_code == 0
        assert model.exists()


def test_the_booking_starter_books_lists_and_cancels(tmp_path):
    model = create(tmp_path, "booking", "en")
    asked = ["I need a shave on Friday at 3 pm", "yes", "what have I booked?"]
    asked += ["cancel my booking", "what have I booked?"]
    output = run("ask", model, "--at", "2026-01-05T09:00+00:00", *asked).output
    assert "Booked: shave, Friday 9 January at 15:00." in output
    assert "shave on Friday 9 January at 15:00" in output
    assert "You have no appointments." in output


def ask_booking(tmp_path: Path, *questions: str) -> str:
    model = create(tmp_path, "booking", "en")
    return run("ask", model, "--at", "2026-01-05T09:00+00:00", *questions).output


BOTH = ("I need a shave on Friday at 3 pm", "yes", "and a haircut on Saturday at 10 am", "yes")


class TestBooking:
    def test_a_correction_after_the_yes_moves_the_appointment(self, tmp_path):
        asked = ["I need a shave on Friday at 3 pm", "yes", "no, at 5 pm", "yes"]
        output = ask_booking(tmp_path, *asked, "what have I booked?")
        assert "\nshave on Friday 9 January at 17:00\n" in output

    def test_to_move_an_appointment_does_not_book_another(self, tmp_path):
        output = ask_booking(
            tmp_path, *BOTH, "move the shave to Friday at 11 am", "yes", "my bookings"
        )
        both = "haircut on Saturday 10 January at 10:00; shave on Friday 9 January at 11:00"
        assert f"\n{both}\n" in output

    def test_it_cancels_the_appointment_that_is_named(self, tmp_path):
        output = ask_booking(tmp_path, *BOTH, "cancel the shave", "my bookings")
        assert "shave on Friday 9 January at 15:00 is cancelled." in output
        assert "\nhaircut on Saturday 10 January at 10:00\n" in output

    def test_it_asks_which_of_several_appointments_to_cancel(self, tmp_path):
        output = ask_booking(
            tmp_path, *BOTH, "cancel my appointment", "the first one", "my bookings"
        )
        assert "Which one: shave on Friday 9 January at 15:00, haircut on Saturday" in output
        assert "shave on Friday 9 January at 15:00 is cancelled." in output

    def test_it_cancels_by_the_day_and_nothing_that_is_not_booked(self, tmp_path):
        output = ask_booking(tmp_path, *BOTH, "cancel the coloring", "cancel the one on Saturday")
        assert "There is no such appointment." in output
        assert "haircut on Saturday 10 January at 10:00 is cancelled." in output

    @pytest.mark.parametrize("answer", ["both of them", "all of them"])
    def test_both_answer_which_one(self, tmp_path, answer):
        output = ask_booking(tmp_path, *BOTH, "cancel", answer, "my bookings")
        assert "Which one: shave" in output
        assert "You have no appointments." in output

    def test_both_of_three_asks_which(self, tmp_path):
        third = ("coloring on Monday at 11 am", "yes", "cancel both")
        output = ask_booking(tmp_path, *BOTH, *third)
        assert "Which one: shave" in output

    def test_another_appointment_may_be_moved_before_it_is_booked(self, tmp_path):
        first, more = BOTH[:2], ("and a haircut", "an hour later", "yes", "my bookings")
        output = ask_booking(tmp_path, *first, *more)
        assert "shave on Friday 9 January at 15:00; haircut on Friday 9 January at 16:00" in output

    def test_and_at_four_is_on_the_same_day(self, tmp_path):
        output = ask_booking(tmp_path, *BOTH[:2], "and a haircut at 4")
        assert "Haircut, Friday 9 January at 16:00. Shall I book it?" in output


class TestHome:
    @pytest.mark.parametrize(
        ("language", "asked"),
        [
            (
                "en",
                ["turn on the heating in the kitchen", "2 degrees warmer", "no, 3 degrees warmer"],
            ),
            ("de", ["mach die Heizung in der Küche an", "2 Grad wärmer", "nein, 3"]),
        ],
    )
    def test_a_correction_of_a_change_replaces_it(self, tmp_path, language, asked):
        output = run("ask", create(tmp_path, "home", language), *asked).output
        assert "23 °C" in output.splitlines()[-2]

    def test_a_misspelt_room_is_that_room(self, tmp_path):
        model = create(tmp_path, "home", "en")
        asked = ["turn on the light in the bedroom", "turn on the ligth in the kichen"]
        assert "The light in the kitchen is on." in run("ask", model, *asked).output

    def test_how_warm_it_is_asks_for_the_heating(self, tmp_path):
        model = create(tmp_path, "home", "en")
        asked = ["set the heating in the bedroom to 21", "turn on the light", "how warm is it?"]
        assert "The heating in the bedroom is 21 °C." in run("ask", model, *asked).output

    def test_everything_is_more_than_one_room(self, tmp_path):
        model = create(tmp_path, "home", "en")
        asked = ["turn on the light in the bedroom", "turn everything off"]
        asked.append("is the light on in the bedroom?")
        output = run("ask", model, *asked).output
        assert "The light is off everywhere." in output
        assert "The light in the bedroom is off." in output

    @pytest.mark.parametrize(
        ("language", "asked", "answer"),
        [
            ("en", ["turn on the light in the kitchen", "set it to 40", "too dark"], "50 %"),
            ("en", ["set the heating in the kitchen to 20", "it's too warm"], "19 °C"),
            ("de", ["stell die Heizung in der Küche auf 20", "zu kalt"], "21 °C"),
            ("ru", ["поставь отопление на кухне на 20", "слишком жарко"], "19 °C"),
        ],
    )
    def test_what_is_too_much_is_lowered(self, tmp_path, language, asked, answer):
        output = run("ask", create(tmp_path, "home", language), *asked).output
        assert answer in output.splitlines()[-2]

    @pytest.mark.parametrize(
        ("language", "thanks"), [("en", "thanks"), ("de", "danke"), ("ru", "спасибо")]
    )
    def test_it_is_polite(self, tmp_path, language, thanks):
        output = run("ask", create(tmp_path, "home", language), thanks).output
        assert output.startswith(("You're welcome!", "Gern geschehen!", "Пожалуйста!"))


def test_the_home_starter_knows_the_state_of_the_home(tmp_path):
    model = create(tmp_path, "home", "en")
    asked = ["set the light in the kitchen to 40 percent", "how bright is it?"]
    output = run("ask", model, *asked, "is the heating on?").output
    assert output.count("The light in the kitchen is at 40 %.") == 1
    assert "The light in the kitchen is 40 %." in output
    assert "The heating in the kitchen is off." in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--kind", "bocking"), "no kind 'bocking'; there are: order, booking, faq, home"),
        (("--kind", "faq", "--language", "fr"), "no starter 'faq' in 'fr'; there are: de, en, ru"),
        (("--language", "de"), "no starter 'order' in 'de'; there are: en"),
    ],
)
def test_unknown_kinds_and_languages_are_refused_with_what_there_is(tmp_path, arguments, message):
    result = run("new", "shop", *arguments, "-d", tmp_path)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "shop").write_text("a file")
    result = run("new", "shop", "--kind", "faq", "-d", tmp_path)
    assert result.exit_code == 2
    assert "cannot write" in result.output


@pytest.mark.parametrize(
    ("option", "schema"), [((), json_schema()), (("--agent",), agent_schema())]
)
def test_the_schemas_in_the_package_are_current(option, schema):
    path = Path(run("schema", "--path", *option).output.strip())
    command = f"python -m anaphora schema {' '.join(option)} --output {path}"
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(json.dumps(schema)), command


@pytest.mark.parametrize(
    ("language", "text", "again", "answer"),
    [
        ("en", "set the heating in the bedroom to 999999 degrees", "21", "heating from 5 to 30 °C"),
        ("en", "set the light in the bedroom to -20%", "20", "light goes from 0 to 100 %"),
        ("de", "stell die Heizung im Schlafzimmer auf 99 Grad", "21", "Heizung von 5 bis 30 °C"),
        ("ru", "поставь отопление в спальне на 99 градусов", "21", "отопление: от 5 до 30 °C"),
    ],
)
def test_the_home_starter_says_what_can_be_set(tmp_path, language, text, again, answer):
    output = run("ask", create(tmp_path, "home", language), text, again).output
    assert answer in output
    assert f"{again} " in output.rpartition("matched")[0].rpartition("incomplete")[2]


def test_the_home_starter_halves_what_was_set_and_no_difference(tmp_path):
    model = create(tmp_path, "home", "en")
    set_to = "set the heating in the bedroom to 20 degrees"
    assert "is at 10 °C" in run("ask", model, set_to, "half of that").output
    output = run("ask", model, set_to, "two degrees warmer", "half of that").output
    assert "is at 22 °C" in output
    assert "0.5" not in output
