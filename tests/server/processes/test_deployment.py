"""What is told of deployment fits the service: settings are read, paths are served, ports meet,
files exist. No container runs here."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from anaphora.cli import app
from anaphora.server.app import create_app
from anaphora.server.settings.loader import list_variables, load_settings
from anaphora.server.settings.model import Settings
from tests.documentation.examples import page_examples

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
PAGE = ROOT / "docs" / "deployment.md"


pytestmark = pytest.mark.usefixtures("no_settings")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]


@pytest.fixture(scope="module")
def kubernetes() -> dict[tuple[str, str], dict[str, Any]]:
    """The objects of the manifest by their kind and name."""
    found = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8"))
    return {(one["kind"], one["metadata"]["name"]): one for one in found}


@pytest.fixture(scope="module")
def pod(kubernetes: dict[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    return kubernetes["Deployment", "anaphora"]["spec"]["template"]["spec"]


def dockerfile() -> Iterator[tuple[str, str]]:
    """The instructions of the Dockerfile."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield name, rest.strip()


def paths() -> set[str]:
    """The paths that the service has."""
    return set(create_app(Settings(models=["sales"])).openapi()["paths"])


def refuse_unknown(arguments: list[str]) -> None:
    """Fails for arguments that ``anaphora`` does not take."""
    name, *rest = arguments
    command = get_command(app).commands[name]  # type: ignore[attr-defined]  # it is a group
    command.make_context(name, rest, resilient_parsing=True)
    known = {option for param in command.params for option in param.opts}
    assert {word for word in rest if word.startswith("-")} <= known, arguments


# The image


def test_what_the_image_is_made_of_exists_and_is_sent_to_the_builder() -> None:
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    sent = {line.removeprefix("!") for line in lines if line.startswith("!")}
    copied = [
        source for name, rest in dockerfile() if name == "COPY" for source in shlex.split(rest)[:-1]
    ]
    assert {"pyproject.toml", "anaphora"} <= set(copied)
    for source in copied:
        assert (ROOT / source).exists(), source
        assert source in sent, source


def test_the_image_installs_extras_that_the_package_has() -> None:

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    for name, rest in dockerfile():
        for found in re.findall(r"\[([\w,]+)\]\"", rest) if name == "RUN" else ():
            assert set(found.split(",")) <= set(extras)


def test_the_image_runs_the_service_as_a_user_of_its_own() -> None:
    found = dict(dockerfile())
    assert found["USER"] == "10001:10001"
    assert yaml.safe_load(found["ENTRYPOINT"]) == ["anaphora"]
    refuse_unknown(yaml.safe_load(found["CMD"]))
    env = dict(re.findall(r"(ANAPHORA_\w+)=(\S+)", found["ENV"]))
    assert set(env) <= set(list_variables())
    assert env["ANAPHORA_PORT"] == found["EXPOSE"] == str(Settings().port)


def test_the_health_check_of_the_image_asks_what_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = dict(dockerfile())["HEALTHCHECK"].partition("CMD ")[2]
    _, _, code = yaml.safe_load(found)
    asked: list[str] = []
    monkeypatch.setenv("ANAPHORA_PORT", "80")
    monkeypatch.setattr("urllib.request.urlopen", lambda url, timeout: asked.append(url))
    exec(compile(code, "HEALTHCHECK", "exec"), {})
    assert asked == ["http://127.0.0.1:80/health"]
    assert "/health" in paths()


# The settings


def test_the_example_names_every_setting_and_holds() -> None:
    file = DEPLOY / "anaphora.yaml"
    settings = load_settings(file)
    assert settings.store.startswith("redis://")
    text = re.sub(r"^# (?= *[a-z_]+:( |$))", "", file.read_text("utf-8"), flags=re.MULTILINE)
    named = yaml.safe_load(text)
    assert set(named) == set(Settings.model_fields)
    for part in ("chat_model", "log", "memory", "tracing"):
        assert set(named[part]) == set(type(getattr(settings, part)).model_fields)
    Settings(**named)


def test_what_the_example_has_behind_a_hash_is_what_holds_without_it() -> None:
    text = (DEPLOY / "anaphora.yaml").read_text("utf-8")
    usual = Settings().model_dump(mode="json")
    told = re.findall(r"^# ([a-z_]+): ([^#\n]+)", text, flags=re.MULTILINE)
    assert len(told) > 5
    for name, value in told:
        assert yaml.safe_load(value) == usual[name], name


# The compose file


def test_the_services_of_the_compose_file_have_variables_and_files_that_exist(
    compose: dict[str, Any],
) -> None:
    ours = compose["anaphora"]
    assert set(ours["environment"]) <= set(list_variables())
    assert (DEPLOY / ours["build"]["context"] / ours["build"]["dockerfile"]).is_file()
    refuse_unknown(ours["command"])
    for service in compose.values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert not source.startswith("./") or (DEPLOY / source).is_file()
    assert ours["environment"]["ANAPHORA_STORE"].startswith("redis://redis:")
    assert ours["deploy"]["replicas"] == 2
    assert ours["read_only"] is True


def test_the_container_has_longer_to_end_than_the_service_takes(compose: dict[str, Any]) -> None:
    grace = load_settings(DEPLOY / "anaphora.yaml").shutdown_grace
    assert int(compose["anaphora"]["stop_grace_period"].removesuffix("s")) > grace + 5


def test_redis_keeps_what_it_has_confirmed(
    compose: dict[str, Any], kubernetes: dict[tuple[str, str], dict[str, Any]]
) -> None:
    stateful = kubernetes["StatefulSet", "anaphora-redis"]["spec"]["template"]["spec"]
    for command in (compose["redis"]["command"], stateful["containers"][0]["args"]):
        told = " ".join(command)
        assert "--appendonly yes" in told
        assert "--appendfsync always" in told
        assert "--maxmemory-policy noeviction" in told


def test_the_balancer_leads_to_the_services_and_lets_through_what_they_take(
    compose: dict[str, Any],
) -> None:
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    settings = load_settings(DEPLOY / "anaphora.yaml")
    (name, port) = re.findall(r"set \$service (\w+):(\d+);", text)[0]
    assert name in compose
    assert int(port) == settings.port
    (listens,) = re.findall(r"listen (\d+);", text)
    (published,) = compose["nginx"]["ports"]
    assert published == f"127.0.0.1:8000:{listens}"
    (kilobytes,) = re.findall(r"client_max_body_size (\d+)k;", text)
    assert int(kilobytes) * 1024 == settings.max_body


# The manifest


def test_the_manifest_has_settings_and_keys_that_the_service_takes(
    kubernetes: dict[tuple[str, str], dict[str, Any]],
    pod: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (container,) = pod["containers"]
    (tmp_path / "mounted.yaml").write_text(
        kubernetes["ConfigMap", "anaphora"]["data"]["anaphora.yaml"]
    )
    secret = kubernetes["Secret", "anaphora"]["stringData"]
    for variable in container["env"]:
        name = variable["name"]
        if reference := variable.get("valueFrom"):
            monkeypatch.setenv(name, secret[reference["secretKeyRef"]["key"]])
        else:
            monkeypatch.setenv(name, re.sub(r"\$\((\w+)\)", "s3cret", variable["value"]))
        assert name in list_variables() or name == "REDIS_PASSWORD"
    settings = load_settings(tmp_path / "mounted.yaml")
    assert settings.keys[0].id == "web"
    assert settings.store == "redis://:s3cret@anaphora-redis:6379/0"
    assert ("Service", "anaphora-redis") in kubernetes
    refuse_unknown(container["args"])
    assert container["args"][-1].endswith("anaphora.yaml")
    (port,) = container["ports"]
    assert port["containerPort"] == settings.port
    asleep = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] > asleep + settings.shutdown_grace + 5


def test_the_probes_ask_what_is_served(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    kinds = ("startupProbe", "livenessProbe", "readinessProbe")
    asked = [container[kind]["httpGet"] for kind in kinds]
    assert [one["path"] for one in asked] == ["/health", "/health", "/ready"]
    assert {one["path"] for one in asked} <= paths()
    assert {one["port"] for one in asked} == {container["ports"][0]["name"]}


def test_the_parts_of_the_manifest_speak_of_each_other(
    kubernetes: dict[tuple[str, str], dict[str, Any]], pod: dict[str, Any]
) -> None:
    deployment = kubernetes["Deployment", "anaphora"]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert kubernetes["Service", "anaphora"]["spec"]["selector"] == labels
    budget = kubernetes["PodDisruptionBudget", "anaphora"]["spec"]
    assert budget["selector"]["matchLabels"] == labels
    scaler = kubernetes["HorizontalPodAutoscaler", "anaphora"]["spec"]
    assert scaler["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    assert scaler["minReplicas"] == deployment["spec"]["replicas"] == 3
    assert pod["enableServiceLinks"] is False
    (container,) = pod["containers"]
    mounted = {one["name"] for one in container["volumeMounts"]}
    assert mounted == {one["name"] for one in pod["volumes"]}
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert f"{pod['securityContext']['runAsUser']}:10001" == dict(dockerfile())["USER"]


# The page


def test_every_command_of_the_page_is_one() -> None:
    commands = [
        shlex.split(line, comments=True)
        for example in page_examples(PAGE)
        if example.language == "sh"
        for line in example.text.splitlines()
    ]
    assert len(commands) >= 4
    for program, *arguments in commands:
        assert program == "anaphora"
        refuse_unknown(arguments)


def test_the_settings_of_the_page_hold(tmp_path: Path) -> None:
    (example,) = [example for example in page_examples(PAGE) if example.language == "yml"]
    (tmp_path / example.file).write_text(example.text)
    assert load_settings().models == ("weather", "sales")


def test_every_setting_is_told_of_with_its_default() -> None:
    table = PAGE.read_text("utf-8").split("| setting | default | what it says |\n")[1]
    rows = [row.split("|")[1:3] for row in table.split("\n\n")[0].splitlines()[1:]]
    told: dict[str, str] = {}
    for names, defaults in rows:
        found = re.findall(r"`(\w+)`", names)
        usual = re.findall(r"`([^`]+)`", defaults) or ["none"]
        told |= dict(zip(found, usual * len(found) if len(usual) == 1 else usual, strict=True))
    assert set(told) == set(Settings.model_fields)
    for name, value in Settings().model_dump(mode="json").items():
        if name not in ("chat_model", "log", "memory", "tracing"):
            said = None if told[name] == "none" else yaml.safe_load(f"[{told[name]}]")[0]
            expected = value if value not in ([], "") else None
            assert said == expected or told[name] == str(value), name


def test_the_image_holds_the_dictionaries_of_its_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command of the image is run here, for a language with a small dictionary."""
    written = next(rest for name, rest in dockerfile() if name == "RUN" and "dictionary" in rest)
    known = dict(rest.split("=", 1) for name, rest in dockerfile() if name in ("ENV", "ARG"))
    assert known["LANGUAGES"] == '"en"'
    assert known["XDG_CACHE_HOME"] == "/var/cache"
    python, *arguments = shlex.split(written.replace("${LANGUAGES}", "ga"))
    assert python == "python"
    monkeypatch.delenv("ANAPHORA_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    subprocess.run([sys.executable, *arguments], check=True)
    assert [path.name.split("-")[1] for path in (tmp_path / "anaphora").iterdir()] == ["ga"]
