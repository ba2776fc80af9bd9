"""The examples of the documentation are correct; ``examples.py`` describes how they are marked."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anaphora.cli import app
from anaphora.cli.authoring.sample_results import format_case, run_case
from anaphora.cli.grammar.evaluate import format_value as written
from anaphora.cli.grammar.evaluate import to_json_data as as_data
from anaphora.cli.grammar.evaluation_context import parse_context
from anaphora.core.utterance import Entity
from anaphora.engine.engine import Engine
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.errors import AnaphoraError, EvaluationError, GrammarError
from anaphora.grammar.functions.reference import EXAMPLE_ENTITIES, EXAMPLE_META
from anaphora.grammar.idl.checker import INTENT_OPTIONS
from anaphora.grammar.idl.compiler import CompilationResult, Compiler, compile_expression
from anaphora.grammar.idl.intent import IntentOptions
from anaphora.grammar.python_functions import FunctionLoader
from anaphora.grammar.synonyms.expansion import expand_synonym
from anaphora.models.domain import Model
from anaphora.models.loader import load_model, parse_model
from anaphora.models.schema import dialog_acts, intents, model_file
from anaphora.models.schema.fallback import FallbackSchema
from anaphora.models.schema.field_types import SchemaBase
from tests.documentation.examples import PAGES, ROOT, Example, examples, page_examples, write_files

OURS = [ROOT / "docs" / f"{name}.md" for name in ("intent-language", "synonyms", "tools")]
OURS.append(ROOT / "docs" / "model-files.md")

each = pytest.mark.parametrize


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the files of the page, in which the example runs."""
    example: Example = request.getfixturevalue("example")
    write_files(example.page, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def named(found: Sequence[Example]) -> pytest.MarkDecorator:
    return each("example", found, ids=map(str, found))


# Texts


def is_idl(example: Example) -> bool:
    return example.language == "idl" and example.kind in ("", "file") and not example.has_mistakes


@named([example for example in examples() if is_idl(example)])
def test_intents_compile(example: Example, folder: Path) -> None:
    assert compiled(example.text, folder).warnings == ()


@named(
    [example for example in examples(language="yaml") if example.file and not example.has_mistakes]
)
def test_model_files_are_valid_and_their_samples_pass(example: Example, folder: Path) -> None:
    check(load_model(folder / example.file))


@named(examples(kind="model"))
def test_parts_of_model_files_are_valid(example: Example, folder: Path) -> None:
    check(framed(example, folder))


@named(examples(kind="values"))
def test_expressions_have_the_shown_value(example: Example) -> None:
    """Each line is an expression and, after ``//``, its value in the sentence of functions.md."""
    for line in example.text.splitlines():
        expression, _, value = line.rpartition("//")
        context = parse_context(json.dumps(EXAMPLE_ENTITIES), json.dumps(dict(EXAMPLE_META)))
        try:
            found = written(as_data(compile_expression(expression)(context)))
        except EvaluationError as error:
            found = f"error: {error}"
        assert f"{expression.strip()} // {found}" == f"{expression.strip()} // {value.strip()}"


@named(examples(kind="expands"))
def test_synonyms_expand_to_the_shown_phrases(example: Example) -> None:
    """Each line is a text and, after an arrow, its phrases, separated by commas."""
    for line in example.text.splitlines():
        text, phrases = (side.strip() for side in line.split("→"))
        assert ", ".join(" ".join(map(str, one)) for one in expand_synonym(text)) == phrases


@named(examples(kind="finds"))
def test_texts_mention_the_shown_entities(example: Example, folder: Path) -> None:
    """Each line is a text and, after an arrow, the entities that the last shown model finds."""
    *_, last = (
        one
        for one in page_examples(example.page)
        if one.line < example.line and one.language == "yaml" and not one.has_mistakes
    )
    pipeline = Pipeline(load_model(folder / last.file) if last.file else framed(last, folder))
    for line in example.text.splitlines():
        text, expected = (side.strip() for side in line.split("→"))
        best, *_ = find_variants(pipeline(text))
        assert (text, ", ".join(map(shown, best.entities)) or "nothing") == (text, expected)


@named(examples(kind="says"))
def test_error_messages_are_quoted_exactly(example: Example, folder: Path) -> None:
    """Each paragraph is the whole message; its second line is the text with the mistake."""
    for message in example.text.rstrip("\n").split("\n\n"):
        text = message.split("\n")[1][2:]
        assert said(example.arguments, text, folder) == message


# Commands


@named([example for example in examples(language="console") if "$ anaphora" in example.text])
def test_commands_print_the_shown_output(example: Example, folder: Path) -> None:
    code = int(example.arguments) if example.kind == "exit" else 0
    for command, typed, expected in commands(example.text):
        code_of_this = code if command == list(commands(example.text))[-1][0] else 0
        output, exit_code = run(command, typed)
        assert exit_code == code_of_this, output
        if expected:
            pattern = "".join(map(as_pattern, expected))
            assert re.fullmatch(pattern, output.rstrip("\n") + "\n"), f"{command}\n{output}"


def commands(text: str) -> Iterator[tuple[list[str], str, list[str]]]:
    """The commands of a transcript with their input and output. A backslash continues a line; ``<
    FILE`` and ``| anaphora`` work as in a shell."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *lines = part.replace("\\\n", " ").rstrip("\n").split("\n")
        before, _, after = command.rpartition("| ")
        words = shlex.split(after, comments=True)
        if words[0] != "anaphora":
            continue
        typed = "".join(f"{line[2:]}\n" for line in lines if line.startswith("> "))
        if before:
            typed = " ".join(shlex.split(before)[1:]) + "\n"
        if "<" in words:
            *words, _, name = words
            typed = Path(name).read_text(encoding="utf-8")
        yield words[1:], typed, [line for line in lines if not line.startswith("> ")]


def run(command: Sequence[str], typed: str) -> tuple[str, int]:
    """The command's output, including errors, and its exit code."""
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, command, input=typed)
    if isinstance(result.exception, AnaphoraError):  # which the program itself prints
        return f"{result.output}Error: {result.exception}", 2
    return result.output, result.exit_code


def as_pattern(line: str) -> str:
    if line == "…":
        return "(.*\n)*"
    return re.escape(line.rstrip()).replace("…", ".*") + " *\n"


# What all pages have


@each("page", OURS, ids=lambda page: page.stem)
def test_every_example_is_executed(page: Path) -> None:
    for example in page_examples(page):
        is_run = example.language in ("idl", "console", "ebnf") or example.kind in (
            "file", "model", "run", "values", "expands", "finds", "says",
        )  # fmt: skip
        assert is_run, f"{example} is marked as nothing that a test knows"


@each("page", PAGES, ids=lambda page: page.stem)
def test_links_have_targets(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "x", page.read_text("utf-8"), flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\(([\w./-]*)(?:#([\w-]+))?\)", text):
        file = page.parent / target if target else page
        assert file.exists(), target
        headings = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE) if anchor else ()
        anchors = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}
        assert not anchor or anchor in anchors, anchor


# Tables


def rows(page: Path, header: str) -> list[list[str]]:
    """The cells of the table on the page whose first line is ``header``."""
    lines = page.read_text(encoding="utf-8").split(f"{header}\n", 1)[1].split("\n\n")[0]
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        for row in lines.splitlines()[1:]
    ]


def test_the_options_of_intents_are_documented_with_defaults() -> None:
    table = rows(OURS[0], "| option | default | what it says |")
    defaults = {name.strip("`"): default.strip("`") == "true" for name, default, _ in table}
    assert set(defaults) == set(INTENT_OPTIONS)
    usual = IntentOptions()
    assert defaults == {
        "ordered": usual.ordered,
        "allow_stm_only": usual.allow_stm_only,
        "unused_free_words": usual.unused_free_words,
        "unused_entities": usual.unused_user_entities and usual.unused_system_entities,
        "unused_usr_toks": usual.unused_user_entities,
        "unused_sys_toks": usual.unused_system_entities,
    }


def test_the_documented_grammar_has_all_signs_and_keywords() -> None:
    (ebnf,) = examples(language="ebnf")
    text = (ROOT / "anaphora" / "grammar/idl/parsing/idl.lark").read_text(encoding="utf-8")
    signs = set(re.findall(r'^_?[A-Z_]+: "(.+)"$', text, re.MULTILINE))
    keywords = set(re.findall(r"^_?[A-Z_]+\.\d: /([a-z]+)", text, re.MULTILINE))
    assert len(signs) > 20
    assert len(keywords) > 10
    assert set(re.findall(r"'([^' ]+)'", ebnf.text)) >= signs | keywords


@each(
    ("section", "keys"),
    [
        ("# Model files", model_file.ModelSchema),
        ("## Elements", model_file.ElementSchema),
        ("## When nothing fits", FallbackSchema),
        ("## Conversation", model_file.ConversationSchema),
        ("## Bridge", model_file.BridgeSchema),
        ("## Dialog acts", dialog_acts.DialogActsSchema),
        ("## Intents", intents.IntentSchema),
        ("### Slots", intents.SlotSchema),
        ("### Validation", intents.ValidatorSchema),
        ("## Stop words", model_file.StopWordsSchema),
        ("## Limits", model_file.LimitsSchema),
        ("## Options of intents", intents.OptionsSchema),
        ("## Samples", model_file.AskSchema),
    ],
)
def test_every_key_of_a_model_file_is_documented(section: str, keys: type[SchemaBase]) -> None:
    page = OURS[3].read_text(encoding="utf-8")
    text = page.split(f"{section}\n", 1)[1].split("\n## ")[0]
    for name, field in keys.model_fields.items():
        assert re.search(f"`{re.escape(field.alias or name)}[`:]", text), name


def test_every_command_and_option_is_documented() -> None:
    page = OURS[2].read_text(encoding="utf-8")
    for name, options in all_commands():
        section = page.split(f"## {name}\n", 1)
        assert len(section) == 2, f"there is no section on {name}"
        for option in options:
            assert f"`{option}" in section[1].split("\n## ")[0], f"{name} {option}"


def all_commands() -> Iterator[tuple[str, list[str]]]:
    import typer

    group = typer.main.get_command(app)
    for name, command in group.commands.items():  # type: ignore[attr-defined]  # it is a group
        for inner, its in getattr(command, "commands", {"": command}).items():
            options = [max(one.opts, key=len) for one in its.params if one.opts[0][0] == "-"]
            yield f"{name} {inner}".strip(), [one for one in options if one != "--help"]


# Helpers


def compiled(text: str, folder: Path) -> CompilationResult:
    return Compiler(code=FunctionLoader("rules", folder), folder=folder).compile(text)


def framed(example: Example, folder: Path) -> Model:
    (folder / "framed.yaml").write_text(example.model, encoding="utf-8")
    return load_model(folder / "framed.yaml")


def check(model: Model) -> None:
    assert not model.warnings
    engine = Engine(model)
    for case in (run_case(engine, dialog) for dialog in model.samples):
        assert case.passed, "\n".join(line for line, _ in format_case(case))


def shown(entity: Entity) -> str:
    """The entity with its text and its parts, on one line."""
    parts = ", ".join(f"{'/'.join(part.aliases)}: {part}" for part in entity.parts)
    return f'{entity} "{entity.text}"{f" ({parts})" if parts else ""}'


def said(what: str, text: str, folder: Path) -> str:
    """The first mistake of a text, or the first warning."""
    try:
        if what == "idl":
            return str(compiled(text, folder).warnings[0])
        assert what == "synonym"
        return str(expand_synonym(text, {"<ASK>": "{what|how}"}))
    except GrammarError as error:
        return str(error)


def test_a_frame_completes_a_part_of_a_model() -> None:
    example = Example(ROOT, 1, "yaml", "model: a b", "meta: {x: 1}\n")
    model = parse_model(example.model)
    assert ([e.id for e in model.elements], model.meta) == (["a", "b"], {"x": 1})
