"""The description of the API: it tells everything that the API does, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient

from anaphora import Engine
from anaphora.server.app import create_app
from anaphora.server.auth.keys import ALL_SCOPES, generate_key
from anaphora.server.problems import MEDIA_TYPE, PROBLEM_TYPES
from anaphora.server.settings.model import Settings
from tests.server.conftest import Shop
from tests.server.routes.test_security import OPEN

KEY, KEPT = generate_key("tester", scopes=ALL_SCOPES)
EXAMPLES = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
# A time zone and a language are more than texts of some length, and no schema can tell.
LEFT_OUT = [positive_data_acceptance]

load_all_checks()


@pytest.fixture(scope="module")
def apps(_shop: Shop) -> Iterator[dict[str, FastAPI]]:
    kinds = {"open": (), "locked": (KEPT,)}
    apps = {
        name: create_app(Settings(keys=keys), engine=_shop.engine) for name, keys in kinds.items()
    }
    with TestClient(apps["open"]), TestClient(apps["locked"]):
        yield apps


def try_all(app: FastAPI, *, key: str = "") -> int:
    """Send what fits the description, and what does not; the number of operations tried."""
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    operations = [found.ok() for found in schema.get_all_operations()]
    headers = {"X-API-Key": key} if key else {}
    for operation in operations:
        fitting, unfitting = (
            operation.as_strategy(generation_mode=mode) for mode in schemathesis.GenerationMode
        )

        @EXAMPLES
        @given(fitting | unfitting)
        def check(case: Case) -> None:
            case.call_and_validate(headers=headers, excluded_checks=LEFT_OUT)

        check()
    return len(operations)


def test_whatever_is_sent_is_answered_as_described(apps: dict[str, FastAPI]) -> None:
    assert try_all(apps["open"]) == 43


def test_so_it_is_with_a_key(apps: dict[str, FastAPI]) -> None:
    assert try_all(apps["locked"], key=KEY) == 43


def test_so_it_is_without_one(apps: dict[str, FastAPI]) -> None:
    assert try_all(apps["locked"]) == 43


class TestDescription:
    @pytest.fixture
    def told(self, engine: Engine) -> dict[str, Any]:
        described: dict[str, Any] = create_app(Settings(), engine=engine).openapi()
        return described

    def test_it_is_served(self, api: TestClient) -> None:
        response = api.get("/openapi.json")
        assert response.headers["content-type"] == "application/json"
        assert response.json()["openapi"].startswith("3.1")

    def test_the_names_of_operations_make_good_names_of_functions(
        self, told: dict[str, Any]
    ) -> None:
        ours = [
            one["operationId"]
            for path, methods in told["paths"].items()
            for one in methods.values()
            if not path.startswith("/nlpcraft")
        ]
        assert ours == [
            "ask",
            "dialog",
            "askEvents",
            "explain",
            "showConversation",
            "forget",
            "showActiveModel",
            "switchModel",
            "resetActiveModel",
            "showHistory",
            "recall",
            "eraseUser",
            "listModels",
            "showModel",
            "reloadModel",
            "checkModel",
            "listAgents",
            "sendMessage",
            "notifyAgent",
            "showCore",
            "editBlock",
            "editMemory",
            "showQueue",
            "showSteps",
            "showUsage",
            "recallAgent",
            "searchArchive",
            "addToArchive",
            "removeFromArchive",
            "showGraph",
            "showKey",
            "health",
            "ready",
            "metrics",
        ]

    def test_every_operation_says_what_it_does_and_how_it_fails(self, told: dict[str, Any]) -> None:
        for path, methods in told["paths"].items():
            for method, one in methods.items():
                assert one["summary"], path
                assert len(one["description"]) > 20, path
                assert "200" in one["responses"], path
                if path.startswith("/nlpcraft"):
                    continue
                for status, answer in one["responses"].items():
                    if status == "200":
                        continue
                    examples = answer["content"][MEDIA_TYPE]["examples"]
                    assert {str(PROBLEM_TYPES[kind].status) for kind in examples} == {status}
                assert bool(one.get("security")) == ((method, path) not in OPEN)

    def test_every_body_has_a_name(self, told: dict[str, Any]) -> None:
        bodies = [
            operation["requestBody"]["content"]["application/json"]["schema"]
            for methods in told["paths"].values()
            for operation in methods.values()
            if "requestBody" in operation
        ]
        names = {body["$ref"].rpartition("/")[2] for body in bodies}
        assert len(bodies) > len(names)  # some operations share one
        assert names == {
            *("AgentDocument", "AgentEvent", "AgentMessage", "BlockValue"),
            *("Dialog", "MemoryValue", "ModelChoice", "Question"),
            *(f"Nlpcraft{name}" for name in ("Ask", "Cancel", "Check", "Clear", "SignIn", "Token")),
        }

    def test_every_parameter_is_described(self, told: dict[str, Any]) -> None:
        parameters = [
            one
            for methods in told["paths"].values()
            for operation in methods.values()
            for one in operation.get("parameters", ())
        ]
        assert len(parameters) == 60
        assert all(one["description"] for one in parameters)

    def test_keys_are_needed_where_there_are_any(self, engine: Engine) -> None:
        for keys, schemes in (((), 3), ((KEPT,), 2)):
            told = create_app(Settings(keys=keys), engine=engine).openapi()
            assert len(told["paths"]["/v1/ask"]["post"]["security"]) == schemes
        assert set(told["components"]["securitySchemes"]) == {"bearer", "apiKey"}

    def test_all_references_lead_somewhere(self, told: dict[str, Any]) -> None:
        text = json.dumps(told)
        for part in text.split('"$ref": "#/components/schemas/')[1:]:
            assert part.partition('"')[0] in told["components"]["schemas"]
        assert text.count('"$ref": "#/') == text.count('"$ref": "#/components/schemas/')

    def test_a_service_behind_a_path_says_so(self, engine: Engine) -> None:
        with TestClient(create_app(Settings(), engine=engine), root_path="/bots") as api:
            assert api.get("/openapi.json").json()["servers"] == [{"url": "/bots"}]
            assert api.get("/bots/health").status_code == 200
