"""The report of the benchmarks: what it says of figures, how it looks, and that all of it runs."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from anaphora.models import catalog
from anaphora.models.loader import load_model
from benchmarks.peers.stores import stores
from benchmarks.report import cli, docs
from benchmarks.report.aims import AIMS, judge_aims
from benchmarks.report.checks import Expectation, Growth, dearest, judge, steepness
from benchmarks.report.data import (
    Axis,
    Bars,
    Column,
    Curves,
    Distributions,
    Frame,
    Histogram,
    Icicle,
    LeftOut,
    Line,
    Output,
    Panel,
    Report,
    Section,
    Spread,
    Table,
    Text,
    Verdict,
    Verdicts,
)
from benchmarks.report.options import Form, ReportOptions
from benchmarks.report.registry import CHAPTERS, Chapter
from benchmarks.report.rendering.files import plain, write
from benchmarks.report.rendering.numbers import format_number
from benchmarks.report.sections import building, files, profile, scripts, start
from benchmarks.report.workloads import mixed_dialogs, questions, timing
from benchmarks.report.workloads.stages import STAGES, stage_of, stage_of_stack
from benchmarks.report.workloads.subject_process import (
    InlineSubject,
    SubjectError,
    SubjectProcess,
    Values,
    affordable,
    run_interleaved,
)

ROOT = Path(__file__).parent.parent.parent
WORDS = {"met", "missed", "not measured"}
SIZES = (1, 10, 100, 1_000, 10_000)

each = pytest.mark.parametrize


# What may grow how


def curve(cost):
    return tuple((float(size), cost(size)) for size in SIZES)


FLAT, LOGARITHMIC, LINEAR = (Expectation(growth) for growth in Growth)


@each(
    ("expected", "cost", "word"),
    [
        (FLAT, lambda size: 2.0, "met"),
        (FLAT, lambda size: 2.0 + size / 20_000, "met"),
        (FLAT, lambda size: 2.0 + size / 5_000, "missed"),
        (FLAT, lambda size: 1 / size, "met"),
        (FLAT, lambda size: 9.0 if size == 100 else 2.0, "missed"),
        (LOGARITHMIC, lambda size: 3.0, "met"),
        (LOGARITHMIC, lambda size: 1 + 0.7 * len(str(size)), "met"),
        (LOGARITHMIC, lambda size: size**0.5, "missed"),
        (LINEAR, lambda size: 0.001 * size, "met"),
        (LINEAR, lambda size: 5 + 0.001 * size, "met"),
        (LINEAR, lambda size: 5.0, "met"),
        (LINEAR, lambda size: 0.001 * size**1.5, "missed"),
        (LINEAR, lambda size: 5 + 1e-9 * size**3, "missed"),
    ],
)
def test_a_curve_is_held_against_what_is_expected_of_it(expected, cost, word):
    assert judge("time", expected, curve(cost)).word == word


def test_sizes_beyond_what_is_expected_of_do_not_count():
    points = curve(lambda size: 1.0 if size < 10_000 else 50.0)
    assert judge("time", Expectation(Growth.FLAT, until=1_000), points).word == "met"
    assert judge("time", Expectation(Growth.FLAT), points).word == "missed"


def test_one_size_alone_says_nothing_of_growth():
    assert judge("time", FLAT, ((1.0, 1.0),)).word == "not measured"


def test_a_verdict_tells_what_was_expected_and_what_came():
    verdict = judge("time", Expectation(Growth.FLAT, within=2, until=1_000), curve(lambda n: n))
    assert (verdict.expected, verdict.measured) == ("flat within 2 × up to 1,000", "1000.00 ×")


@given(
    slope=st.floats(-2, 3),
    factor=st.floats(1e-6, 1e6),
    sizes=st.sets(st.integers(1, 10**6), min_size=2, max_size=8),
)
def test_the_slope_of_a_power_is_its_exponent(slope, factor, sizes):
    points = [(float(size), factor * float(size) ** slope) for size in sorted(sizes)]
    assert steepness(points) == pytest.approx(slope, abs=1e-6)


@given(st.lists(st.floats(1e-6, 1e3), min_size=1), st.floats(1e-3, 1e3))
def test_ratios_do_not_depend_on_the_unit(costs, factor):
    points = [(float(size), cost) for size, cost in enumerate(costs, 1)]
    scaled = [(size, cost * factor) for size, cost in points]
    assert dearest(scaled) == pytest.approx(dearest(points))


# Aims


def test_no_aim_is_about_a_figure_that_another_one_is_about():
    assert len({aim.figure for aim in AIMS}) == len(AIMS)


def test_an_aim_without_a_figure_is_not_judged():
    assert {verdict.word for verdict in judge_aims({}, {})} == {"not measured"}


@each(
    ("figure", "value", "word"),
    [
        ("home.over_hassil", 20.0, "met"),
        ("home.over_hassil", 19.99, "missed"),
        ("synonyms.growth", 1.5, "met"),
        ("synonyms.growth", 1.51, "missed"),
        ("start.seconds", 0.99, "met"),
        ("start.seconds", 1.0, "missed"),
        ("home.slots_lead", 0.0, "met"),
        ("home.slots_lead", -0.001, "missed"),
    ],
)
def test_an_aim_is_met_from_its_target_on(figure, value, word):
    (verdict,) = (one for one in judge_aims({figure: value}, {}) if one.word != "not measured")
    assert verdict.word == word


def test_a_missed_aim_says_by_how_much_and_what_the_limit_is():
    limits = {"building.seconds": "the tokenizer alone takes 2 s"}
    by_name = {one.what: one for one in judge_aims({"building.seconds": 4.5}, limits)}
    missed = by_name["Building a model of 100,000 synonyms"]
    assert missed.note == "missed by a factor of 1.50; the tokenizer alone takes 2 s"
    assert missed.measured == "4.50 s"


def test_a_missed_lead_is_told_in_points():
    (missed,) = (one for one in judge_aims({"home.slots_lead": -0.012}, {}) if one.word == "missed")
    assert missed.note == "short by 1.2 points"


def test_an_aim_tells_when_more_was_reached_than_was_asked_for():
    notes = [one.note for one in judge_aims({"home.over_adapt": 5.5}, {}) if one.word == "met"]
    assert notes == ["the stretch, too"]


# Numbers


@each(
    ("value", "unit", "text"),
    [
        (0.00123, "s", "1.23 ms"),
        (12.34, "s", "12.3 s"),
        (4.5e-8, "s", "45.0 ns"),
        (0, "s", "0"),
        (999, "B", "999 B"),
        (1_234_567, "B", "1.23 MB"),
        (1.5, "×", "1.50 ×"),
        (0.00412, "×", "0.0041 ×"),
        (0.256, "%", "25.6 %"),
        (12_345.6, "1/s", "12,346 /s"),
        (100_000, "", "100,000"),
        (7, "", "7"),
    ],
)
def test_numbers_are_read_easily(value, unit, text):
    assert format_number(value, unit) == text


# How it looks

PLOTS = (
    Curves(
        "curves",
        "Curves",
        (
            Panel(
                "one",
                Axis("synonyms"),
                Axis("time", "s"),
                (
                    Line("measured", ((1, 1e-4), (1_000_000, 2e-4))),
                    Line("1.5 × the first", ((1, 1.5e-4), (1_000_000, 1.5e-4)), is_bound=True),
                ),
            ),
            Panel(
                "two", Axis("words"), Axis("memory", "B"), (Line("measured", ((1, 5), (9, 500))),)
            ),
        ),
    ),
    Distributions("spread", "Spread", (Spread("ours", ((0.5, 1e-4), (0.99, 1e-3), (1.0, 2e-3))),)),
    Histogram("histogram", "Histogram", (1e-4, 1e-3, 1e-2), (9, 1), (("median", 2e-4),)),
    Bars("bars", "Bars", Axis("ratio", "×"), (("hassil", 21.0), ("adapt", 0.5)), (("aim", 20.0),)),
    Icicle(
        "icicle",
        "Icicle",
        Frame(
            "ask", STAGES[-1], 1.0, (Frame("Bot.read", STAGES[0], 0.6), Frame("x", "words", 0.1))
        ),
    ),
)


def report_of(*parts, **more):
    section = Section("one", "One", "What it is.", parts, left_out=(LeftOut("b", "no disk"),))
    given = {"head": (("cores", "2"),), "again": "make bench", "aims": judge_aims({}, {})}
    return Report(sections=(section,), **(given | more))


@pytest.fixture
def page(tmp_path):
    """Writes a report of the parts; its lines."""

    def made(*parts, **more):
        return write(report_of(*parts, **more), tmp_path).read_text("utf-8").splitlines()

    return made


def test_a_table_has_its_units_and_its_numbers_on_the_right(page):
    columns = (Column("way"), Column("time", "s"), Column("share", "%"))
    lines = page(Table("Ways", columns, (("a | b", 0.002, 0.5), ("c", None, 1.0)), "A note."))
    at = lines.index("### Ways")
    assert lines[at + 2 : at + 8] == [
        "| way | time | share |",
        "| --- | ---: | ---: |",
        "| a \\| b | 2.00 ms | 50.0 % |",
        "| c | – | 100.0 % |",
        "",
        "A note.",
    ]


def test_verdicts_texts_and_outputs_are_written(page):
    verdict = Verdict("time", "flat", "1.20 ×", "met")
    lines = page(Verdicts("Growth", (verdict,)), Text("So it is."), Output("| no table\n\n"))
    assert "| time | flat | 1.20 × | ✓ met |" in lines
    assert "So it is." in lines
    assert lines[lines.index("```text") :][:3] == ["```text", "| no table", "```"]


def test_what_was_not_run_stands_at_the_end_with_its_reason(page):
    lines = page(left_out=(LeftOut("a", "no time"), LeftOut("c", "no disk")))
    assert lines[-4:] == ["## Not run", "", "- a: no time", "- c, b: no disk"]


def test_the_short_form_says_that_its_figures_mean_nothing(page):
    assert any("short form" in line for line in page(is_whole=False))
    assert not any("short form" in line for line in page())


@each("plot", PLOTS, ids=lambda plot: plot.name)
def test_every_kind_of_plot_is_drawn_and_shown(plot, tmp_path):
    page = write(report_of(plot), tmp_path).read_text("utf-8")
    (file,) = re.findall(r"!\[.*\]\((.*)\)", page)
    drawn = (tmp_path / file).read_bytes()
    assert drawn.startswith(b"\x89PNG" if file.endswith("png") else b"<?xml")
    assert len(drawn) > 2_000


def test_an_icicle_can_be_searched_and_names_no_folder(tmp_path):
    write(report_of(PLOTS[-1]), tmp_path)
    svg = (tmp_path / "icicle.svg").read_text("utf-8")
    assert ">Bot.read<" in svg
    assert str(ROOT) not in svg


def test_the_same_report_gives_the_same_files(tmp_path):
    for name in ("first", "second"):
        write(report_of(*PLOTS), tmp_path / name)
    first = {file.name: file.read_bytes() for file in (tmp_path / "first").iterdir()}
    assert first == {file.name: file.read_bytes() for file in (tmp_path / "second").iterdir()}


def test_all_figures_are_in_the_json(tmp_path):
    report = report_of(Table("Ways", (Column("time", "s"),), ((0.25,),)), *PLOTS)
    write(report, tmp_path)
    data = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert data == json.loads(json.dumps(plain(report)))
    kinds = [part["kind"] for part in data["sections"][0]["parts"]]
    assert kinds == ["table", "curves", "distributions", "histogram", "bars", "icicle"]
    assert data["sections"][0]["parts"][0]["rows"] == [[0.25]]


# Measuring


def counting(size: int, step: int = 1) -> Iterator[Values]:
    yield {"ready": size}
    while True:
        size += step
        yield {"at": size}


def up_to_a_hundred(size: int) -> Iterator[Values]:
    for at in count(size):
        if at > 100:
            raise ValueError(f"{at} are too many")
        yield {"ready": at} if at == size else {"at": size}


def never_ready() -> Iterator[Values]:
    Event().wait()
    yield {}


def failing() -> Iterator[Values]:
    yield {}
    raise ValueError("no more of that")


def test_a_subject_works_in_a_process_of_its_own_when_it_is_told_to():
    with SubjectProcess(counting, size=10, step=5) as process:
        assert process.ready == {"ready": 10}
        assert [process.round(), process.round()] == [{"at": 15}, {"at": 20}]


def test_a_subject_works_here_as_well():
    here = InlineSubject(counting, size=10)
    assert (here.ready, here.round()) == ({"ready": 10}, {"at": 11})


def test_a_process_that_fails_says_why():
    with (
        SubjectProcess(failing) as process,
        pytest.raises(SubjectError, match="ValueError: no more of that"),
    ):
        process.round()


@each("apart", [True, False])
def test_rounds_of_several_sizes_give_medians(apart):
    found, failed = run_interleaved(counting, (1, 100), rounds=3, apart=apart)
    assert found == {1: {"ready": 1, "at": 3}, 100: {"ready": 100, "at": 102}}
    assert failed == {}


def test_a_size_that_fails_keeps_none_of_the_others_from_being_measured():
    found, failed = run_interleaved(up_to_a_hundred, (1, 1_000), rounds=1)
    assert found == {1: {"ready": 1, "at": 1}}
    assert failed.keys() == {1_000}
    assert "1000 are too many" in failed[1_000]


def test_a_size_that_fails_in_a_round_is_left_out_of_those_that_follow():
    found, failed = run_interleaved(up_to_a_hundred, (1, 99), rounds=3)
    assert found.keys() == {1}
    assert failed.keys() == {99}


def test_a_process_that_is_not_ready_in_time_is_ended():
    with (
        SubjectProcess(never_ready, patience=0.1) as process,
        pytest.raises(SubjectError, match="more than 0 s"),
    ):
        process.ready  # noqa: B018 - it waits


def test_sizes_that_memory_is_not_enough_for_are_left_out():
    assert affordable({1: 0.0, 10: 0.0, 100: 1e9}) == (1, 10)


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=300))
def test_quantiles_grow_and_end_with_the_longest(times):
    points = timing.quantiles(times)
    assert points == tuple(sorted(points))
    assert points[-1] == (1.0, max(times))
    for share, seconds in points:
        assert sum(one <= seconds for one in times) >= share * len(times)


# Questions


@given(st.integers(9, 40), st.integers(0, 1_000))
def test_questions_have_the_length_that_is_asked_for(length, seed):
    for text in questions.orders(["made up"], 8, length=length, seed=seed):
        assert len(text.split()) == length
        assert " made up" in f" {text}"


@each("length", [1, 2, 3, 10, 300])
def test_long_questions_have_the_length_that_is_asked_for(length):
    texts = questions.long_orders(["made up", "up made"], 5, length=length)
    assert {len(text.split()) for text in texts} == {length}


def test_users_of_all_models_are_in_the_middle_of_their_dialogs():
    models = [load_model(name) for name in ("cafe", "alarm")]
    asked = list(islice(mixed_dialogs.random_questions(models, users=20), 400))
    assert {one.model for one in asked} == {"cafe", "alarm"}
    assert len({one.user for one in asked}) == 20
    for user in {one.user for one in asked}:
        times = [one.at for one in asked if one.user == user]
        assert times == sorted(times)
    assert asked == list(islice(mixed_dialogs.random_questions(models, users=20), 400))


def test_each_bundled_model_has_a_part_in_the_mixture():
    models = [load_model(name) for name in catalog.model_names()]
    assert {model for model, _ in mixed_dialogs.sample_dialogs(models)} == set(
        catalog.model_names()
    )


# Stages of a question


@each(
    ("module", "stage"),
    [
        ("entities.cutting", "tokenizing"),
        ("entities.trie", "phrases"),
        ("entities.dates.reader", "recognizers"),
        ("stm.rules", "memory"),
        ("stm.stores.memory", "store"),
        ("intents.solver", "solving"),
        ("intents.responses", "template"),
        ("intents.engine", STAGES[-1]),
        ("spacy.language", None),
    ],
)
def test_a_module_belongs_to_the_stage_of_the_longest_name_that_fits(module, stage):
    assert stage_of(module) == stage


def test_what_a_library_does_is_done_for_its_caller():
    assert stage_of_stack(["intents.engine", "entities.cutting", "spacy.language"]) == "tokenizing"
    assert stage_of_stack(["spacy.language"]) == STAGES[-1]


def test_what_a_bot_does_is_done_for_whoever_asks_it():
    assert stage_of_stack(["intents.engine", "intents.handlers", "bots.cafe"]) == "answering"
    assert stage_of_stack(["intents.engine", "entities.custom", "bots.cafe"]) == "recognizers"


@each("package", ["entities", "intents", "stm"])
def test_every_module_that_a_question_passes_has_a_stage(package):
    for file in (ROOT / "anaphora" / package).rglob("*.py"):
        name = ".".join(file.relative_to(ROOT / "anaphora").with_suffix("").parts)
        assert stage_of(name) is not None, name


def test_the_profile_of_a_question_has_its_stages_and_its_functions():
    with SubjectProcess(profile.of_bundled_models, seconds=0.2, models=("cafe",)) as process:
        told = process.round()
    assert set(told["stages"]) <= set(STAGES)
    assert sum(told["stages"].values()) == pytest.approx(1)
    assert told["tree"]["name"] == "ask"
    assert any(call["name"] == "Bot.read" for call in told["tree"]["calls"])


# Sections


def test_importing_is_told_by_package():
    said = (
        "import time: self [us] | cumulative | imported package\n"
        "import time:       100 |        300 |   spacy.tokens\n"
        "import time:      2000 |       2300 | spacy\n"
        "import time:       500 |        500 | re\n"
    )
    assert start.imported(said) == (("spacy", 0.0021, 2), ("re", 0.0005, 1), ("in all", 0.0026, 3))


def test_a_big_model_is_the_same_from_a_file(tmp_path):
    file = tmp_path / "names.yaml"
    file.write_text(building.yaml_of(30), encoding="utf-8")
    (from_file,) = building.from_yaml(str(file))
    (from_names,) = building.from_names(30)
    assert from_file.keys() == from_names.keys()


@each(
    ("docstring", "question"),
    [
        ('"""How long?\n\nMore of it."""', "How long?"),
        ('"""What it costs: time\nand memory."""', "What it costs"),
        ('"""What\na store costs."""', "What a store costs"),
    ],
)
def test_the_heading_of_a_file_is_the_question_it_asks(docstring, question, tmp_path):
    (tmp_path / "test_it.py").write_text(docstring, encoding="utf-8")
    assert files.question_of(tmp_path / "test_it.py") == question


def test_a_table_that_a_program_prints_becomes_one():
    (table,) = scripts.printed("Stores", "note\n| a | b |\n| --- | ---: |\n| x | 1 |\n")
    assert (table.rows, table.note) == ((("x", "1"),), "note")


def test_what_a_program_prints_otherwise_is_kept_as_it_is():
    heading, output = scripts.printed("Stores", "so many\n")
    assert (heading, output) == (Text("### Stores"), Output("so many\n"))


def test_programs_that_cannot_run_say_what_they_lack(tmp_path):
    lacking = {one.name: one.missing(ReportOptions()) for one in scripts.SCRIPTS}
    assert "--script ltm.bart" in lacking["ltm.bart"]
    assert "--locomo" in lacking["recall_quality"]
    given = ReportOptions(locomo=tmp_path / "none.json")
    assert "no file" in next(
        one for one in scripts.SCRIPTS if one.name == "ltm.recall_quality"
    ).missing(given)


def test_programs_that_this_machine_lacks_are_named(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    lacking = {one.name: one.missing(ReportOptions()) for one in scripts.SCRIPTS}
    assert lacking["server.load"] == "it needs wrk and redis-server"
    assert lacking["stm.idle_conversations"] == "it needs redis-server"


def test_a_machine_without_redis_has_the_times_of_the_other_stores(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    rows = {row.store: row for row in stores(20, rounds=1)}
    assert rows["memory"].median > 0
    assert rows["redis"].skipped == "there is no redis-server on this machine"


# What the docs take from a report


def report_file(folder, *, again="make bench"):
    parts = (
        Table("Time of one question by stage", (Column("stage"), Column("time", "s")), (("a", 1),)),
        PLOTS[-1],
    )
    facts = (("processor", "fast"), ("load before", "0.1"))
    write(report_of(*parts, head=facts, again=again), folder)
    (folder / "ask-flame.svg").write_text("<svg/>", "utf-8")


@pytest.fixture
def docs_page(tmp_path):
    """A page with a place for each block."""
    file = tmp_path / "docs" / "performance.md"
    file.parent.mkdir()
    places = (f"<!-- {name} -->\nold\n<!-- end of {name} -->\n" for name in docs.BLOCKS)
    file.write_text("Before.\n" + "".join(places) + "After.\n", "utf-8")
    return file


def test_the_docs_take_their_tables_and_the_flame_graph_from_a_report(tmp_path, docs_page):
    report_file(tmp_path)
    taken = docs.update_docs(tmp_path, docs_page)
    said = docs_page.read_text("utf-8")
    assert taken == ["the machine", "the aims", "the profile", "ask-flame.svg"]
    assert said.startswith("Before.\n")
    assert said.endswith("After.\n")
    assert (
        "<!-- the profile -->\n| stage | time |\n| --- | ---: |\n| a | 1.00 s |\n<!-- end" in said
    )
    assert "| processor | fast |" in said
    assert "load before" not in said
    assert "<!-- the curves -->\nold\n<!-- end of the curves -->" in said
    assert (docs_page.parent / "figures" / "ask-flame.svg").read_text("utf-8") == "<svg/>"


def test_a_report_of_some_sections_does_not_judge_the_aims_in_the_docs(tmp_path, docs_page):
    report_file(tmp_path, again="python -m benchmarks.report --only profile")
    assert docs.update_docs(tmp_path, docs_page) == ["the profile", "ask-flame.svg"]
    assert "<!-- the aims -->\nold\n" in docs_page.read_text("utf-8")


def test_a_report_of_the_short_form_has_nothing_to_tell_in_the_docs(tmp_path, docs_page):
    write(report_of(is_whole=False), tmp_path)
    with pytest.raises(docs.MissingFigureError, match="short form"):
        docs.update_docs(tmp_path, docs_page)


def test_docs_without_a_report_say_how_to_make_one(tmp_path, docs_page):
    with pytest.raises(docs.MissingFigureError, match=r"python -m benchmarks\.report writes it"):
        docs.update_docs(tmp_path / "none", docs_page)


def test_the_page_of_the_docs_has_a_place_for_each_block():
    said = docs.PAGE.read_text("utf-8")
    assert docs.insert_blocks(said, {}) == said
    assert "\nnew\n" in docs.insert_blocks(said, dict.fromkeys(docs.BLOCKS, "new"))


def test_the_headings_that_the_docs_look_for_are_those_of_the_sections():
    titles = {heading.lstrip("# ") for heading in docs.BLOCKS.values()} - {"Benchmarks", "Aims"}
    sections = ROOT / "benchmarks" / "report" / "sections"
    said = "".join(file.read_text("utf-8") for file in sections.glob("*.py"))
    assert [title for title in titles if f'"{title}"' not in said] == []


# The command line


@pytest.fixture
def runner(monkeypatch, tmp_path):
    """Runs the command with these chapters instead of the real ones."""

    def run(*options, **sections):
        class Made(Chapter):
            @property
            def measure(self):
                return sections[self.id]

        chapters = [Made(id, f"about {id}") for id in sections]
        monkeypatch.setattr(cli, "CHAPTERS", chapters)
        monkeypatch.setattr(cli, "chapter", lambda id: id if id in sections else None)
        return CliRunner().invoke(cli.app, ["--out", str(tmp_path / "out"), *options])

    return run


def good(wanted: ReportOptions, tell: object) -> Section:
    return Section("good", "Good", f"In the {wanted.form} form.", figures={"start.seconds": 0.5})


def bad(wanted: ReportOptions, tell: object) -> Section:
    raise OSError("no disk")


def interrupted(wanted: ReportOptions, tell: object) -> Section:
    raise KeyboardInterrupt


def test_a_section_that_fails_keeps_none_of_the_others_from_the_report(runner, tmp_path):
    result = runner(first=bad, second=good)
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert result.exit_code == 1
    assert "## Good" in page
    assert "- first: it failed: no disk" in page
    assert "✗ first: no disk" in result.stderr


def partly(wanted: ReportOptions, tell: object) -> Section:
    failed = LeftOut("benchmarks.bad", "it ended with 1", failed=True)
    return Section("partly", "Partly", "Some of it.", left_out=(failed,))


def lacking(wanted: ReportOptions, tell: object) -> Section:
    return Section("lacking", "Lacking", "None.", left_out=(LeftOut("service", "it needs wrk"),))


def test_a_part_of_a_section_that_fails_is_an_error_at_the_end(runner, tmp_path):
    result = runner(first=partly, second=good)
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert result.exit_code == 1
    assert "- benchmarks.bad: it ended with 1" in page
    assert "✗ benchmarks.bad: it ended with 1" in result.stderr


def test_what_this_machine_lacks_is_told_and_no_error(runner, tmp_path):
    result = runner(first=lacking, second=good)
    assert result.exit_code == 0
    assert "- service: it needs wrk" in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_an_interruption_leaves_what_is_done_and_says_so(runner, tmp_path):
    result = runner(first=good, second=interrupted, third=good)
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert result.exit_code == 130
    assert page.count("## Good") == 1
    assert "- second, third: stopped before it was measured" in page
    assert "What is done is kept" in result.stderr


def test_one_section_alone_is_measured_on_wish(runner, tmp_path):
    assert runner("--only", "second", first=bad, second=good).exit_code == 0


def test_a_section_that_there_is_not_is_an_error_with_those_that_there_are(runner):
    result = runner("--only", "third", first=bad, second=good)
    assert result.exit_code == 2
    assert re.search(r"there is no section 'third'; there are: first,\s+second", result.stderr)


def test_the_short_form_judges_no_aim(runner, tmp_path):
    assert runner("--short", first=good).exit_code == 0
    data = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert {aim["word"] for aim in data["aims"]} == {"not measured"}
    assert data["sections"][0]["intro"] == f"In the {Form.SHORT} form."
    assert runner(first=good).exit_code == 0
    data = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert {aim["word"] for aim in data["aims"]} == {"met", "not measured"}


def test_the_sections_are_listed():
    result = CliRunner().invoke(cli.app, ["--list"])
    assert [line.split()[0] for line in result.stdout.splitlines()] == [one.id for one in CHAPTERS]


# All of it


SHARES = (  # of the sections, for workers that run side by side
    ("peers", "tagging", "stores", "dates", "batches"),
    ("scaling", "profile", "steadiness"),
    ("start", "building", "files", "scripts"),
)


def test_every_section_has_its_part_in_the_short_form():
    assert sorted(id for share in SHARES for id in share) == sorted(one.id for one in CHAPTERS)


@each("share", SHARES, ids="-".join)
def test_the_short_form_runs_every_section(share, tmp_path):
    command = [sys.executable, "-m", "benchmarks.report", "--short", "--out", str(tmp_path)]
    command += [part for id in share for part in ("--only", id)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    data = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert [section["id"] for section in data["sections"]] == list(share)
    parts = [part for section in data["sections"] for part in section["parts"]]
    verdicts = [verdict for part in parts for verdict in part.get("verdicts", ())]
    assert {verdict["word"] for verdict in [*data["aims"], *verdicts]} <= WORDS
    assert bool(verdicts) == ("scaling" in share)
    page = (tmp_path / "report.md").read_text("utf-8")
    plots = re.findall(r"^!\[.*\]\((.*)\)$", page, re.MULTILINE)
    assert {file.name for file in tmp_path.iterdir()} == {*plots, "report.md", "report.json"}
    for file in (*tmp_path.glob("*.md"), *tmp_path.glob("*.svg")):
        assert str(ROOT) not in file.read_text("utf-8"), file


def test_ctrl_c_in_a_terminal_ends_it_with_a_report(tmp_path):
    command = [sys.executable, "-m", "benchmarks.report", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [*command, "--only", "start"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stderr is not None
        assert process.stderr.readline() == "start …\n"
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130, said
    assert "- start: stopped before it was measured" in (tmp_path / "report.md").read_text("utf-8")


def test_the_most_that_a_process_held_is_its_own_and_not_its_parent_s():
    held = bytearray(500_000_000)
    code = "from benchmarks.report.sections.building import _peak; print(_peak())"
    command = [sys.executable, "-c", f"import sys; sys.modules['torch'] = None; {code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert 10_000_000 < int(done.stdout) < len(held)
