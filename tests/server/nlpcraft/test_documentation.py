"""The page on NLPCraft's REST API shows what the service answers."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from anaphora import Engine
from anaphora.server.nlpcraft import state_store, states
from anaphora.server.nlpcraft.errors import _CODES as CODES
from tests.documentation.examples import ROOT, page_examples
from tests.server.nlpcraft.api_client import SHOP, SHOP_KEY, running_api

PAGE = ROOT / "docs" / "nlpcraft-rest.md"
EXAMPLES = [example for example in page_examples(PAGE) if example.language == "http"]


@pytest.fixture(scope="module")
def api():
    with running_api(Engine("sales"), SHOP_KEY) as api:
        yield api.with_key(SHOP)


def test_requests_are_answered_as_the_page_shows_from_top_to_bottom(api):
    """``…`` stands for any value, KEY for the key and ID for the question enlisted last."""
    id = ""
    for example in EXAMPLES:
        request, expected = example.text.replace("KEY", SHOP).split("\n\n")
        (method, path), body = request.split("\n", 1)[0].split(), request.split("\n", 1)[1]
        status, answer = expected.split("\n", 1)
        if path.endswith("/check"):
            api.ready(id, usrId=7)
        response = api.client.request(
            method,
            path,
            content=body.replace("ID", id),
            headers={"content-type": "application/json"},
        )
        found = response.json()
        id = found.get("srvReqId", id)
        assert response.status_code == int(status), (str(example), response.text)
        assert like(found, json.loads(answer.replace('"ID"', f'"{id}"'))), (str(example), found)


def like(found: Any, shown: Any) -> bool:
    if isinstance(shown, dict) and isinstance(found, dict):
        return found.keys() == shown.keys() and all(
            like(found[name], value) for name, value in shown.items()
        )
    if isinstance(shown, list) and isinstance(found, list):
        return len(found) == len(shown) and all(map(like, found, shown))
    return shown in ("…", found)


def test_the_page_has_examples_of_all_that_is_said_with_them() -> None:
    paths = re.findall(r"^POST \S+/v1/(\S+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {*paths} == {"ask", "ask/sync", "check", "clear/conversation"}


def test_the_table_of_errors_has_every_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| (\d+) \| `(\w+)`", text, re.MULTILINE))
    ours = {(str(status), code) for status, code in CODES.values()}
    assert rows == ours | {("401", "NC_SIGNIN_FAILURE"), ("501", "NC_NOT_IMPLEMENTED")}


def test_the_bounds_on_the_page_are_those_that_hold() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"longer than {states._MAX_RESULT_LENGTH:,} characters" in text
    assert (
        f"at most {state_store._MAX_WAITING} questions that wait, and {state_store._MAX_STATES}"
        in text
    )
    assert state_store.STATE_TTL.total_seconds() == 600
    assert state_store._WORKER_TIMEOUT.total_seconds() == 60
