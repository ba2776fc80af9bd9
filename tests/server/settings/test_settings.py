"""Settings: from where they come, what goes before what, and how mistakes are told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.errors import AnaphoraError
from anaphora.ltm.factory import MemoryConfig
from anaphora.server.settings.loader import list_variables, load_settings, read_settings
from anaphora.server.settings.model import KeySettings, Settings

HASH = f"sha256:{'ab' * 32}"


pytestmark = pytest.mark.usefixtures("no_settings")


@pytest.fixture
def said(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str, name: str = "bot.yaml") -> Path:
        (tmp_path / name).write_text(dedent(text), encoding="utf-8")
        return Path(name)

    return write


def mistakes(file: Path | None = None, **overrides: object) -> str:
    with pytest.raises(AnaphoraError) as caught:
        load_settings(file, **overrides)
    return str(caught.value)


# Where they come from


def test_if_nothing_is_said_the_usual_values_hold() -> None:
    assert load_settings() == Settings()
    assert Settings().models == ("weather",)


def test_the_command_line_goes_before_the_environment_and_that_before_the_file(
    said: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = said("""\
        port: 1
        workers: 2
        store: sqlite:///bot.db
        log: {level: debug, format: console}
        """)
    monkeypatch.setenv("ANAPHORA_PORT", "3")
    monkeypatch.setenv("ANAPHORA_WORKERS", "4")
    monkeypatch.setenv("ANAPHORA_LOG__TEXTS", "yes")
    found = read_settings(file, port=5, threads=None, log={"level": "error", "format": None})
    settings = found.settings
    assert (settings.port, settings.workers, settings.store) == (5, 4, "sqlite:///bot.db")
    assert settings.threads == Settings().threads
    assert settings.log.model_dump() == {"level": "error", "format": "console", "texts": True}
    origins = {
        ("port",): "--port",
        ("workers",): "ANAPHORA_WORKERS",
        ("store",): "bot.yaml:3",
        ("log", "level"): "--log-level",
        ("log", "format"): "bot.yaml:4",
        ("log", "texts"): "ANAPHORA_LOG__TEXTS",
        ("threads",): "None",
    }
    assert {path: str(found.origin(path)) for path in origins} == origins


def test_the_file_is_the_one_of_the_variable_or_the_one_in_the_folder(
    said: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    said("port: 1", "anaphora.yaml")
    assert load_settings().port == 1
    monkeypatch.setenv("ANAPHORA_CONFIG", str(said("port: 2", "other.yaml")))
    assert load_settings().port == 2
    assert load_settings(said("port: 3", "third.yaml")).port == 3
    monkeypatch.setenv("ANAPHORA_CONFIG", "gone.yaml")
    assert "gone.yaml" in mistakes()


def test_an_empty_file_and_an_empty_variable_say_nothing(
    said: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAPHORA_STORE", "")
    assert load_settings(said("# nothing yet\n")) == Settings()


@pytest.mark.parametrize("text", ["tea.yaml, sales", "[tea.yaml, sales]", '["tea.yaml", "sales"]'])
def test_a_variable_lists_models_with_commas_or_in_brackets(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAPHORA_MODELS", text)
    assert load_settings().models == ("tea.yaml", "sales")


@pytest.mark.parametrize(
    "text",
    [
        f"- id: web\n  hash: {HASH}\n  scopes: [ask]\n  expires: 2027-01-01\n",
        f'[{{"id": "web", "hash": "{HASH}", "scopes": ["ask"], "expires": "2027-01-01"}}]',
    ],
)
def test_a_variable_holds_keys_in_yaml_or_json(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAPHORA_KEYS", text)
    (key,) = load_settings().keys
    assert (key.id, key.scopes) == ("web", ("ask",))
    assert key.expires == datetime(2027, 1, 1, tzinfo=UTC)  # no zone is UTC


def test_making_settings_reads_neither_files_nor_the_environment(
    said: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    said("port: 1", "anaphora.yaml")
    monkeypatch.setenv("ANAPHORA_PORT", "2")
    assert Settings().port == 8080


@given(port=st.integers(0, 65_535), rate=st.sampled_from([None, "5/second", "7 / 2 hours"]))
def test_settings_reach_a_worker_as_they_are(port: int, rate: str | None) -> None:
    settings = Settings(
        port=port,
        default_rate=rate,
        log={"texts": True},
        keys=[{"id": "web", "hash": HASH, "scopes": ["ask"], "expires": "2027-01-01T00:00+03:00"}],
    )
    assert Settings.model_validate_json(settings.model_dump_json()) == settings


# Mistakes


def test_every_mistake_of_a_file_is_told_with_its_line_and_what_is_allowed(
    said: Callable[[str], Path],
) -> None:
    file = said("""\
        models: [weather, 5]
        port: abc
        log:
          levle: debug
          format: jsn
        keys:
          - id: a_b
            hash: sha256:12
            scopes: [asc]
          - id: web
            scopes: []
        prot: 5
        """)
    assert mistakes(file) == dedent("""\
        bot.yaml:1:19: models[1]: expected text, not the number 5
          models: [weather, 5]
                            ^
          hint: put it in quotes
        bot.yaml:2:7: port: expected a whole number, not text
          port: abc
                ^
        bot.yaml:4:3: unknown setting 'log.levle'
            levle: debug
            ^
          hint: did you mean 'level'?
        bot.yaml:5:11: log.format: expected 'auto', 'json' or 'console'
            format: jsn
                    ^
          hint: did you mean 'json'?
        bot.yaml:7:9: keys[0].id: expected letters, digits, '.' and '-'
            - id: a_b
                  ^
        bot.yaml:8:11: keys[0].hash: expected sha256: and 64 hexadecimal digits
              hash: sha256:12
                    ^
        bot.yaml:9:14: keys[0].scopes[0]: expected 'ask', 'read', 'write' or 'admin'
              scopes: [asc]
                       ^
          hint: did you mean 'ask'?
        bot.yaml:10:5: keys[1].hash: this is missing
            - id: web
              ^
        bot.yaml:11:13: keys[1].scopes: this must not be empty
              scopes: []
                      ^
        bot.yaml:12:1: unknown setting 'prot'
          prot: 5
          ^
          hint: did you mean 'port'?""")


def test_a_mistake_in_a_variable_or_an_option_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAPHORA_LOG__LEVEL", "loud")
    monkeypatch.setenv("ANAPHORA_KEYS", "- {id: web, scopes: [ask]}")
    assert mistakes(workers=0) == dedent("""\
        --workers: expected at least 1
        ANAPHORA_KEYS:1:3: keys[0].hash: this is missing
          - {id: web, scopes: [ask]}
            ^
        ANAPHORA_LOG__LEVEL: expected 'debug', 'info', 'warning' or 'error'""")


@pytest.mark.parametrize(
    "name",
    [
        *("ANAPHORA_STORES", "ANAPHORA_LOG__LEVLE", "ANAPHORA_KEY"),
        *("ANAPHORA_PROT", "ANAPHORA_HSOT", "ANAPHORA_PAGES", "ANAPHORA_CROS"),
    ],
)
def test_a_misspelt_variable_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "x")
    assert f"unknown variable '{name}'" in mistakes()
    assert "did you mean" in mistakes()


def test_a_setting_is_written_in_small_letters(said: Callable[[str], Path]) -> None:
    assert "did you mean 'port'?" in mistakes(said("Port: 90\n"))


def test_a_setting_without_a_value_is_told(said: Callable[[str], Path]) -> None:
    assert "log: this has no value" in mistakes(said("log:\n#  level: debug\n"))


@pytest.mark.parametrize("level", ["DEBUG", "Debug", "debug"])
def test_a_level_may_be_written_as_python_writes_it(
    level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAPHORA_LOG__LEVEL", level)
    assert load_settings().log.level == "debug"


def test_a_scope_that_is_said_twice_is_one() -> None:
    said = KeySettings.model_validate({"id": "web", "hash": HASH, "scopes": ["ask", "ask"]})
    assert said.scopes == ("ask",)


def test_variables_of_others_that_begin_like_ours_are_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANAPHORA_FORECAST_URL", "https://example.org")
    monkeypatch.setenv("ANAPHORA_SERVICE_HOST", "10.0.0.1")  # as Kubernetes sets them
    monkeypatch.setenv("ANAPHORA_PORT_80_TCP_ADDR", "10.0.0.1")
    assert load_settings() == Settings()


def test_the_port_that_kubernetes_sets_is_told_apart_from_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANAPHORA_PORT", "tcp://10.0.0.1:80")
    assert "enableServiceLinks: false" in mistakes()


@pytest.mark.parametrize(
    ("text", "said_of_it"),
    [
        ("- weather", "settings are a mapping with keys such as 'models', not a list"),
        ("port: [", "bot.yaml:1:8: not valid YAML"),
        ("port: 1\nport: 2", "duplicate key 'port'"),
        ("log: loud", "bot.yaml:1:6: log: expected a mapping, not text"),
        ("models: weather", "models: expected a list, not text"),
        ("cors: [example.org]", "expected an origin such as https://example.org"),
        ("cors: ['https://example.org/page']", "(without a path)"),
        ("default_rate: often", "expected a rate such as 100/minute"),
        ("trusted_proxies: [proxy]", "expected an address such as 10.0.0.7"),
        ("root_path: bots", "expected a path that begins with /"),
        ("reload: perhaps", "expected true or false"),
        ("tracing: {endpoint: localhost}", "a URL that begins with http:// or https://"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(
    text: str, said_of_it: str, said: Callable[[str], Path]
) -> None:
    assert said_of_it in mistakes(said(text))


def test_two_keys_of_one_id_are_refused(said: Callable[[str], Path]) -> None:
    key = f"{{id: web, hash: '{HASH}', scopes: [ask]}}"
    assert "two keys have the id 'web'" in mistakes(said(f"keys: [{key}, {key}]"))


def test_a_variable_that_is_no_json_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAPHORA_LOG", "debug")
    assert mistakes().startswith("ANAPHORA_LOG: expected JSON")


def test_a_variable_in_json_says_several_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAPHORA_LOG", '{"level": "debug", "texts": true}')
    monkeypatch.setenv("ANAPHORA_LOG__LEVEL", "error")
    found = read_settings()
    assert (found.settings.log.level, found.settings.log.texts) == ("error", True)
    assert str(found.origin(("log", "level"))) == "ANAPHORA_LOG__LEVEL"
    assert str(found.origin(("log", "texts"))) == "ANAPHORA_LOG"
    assert found.origin(("log", "format")) is None


def test_every_setting_has_a_variable() -> None:
    assert {"ANAPHORA_MAX_BODY", "ANAPHORA_TRACING__ENDPOINT"} <= set(list_variables())
    assert len(list_variables()) == 1 + len(Settings.model_fields) + 3 + 3 + 8 + 2


def test_a_long_term_memory_is_made_by_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAPHORA_MEMORY__URL", "sqlite:///memory.db")
    monkeypatch.setenv("ANAPHORA_MEMORY__RETENTION", "90d")
    found = read_settings(memory={"url": "memory:"})
    plan = found.settings.memory.to_config()
    assert plan == MemoryConfig("memory:", retention=timedelta(days=90))
    assert str(found.origin(("memory", "url"))) == "--memory"
    assert Settings.model_validate_json(found.settings.model_dump_json()) == found.settings
    assert Settings().memory.to_config() is None


def test_vectors_of_tokens_are_turned_off_by_a_setting() -> None:
    plan = read_settings(memory={"url": "memory:", "token_vectors": False}).settings.memory
    assert plan.to_config() == MemoryConfig("memory:", token_vectors=False)


def test_agents_and_their_language_model_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAPHORA_AGENTS", "ada.yaml, assistant")
    monkeypatch.setenv("ANAPHORA_CHAT_MODEL__URL", "http://localhost:8000/v1")
    settings = load_settings(chat_model={"window": 4_096})
    assert settings.agents == ("ada.yaml", "assistant")
    model = settings.chat_model
    assert (model.url, model.name, model.window) == ("http://localhost:8000/v1", None, 4_096)


def test_a_fallback_is_one_of_the_agents(said: Callable[..., Path]) -> None:
    said("agent: ada", "ada.yaml")
    file = said("""\
        agents: [ada.yaml, assistant]
        fallback: asistant
        """)
    assert mistakes(file) == dedent("""\
        bot.yaml:2:11: there is no agent 'asistant'
          fallback: asistant
                    ^
          hint: did you mean 'assistant'?""")
    assert load_settings(file, fallback="ada").fallback == "ada"
    assert mistakes(file, fallback="bob") == (
        "--fallback: there is no agent 'bob'\n  hint: there are: ada, assistant"
    )
    assert "name its file in 'agents'" in mistakes(fallback="ada")


def test_an_endpoint_of_a_language_model_is_a_url() -> None:
    with pytest.raises(AnaphoraError, match=r"--chat-model-url: expected a URL that begins with"):
        load_settings(chat_model={"url": "localhost:8000"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{url: "memory:", summarizer: bard}', "memory.summarizer: expected extractive, cut, none"),
        ('{url: "memory:", embedder: word2vec}', "memory.embedder: expected none, minilm"),
        ('{url: "memory:", retention: soon}', "memory.retention: 'soon' is not a duration"),
        ('{url: "memory:", max_words: 0}', "memory.max_words: expected at least 1"),
        ("{summarizer: cut}", "memory: summarizer needs a url; write one, such as sqlite:///"),
    ],
)
def test_what_is_no_long_term_memory_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(f"memory: {text}", encoding="utf-8")
    with pytest.raises(AnaphoraError) as caught:
        read_settings(file)
    assert said in str(caught.value)
