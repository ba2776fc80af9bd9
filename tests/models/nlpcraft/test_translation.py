"""What becomes of each key of a file of theirs."""

from __future__ import annotations

import pytest

from anaphora import Engine, parse_model
from anaphora.models.nlpcraft import print_model, translate
from anaphora.models.reading.nodes import to_data
from tests.models.nlpcraft.translation_helpers import (
    DRINKS,
    LAMPS,
    data,
    notes_of,
    translated,
    tree,
    tree_of,
)

ELEMENT = "id: m\nelements: [{id: e}]\n"


class TestTheModel:
    def test_metadata_memory_and_stop_words_go_where_ours_has_them(self) -> None:
        found = to_data(translate(tree_of(LAMPS), "0.9", name="lamps").root)
        assert found["meta"] == {"owner": "facility", "rooms": 4}
        assert found["conversation"] == {"timeout": "5m", "depth": 5}
        assert found["stop_words"] == {
            "add": ["please", "kindly"],
            "remove": ["off"],
            "skip": True,
            "commas": True,
        }
        assert (found["permute"], found["sparse"]) == (True, False)

    def test_an_id_with_blanks_becomes_one_of_anaphora(self) -> None:
        assert data("id: a.b c\n")["id"] == "a.b-c"
        assert notes_of("id: a.b c\n")["id"].kind == "changed"
        assert data("id: 7up\n")["id"] == "model-7up"
        assert "id" not in notes_of("id: a_b-c:d\n")

    @pytest.mark.parametrize(
        ("name", "id"), [("lights", "lights"), ("my lights (2)", "my-lights-2"), ("…", "model")]
    )
    def test_a_file_without_an_id_has_its_name(self, name: str, id: str) -> None:
        translation = translate(tree("elements: [{type: e}]"), "1.0", name=name)
        assert to_data(translation.root)["id"] == id

    @pytest.mark.parametrize(
        ("milliseconds", "timeout", "kind"),
        [
            (1, "0.001s", "mapped"),
            (90_500, "1m30.5s", "mapped"),
            (3_600_000, "1h", "mapped"),
            (0, "0.001s", "changed"),
            (2**63 - 1, "36500d", "changed"),
        ],
    )
    def test_a_timeout_in_milliseconds_is_a_duration(
        self, milliseconds: int, timeout: str, kind: str
    ) -> None:
        text = f"conversationTimeout: {milliseconds}\n"
        assert data(text)["conversation"] == {"timeout": timeout}
        note = notes_of(text)["conversationTimeout"]
        assert (note.kind, note.reason) == (
            kind,
            f"{milliseconds} ms → conversation.timeout: {timeout}",
        )

    @pytest.mark.parametrize("version", ["0.9", "1.0"])
    def test_without_a_timeout_it_is_theirs_and_that_is_said(self, version) -> None:
        assert data(ELEMENT, version)["conversation"] == {"timeout": "1h"}
        assert notes_of(ELEMENT, version)["conversationTimeout"].kind == "changed"

    def test_only_0_9_forbids_to_leave_elements_unused(self) -> None:
        assert data(ELEMENT)["options"] == {"unused_usr_toks": False}
        assert "options" not in data(ELEMENT, "1.0")

    def test_both_pass_over_stop_words(self) -> None:
        assert data(ELEMENT)["stop_words"]["skip"] is True
        assert data(ELEMENT, "1.0")["stop_words"]["skip"] is True
        assert data("isStopWordsAllowed: false")["stop_words"]["skip"] is False

    def test_a_comma_inside_a_synonym_is_a_stop_word(self) -> None:
        text = "parsers: []\nelements: [{id: e, synonyms: [oat milk latte]}]\n"
        text += "intents: [\"intent=i term={# == 'e'}\"]\n"
        for question in ("oat, milk, latte", "latte, oat milk latte"):
            for model in (parse_model(text), parse_model(print_model(translated(text).root))):
                assert Engine(model).ask(question).intent == "i"
        ours = parse_model(print_model(translated(f"stop_words: {{commas: false}}\n{text}").root))
        assert Engine(ours).ask("oat, milk, latte").intent is None
        assert Engine(parse_model(text)).ask("oat; milk latte").intent is None

    def test_keys_of_anaphora_in_a_file_of_theirs_stay(self) -> None:
        found = data("maxWords: 9\nlanguage: en\nlimits: {max_entities: 3}\nresponses: {i: Yes}\n")
        assert found["limits"]["max_entities"] == 3
        assert found["limits"]["max_words"] == 9
        assert found["responses"] == {"i": "Yes"}

    def test_what_is_given_in_both_ways_is_taken_from_ours(self) -> None:
        text = "metadata: {a: 1}\nmeta: {b: 2}\nsparse: true\nisSparse: false\n"
        assert data(text)["meta"] == {"b": 2}
        assert data(text)["sparse"] is True
        notes = notes_of(text)
        assert (notes["metadata"].kind, notes["isSparse"].kind) == ("ignored", "ignored")

    def test_an_unknown_key_is_ignored_with_the_one_that_was_meant(self) -> None:
        notes = notes_of("conversationDept: 5\nelements: [{id: e, parenId: f}]\n")
        assert "did you mean 'conversationDepth'?" in notes["conversationDept"].reason
        assert "did you mean 'parentId'?" in notes["elements[0].parenId"].reason
        assert {notes["conversationDept"].kind, notes["elements[0].parenId"].kind} == {"ignored"}

    def test_java_classes_are_ignored_with_the_way_to_port_them(self) -> None:
        text = "parsers: [org.x.P]\nelements: [{id: e, valueLoader: org.x.L}]\n"
        notes = notes_of(text)
        assert notes["parsers"].kind == "ignored"
        assert "value_loader: module#function" in notes["elements[0].valueLoader"].reason
        assert data(text)["elements"] == [{"id": "e"}]

    def test_a_value_loader_that_names_a_python_function_is_taken(self) -> None:
        found = data("elements: [{id: e, valueLoader: 'rooms#load'}]")
        assert found["elements"] == [{"id": "e", "value_loader": "rooms#load"}]

    def test_the_tree_that_was_read_is_not_changed(self) -> None:
        text = "limits: {}\nabstractTokens: [e]\nconversation: {}\nmaxWords: 3\n" + ELEMENT
        root = tree(text)
        before = to_data(root)
        translate(root, "0.9", name="m")
        assert to_data(root) == before


class TestIntents:
    def test_they_stay_as_they_are(self) -> None:
        text = "intents: [\"import('a.idl')\", 'intent=i term={true}']"
        assert data(text)["intents"] == ["import('a.idl')", "intent=i term={true}"]

    def test_a_file_without_any_says_how_to_give_them(self) -> None:
        for text in (ELEMENT, "intents: []\n" + ELEMENT):
            assert "--intents" in notes_of(text)["intents"].reason

    def test_a_java_method_is_a_function_of_python_now(self) -> None:
        notes = notes_of("intents: ['intent=i flow=/#ok/ term~/org.x.Cls#yes/ // #no']")
        assert notes["intents[0]"].kind == "changed"
        reasons = [
            note.reason for note in translated("intents: ['flow=/#ok/ term~/a.B#yes/']").notes
        ]
        assert any(" #ok " in reason for reason in reasons)
        assert any(" a.B#yes " in reason for reason in reasons)
        assert not any("#no" in reason for reason in reasons)


class TestElements:
    def test_parents_metadata_and_switches_have_our_names(self) -> None:
        found = data(
            "elements: [{id: e, parentId: p, metadata: {a: 1}, isPermutateSynonyms: true, "
            "greedy: false, isSparse: true, groups: [g], description: d}]"
        )
        assert found["elements"] == [
            {
                "id": "e",
                "parent": "p",
                "meta": {"a": 1},
                "permute": True,
                "greedy": False,
                "sparse": True,
                "groups": ["g"],
                "description": "d",
            }
        ]

    def test_what_is_said_of_many_elements_is_one_note(self) -> None:
        notes = notes_of("elements: [{id: a, parentId: c}, {id: b, parentId: c}, {id: c}]")
        assert notes["elements[0].parentId"].reason == "→ parent (and 1 more time)"
        assert "elements[1].parentId" not in notes

    def test_values_are_a_mapping_whatever_their_name_is_called(self) -> None:
        found = data(
            "elements: [{id: e, values: [{name: a, synonyms: [x, y]}, {value: b}, {name: on}, c]}]"
        )
        assert found["elements"][0]["values"] == {"a": ["x", "y"], "b": None, "on": None, "c": None}

    def test_a_value_that_is_there_twice_has_the_synonyms_of_both(self) -> None:
        text = (
            "elements: [{id: e, values: [{name: a, synonyms: [x]}, {name: a}, "
            "{name: a, synonyms: [y]}]}]"
        )
        assert data(text)["elements"][0]["values"] == {"a": ["x", "y"]}
        assert notes_of(text)["elements[0].values[1]"].kind == "changed"

    def test_a_value_whose_name_is_null_is_called_by_its_other_name(self) -> None:
        text = "elements: [{id: e, values: [{name: null, value: tea}, {name: 'null'}]}]"
        assert data(text)["elements"][0]["values"] == {"tea": None, "null": None}

    def test_a_type_beside_an_id_is_ignored_and_noted(self) -> None:
        text = "isSparse: true\nelements: [{id: a, type: b}, {id: c}]"
        assert data(text)["elements"][0] == {"id": "a"}
        assert notes_of(text)["elements[0].type"].kind == "ignored"

    def test_types_and_properties_of_1_0_are_ids_and_metadata(self) -> None:
        found = to_data(translate(tree_of(DRINKS), "1.0", name="drinks").root)
        drink = found["elements"][1]
        assert drink["id"] == "drink"
        assert drink["meta"] == {"drink:temperature": "hot", "temperature": "hot"}
        assert drink["values"]["coffee"] == ["{flat white|coffee}"]

    def test_abstract_tokens_are_abstract_elements(self) -> None:
        text = "abstractTokens: [b, c]\nelements: [{id: a}, {id: b}]"
        assert data(text)["elements"] == [{"id": "a"}, {"id": "b", "abstract": True}]
        assert notes_of(text)["abstractTokens[1]"].kind == "ignored"
        assert notes_of("abstractTokens: b")["abstractTokens"].kind == "ignored"


class TestSynonyms:
    def test_pieces_are_joined_by_a_blank(self) -> None:
        text = (
            "macros: [{name: <A>, macro: 'a{b|c}'}]\n"
            "elements: [{id: e, synonyms: ['ben{z|s}', '<A>x', plain], values: {v: ['x{y}']}}]"
        )
        found = data(text)
        assert found["macros"] == {"<A>": "a {b|c}"}
        assert found["elements"][0]["synonyms"] == ["ben {z|s}", "<A> x", "plain"]
        assert found["elements"][0]["values"] == {"v": ["x {y}"]}
        note = notes_of(text)["synonyms"]
        assert "'a{b|c}' → 'a {b|c}' (and 3 more)" in note.reason

    def test_alternatives_left_empty_do_not_count(self) -> None:
        text = (
            "macros: [{name: <A>, macro: '{sleet|}'}]\n"
            "elements: [{id: e, synonyms: ['{rain||snow} x', '{ | hail}', '{a\\||b}', '<A> y']}]"
        )
        found = data(text)
        assert found["macros"] == {"<A>": "{sleet}"}
        assert found["elements"][0]["synonyms"] == ["{rain|snow} x", "{hail}", "{a\\||b}", "<A> y"]
        note = notes_of(text)["synonyms"]
        assert note.kind == "changed"
        assert "left empty does not count: '{sleet|}' → '{sleet}' (and 2 more)" in note.reason
        assert parse_model(text).elements[0].phrases[""][1:3] == (("rain x",), ("snow x",))

    def test_a_star_alone_is_nothing_in_files_up_to_0_7(self) -> None:
        text = (
            "macros: [{name: <A>, macro: '{whole|*}'}]\n"
            "elements: [{id: e, synonyms: ['<A> { * |big} house', '//a{|*}// 2*2 {b\\*|c}']}]"
        )
        found = data(text)
        assert found["macros"] == {"<A>": "{whole|_}"}
        assert found["elements"][0]["synonyms"] == [
            "<A> { _ |big} house",
            "//a{|*}// 2*2 {b\\*|c}",
        ]
        assert "'{whole|*}' → '{whole|_}' (and 1 more)" in notes_of(text)["synonyms"].reason

    def test_a_star_is_a_sign_in_a_file_that_has_an_underscore(self) -> None:
        text = "elements: [{id: e, synonyms: ['{a|_} b'], values: {times: ['{*|x}']}}]"
        assert data(text)["elements"][0]["values"] == {"times": ["{*|x}"]}
        assert data("elements: [{type: e, synonyms: ['{*|x}']}]", "1.0")["elements"] == [
            {"id": "e", "synonyms": ["{*|x}"]}
        ]

    def test_there_is_no_note_where_blanks_are_written(self) -> None:
        assert "synonyms" not in notes_of("elements: [{id: e, synonyms: ['ben {z|s} <A> x']}]")

    def test_of_two_macros_of_one_name_the_later_one_holds(self) -> None:
        text = "macros: [{name: <A>, macro: x}, {name: <A>, macro: y}]"
        assert data(text)["macros"] == {"<A>": "y"}
        assert notes_of(text)["macros[1]"].kind == "changed"


class TestLimits:
    def test_those_of_anaphora_are_taken_over(self) -> None:
        text = (
            "minWords: 2\nmaxWords: 20\nminNonStopwords: 1\nmaxFreeWords: 4\n"
            "suspiciousWords: [hack]\nmaxSuspiciousWords: 1\nswearWordsAllowed: true\n"
            "isNotLatinCharsetAllowed: true\nnoUserTokensAllowed: false\n"
        )
        assert data(text)["limits"] == {
            "min_words": 2,
            "max_words": 20,
            "min_content_words": 1,
            "max_free_words": 4,
            "suspicious_words": ["hack"],
            "max_suspicious_words": 1,
            "swear_words_allowed": True,
            "latin_only": False,
            "min_entities": 1,
        }

    def test_the_defaults_of_0_9_are_written_out_and_reported(self) -> None:
        assert data(ELEMENT)["limits"] == {
            "min_words": 1,
            "max_words": 50,
            "latin_only": True,
            "swear_words_allowed": False,
        }
        notes = notes_of(ELEMENT)
        assert {notes[key].kind for key in ("maxWords", "notLatinCharsetAllowed")} == {"changed"}
        assert data("suspiciousWords: [x]")["limits"]["max_suspicious_words"] == 0

    def test_1_0_has_none(self) -> None:
        assert "limits" not in data(ELEMENT, "1.0")

    def test_their_greatest_number_is_no_limit(self) -> None:
        assert "max_free_words" not in data(f"maxFreeWords: {2**31 - 1}")["limits"]

    def test_the_number_of_synonyms_is_a_limit_only_where_it_is_an_error(self) -> None:
        assert "max_synonyms" not in data("maxElementSynonyms: 9")
        assert notes_of("maxElementSynonyms: 9")["maxElementSynonyms"].kind == "ignored"
        strict = "maxElementSynonyms: 9\nmaxSynonymsThresholdError: true"
        assert data(strict)["max_synonyms"] == 9

    @pytest.mark.parametrize(
        ("key", "value", "harmless"),
        [
            ("maxUnknownWords", 3, 2**31 - 1),
            ("minTokens", 1, 0),
            ("maxTokens", 3, 50),
            ("nonEnglishAllowed", "false", "true"),
            ("isNoNounsAllowed", "false", "true"),
            ("dupSynonymsAllowed", "false", "true"),
            ("maxTotalSynonyms", 100, 2**31 - 1),
            ("jiggleFactor", 2, 0),
        ],
    )
    def test_what_has_no_effect_is_reported_unless_it_has_none_there_either(
        self, key: str, value: object, harmless: object
    ) -> None:
        assert notes_of(f"{key}: {value}")[key].kind == "ignored"
        assert key not in notes_of(f"{key}: {harmless}")


class TestTheLanguage:
    @pytest.mark.parametrize(
        ("name", "language"), [("lamps_fr", "fr"), ("lamps-RU", "ru"), ("lamps_en", None)]
    )
    def test_the_name_of_the_file_may_tell_it(self, name: str, language: str | None) -> None:
        root = translate(tree(ELEMENT), "1.0", name=name).root
        assert to_data(root).get("language") == language

    def test_cyrillic_synonyms_are_russian(self) -> None:
        text = "macros: {<LONG_NAME>: свет}\nelements: [{type: e, synonyms: [лампа ok]}]"
        assert data(text, "1.0")["language"] == "ru"
        assert notes_of(text, "1.0")["language"].kind == "changed"

    def test_else_it_is_english_and_there_is_no_note(self) -> None:
        assert "language" not in data("elements: [{type: свет, synonyms: [lamp]}]", "1.0")

    def test_what_the_file_says_stands(self) -> None:
        text = "language: uk\nmaxWords: 3\nelements: [{id: e, synonyms: [світло]}]"
        assert data(text)["language"] == "uk"
