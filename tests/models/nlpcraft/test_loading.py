"""Files of NLPCraft through the loader: what they leave to code is no mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphora import Engine, Model, ModelError, load_model, parse_model

HEAD = "id: demo\nname: Demo\nversion: '1'\nmetadata: {}\nconversationDepth: 3\n"
FILES = Path(__file__).parent / "files"


def said(model: Model) -> list[str]:
    return [warning.message for warning in model.warnings]


@pytest.mark.parametrize("path", sorted(FILES.iterdir()), ids=lambda path: path.name)
def test_each_example_is_loaded_as_it_is(path: Path) -> None:
    model = load_model(path)
    assert model.elements
    Engine(model).ask("anything")


def test_keys_without_a_value_have_their_default() -> None:
    model = parse_model(
        f"{HEAD}description: null\nmacros:\nelements:\n"
        "- {id: a, synonyms: , metadata: null, groups: ~}\n"
    )
    assert (model.description, model.elements[0].groups) == ("", frozenset({"a"}))


def test_elements_that_code_finds_cause_warnings() -> None:
    model = parse_model(
        f"{HEAD}elements: [{{id: a}}]\nintents: [\"intent=x term={{# == 'nlp:token'}}\"]\n"
    )
    assert "the intent 'x' refers to the unknown element 'nlp:token'" in said(model)


def test_a_file_may_have_no_elements_at_all() -> None:
    text = f"{HEAD}elements: []\nintents: [\"intent=x term={{has(ent_groups, 'g')}}\"]\n"
    assert not parse_model(text).elements


def test_intents_that_name_java_methods_are_left_out_with_a_warning() -> None:
    model = parse_model(
        f"{HEAD}elements: [{{id: a}}]\nintents:\n"
        "- \"intent=java flow=/org.bot.Model#isOk/ term={# == 'a'}\"\n"
        "- \"intent=idl term={# == 'a'}\"\n"
    )
    assert [intent.id for intent in model.intents] == ["idl"]
    assert "the intent 'java' is skipped: it needs that function" in said(model)


def test_an_import_may_count_from_the_root_of_the_resources(tmp_path: Path) -> None:
    folder = tmp_path / "org" / "bot"
    folder.mkdir(parents=True)
    text = f"{HEAD}elements: [{{id: a}}]\nintents: [\"import('org/bot/more.idl')\"]\n"
    (folder / "bot.yaml").write_text(text)
    with pytest.raises(ModelError, match="there is no file"):
        load_model(folder / "bot.yaml")
    (folder / "more.idl").write_text("intent=x term={# == 'a'}")
    assert [one.id for one in load_model(folder / "bot.yaml").intents] == ["x"]


@pytest.mark.parametrize(("most", "status"), [("", "rejected"), (2**31 - 1, "matched")])
def test_suspicious_words_are_allowed_where_the_file_has_no_limit_on_them(
    most: object, status: str
) -> None:
    limit = f"maxSuspiciousWords: {most}\n" if most else ""
    model = parse_model(
        f"{HEAD}suspiciousWords: [hack]\n{limit}elements: [{{id: a}}]\n"
        "intents: [\"intent=x term={# == 'a'}\"]\n"
    )
    assert Engine(model).ask("hack a hack").status == status


def test_in_a_file_of_anaphora_the_same_are_errors() -> None:
    text = "id: demo\nelements: [{id: a}]\nintents:\n"
    for intent, message in (
        ("intent=x flow=/org.bot.Model#isOk/ term={# == 'a'}", "no Python module 'org.bot.Model'"),
        ("intent=x term={# == 'b'}", "unknown element 'b'"),
    ):
        with pytest.raises(ModelError, match=message):
            parse_model(f'{text}- "{intent}"')


def test_a_synonym_may_stand_for_very_many_phrases() -> None:
    group = "{a|b|c|d|e|f|g|h|i|j}"
    text = f"{HEAD}elements: [{{id: a, synonyms: ['{' '.join([group] * 4)} {{x|y}}']}}]\n"
    assert len(parse_model(text).elements[0].phrases[""]) == 20_001


class TestTypeErrors:
    """NLPCraft finds them only when it evaluates the predicate."""

    @pytest.mark.parametrize(
        ("predicate", "message"),
        [
            ("has(json('{}'), 'a')", "'has' needs a list as its 1st argument, not a map"),
            ("!tok_id", "'!' needs a boolean, not a text"),
            ("tok_groups < 3", "'<' cannot compare a list with an integer"),
            ("tok_id && true", "'&&' needs booleans, not a text"),
            ("list(1) * 2 == 2", "'*' cannot work with a list and an integer"),
            ("-tok_id == 1", "'-' needs a number, not a text"),
        ],
    )
    def test_they_are_warnings_and_the_evaluation_rejects_the_question(
        self, predicate: str, message: str
    ) -> None:
        text = (
            f"{HEAD}elements: [{{id: a}}, {{id: b}}]\nintents:\n"
            f"- \"intent=x term={{# == 'a' && {predicate}}}\"\n"
            "- \"intent=y term={# == 'b'}\"\n"
        )
        model = parse_model(text)
        assert any(message in warning for warning in said(model))
        engine = Engine(model)
        assert engine.ask("b").intent == "y"
        assert engine.ask("a").status == "rejected"

    def test_a_predicate_that_is_not_true_or_false_is_one_of_them(self) -> None:
        model = parse_model(f"{HEAD}elements: [{{id: a}}]\nintents: ['intent=x term={{tok_id}}']\n")
        assert "a term must be true or false, not a text" in said(model)
        assert Engine(model).ask("a").status == "rejected"

    def test_in_a_file_of_anaphora_they_are_errors(self) -> None:
        with pytest.raises(ModelError, match="needs a list"):
            parse_model(
                "id: m\nelements: [{id: a}]\nintents:\n- \"intent=x term={has(json('{}'), 'a')}\"\n"
            )

    def test_unknown_functions_are_errors_in_both(self) -> None:
        with pytest.raises(ModelError, match="no function 'hasnt'"):
            parse_model(
                f"{HEAD}elements: [{{id: a}}]\nintents: [\"intent=x term={{hasnt(#, 'a')}}\"]\n"
            )
