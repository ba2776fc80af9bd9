"""Token counts of prompts: by the server's tokenizer where it has one, else by an estimate."""

from __future__ import annotations

import json
import re
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
_ESTIMATE = b"estimate "  # of a key in the cache
_TIMEOUT = 5.0  # seconds for one text
_RETRY_AFTER = 60.0  # seconds until a silent tokenizer is asked again
_PER_MESSAGE = 8  # tokens of a role and its marks: ChatML 5, Llama 3 5, Gemma 5
_PER_PROMPT = 32  # tokens of the beginning and the end: Llama 3 writes two dates
_PER_DECLARATION = 24  # tokens of the marks around a declaration
_PER_CALL = 40  # tokens of the marks around a call, if a template writes it as the protocol does
_PER_TOOLS = 160  # tokens of the instructions that templates add to declarations
_LONG_PROMPT = 400  # tokens of text from which an estimate can be compared with a count
_CACHED_DECLARATIONS = 1 << 8  # sets of functions
_INDENTED = 1.05  # tokens of a declaration that is indented by 4 (Llama 3), in those by 1
_DECLARATION_MARGIN = 1.05  # of a count that was derived from a reported length
_LONGEST_TOKEN = 8  # characters of JSON: a reported length with longer ones leaves something out
_WORD = re.compile(r"\S*[^\W\d_]\S*")  # takes one token or more


@dataclass(frozen=True, slots=True)
class PromptCount:
    """The tokens of a prompt: those of its text, of the declared functions (``tools``, which
    ``tools_key`` identifies), and those that the chat template adds. The messages have ``words``
    words."""

    text: int
    tools: int
    template: int
    messages: int
    words: int
    tools_key: bytes

    @property
    def total(self) -> int:
        return self.text + self.tools + self.template


class TokenCounter:
    """Counts tokens of texts and prompts for one endpoint, never too few; thread-safe.

    What a chat template adds to a message is measured where the server applies it on request
    (llama.cpp), and raised when an answer reports a longer prompt than counted. Declarations of
    functions are measured in the same way, and where that is not possible, derived from the first
    length that is reported of a prompt with them.
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
        self._per_message = _PER_MESSAGE
        self._factor = 1.0  # of estimates
        self._declarations: OrderedDict[bytes, int] = OrderedDict()  # tokens by a digest

    @property
    def is_cut_off(self) -> bool:
        """Whether counts are estimates because the server did not answer when it was last asked."""
        with self._lock:
            return self._monotonic() < self._next_probe < inf

    def reconnect(self) -> None:
        """Ask the server again, though it did not answer last time."""
        with self._lock:
            if self._next_probe < inf:
                self._next_probe = -inf

    def count_text(self, text: str) -> int:
        """Return the tokens of a text, or more."""
        if not text:
            return 0
        key = blake2b(text.encode("utf-8", "replace"), digest_size=12).digest()
        if (known := self._recall(key)) is not None:
            return known
        tokenizer = self._find_tokenizer()
        count = self._count_by(tokenizer, text) if tokenizer else None
        if count is not None:
            return self._remember(key, count)
        estimate = self._recall(_ESTIMATE + key)  # 0.3 ms for a system message
        if estimate is None:
            estimate = self._remember(_ESTIMATE + key, estimate_tokens(text))
        return ceil(self._factor * estimate)

    def _recall(self, key: bytes) -> int | None:
        with self._lock:
            known = self._counts.get(key)
            if known is not None:
                self._counts.move_to_end(key)
            return known

    def _remember(self, key: bytes, count: int) -> int:
        with self._lock:
            self._counts[key] = count
            while len(self._counts) > _CACHED_COUNTS:
                self._counts.popitem(last=False)
        return count

    def count_prompt(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()
    ) -> PromptCount:
        """Count messages and declared functions in the form of the protocol."""
        text, words, calls = 0, 0, 0
        for message in messages:
            text += self.count_text(message["content"])
            words += len(_WORD.findall(message["content"]))
            for call in message.get("tool_calls", ()):
                calls += 1
                function = call["function"]
                text += self.count_text(function["name"])
                text += self.count_text(json.dumps(function["arguments"], ensure_ascii=False))
        template = _PER_PROMPT + self._per_message * len(messages) + _PER_CALL * calls
        declared, key = self._count_tools(tools) if tools else (0, b"")
        return PromptCount(text, declared, template, len(messages), words, key)

    def learn(self, counted: PromptCount, reported: int) -> None:
        """Raise later counts if the endpoint reports more tokens of a prompt than counted. Lower
        that of declared functions if it reports less than the prompt would have with it."""
        excess = reported - counted.total
        with self._lock:
            if excess > 0:
                if self._tokenizer is None and counted.text >= _LONG_PROMPT:
                    text = counted.text + counted.tools
                    factor = (reported - counted.template) / text
                    self._factor *= factor
                    self._declare(counted.tools_key, ceil(factor * counted.tools))
                elif counted.tools:
                    self._declare(counted.tools_key, counted.tools + excess)
                else:
                    self._per_message += ceil(excess / max(counted.messages, 1))
            elif counted.tools:
                derived = ceil(_DECLARATION_MARGIN * (reported - counted.words))
                if counted.tools // 4 <= derived < counted.tools:
                    self._declare(counted.tools_key, derived)

    def _count_tools(self, tools: Sequence[Mapping[str, Any]]) -> tuple[int, bytes]:
        """Return the tokens of declared functions, and a key by which :meth:`learn` finds them."""
        text = json.dumps(tools)
        key = blake2b(text.encode("utf-8", "replace"), digest_size=12).digest()
        with self._lock:
            known = self._declarations.get(key)
        if known is None:
            measured = self._measure_tools(tools)
            known = self._estimate_tools(tools) if measured is None else measured
            if not self.is_cut_off:
                with self._lock:
                    self._declare(key, known)
        return known, key

    def _estimate_tools(self, tools: Sequence[Mapping[str, Any]]) -> int:
        marks = _PER_TOOLS + _PER_DECLARATION * len(tools)
        if self._find_tokenizer() is None:
            # Twice what a tokenizer makes of it: more than it makes of the indented form.
            return marks + sum(self.count_text(json.dumps(tool)) for tool in tools)
        indented = (self.count_text(json.dumps(tool, indent=1)) for tool in tools)
        return marks + sum(ceil(_INDENTED * count) for count in indented)

    def _declare(self, key: bytes, count: int) -> None:
        if key:
            self._declarations[key] = count
            self._declarations.move_to_end(key)
            while len(self._declarations) > _CACHED_DECLARATIONS:
                self._declarations.popitem(last=False)

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

    def _measure_tools(self, tools: Sequence[Mapping[str, Any]]) -> int | None:
        """Return the tokens that the template makes of declared functions; ``None`` if the server
        does not say, or shows none of them to the model."""
        tokenizer = self._find_tokenizer()
        if tokenizer is None:
            return None
        body = {"messages": [{"role": "user", "content": "a"}]}
        lengths = []
        try:
            for shown in (body, body | {"tools": [*tools]}):
                answer = self._endpoint.ask("/apply-template", shown, timeout=_TIMEOUT)
                prompt = answer.get("prompt") if isinstance(answer, dict) else None
                lengths.append(tokenizer(prompt) if isinstance(prompt, str) else None)
        except ChatModelError:
            return None
        if lengths[0] is None or lengths[1] is None or lengths[1] <= lengths[0] + len(tools):
            return None
        return lengths[1] - lengths[0] + _PER_TOOLS

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
