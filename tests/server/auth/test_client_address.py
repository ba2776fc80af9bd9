"""From which address a request comes."""

from __future__ import annotations

import pytest

from anaphora.server.auth.client_address import client_address, client_network
from tests.server.sample_bots import http_scope

INNER = ("10.0.0.0/8", "::1")


def come(client: str | None, *said: str, trusted: tuple[str, ...] = INNER) -> str:
    connection = http_scope("GET", "/") | {"client": client and (client, 1)}
    connection["headers"] = [(b"x-forwarded-for", it.encode()) for it in said]
    return client_address(connection, trusted)


@pytest.mark.parametrize(
    ("client", "said", "address"),
    [
        ("1.2.3.4", ["9.9.9.9"], "1.2.3.4"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["1.2.3.4"], "1.2.3.4"),
        ("10.0.0.1", ["9.9.9.9, 1.2.3.4, 10.0.0.2"], "1.2.3.4"),
        ("10.0.0.1", ["9.9.9.9", "1.2.3.4"], "1.2.3.4"),
        ("10.0.0.1", ["1.2.3.4:5678"], "1.2.3.4"),
        ("10.0.0.1", ["[2001:db8::7]:80"], "2001:db8::7"),
        ("10.0.0.1", ["2001:DB8::7"], "2001:db8::7"),
        ("10.0.0.1", ["1.2.3.4, unknown"], "10.0.0.1"),
        ("10.0.0.1", ["1.2.3.4, unknown, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["", ",,"], "10.0.0.1"),
        ("10.0.0.1", ["10.0.0.3"], "10.0.0.3"),
        ("::1", ["1.2.3.4"], "1.2.3.4"),
        ("::ffff:10.0.0.1", ["1.2.3.4"], "1.2.3.4"),
        ("testclient", ["1.2.3.4"], "testclient"),
        (None, ["1.2.3.4"], ""),
    ],
)
def test_what_trusted_proxies_say_is_believed_and_nothing_else(
    client: str | None, said: list[str], address: str
) -> None:
    assert come(client, *said) == address


def test_nobody_is_trusted_unless_the_settings_say_so() -> None:
    assert come("10.0.0.1", "1.2.3.4", trusted=()) == "10.0.0.1"


def test_everyone_may_be() -> None:
    assert come("9.9.9.9", "1.2.3.4, 5.6.7.8", trusted=("*",)) == "1.2.3.4"
    assert come(None, "1.2.3.4", trusted=("*",)) == "1.2.3.4"


def test_a_household_has_one_name() -> None:
    assert client_network("2001:db8::1") == client_network("2001:db8::ffff:1")
    assert client_network("2001:db8:0:1::1") != client_network("2001:db8::1")
    assert client_network("::ffff:1.2.3.4") == client_network("1.2.3.4") == "1.2.3.4"
    assert client_network("1.2.3.5") != client_network("1.2.3.4")
    assert client_network("a socket") == "a socket"
