"""Token counts of prompts: by the endpoint's tokenizer, else by an estimate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.chat_model.chat_model import ChatModel
from anaphora.chat_model.messages import ChatMessage, ToolCall, ToolSchema
from anaphora.chat_model.token_estimate import estimate_tokens
from tests.support.chat_endpoint import ScriptedEndpoint, count_prompt, count_words, say

DIALOG = [ChatMessage("system", "Be brief."), ChatMessage("user", "Is it sunny in Kyoto?")]
TOOL = ToolSchema("lookup", "Look up.", {"type": "object", "properties": {}})
TOKENS_OF_GEMMA = {  # counted by llama.cpp with Gemma 3
    "The quick brown fox jumps over the lazy dog, while an uncharacteristically "
    "internationalized organization deliberates about responsibilities.": 24,
    "Die Geschwindigkeitsbegrenzung wurde außerhalb geschlossener Ortschaften "
    "überraschenderweise aufgehoben.": 22,
    "Chrząszcz brzmi w trzcinie w Szczebrzeszynie, a źdźbło trawy drży na wietrze.": 34,
    "Съешь же ещё этих мягких французских булок, да выпей чаю. "
    "Достопримечательности Санкт-Петербурга.": 27,
    "Ο καιρός στην Αθήνα είναι σήμερα ηλιόλουστος και αύριο θα βρέξει.": 24,
    "מזג האוויר היום שמשי בתל אביב ומחר יירד גשם": 21,
    "आज दिल्ली में मौसम साफ है और कल बारिश होगी।": 11,
    "วันนี้อากาศแจ่มใสในกรุงเทพฯ และพรุ่งนี้ฝนจะตก": 17,
    "今天东京的天气晴朗,明天可能会下雨,请带好雨伞。": 18,
    "今日の京都の天気は晴れですが、明日は雨が降るでしょう。": 17,
    "오늘 서울의 날씨는 맑고 내일은 비가 올 것입니다.": 17,
    "3141592653589793 2026-11-24 03:05": 33,
}


@pytest.mark.parametrize("text", TOKENS_OF_GEMMA)
def test_the_estimate_is_not_below_a_real_tokenizer(text):
    assert TOKENS_OF_GEMMA[text] <= estimate_tokens(text) <= 7 * TOKENS_OF_GEMMA[text]


@given(st.text(), st.text())
def test_the_estimate_does_not_shrink_with_more_text(text, more):
    assert estimate_tokens(f"{text}\n{more}") >= max(estimate_tokens(text), 1)


@pytest.mark.parametrize("tokenizer", ["llama", "vllm"])
def test_the_tokenizer_of_the_endpoint_is_used_once_for_each_text(tokenizer):
    with ScriptedEndpoint(tokenizer=tokenizer) as endpoint:
        model = ChatModel(endpoint.url, "m")
        for _ in range(3):
            assert model.count_text("Is it sunny in Kyoto?") == 6
            model.count(DIALOG)
        model.close()
    assert endpoint.tokenized.count("Is it sunny in Kyoto?") == 1
    assert endpoint.tokenized.count("Be brief.") == 1


def test_an_endpoint_without_tokenizer_is_asked_once():
    with ScriptedEndpoint() as endpoint:
        model = ChatModel(endpoint.url)
        assert model.count_text("Is it sunny?") == estimate_tokens("Is it sunny?")
        endpoint.tokenizer = "llama"
        model.count_text("Is it grey?")
        model.close()
    assert endpoint.tokenized == []


def test_a_server_that_still_loads_is_asked_again_after_a_minute():
    now = [0.0]
    with ScriptedEndpoint(tokenizer="llama") as endpoint:
        model = ChatModel(endpoint.url, monotonic=lambda: now[0])
        endpoint.loading = True
        assert model.count_text("uncharacteristically") == estimate_tokens("uncharacteristically")
        endpoint.loading = False
        now[0] = 61.0
        assert model.count_text("uncharacteristically") == 1
        model.close()


@pytest.mark.parametrize("tokenizer", ["llama", ""])
def test_a_prompt_is_never_counted_too_short(tokenizer):
    called = ChatMessage("assistant", "Look.", (ToolCall("c1", "lookup", '{"city": "Kyoto"}'),))
    dialog = [*DIALOG, called, ChatMessage("tool", "sunny", tool_call_id="c1")]
    with ScriptedEndpoint(lambda body: say("Yes."), tokenizer=tokenizer) as endpoint:
        model = ChatModel(endpoint.url)
        for messages in (DIALOG, dialog, dialog * 20):
            counted = model.count(messages, [TOOL])
            model.complete(messages, [TOOL])
            assert counted >= count_prompt(endpoint.requests[-1])
        model.close()


def test_counts_rise_when_the_endpoint_reports_a_longer_prompt(monkeypatch):
    with ScriptedEndpoint(lambda body: say("Yes."), tokenizer="llama") as endpoint:
        model = ChatModel(endpoint.url)
        before = model.count(DIALOG)
        monkeypatch.setattr("tests.support.chat_endpoint.count_prompt", lambda body: before + 100)
        model.complete(DIALOG)
        assert model.count(DIALOG) >= before + 100
        model.close()


def test_the_marks_of_a_template_are_measured():
    template = "<<<< {role} >>>> {content} <<<< >>>>"
    with ScriptedEndpoint(tokenizer="llama", template=template) as endpoint:
        model = ChatModel(endpoint.url)
        dialog = [ChatMessage("user", "Hi."), ChatMessage("assistant", "Ho.")] * 20
        written = "".join(
            template.format(role=message.role, content=message.content) for message in dialog
        )
        assert model.count(dialog) >= len(count_words(written))
        model.close()


TOOLS = [
    ToolSchema(
        f"search_{kind}",
        f"Search the {kind} of the user for what matters to the question, best matches first.",
        {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "what to look for, in any words"},
                "page": {"type": "integer", "default": 0, "minimum": 0},
            },
            "required": ["query"],
        },
    )
    for kind in ("history", "archive", "calendar", "mail", "files")
]


def test_the_first_reported_length_tells_the_size_of_declared_functions():
    """An estimate of declarations is high: a report of the endpoint lowers it, not below the
    truth."""
    with ScriptedEndpoint(lambda body: say("Yes.")) as endpoint:
        model = ChatModel(endpoint.url)
        before = model.count(DIALOG, TOOLS)
        model.complete(DIALOG, TOOLS)
        real = count_prompt(endpoint.requests[-1])
        assert real <= model.count(DIALOG, TOOLS) < before
        longer = [*DIALOG, ChatMessage("assistant", "Yes."), ChatMessage("user", "Sure?")] * 9
        model.complete(longer, TOOLS)
        assert model.count(longer, TOOLS) >= count_prompt(endpoint.requests[-1])
        model.close()


def test_a_report_that_leaves_out_cached_tokens_lowers_nothing(monkeypatch):
    with ScriptedEndpoint(lambda body: say("Yes.")) as endpoint:
        model = ChatModel(endpoint.url)
        before = model.count(DIALOG, TOOLS)
        monkeypatch.setattr("tests.support.chat_endpoint.count_prompt", lambda body: 20)
        model.complete(DIALOG, TOOLS)
        assert model.count(DIALOG, TOOLS) == before
        model.close()


def test_a_lowered_count_rises_again_with_a_longer_report(monkeypatch):
    with ScriptedEndpoint(lambda body: say("Yes.")) as endpoint:
        model = ChatModel(endpoint.url)
        model.complete(DIALOG, TOOLS)
        more = model.count(DIALOG, TOOLS) + 300
        monkeypatch.setattr("tests.support.chat_endpoint.count_prompt", lambda body: more)
        model.complete(DIALOG, TOOLS)
        assert model.count(DIALOG, TOOLS) >= more
        model.close()


def test_a_server_that_answers_again_is_asked_again():
    with ScriptedEndpoint(lambda body: say("Yes."), tokenizer="llama") as endpoint:
        model = ChatModel(endpoint.url)
        endpoint.loading = True
        assert model.count_text("uncharacteristically") > 1
        assert model.is_cut_off
        endpoint.loading = False
        model.complete(DIALOG)
        assert not model.is_cut_off
        assert model.count_text("uncharacteristically") == 1
        model.close()
