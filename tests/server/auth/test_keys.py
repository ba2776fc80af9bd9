"""Keys: made once, kept as hashes, held against what was sent."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from anaphora.server.auth import keys
from anaphora.server.auth.keys import InvalidKeyError, KeyRing, generate_key
from tests.conftest import Clock

TEXT, KEPT = generate_key("web", tenant="acme", scopes=("ask",), user="ann", rate="5/minute")
RING = KeyRing([KEPT], lambda: datetime.now(UTC))


def test_a_new_key_opens_what_it_was_made_for() -> None:
    key = RING.verify(TEXT)
    assert (key.id, key.tenant, key.scopes, key.user) == ("web", "acme", {"ask"}, "ann")
    assert key.rate == "5/minute"


def test_only_its_hash_is_kept() -> None:
    assert KEPT.hash == "sha256:" + sha256(TEXT.encode()).hexdigest()
    assert TEXT.rpartition("_")[2] not in KEPT.model_dump_json()


def test_no_two_keys_are_the_same() -> None:
    assert generate_key("web")[0] != generate_key("web")[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ana_",
        "ana_web",
        "ana_web_",
        "ana_other_" + TEXT.rpartition("_")[2],
        TEXT + "0",
        TEXT[:-1],
        TEXT.upper(),
        TEXT.removeprefix("ana_"),
        " " + TEXT,
        TEXT + "\0",
        KEPT.hash,
        KEPT.hash.removeprefix("sha256:"),
        TEXT + "x" * 100_000,
        "ana_\ud800_x",
    ],
    ids=lambda _: "text",  # a key is another one in each process
)
def test_nothing_else_does(text: str) -> None:
    with pytest.raises(InvalidKeyError, match="not a key of this service"):
        RING.verify(text)


@given(st.integers(0, len(TEXT) - 1), st.characters())
def test_a_key_with_one_other_character_is_none(place: int, char: str) -> None:
    text = TEXT[:place] + char + TEXT[place + 1 :]
    if text != TEXT:
        with pytest.raises(InvalidKeyError):
            RING.verify(text)


def test_a_key_expires_at_its_moment(clock: Clock) -> None:
    text, kept = generate_key("web", expires=clock.now + timedelta(hours=1))
    ring = KeyRing([kept], clock)
    clock.pass_time(minutes=59, seconds=59)
    assert ring.verify(text).id == "web"
    clock.pass_time(seconds=1)
    with pytest.raises(InvalidKeyError, match="the key 'web' has expired"):
        ring.verify(text)


def test_a_wrong_key_does_not_learn_that_the_right_one_has_expired(clock: Clock) -> None:
    text, kept = generate_key("web", expires=clock.now)
    with pytest.raises(InvalidKeyError, match="not a key of this service"):
        KeyRing([kept], clock).verify(text + "0")


@pytest.mark.parametrize(
    "text", [TEXT, TEXT + "0", "ana_unknown_0", "nonsense", ""], ids=lambda _: "text"
)
def test_hashes_are_compared_in_constant_time_also_for_an_unknown_id(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    compared = []

    def compare(one: str, other: str) -> bool:
        compared.append((len(one), len(other)))
        return hmac.compare_digest(one, other)

    class Spied:
        compare_digest = staticmethod(compare)

    monkeypatch.setattr(keys, "hmac", Spied)
    try:
        RING.verify(text)
    except InvalidKeyError:
        assert text != TEXT
    assert compared == [(64, 64)]


@pytest.mark.parametrize("id", ["", "a_b", "a b", "-a", "a" * 65, "ä"])
def test_an_id_that_could_not_be_read_back_is_refused(id: str) -> None:
    with pytest.raises(ValidationError):
        generate_key(id)
