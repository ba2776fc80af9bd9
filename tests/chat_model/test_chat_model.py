"""Completions by a real HTTP endpoint, which plays a script."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from anaphora.chat_model.chat_model import ChatModel
from anaphora.chat_model.messages import ChatMessage, ToolCall, ToolSchema, Usage
from anaphora.errors import ChatModelError, ChatModelUnavailable, ContextLengthError
from tests.support.chat_endpoint import ScriptedEndpoint, call, calls, count_prompt, fault, say
from tests.support.forked_process import run_forked

KEY = "sk-very-secret"
LOOKUP = ToolSchema(
    "lookup",
    "Look up the weather of a city.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
QUESTION = [ChatMessage("system", "Be brief."), ChatMessage("user", "Is it sunny in Kyoto?")]
FORMS = ("tools", "json", "text")


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint() as started:
        yield started


@pytest.fixture
def pauses() -> list[float]:
    """What the model waited, in seconds; none of it is really waited."""
    return []


@pytest.fixture
def model(endpoint, pauses) -> Iterator[ChatModel]:
    opened = ChatModel(endpoint.url, "some-model", api_key=KEY, sleep=pauses.append)
    yield opened
    opened.close()


def test_a_model_answers_with_text(model, endpoint):
    endpoint.play([say("Yes.")])
    answer = model.complete(QUESTION, max_tokens=50)
    assert (answer.content, answer.calls, answer.finish_reason) == ("Yes.", (), "stop")
    (body,) = endpoint.requests
    assert body == {
        "model": "some-model",
        "max_tokens": 50,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Is it sunny in Kyoto?"},
        ],
    }
    assert endpoint.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_model_calls_functions_and_gets_their_results(endpoint, form, streamed):
    endpoint.play(
        [
            calls(
                call("lookup", {"city": "Kyoto"}, thought="Look."), call("lookup", {"city": "京"})
            ),
            say("It is sunny in Kyoto."),
        ]
    )
    shown: list[str] = []
    on_text = shown.append if streamed else None
    model = ChatModel(endpoint.url, calls=form)
    asked = model.complete(QUESTION, [LOOKUP], on_text=on_text)
    assert [(one.name, json.loads(one.arguments)) for one in asked.calls] == [
        ("lookup", {"city": "Kyoto"}),
        ("lookup", {"city": "京"}),
    ]
    assert (asked.content, asked.finish_reason) == ("Look.", "tool_calls")
    first, second = asked.calls
    assert first.id != second.id
    dialog = [
        *QUESTION,
        ChatMessage("assistant", asked.content, asked.calls),
        ChatMessage("tool", "sunny", tool_call_id=first.id),
        ChatMessage("tool", '{"sky": "grey"}', tool_call_id=second.id),
    ]
    answer = model.complete(dialog, [LOOKUP], on_text=on_text)
    assert (answer.content, answer.calls) == ("It is sunny in Kyoto.", ())
    assert "".join(shown) == ("Look.It is sunny in Kyoto." if streamed else "")
    model.close()


def test_the_protocol_has_calls_and_results_as_messages_of_their_own(model, endpoint):
    endpoint.play([say("Yes.")])
    asked = (ToolCall("c1", "lookup", '{"city": "Kyoto"}'), ToolCall("c2", "lookup", "{city: "))
    answered = [ChatMessage("tool", "sunny", tool_call_id="c1"), ChatMessage("tool", "?", (), "c2")]
    model.complete([*QUESTION, ChatMessage("assistant", "", asked), *answered], [LOOKUP])
    (body,) = endpoint.requests
    assert body["tools"][0]["function"]["parameters"] == LOOKUP.parameters
    assistant, *results = body["messages"][2:]
    assert [one["id"] for one in assistant["tool_calls"]] == ["c1", "c2"]
    # Chat templates parse arguments, and fail if they are no object.
    assert [json.loads(one["function"]["arguments"]) for one in assistant["tool_calls"]] == [
        {"city": "Kyoto"},
        {"malformed": "{city: "},
    ]
    assert [(one["role"], one["tool_call_id"]) for one in results] == [
        ("tool", "c1"),
        ("tool", "c2"),
    ]


@pytest.mark.parametrize("form", ["json", "text"])
def test_calls_and_results_are_json_in_plain_messages(endpoint, form):
    endpoint.play([say("Yes.")])
    asked = ChatMessage("assistant", "Look.", (ToolCall("c1", "lookup", '{"city": "Kyoto"}'),))
    result = ChatMessage("tool", '{"sky": "sunny"}', tool_call_id="c1")
    with ScriptedEndpoint([say("Yes.")]) as endpoint:
        model = ChatModel(endpoint.url, calls=form)
        model.complete([*QUESTION, asked, result, ChatMessage("user", "Well?")], [LOOKUP])
        model.close()
    (body,) = endpoint.requests
    system, user, assistant, last = body["messages"]
    assert [one["role"] for one in (system, user, assistant, last)] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert "lookup: Look up the weather of a city." in system["content"]
    assert json.loads(assistant["content"]) == {
        "thought": "Look.",
        "calls": [{"name": "lookup", "arguments": {"city": "Kyoto"}}],
    }
    envelope, _, said = last["content"].partition("\n\n")
    assert json.loads(envelope) == {
        "type": "function_result",
        "id": "c1",
        "name": "lookup",
        "result": {"sky": "sunny"},
    }
    assert said == "Well?"
    assert ("response_format" in body) == (form == "json")


@pytest.mark.parametrize(
    ("tools", "schema", "form"),
    [(True, True, "tools"), (False, True, "json"), (False, False, "text")],
)
def test_the_first_form_that_the_endpoint_takes_is_found_and_remembered(tools, schema, form):
    script = lambda body: call("lookup", {"city": "Kyoto"})  # noqa: E731
    with ScriptedEndpoint(script, tools=tools, json_schema=schema) as endpoint:
        model = ChatModel(endpoint.url)
        for _ in range(2):
            (called,) = model.complete(QUESTION, [LOOKUP]).calls
            assert called.name == "lookup"
        model.close()
    assert len(endpoint.requests) == FORMS.index(form) + 2
    assert ("tools" in endpoint.requests[-1]) == (form == "tools")
    assert ("response_format" in endpoint.requests[-1]) == (form == "json")


def test_a_template_that_drops_tools_is_found_out():
    script = [call("lookup", {"city": "Kyoto"})]
    with ScriptedEndpoint(script, template="<{role}>{content}") as endpoint:
        model = ChatModel(endpoint.url)
        (called,) = model.complete(QUESTION, [LOOKUP]).calls
        model.close()
    assert called.name == "lookup"
    assert "response_format" in endpoint.requests[0]


def test_a_form_that_was_chosen_is_not_changed():
    with ScriptedEndpoint(tools=False) as endpoint:
        model = ChatModel(endpoint.url, calls="tools")
        with pytest.raises(ChatModelError, match="does not support tools"):
            model.complete(QUESTION, [LOOKUP])
        model.close()


def test_newer_names_of_limits_are_found(model, endpoint):
    message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    endpoint.play([fault("400", message), say("Yes."), say("No.")])
    model.complete(QUESTION)
    model.complete(QUESTION)
    assert "max_tokens" in endpoint.requests[0]
    assert all("max_completion_tokens" in body for body in endpoint.requests[1:])


def test_adjacent_messages_of_one_role_are_joined_for_templates_that_refuse_them(model, endpoint):
    refusal = "Conversation roles must alternate user/assistant/user/assistant/..."
    endpoint.play([fault("400", refusal), say("Yes.")])
    model.complete([ChatMessage("assistant", "Hi."), *QUESTION, ChatMessage("user", "Well?")])
    assert [one["role"] for one in endpoint.requests[1]["messages"]] == [
        "user",
        "assistant",
        "user",
    ]
    assert endpoint.requests[1]["messages"][2]["content"].endswith("Kyoto?\n\nWell?")


@pytest.mark.parametrize("arguments", ["{city: Kyoto", "", "[1]"])
def test_malformed_arguments_are_passed_on(model, endpoint, arguments):
    endpoint.play([call("lookup", arguments)])
    (called,) = model.complete(QUESTION, [LOOKUP]).calls
    assert called.arguments == arguments


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("kind", ["not-json", "empty-choices", "html"])
def test_nonsense_is_reported_at_once(model, endpoint, kind, streamed):
    endpoint.play([fault(kind)])
    with pytest.raises(
        ChatModelError, match=r"\(some-model\): its answer is not a chat completion"
    ):
        model.complete(QUESTION, on_text=print if streamed else None)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("kind", ["close", "half-stream", "429", "status 500", "status 503"])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_failures_that_pass_are_retried(model, endpoint, pauses, kind, streamed):
    endpoint.play([fault(kind), fault(kind), say("Yes.")])
    assert model.complete(QUESTION, on_text=print if streamed else None).content == "Yes."
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1


def test_a_service_that_stays_busy_is_unavailable(model, endpoint):
    endpoint.play(lambda body: fault("429", f"Slow down, {KEY}."))
    with pytest.raises(ChatModelUnavailable) as caught:
        model.complete(QUESTION)
    assert str(caught.value) == (
        f"the chat model {endpoint.url}/chat/completions (some-model): "
        "it answered 429: Slow down, …."
    )
    assert len(endpoint.requests) == 3


def test_a_stream_that_breaks_off_after_text_was_shown_is_not_repeated(model, endpoint):
    endpoint.play([say("It is") + fault("half-stream"), say("Yes.")])
    shown: list[str] = []
    with pytest.raises(ChatModelError, match="broke off"):
        model.complete(QUESTION, on_text=shown.append)
    assert shown == ["It is"]
    assert len(endpoint.requests) == 1


def test_a_hanging_endpoint_ends_with_the_timeout(endpoint):
    endpoint.play(lambda body: fault("hang"))
    model = ChatModel(endpoint.url, sleep=lambda seconds: None)
    begun = time.monotonic()
    with pytest.raises(ChatModelUnavailable, match=r"no answer within 0\.3 seconds"):
        model.complete(QUESTION, timeout=0.3)
    assert time.monotonic() - begun < 10
    assert len(endpoint.requests) == 1
    model.close()


def test_nobody_at_the_address_is_unavailable(pauses):
    model = ChatModel("http://127.0.0.1:9/v1", sleep=pauses.append)
    with pytest.raises(ChatModelUnavailable, match="it cannot be reached"):
        model.complete(QUESTION, [LOOKUP])
    assert len(pauses) == 2
    model.close()


def test_a_prompt_longer_than_the_window_is_reported_with_both_lengths():
    with ScriptedEndpoint(window=10) as endpoint:
        model = ChatModel(endpoint.url)
        with pytest.raises(ContextLengthError, match="shorten the prompt") as caught:
            model.complete(QUESTION)
        model.close()
    assert caught.value.window == 10
    assert caught.value.prompt_tokens == count_prompt(endpoint.requests[0])
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("status", "message", "window"),
    [
        (
            "400",
            "This model's maximum context length is 8,192 tokens. However, you requested 9000.",
            8192,
        ),
        (
            "400",
            "The decoder prompt (length 5000) is longer than the maximum model length of 4096",
            4096,
        ),
        ("500", "the input length exceeds the context length", 0),
        ("400", "prompt is too long: 210000 tokens > 200000 maximum", 200000),
    ],
    ids=["OpenAI", "vLLM", "Ollama", "Anthropic"],
)
def test_endpoints_say_it_in_their_own_words(model, endpoint, status, message, window):
    endpoint.play([fault(status, message)])
    with pytest.raises(ContextLengthError) as caught:
        model.complete(QUESTION)
    assert caught.value.window == window
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_usage_is_what_the_endpoint_counts(model, endpoint, streamed):
    endpoint.play(lambda body: say("Yes, it is."))
    on_text = print if streamed else None
    total = sum((model.complete(QUESTION, on_text=on_text).usage for _ in range(2)), Usage())
    assert total.prompt_tokens == 2 * count_prompt(endpoint.requests[0])
    assert (total.completion_tokens, total.calls) == (10, 2)
    assert total.seconds > 0


def test_usage_is_estimated_where_the_endpoint_counts_nothing():
    with ScriptedEndpoint([say("Yes, it is.")], reports_usage=False) as endpoint:
        model = ChatModel(endpoint.url)
        usage = model.complete(QUESTION).usage
        assert usage.prompt_tokens == model.count(QUESTION) >= count_prompt(endpoint.requests[0])
        assert usage.completion_tokens >= 5
        model.close()


def test_threads_share_a_model(endpoint, model):
    endpoint.play(lambda body: say(body["messages"][0]["content"]))
    with ThreadPoolExecutor(8) as pool:
        texts = [f"message {number}" for number in range(40)]
        answers = pool.map(lambda text: model.complete([ChatMessage("user", text)]).content, texts)
        assert list(answers) == texts


def test_a_forked_process_opens_connections_of_its_own(endpoint, model):
    endpoint.play(lambda body: say("Yes."))
    model.complete(QUESTION)
    assert run_forked(lambda: int(model.complete(QUESTION).content != "Yes.")) == 0
    assert model.complete(QUESTION).content == "Yes."


@pytest.mark.parametrize("url", ["", "localhost:8080", "ftp://host/v1"])
def test_invalid_addresses_are_refused(url):
    with pytest.raises(ChatModelError, match="is a URL like https://"):
        ChatModel(url)
