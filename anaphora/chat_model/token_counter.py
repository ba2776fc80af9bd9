"""Token counts of prompts: by the server's tokenizer where it has one, else by an estimate."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import ceil, inf
from typing import Any

from anaphora.chat_model.endpoint import Endpoint
from anaphora.chat_model.token_estimate import estimate_tokens
from anaphora.errors import ChatModelError
from anaphora.storage.forks import fork_safe_lock

__all__ = ["PromptCount", "TokenCounter"]

_CACHED_COUNTS = 1 << 16
_TIMEOUT = 5.0  # seconds for one text
_RETRY_AFTER = 60.0  # seconds until a silent tokenizer is asked again
_PER_MESSAGE = 8  # tokens of a role and its marks: ChatML 5, Llama 3 5, Gemma 5
_PER_PROMPT = 32  # tokens of the beginning and the end: Llama 3 writes two dates
_PER_CALL = 24  # tokens of the marks around a call or a declaration
_PER_TOOLS = 160  # tokens of the instructions that templates add to declarations
_LONG_PROMPT = 400  # tokens of text from which an estimate can be compared with a count


@dataclass(frozen=True, slots=True)
class PromptCount:
    """The tokens of a prompt: those of its text, and those that the chat template adds."""

    text: int
    template: int
    messages: int
    with_tools: bool

    @property
    def total(self) -> int:
        return self.text + self.template


class TokenCounter:
    """Counts tokens of texts and prompts for one endpoint, never too few; thread-safe.

    What a chat template adds to a message is measured where the server applies it on request
    (llama.cpp), and raised when an answer reports a longer prompt than counted.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        model: str = "",
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint, self._model, self._monotonic = endpoint, model, monotonic
        self._lock = fork_safe_lock()
        self._counts: OrderedDict[bytes, int] = OrderedDict()
        self._tokenizer: Callable[[str], int | None] | None = None
        self._next_probe = -inf  # when the server is asked for a tokenizer
        self._per_message, self._per_tools = _PER_MESSAGE, _PER_TOOLS
        self._factor = 1.0  # of estimates

    def count_text(self, text: str) -> int:
        """Return the tokens of a text, or more."""
        if not text:
            return 0
        key = blake2b(text.encode("utf-8", "replace"), digest_size=12).digest()
        with self._lock:
            known = self._counts.get(key)
            if known is not None:
                self._counts.move_to_end(key)
                return known
        tokenizer = self._find_tokenizer()
        count = self._count_by(tokenizer, text) if tokenizer else None
        if count is None:
            return ceil(self._factor * estimate_tokens(text))
        with self._lock:
            self._counts[key] = count
            while len(self._counts) > _CACHED_COUNTS:
                self._counts.popitem(last=False)
        return count

    def count_prompt(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()
    ) -> PromptCount:
        """Count messages and declared functions in the form of the protocol."""
        text, calls = 0, len(tools)
        for message in messages:
            text += self.count_text(message["content"])
            for call in message.get("tool_calls", ()):
                calls += 1
                function = call["function"]
                text += self.count_text(function["name"]) + self.count_text(function["arguments"])
        # Templates indent declarations.
        text += sum(ceil(1.3 * self.count_text(json.dumps(tool, indent=1))) for tool in tools)
        template = _PER_PROMPT + self._per_message * len(messages) + _PER_CALL * calls
        return PromptCount(
            text, template + (self._per_tools if tools else 0), len(messages), bool(tools)
        )

    def learn(self, counted: PromptCount, reported: int) -> None:
        """Raise later counts if the endpoint reports more tokens of a prompt than counted."""
        excess = reported - counted.total
        if excess <= 0:
            return
        with self._lock:
            if self._tokenizer is None and counted.text >= _LONG_PROMPT:
                self._factor *= (reported - counted.template) / counted.text
            elif counted.with_tools:
                self._per_tools += excess
            else:
                self._per_message += ceil(excess / max(counted.messages, 1))

    def _find_tokenizer(self) -> Callable[[str], int | None] | None:
        """Return the server's tokenizer, ``None`` if it has none or does not answer now."""
        with self._lock:
            if self._monotonic() < self._next_probe:
                return None
            if self._tokenizer is not None:
                return self._tokenizer
        try:
            for tokenizer in (self._tokenize_llama, self._tokenize_vllm):
                if tokenizer("a b") is not None:
                    per_message = self._measure_template(tokenizer)
                    with self._lock:
                        self._tokenizer = tokenizer
                        self._per_message = max(per_message, self._per_message)
                    return tokenizer
            wait = inf
        except ChatModelError:  # it may be starting
            wait = _RETRY_AFTER
        with self._lock:
            self._next_probe = self._monotonic() + wait
        return None

    def _count_by(self, tokenizer: Callable[[str], int | None], text: str) -> int | None:
        try:
            return tokenizer(text)
        except ChatModelError:
            with self._lock:
                self._next_probe = self._monotonic() + _RETRY_AFTER
            return None

    def _tokenize_llama(self, text: str) -> int | None:
        answer = self._endpoint.ask("/tokenize", {"content": text}, timeout=_TIMEOUT)
        tokens = answer.get("tokens") if isinstance(answer, dict) else None
        return len(tokens) if isinstance(tokens, list) else None

    def _tokenize_vllm(self, text: str) -> int | None:
        body = {"prompt": text, "add_special_tokens": False}
        if self._model:
            body["model"] = self._model
        answer = self._endpoint.ask("/tokenize", body, timeout=_TIMEOUT)
        count = answer.get("count") if isinstance(answer, dict) else None
        return count if type(count) is int else None

    def _measure_template(self, tokenizer: Callable[[str], int | None]) -> int:
        """Return the tokens that the template adds to a message; 0 if the server does not say."""
        lengths = []
        for pairs in (1, 3):
            messages = [{"role": role, "content": "a"} for role in ("user", "assistant")] * pairs
            answer = self._endpoint.ask("/apply-template", {"messages": messages}, timeout=_TIMEOUT)
            prompt = answer.get("prompt") if isinstance(answer, dict) else None
            lengths.append(tokenizer(prompt) if isinstance(prompt, str) else None)
        if lengths[0] is None or lengths[1] is None:
            return 0
        return ceil((lengths[1] - lengths[0]) / 4)  # with the one token of the content
