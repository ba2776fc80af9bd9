"""Opening the agent of a file: model, functions, engines, documents."""

from __future__ import annotations

from textwrap import dedent

import pytest

from anaphora.agents.files.loader import load_agent
from anaphora.agents.memories.declarations import PART_FUNCTIONS
from anaphora.errors import AgentError, ModelError
from tests.agents.memories.sample_agents import functions_of, reply, system_of, texts_of
from tests.support.chat_endpoint import ScriptedEndpoint, call

LAMP = """\
id: lamp
elements: [{id: lamp}]
intents: ["intent=lamp term(x)={# == 'lamp'}"]
"""


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "agent.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    return write


@pytest.fixture
def endpoint():
    with ScriptedEndpoint() as running:
        yield running


def test_the_bundled_assistant_remembers(endpoint, tmp_path):
    endpoint.play(
        [
            call("core_memory_append", {"name": "human", "content": "Her name is Ann."}),
            reply("Hello Ann!"),
            reply("You are Ann."),
        ]
    )
    url = f"sqlite:///{tmp_path}/memory.db"
    with load_agent("assistant", url=endpoint.url, memory=url) as agent:
        assert agent.send("I am Ann").text == "Hello Ann!"
    with load_agent("assistant", url=endpoint.url, memory=url) as agent:
        assert agent.send("Who am I?").text == "You are Ann."
    assert "Her name is Ann." in system_of(endpoint.requests[2])
    assert "<plans" in system_of(endpoint.requests[2])


def test_the_file_names_the_endpoint_and_the_call_may_name_another(endpoint, write):
    path = write("agent: a\nmodel: {url: 'http://localhost:1/v1', name: small, window: 4096}\n")
    endpoint.play([reply("Hi")])
    with load_agent(path, url=endpoint.url, model="large", window=16_384) as agent:
        assert (agent.model.name, agent.model.window) == ("large", 16_384)
        assert agent.send("Hello").text == "Hi"
    assert endpoint.requests[0]["model"] == "large"


def test_an_agent_without_an_endpoint_says_so(write):
    with pytest.raises(AgentError, match="names no endpoint: pass url"):
        load_agent(write("agent: a\n"))


def test_the_key_comes_from_the_environment(endpoint, write, monkeypatch):
    path = write("agent: a\nmodel: {api_key_env: KEY_OF_A}\n")
    with pytest.raises(AgentError, match="KEY_OF_A holds no API key"):
        load_agent(path, url=endpoint.url)
    monkeypatch.setenv("KEY_OF_A", "sk-1234")
    endpoint.play([reply("Hi")])
    with load_agent(path, url=endpoint.url) as agent:
        agent.send("Hello")
    assert endpoint.headers[0]["Authorization"] == "Bearer sk-1234"


def test_functions_lie_in_a_module_beside_the_file(endpoint, write):
    write('def roll(sides: int) -> int:\n    """Roll a die."""\n    return sides\n', "dice.py")
    path = write("agent: a\nmemories: {m: {type: state}}\nfunctions: ['dice#roll']\n")
    endpoint.play([call("roll", {"sides": 6, "request_heartbeat": True}), reply("A 6!")])
    with load_agent(path, url=endpoint.url) as agent:
        answer = agent.send("Roll!")
    assert answer.steps[0].calls[0].result == "6"
    assert functions_of(endpoint.requests[0]) == ["send_message", "write_m", "roll"]


def test_states_choose_among_the_functions(endpoint, write):
    write(
        """
        def roll() -> int:
            "Roll a die."
            return 6

        def flip() -> str:
            "Flip a coin."
            return "heads"
        """,
        "dice.py",
    )
    path = write(
        """
        agent: a
        memories: {m: {type: state}}
        functions: ['dice#roll', 'dice#flip']
        states: {only: {tools: [flip]}}
        """
    )
    endpoint.play([reply("Hi")])
    with load_agent(path, url=endpoint.url) as agent:
        agent.send("Hello")
    assert functions_of(endpoint.requests[0]) == ["send_message", "flip"]


@pytest.mark.parametrize(
    ("functions", "reason"),
    [
        ("['roll']", "written as module#function"),
        ("['dice#role']", "did you mean 'roll'"),
        ("['dices#roll']", "no Python module 'dices'"),
        ("['dice#roll', 'coins#roll']", "two functions have the name 'roll'"),
        ("['dice#throw']", "must name its parameters"),
    ],
)
def test_a_function_that_does_not_exist_is_refused(endpoint, write, functions, reason):
    write("def roll():\n    return 6\n\n\ndef throw(*dice):\n    return 6\n", "dice.py")
    write("def roll():\n    return 6\n", "coins.py")
    path = write(f"agent: a\nfunctions: {functions}\n")
    with pytest.raises(ModelError) as refused:
        load_agent(path, url=endpoint.url)
    assert reason in str(refused.value)
    assert refused.value.line == 2


def test_all_names_that_refer_to_nothing_are_reported_at_once_with_their_places(write):
    write("def roll() -> int:\n    return 6\n", "dice.py")
    write(f"{LAMP}elments: []\n", "broken.yaml")
    write("An elf is an elf.\n", "rules.md")
    path = write(
        """
        agent: a
        memories: {notes: {type: state, after: note}, quest: {type: state}}
        functions:
          - dice#rol
          - dise#roll
          - files: {root: notez}
        engines: [wether, broken.yaml, brokn.yaml]
        documents: [rules.md, rule.md]
        """
    )
    write("x", "notes/x.txt")
    with pytest.raises(ModelError) as raised:
        load_agent(path, url="http://localhost/v1")
    places = [
        (one.source.rpartition("/")[2], one.line, one.column, one.hint)
        for one in raised.value.problems
    ]
    assert places == [
        ("agent.yaml", 2, 40, "there is: quest"),
        ("agent.yaml", 4, 5, "did you mean 'roll'?"),
        ("agent.yaml", 5, 5, "did you mean 'dice'?"),
        ("agent.yaml", 6, 19, "did you mean 'notes'?"),
        ("agent.yaml", 7, 11, "did you mean 'weather'?"),
        ("broken.yaml", 4, 1, "did you mean 'elements'?"),
        ("agent.yaml", 7, 32, "did you mean 'broken.yaml'?"),
        ("agent.yaml", 8, 23, "did you mean 'rules.md'?"),
    ]
    assert str(raised.value).count("^") == len(places)


def test_a_state_that_names_an_unknown_tool_is_refused(endpoint, write):
    path = write(
        """
        agent: a
        memories: {quest: {type: state}}
        states:
          one: {until: quest, tools: [write_qest]}
          two: {tools: [flop]}
        """
    )
    with pytest.raises(ModelError) as raised:
        load_agent(path, url=endpoint.url)
    first, second = raised.value.problems
    assert (first.line, first.column, first.hint) == (4, 31, "did you mean 'write_quest'?")
    assert (second.line, second.column) == (5, 17)
    assert second.message == "there is neither a function nor a memory 'flop'"


def test_a_state_may_name_every_function_that_there_is(endpoint, write):
    parts = ", ".join(f"{part}: {{type: {part}}}" for part in PART_FUNCTIONS)
    functions = ", ".join(name for names in PART_FUNCTIONS.values() for name in names)
    path = write(
        f"""
        agent: a
        memories:
          {{first: {{type: state, update: once}}, later: {{type: state, after: first}}, {parts}}}
        engines: [time]
        states:
          all:
            tools: [ask_time, first, write_first, correct_first, write_later, core, {functions}]
        """
    )
    load_agent(path, url=endpoint.url).close()


def test_an_engine_may_be_a_file_beside_the_agent(endpoint, write):
    write(LAMP, "models/lamp.yaml")
    path = write("agent: a\nengines: [models/lamp.yaml]\n")
    endpoint.play([reply("Hi")])
    with load_agent(path, url=endpoint.url) as agent:
        agent.send("Hello")
    assert "ask_lamp" in functions_of(endpoint.requests[0])


def test_files_are_read_below_their_folder_only(endpoint, write):
    write("the secret word is amber\n", "notes/word.txt")
    path = write("agent: a\nfunctions: [{files: {root: notes}}]\n")
    endpoint.play(
        [
            call("read_from_text_file", {"filename": "word.txt"}),
            call("read_from_text_file", {"filename": "../agent.yaml"}),
            reply("Amber"),
        ]
    )
    with load_agent(path, url=endpoint.url) as agent:
        agent.send("Which word?")
    assert "append_to_text_file" not in functions_of(endpoint.requests[0])
    assert "amber" in texts_of(endpoint.requests[1])
    assert "Failed" in texts_of(endpoint.requests[2])


def test_hosts_must_be_named(endpoint, write):
    path = write("agent: a\nfunctions: [{http: {hosts: [api.example.com]}}]\n")
    endpoint.play([call("http_request", {"method": "GET", "url": endpoint.url}), reply("No")])
    with load_agent(path, url=endpoint.url) as agent:
        agent.send("Fetch it")
    assert "http_request" in functions_of(endpoint.requests[0])
    assert len(endpoint.requests) == 2


def test_the_intents_of_an_engine_are_functions(endpoint, write):
    path = write("agent: a\nmemories: {m: {type: state}}\nengines: [time]\n")
    endpoint.play([reply("Hi")])
    with load_agent(path, url=endpoint.url) as agent:
        agent.send("Hello")
    assert "ask_time" in functions_of(endpoint.requests[0])


def test_documents_are_in_the_archive_once(endpoint, write, tmp_path):
    write("Elves live in the forest.\n", "rules/elves.txt")
    path = write("agent: a\ndocuments: [rules]\n")
    options = {"url": endpoint.url, "memory": f"sqlite:///{tmp_path}/memory.db"}
    for _ in range(2):
        with load_agent(path, **options) as agent:
            found = agent.search_archive("elves")
            assert [one.text for one in found.passages] == ["Elves live in the forest."]


def test_the_language_and_the_prompt_are_told_to_the_model(endpoint, write):
    path = write("agent: a\nlanguage: ru\nprompt: Be brief.\nmemories: {m: {type: state}}\n")
    endpoint.play([reply("Привет")])
    with load_agent(path, url=endpoint.url) as agent:
        agent.send("Привет")
    assert "the code 'ru'" in system_of(endpoint.requests[0])
    assert "Be brief." in system_of(endpoint.requests[0])


def test_instructions_replace_the_built_in_ones(endpoint, write):
    path = write("agent: a\ninstructions: Obey.\nmemories: {m: {type: state}}\n")
    endpoint.play([reply("Hi")])
    with load_agent(path, url=endpoint.url) as agent:
        agent.send("Hello")
    assert system_of(endpoint.requests[0]).startswith("Obey.\n")
