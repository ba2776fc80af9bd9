"""Agent files: what they declare, and what their errors say."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from anaphora.agents.files.agent_file import AgentFile, FilePack, HttpPack
from anaphora.agents.files.bundled import bundled_agents
from anaphora.agents.files.reading import load_agent_file, parse_agent_file
from anaphora.agents.files.schema import agent_schema
from anaphora.agents.memories.declarations import (
    ConversationMemory,
    GenerativeMemory,
    PartMemory,
    Reflection,
    SemanticMemory,
    StateMemory,
    Weights,
)
from anaphora.agents.memories.state_schema import StateField
from anaphora.errors import ModelError

FULL = """
    agent: keeper
    name: The keeper
    description: Keeps everything.
    language: en
    model:
      url: http://localhost:8080/v1
      name: qwen3-8b
      window: 16384
      max_tokens: 2048
      calls: json
      timeout: 90s
      api_key_env: KEEPER_KEY
      options: {temperature: 0.2}
    persona: You are the keeper.
    human: Nothing is known.
    blocks:
      plans: {value: none, description: what is planned, limit: 500, read_only: true}
    prompt: Be brief.
    memories:
      recent: {type: conversation, last: 12}
      similar: {type: semantic, k: 4}
      lived:
        type: generative
        k: 6
        weights: {recency: 0.5, relevance: 3, importance: 2}
        reflect: {after_importance: 100, every: 20}
      facts: {type: graph}
      blocks: {type: core}
      character:
        type: state
        schema:
          name: text
          level: {type: integer, description: from 1 to 20, required: false}
          class: {choices: [fighter, wizard]}
        update: once
        when: complete
      quest: {type: state, schema: text, update: every_turn, after: character, limit: 900}
    states:
      building: {until: character, prompt: Ask., tools: [character]}
      playing: {prompt: Play., uses: [character, quest, recent]}
    functions:
      - tools#roll
      - files: {root: notes, writable: true}
      - http: {hosts: [api.example.com]}
    engines: [weather]
    documents: [rules.md]
    limits: {steps: 8, seconds: 30, tokens_per_day: 10000}
    texts: {unfinished: The keeper sleeps.}
    """


def parse(text: str) -> AgentFile:
    return parse_agent_file(dedent(text).lstrip("\n"), Path("home/keeper.yaml"))


def error_of(text: str) -> ModelError:
    with pytest.raises(ModelError) as raised:
        parse(text)
    return raised.value


def test_a_file_of_one_line_is_an_agent_that_manages_its_own_memory():
    file = parse("agent: ada")
    assert (file.id, file.name, file.memories) == ("ada", "ada", None)
    assert file.model.window == 8192


def test_everything_that_a_file_declares_is_there():
    file = parse(FULL)
    assert (file.id, file.name, file.language) == ("keeper", "The keeper", "en")
    assert file.model.timeout == 90
    assert (file.model.calls, file.model.api_key_env) == ("json", "KEEPER_KEY")
    assert [(one.label, one.limit, one.read_only) for one in file.blocks] == [("plans", 500, True)]
    assert file.functions == ("tools#roll",)
    assert file.packs == (FilePack(Path("home/notes"), True), HttpPack(("api.example.com",)))
    assert (file.engines, file.documents) == (("weather",), (Path("home/rules.md"),))
    assert (file.limits.steps, file.limits.tokens_per_day) == (8, 10_000)
    assert file.texts == {"unfinished": "The keeper sleeps."}


def test_all_types_of_memory_can_be_declared_together():
    memories = parse(FULL).memories.by_name
    assert memories["recent"] == ConversationMemory("recent", 12)
    assert memories["similar"] == SemanticMemory("similar", 4)
    assert memories["lived"] == GenerativeMemory(
        "lived", 6, Weights(0.5, 3, 2), Reflection(100, 20)
    )
    assert memories["facts"] == PartMemory("facts", "graph")
    assert memories["blocks"] == PartMemory("blocks", "core")
    character, quest = memories["character"], memories["quest"]
    assert isinstance(character, StateMemory)
    assert isinstance(quest, StateMemory)
    assert character.schema.fields == {
        "name": StateField(),
        "level": StateField("integer", "from 1 to 20", required=False),
        "class": StateField(choices=("fighter", "wizard")),
    }
    assert (character.update, character.whole) == ("once", True)
    assert (quest.update, quest.after, quest.schema.limit) == ("every_turn", "character", 900)


def test_the_same_file_can_be_json(tmp_path):
    path = tmp_path / "ada.json"
    path.write_text(json.dumps({"agent": "ada", "memories": {"r": {"type": "recall"}}}))
    assert load_agent_file(path).memories.by_name == {"r": PartMemory("r", "recall")}


@pytest.mark.parametrize("name", bundled_agents())
def test_bundled_agents_are_valid(name):
    file = load_agent_file(name)
    assert file.id == name
    assert file.description


def test_the_bundled_agents_are_listed():
    assert {"assistant", "dungeon-master"} <= {*bundled_agents()}


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ModelError, match="did you mean 'dungeon-master'"):
        load_agent_file("dungeonmaster")


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "hint"),
    [
        ("agent: a\nmemorys: {}\n", 2, 1, "unknown key 'memorys'", "did you mean 'memories'?"),
        ("name: x\n", 1, 1, "the agent has no 'agent'", ""),
        (
            "agent: a\nmemories:\n  m: {type: semantics}\n",
            3,
            13,
            "there is no memory type 'semantics'",
            "did you mean 'semantic'?",
        ),
        ("agent: a\nmemories:\n  m: {k: 3}\n", 3, 6, "'m' has no 'type'", "the types are"),
        (
            "agent: a\nmemories:\n  m: {type: conversation, lst: 3}\n",
            3,
            27,
            "unknown key 'lst'",
            "did you mean 'last'?",
        ),
        (
            "agent: a\nmemories:\n  m: {type: state, schema: {x: txt}}\n",
            3,
            32,
            "expected 'text', 'integer'",
            "did you mean 'text'?",
        ),
        (
            "agent: a\nmemories:\n  m: {type: generative, weights: {recensy: 1}}\n",
            3,
            35,
            "unknown key 'recensy'",
            "did you mean 'recency'?",
        ),
        (
            "agent: a\nmemories:\n  m: {type: state, after: n}\n",
            3,
            27,
            "there is no other memory of type state 'n'",
            "",
        ),
        (
            "agent: a\nmemories:\n  m: {type: state}\nstates:\n  s: {until: n}\n",
            5,
            14,
            "there is no memory of type state 'n'",
            "",
        ),
        (
            "agent: a\nmemories:\n  m: {type: state}\nstates:\n  s: {uses: [m, note]}\n",
            5,
            17,
            "there is no memory 'note'",
            "",
        ),
        (
            "agent: a\nmemories:\n  m: {type: state}\nstates:\n  s: {next: t}\n",
            5,
            13,
            "there is no state 't'",
            "",
        ),
        ("agent: a\nstates:\n  s: {}\n", 2, 1, "states need memories", ""),
        ("agent: a\nlimits: {steps: 0}\n", 2, 17, "expected at least 1, not 0", ""),
        ("agent: a\nblocks: {human: {}}\n", 2, 10, "the block 'human' is the key", ""),
        (
            "agent: a\nblocks:\n  b: {value: long text, limit: 3}\n",
            3,
            3,
            "has 9 characters, more than its limit of 3",
            "",
        ),
        ("agent: a\nfunctions: [{http: {}}]\n", 2, 20, "'http' has no 'hosts'", ""),
        ("agent: a\nfunctions: tools#roll\n", 2, 12, "expected a list", "begin each item"),
        ("agent: a\nmodel: {window: 100, max_tokens: 90}\n", 2, 34, "at most half", ""),
        ("agent: a\nmodel: {api_key: secret}\n", 2, 9, "unknown key 'api_key'", "api_key_env"),
        ("- agent: a\n", 1, 1, "an agent file is a mapping", ""),
        ("", 1, 1, "the file is empty", "agent: some-name"),
        ("agent: [a\nname: b\n", 2, 5, "not valid YAML", ""),
    ],
)
def test_errors_say_where_and_what_to_do(text, line, column, message, hint):
    error = error_of(text)
    assert message in str(error)
    assert (error.source, error.line, error.column) == ("home/keeper.yaml", line, column)
    assert hint in error.hint
    if text.strip():
        assert error.caret.endswith("^")


def test_all_errors_are_reported_in_the_order_of_the_file():
    error = error_of("agent: a\nnme: x\nlimits: {steps: many}\nmemories: {m: {type: x}}\n")
    assert [one.line for one in error.problems] == [2, 3, 4]


def test_states_in_a_circle_are_refused():
    text = """
        agent: a
        memories: {m: {type: state}, n: {type: state}}
        states:
          one: {until: m}
          two: {until: n, next: one}
        """
    assert "in a circle" in str(error_of(text))


def test_the_json_schema_describes_every_key():
    schema = agent_schema()

    def walk(node):
        for name, one in node.get("properties", {}).items():
            assert "description" in one or "const" in one or "$ref" in one, name
        for one in node.get("$defs", {}).values():
            walk(one)

    walk(schema)
    assert schema["title"] == "Anaphora agent"
    assert "conversation" in json.dumps(schema)


def test_the_json_schema_accepts_the_bundled_agents():
    jsonschema = pytest.importorskip("jsonschema")
    yaml = pytest.importorskip("yaml")
    from anaphora.agents.files.bundled import bundled_path

    for name in bundled_agents():
        data = yaml.safe_load(bundled_path(name).read_text("utf-8"))
        jsonschema.validate(data, agent_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"agent": "a", "memorys": {}}, agent_schema())


@pytest.mark.parametrize(
    ("memories", "states", "reason"),
    [
        ("m: {type: state, after: n}\n  n: {type: state, after: m}", "", "wait for each other"),
        (
            "m: {type: state, schema: {x: {required: false}}}",
            "states: {s: {until: m}, t: {}}",
            "ends at once",
        ),
        ("graph: {type: state}\n  g: {type: graph}", "", "only a memory of type graph"),
    ],
)
def test_declarations_that_cannot_work_are_refused(memories, states, reason):
    assert reason in str(error_of(f"agent: a\nmemories:\n  {memories}\n{states}\n"))
