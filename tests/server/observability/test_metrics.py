"""Metrics, as Prometheus reads them: of one process, and of several together."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from anaphora.server.observability.metrics import MULTIPROCESS_DIR_VARIABLE, Metrics
from anaphora.version import __version__


@pytest.fixture
def metrics(monkeypatch: pytest.MonkeyPatch) -> Metrics:
    monkeypatch.delenv(MULTIPROCESS_DIR_VARIABLE, raising=False)
    return Metrics()


def read(text: bytes) -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels, in the order of their names."""
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def test_what_happened_is_counted_by_what_became_of_it(metrics: Metrics) -> None:
    for seconds in (0.002, 0.3):
        metrics.observe_question("weather", "matched", seconds)
    metrics.observe_question("weather", "rejected", 0.001)
    metrics.count_failure("handler-failed")
    metrics.observe_request("/v1/ask", "POST", 200, 0.004)
    metrics.observe_store("open", 0.0001)
    found = read(metrics.render())
    assert found["anaphora_question_seconds_count", "weather", "matched"] == 2
    assert found["anaphora_question_seconds_sum", "weather", "matched"] == pytest.approx(0.302)
    assert found["anaphora_question_seconds_bucket", "0.005", "weather", "matched"] == 1
    assert found["anaphora_question_seconds_count", "weather", "rejected"] == 1
    assert found["anaphora_failures_total", "handler-failed"] == 1
    assert found["anaphora_request_seconds_count", "200", "POST", "/v1/ask"] == 1
    assert found["anaphora_store_seconds_count", "open"] == 1
    assert found["anaphora_info", __version__] == 1


def test_two_services_in_one_process_count_for_themselves(metrics: Metrics) -> None:
    metrics.count_failure("conflict")
    assert ("anaphora_failures_total", "conflict") not in read(Metrics().render())


def test_the_memory_of_the_process_is_told(metrics: Metrics) -> None:
    assert read(metrics.render())["process_resident_memory_bytes",] > 1_000_000


COUNT = """
from anaphora.server.observability.metrics import Metrics
metrics = Metrics()
metrics.observe_question("weather", "matched", 0.5)
metrics.count_failure("conflict")
print(metrics.render().decode())
"""


def test_several_processes_are_added_up_though_one_has_ended(tmp_path: Path) -> None:
    env = os.environ | {MULTIPROCESS_DIR_VARIABLE: str(tmp_path)}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", COUNT], env=env, check=True, capture_output=True
        )
    found = read(done.stdout)
    assert found["anaphora_question_seconds_count", "weather", "matched"] == 2
    assert found["anaphora_question_seconds_bucket", "+Inf", "weather", "matched"] == 2
    assert found["anaphora_failures_total", "conflict"] == 2
    assert found["anaphora_info", __version__] == 1
