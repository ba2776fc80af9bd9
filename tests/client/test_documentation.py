"""The pages of the API and of the client: their examples run against a service with the model
``cafe``.

What is marked ``<!-- served -->`` finds it at ``http://localhost:8080``, or makes one of its own;
what it prints is what its comments say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

import anaphora.client
from anaphora import Agent, Engine, LongTermMemory
from anaphora.chat_model.chat_model import ChatModel
from anaphora.client import Client
from anaphora.server.app import create_app
from anaphora.server.problems import PROBLEM_TYPES
from anaphora.server.settings.model import MemorySettings, Settings
from tests.client.test_service import serving
from tests.documentation.examples import ROOT, Example, page_examples
from tests.support.chat_endpoint import Reply, ScriptedEndpoint, call, calls

PAGE, API = (ROOT / "docs" / f"{name}.md" for name in ("client", "server"))
EXAMPLES = [one for page in (PAGE, API) for one in page_examples(page) if one.kind == "served"]
ADDRESS = "http://localhost:8080"


def answer(body: dict[str, Any]) -> Reply:
    """Play the language model of the agent on the pages."""
    said = json.loads(body["messages"][-1]["content"])["message"]
    if found := re.search(r"I'm (\w+)", said):
        saved = call("core_memory_append", {"name": "human", "content": f"Name: {found[1]}."})
        return calls(saved, call("send_message", {"message": f"Hello, {found[1]}!"}))
    if "dream" in said:
        return call("send_message", {"message": "Only of golden temples."})
    return call("send_message", {"message": "I do not know yet."})


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    settings = Settings(memory=MemorySettings(url="memory:"), fallback="ada")
    with (
        ScriptedEndpoint(answer) as endpoint,
        closing(ChatModel(endpoint.url)) as model,
        Engine("cafe", long_term=LongTermMemory("memory:")) as engine,
        Agent(model, name="ada") as ada,
        serving(create_app(settings, engine=engine, agents=[ada])) as url,
    ):
        yield url


@pytest.mark.parametrize("example", EXAMPLES, ids=map(str, EXAMPLES))
def test_the_examples_print_what_their_comments_say(
    example: Example, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(example.text.replace(ADDRESS, url), str(example), "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    expected = re.findall(r"^ *print\(.*\) +# (.+)$", example.text, re.MULTILINE)
    assert printed == expected or (printed and not expected)


def test_no_example_goes_unexecuted() -> None:
    assert {one.kind for page in (PAGE, API) for one in page_examples(page)} == {"served"}


def test_every_method_and_every_error_is_told_of() -> None:
    text = PAGE.read_text(encoding="utf-8")
    methods = [name for name in vars(Client) if not name.startswith("_") and name != "close"]
    errors = [
        name
        for name in anaphora.client.__all__
        if isinstance(found := getattr(anaphora.client, name), type)
        and issubclass(found, Exception)
    ]
    assert len(errors) > 8
    for name in (*(f"{method}(" for method in methods), *errors):
        assert f"`{name}" in text, name


def test_every_endpoint_and_every_problem_is_told_of() -> None:
    text = API.read_text(encoding="utf-8")
    described = create_app(Settings(models=("cafe",), nlpcraft=False)).openapi()
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"`{method.upper()} {path}`" in text
    for slug, kind in PROBLEM_TYPES.items():
        assert f"| `{slug}` | {kind.status} |" in text
