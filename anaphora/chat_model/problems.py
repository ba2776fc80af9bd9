"""What an endpoint says when it refuses a request: its message, with a hint what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from anaphora.chat_model.urls import API_KEY_VARIABLE
from anaphora.errors import ChatModelError, ChatModelUnavailable, ContextLengthError

__all__ = ["RequestRefused", "describe_publicly", "describe_status", "find_context_error"]

_MAX_REASON_LENGTH = 300  # characters of an error message of the service
_HINTS = {
    401: f"give a valid key, or set ${API_KEY_VARIABLE}",
    403: "this key may not use this model",
    404: "check that the URL is complete (it often ends in /v1) and that the model exists there",
    413: "send less",
}
# OpenAI and vLLM: "maximum context length is …"; llama.cpp: "exceed_context_size_error"; Ollama:
# "the input length exceeds the context length"; Anthropic: "prompt is too long"; Gemini: "input
# token count … exceeds".
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|maximum model length"
    r"|exceeds? the (?:available |maximum )?context (?:size|length|window)"
    r"|prompt is too long|input token count.*exceeds",
    re.IGNORECASE | re.DOTALL,
)
_WINDOW = re.compile(
    r'"n_ctx": ?(\d+)|(?:maximum context length|maximum model length)(?: is| of)? (\d+)'
    r"|context (?:size|length|window) \((\d+)|(?:> |tokens allowed \()(\d+)",
    re.IGNORECASE,
)
_PROMPT = re.compile(
    r'"n_prompt_tokens": ?(\d+)|(?:requested|resulted in|contains at least) (\d+)'
    r"|decoder prompt \(length (\d+)|prompt is too long: (\d+)",
    re.IGNORECASE,
)
_FEATURES = re.compile(
    r"\btools?\b|tool_|function call|response_format|json_schema|grammar|stream_options"
    r"|max_tokens|max_completion_tokens|alternate|roles? ",
    re.IGNORECASE,
)


class RequestRefused(ChatModelError):  # noqa: N818 - reads as a state
    """The endpoint refuses a request with an HTTP ``status`` (0: within an answer) and says why."""

    def __init__(self, message: str, status: int, reason: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason

    def names_a_feature(self) -> bool:
        """Tell whether the reason names something of the request that could be left out."""
        return _FEATURES.search(self.reason) is not None


def describe_publicly(error: ChatModelError) -> str:
    """Describe an error for people who may not know the endpoint: without its address, and without
    its own words, which may name it."""
    match error:
        case ChatModelUnavailable():
            return "the language model is not available"
        case ContextLengthError():
            return "the prompt is longer than the window of the language model"
        case RequestRefused(status=status) if status:
            return f"the language model refused the request (status {status})"
        case RequestRefused():
            return "the language model refused the request"
        case _:
            return "the language model gave no usable answer"


def describe_status(status: int, answer: bytes, hints: Mapping[int, str]) -> tuple[str, str]:
    """Describe an error status, with the service's message and a hint; and that message alone."""
    message: Any = None
    with suppress(ValueError, RecursionError):
        message = json.loads(answer)
        # {"error": {"message": …}}, {"error": …}, or {"message": …} (vLLM), {"detail": …} (FastAPI)
        for name in ("error", "message", "detail"):
            if isinstance(message, dict):
                message = message.get(name, message)
    if isinstance(message, list):  # FastAPI: what is wrong with each field
        message = json.dumps(message, ensure_ascii=False)
    reason = " ".join(message.split()) if isinstance(message, str) else ""
    hint = hints.get(status, _HINTS.get(status))
    parts = [f"it answered {status}" if status else "it answered an error"]
    parts += [text for text in (reason[:_MAX_REASON_LENGTH], hint) if text]
    return ": ".join(parts), reason


def find_context_error(
    status: int, reason: str, answer: bytes, message: str
) -> ContextLengthError | None:
    """Return the error of a prompt that is longer than the window, if that is the problem."""
    text = answer[: 1 << 14].decode("utf-8", "replace")
    if status not in (0, 400, 413, 422, 500) or not _TOO_LONG.search(text):
        return None
    return ContextLengthError(
        f"{message}: shorten the prompt, or set window to what the endpoint takes",
        window=_find_number(_WINDOW, text),
        prompt_tokens=_find_number(_PROMPT, text),
    )


def _find_number(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text.replace(",", "") if "," in text else text)
    return int(next(filter(None, found.groups()))) if found else 0
