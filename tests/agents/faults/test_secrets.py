"""Secrets are in nothing that is stored, shown, streamed, raised or logged."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora import ChatModelError
from anaphora.agents.execution.stream_mask import StreamMask
from tests.agents.prompts import prompt_text, tell
from tests.support.chat_endpoint import call, fault, say

SECRETS = ["sk-live-1", "sk-live-12345", 'pa"ss\\word9', "пароль77"]


def _bytes_of(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("secret", SECRETS)
def test_what_the_model_says_and_writes(endpoint, agent, tmp_path, secret):
    escaped = json.dumps({"message": f"It is {secret}."})  # with \\u and \\"
    block = json.dumps({"name": "human", "content": secret, "request_heartbeat": True})
    play = endpoint([call("core_memory_append", block), call("send_message", escaped)])
    steps = []
    ann = agent(play, secrets=SECRETS)
    answer = ann.send(f"I know {secret}", on_step=steps.append)
    assert answer.text == "It is …."
    assert secret not in str(answer) + str(steps) + str(ann.state())
    ann.close()
    stored = _bytes_of(tmp_path)
    for form in (secret, json.dumps(secret)[1:-1]):
        assert form.encode() not in stored


def test_results_of_functions_with_their_errors(endpoint, agent, caplog):
    def leak() -> dict[str, str]:
        """Return a secret."""
        return {"a\nb": 'pa"ss\\word9'}

    def fail() -> None:
        """Fail with a secret."""
        raise RuntimeError("bad key sk-live-12345")

    caplog.set_level(logging.DEBUG, "anaphora.agents")
    play = endpoint([call("leak", {}), call("fail", {}), tell("Done.")])
    ann = agent(play, secrets=SECRETS, functions=[leak, fail])
    ann.send("Go")
    assert "word9" not in prompt_text(play)
    assert "sk-live" not in prompt_text(play) + caplog.text


def test_errors_of_the_endpoint(endpoint, agent):
    play = endpoint([fault("status 401", "bad key sk-live-12345")])
    with pytest.raises(ChatModelError) as caught:
        agent(play, secrets=SECRETS).send("Hi")
    assert "sk-live" not in str(caught.value)
    assert "…" in str(caught.value)


def test_text_that_is_streamed_word_by_word(endpoint, agent):
    pieces: list[str] = []
    play = endpoint([say("The key is sk-live-12345, and sk-live is its beginning.")])
    agent(play, secrets=SECRETS).send("Hi", on_text=pieces.append)
    assert "".join(pieces) == "The key is …, and sk-live is its beginning."


@given(
    text=st.text("abc", max_size=60),
    secrets=st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=3),
    sizes=st.lists(st.integers(1, 9), max_size=60),
)
def test_pieces_of_any_size(text, secrets, sizes):
    secrets = sorted(secrets, key=len, reverse=True)
    whole, shown, left = text, [], iter(sizes)
    mask = StreamMask(shown.append, secrets)
    while text:
        size = next(left, 1)
        mask(text[:size])
        text = text[size:]
    mask.flush()
    pieces = "".join(shown).split("…")
    assert not [secret for secret in secrets for piece in pieces if secret in piece]
    if not any(secret in whole for secret in secrets):
        assert "".join(shown) == whole
