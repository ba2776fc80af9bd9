"""A language model behind a chat-completions endpoint: OpenAI, llama.cpp, vLLM, Ollama, …"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from anaphora.chat_model.answers import RawAnswer, new_call_id, read_answer
from anaphora.chat_model.calling.described import (
    build_response_format,
    describe_tools,
    join_same_roles,
    render_plain,
)
from anaphora.chat_model.calling.lenient import parse_answer
from anaphora.chat_model.calling.protocol import render_messages, render_tools
from anaphora.chat_model.endpoint import Endpoint
from anaphora.chat_model.messages import ChatMessage, Completion, ToolCall, ToolSchema, Usage
from anaphora.chat_model.problems import RequestRefused
from anaphora.chat_model.token_counter import PromptCount, TokenCounter
from anaphora.errors import ChatModelError, ContextLengthError

__all__ = ["ChatModel"]

_MAX_TOKENS = 1024  # of an answer
_TEMPLATE_TIMEOUT = 5.0  # seconds
_NEXT_FORM = {"tools": "json", "json": "text"}


class ChatModel:
    """The ``model`` of the endpoint at ``url`` ("http://localhost:8080/v1"), which reads at most
    ``window`` tokens and writes at most ``max_tokens`` of them (default: 1024, or a quarter of a
    smaller window).

    ``calls`` is the way of calling functions: "tools" of the protocol, "json" constrained by a
    schema, or "text" that is searched for calls; "auto" takes the first that the endpoint accepts,
    and remembers it. ``api_key`` defaults to ``$OPENAI_API_KEY``. A completion takes at most
    ``timeout`` seconds, with up to ``max_retries`` repetitions if the service is busy or
    unreachable. ``options`` are added to the body of each request.

    Its methods may be called from several threads. Raises :class:`ChatModelError` if httpx is
    missing, and for an invalid URL or key.
    """

    def __init__(
        self,
        url: str,
        model: str = "",
        *,
        window: int = 8192,
        max_tokens: int | None = None,
        calls: Literal["auto", "tools", "json", "text"] = "auto",
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 2,
        options: Mapping[str, Any] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint = Endpoint(
            url,
            model,
            api_key=api_key,
            max_retries=max_retries,
            sleep=sleep,
            monotonic=monotonic,
        )
        self._counter = TokenCounter(self._endpoint, model, monotonic=monotonic)
        self.model, self.name = model, model or self._endpoint.display_url
        self.window, self.timeout = window, timeout
        self.max_tokens = min(_MAX_TOKENS, window // 4) if max_tokens is None else max_tokens
        self._options, self._monotonic = dict(options or {}), monotonic
        self._form: str = "tools" if calls == "auto" else calls
        self._is_form_fixed = calls != "auto"
        self._knows_template = self._is_form_fixed
        # What the endpoint has refused before, and is sent otherwise since.
        self._limit_name = "max_tokens"
        self._asks_for_usage = True
        self._joins_roles = False

    def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSchema] = (),
        *,
        max_tokens: int | None = None,
        timeout: float | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Completion:
        """Return the model's answer to ``messages``, which may call ``tools``.

        Pieces of the text are passed to ``on_text`` as they come; the text of an answer that may
        hold calls (in the forms "json" and "text") is passed when it is complete.

        Raises :class:`ContextLengthError` if the prompt is too long,
        :class:`ChatModelUnavailable` if the endpoint is unreachable, silent or busy, and another
        :class:`ChatModelError` if it refuses the request or its answer cannot be used.
        """
        begun, total = self._monotonic(), self.timeout if timeout is None else timeout
        if tools and not self._knows_template:
            self._check_template(tools)
        while True:
            form = self._form
            whole = bool(tools) and form != "tools"  # the text is known when the answer ends
            body = self._build_body(form, messages, tools, max_tokens or self.max_tokens)
            if on_text is not None and not whole:
                body["stream"] = True
                if self._asks_for_usage:
                    body["stream_options"] = {"include_usage": True}
            left = max(0.0, total - (self._monotonic() - begun))
            try:
                decoded = self._endpoint.complete(body, timeout=total, total=left, on_text=on_text)
            except RequestRefused as refusal:
                self._counter.reconnect()
                if not self._adapt(refusal, form, tools):
                    raise
                continue
            except ContextLengthError:
                self._counter.reconnect()
                raise
            self._counter.reconnect()
            completion = self._read(decoded, form, messages, tools, begun)
            streamed = "stream" in body and decoded.get("streamed")
            if on_text is not None and not streamed and completion.content:
                on_text(completion.content)
            return completion

    @property
    def is_cut_off(self) -> bool:
        """Whether the endpoint did not answer when it was last asked to count tokens. Until it
        answers again, counts are estimates, which may be twice as high."""
        return self._counter.is_cut_off

    def reconnect(self) -> None:
        """Ask the endpoint to count tokens again, though it did not answer last time."""
        self._counter.reconnect()

    def count(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema] = ()) -> int:
        """Return the tokens of a prompt, never fewer than the endpoint will count."""
        return self._count(self._form, messages, tools).total

    def count_text(self, text: str) -> int:
        """Return the tokens of a text, never fewer than the endpoint will count."""
        return self._counter.count_text(text)

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _check_template(self, tools: Sequence[ToolSchema]) -> None:
        """Find out whether the chat template shows tools to the model.

        llama.cpp accepts them with any template, and drops them if it knows no place for them.
        """
        messages = [{"role": "user", "content": "?"}]
        try:
            answer = self._endpoint.ask(
                "/apply-template",
                {"messages": messages, "tools": render_tools(tools[:1])},
                timeout=_TEMPLATE_TIMEOUT,
            )
        except ChatModelError:  # the completion itself reports it, or the endpoint is back
            return
        prompt = answer.get("prompt") if isinstance(answer, dict) else None
        if isinstance(prompt, str) and tools[0].name not in prompt and self._form == "tools":
            self._form = "json"
        self._knows_template = True

    def _build_body(
        self,
        form: str,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSchema],
        max_tokens: int,
    ) -> dict[str, Any]:
        rendered = _render(form, messages, tools)
        if self._joins_roles or form != "tools":
            rendered = join_same_roles(rendered)
        body = {**self._options, "messages": rendered, self._limit_name: max_tokens}
        if self.model:
            body["model"] = self.model
        if tools and form == "tools":
            body["tools"] = render_tools(tools)
        elif tools and form == "json":
            body["response_format"] = build_response_format(tools)
        return body

    def _adapt(self, refusal: RequestRefused, form: str, tools: Sequence[ToolSchema]) -> bool:
        """Leave out what the endpoint refuses; tell whether the request is worth repeating."""
        reason = refusal.reason.lower()
        if "max_completion_tokens" in reason and self._limit_name == "max_tokens":
            self._limit_name = "max_completion_tokens"
        elif "stream_options" in reason and self._asks_for_usage:
            self._asks_for_usage = False
        elif "alternate" in reason and not self._joins_roles:
            self._joins_roles = True
        elif tools and not self._is_form_fixed and _refuses(form, reason):
            if self._form == form:  # another thread may have changed it
                self._form = _NEXT_FORM[form]
        else:
            return False
        return True

    def _read(
        self,
        decoded: Mapping[str, Any],
        form: str,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSchema],
        begun: float,
    ) -> Completion:
        try:
            answer = read_answer(decoded)
        except ValueError as error:
            problem = f"its answer is not a chat completion: {error}"
            raise ChatModelError(self._endpoint.describe(problem)) from error
        counted = self._count(form, messages, tools)
        if answer.prompt_tokens is not None:
            self._counter.learn(counted, answer.prompt_tokens)
        usage = Usage(
            counted.total if answer.prompt_tokens is None else answer.prompt_tokens,
            self._count_answer(answer)
            if answer.completion_tokens is None
            else answer.completion_tokens,
            1,
            self._monotonic() - begun,
        )
        content, calls, reason = answer.content, answer.calls, answer.finish_reason
        # Servers without a parser for their model leave its calls in the text.
        if tools and not calls and (form != "tools" or _is_tool_call(content)):
            parsed = parse_answer(content, {tool.name for tool in tools})
            content = parsed.content
            calls = tuple(ToolCall(new_call_id(), *call) for call in parsed.calls)
            if calls and reason == "stop":
                reason = "tool_calls"
        return Completion(content, calls, reason, usage)

    def _count(
        self, form: str, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema]
    ) -> PromptCount:
        declared = render_tools(tools) if form == "tools" else ()
        return self._counter.count_prompt(_render(form, messages, tools), declared)

    def _count_answer(self, answer: RawAnswer) -> int:
        texts = [answer.content, *(call.name + call.arguments for call in answer.calls)]
        return sum(map(self.count_text, texts))


def _render(
    form: str, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema]
) -> list[dict[str, Any]]:
    """Return the messages as they are sent in this form, before adjacent roles are joined."""
    if form == "tools":
        return render_messages(messages)
    rendered: list[dict[str, Any]] = [*render_plain(messages)]
    if tools:
        # First, because servers process a prompt from its first change on.
        rendered.insert(0, {"role": "system", "content": describe_tools(tools, form)})
    return rendered


def _is_tool_call(content: str) -> bool:
    """Whether a text is nothing but calls, instead of quoting one."""
    text = content.strip()
    return text.startswith("<tool_call>") and text.endswith("</tool_call>")


def _refuses(form: str, reason: str) -> bool:
    """Tell whether a refusal is about this way of calling functions."""
    words = {"tools": ("tool", "function"), "json": ("response_format", "schema", "grammar")}
    return any(word in reason for word in words.get(form, ()))
