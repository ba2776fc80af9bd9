"""Scenes of an agent that looks things up in its archival memory, page by page."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from uuid import UUID

import pytest

from anaphora.agents.archive.document import Document
from tests.agents.prompts import and_go_on, is_summary_request, latest, tell
from tests.support.chat_endpoint import say

PAIRS = 140


def test_the_answer_stands_on_the_third_page(endpoint, agent):
    """A book is loaded; the model turns page after page until one names the keeper."""

    def model(body):
        seen = latest(body, alerts=False)
        if seen.get("type") == "user_message":
            return and_go_on("archival_memory_search", query="lighthouse keeper")
        if "Eleanor" in seen["message"]:
            return tell("Her name was Eleanor.")
        page = int(re.search(r"page (\d+)/", seen["message"])[1])
        return and_go_on("archival_memory_search", query="lighthouse keeper", page=page + 1)

    play = endpoint(model)
    ann = agent(play)
    chapters = [
        Document.from_text(
            f"chapter-{n}.txt", f"The lighthouse keeper climbed the tower on evening {n}."
        )
        for n in range(14)
    ]
    name = "On a quiet shore, far from any harbour and long after the war had ended, the old "
    name += "lighthouse was kept by a woman, and the keeper was called Eleanor by all."
    ann.load([*chapters, Document.from_text("chapter-14.txt", name)])

    answer = ann.send("What was the name of the lighthouse keeper?")
    assert answer.text == "Her name was Eleanor."
    searches = [step.calls[0] for step in answer.steps[:-1]]
    assert len(searches) == 3
    pages = [re.search(r"page (\d+)/(\d+)", one.result).groups() for one in searches]
    assert pages == [("0", "2"), ("1", "2"), ("2", "2")]


def test_a_note_is_found_at_once_even_by_the_query_that_found_nothing(endpoint, agent):
    play = endpoint(
        [
            and_go_on("archival_memory_search", query="cat"),
            and_go_on("archival_memory_insert", content="Ann's cat is called Miso."),
            and_go_on("archival_memory_search", query="cat"),
            tell("Miso!"),
        ]
    )
    ann = agent(play)
    answer = ann.send("My cat is called Miso. What is my cat called?")
    results = [step.calls[0].result for step in answer.steps]
    assert results[0] == "No results found."
    assert "Miso" in results[2]
    assert "2026-01-05" in results[2]


@pytest.mark.parametrize("depth", range(5))
def test_nested_keys_are_looked_up_to_the_end(endpoint, agent, depth):
    """140 pairs of UUIDs; the value of a key may be a key again, up to four times."""
    numbers = random.Random(depth)
    keys = [str(UUID(int=numbers.getrandbits(128), version=4)) for _ in range(PAIRS)]
    values = [str(UUID(int=numbers.getrandbits(128), version=4)) for _ in range(PAIRS)]
    chains = []
    for start in range(0, 20 * (depth + 1), depth + 1):
        chain = list(range(start, start + depth + 1))
        for here, there in pairwise(chain):
            values[here] = keys[there]
        chains.append((keys[chain[0]], values[chain[-1]]))

    def model(body):
        if is_summary_request(body):
            return say("Keys were looked up.")
        seen = latest(body, alerts=False)
        if seen.get("type") == "user_message":
            return search(re.search(r"[0-9a-f-]{36}", seen["message"])[0], 0)
        if "query" not in seen["arguments"]:  # warned of pressure after the answer
            return say("Nothing to save.")
        key, page = seen["arguments"]["query"], seen["arguments"]["page"]
        pair = re.search(rf"key: {key}, value: ([0-9a-f-]{{36}})", seen["message"])
        if pair:
            return search(pair[1], 0)
        # The value of another key only: it is the end, once no page is left.
        last = re.search(r"page (\d+)/(\d+)", seen["message"])
        if last and last[1] != last[2]:
            return search(key, page + 1)
        return tell(f"It is {key}.")

    def search(key, page):
        return and_go_on("archival_memory_search", query=key, page=page)

    play = endpoint(model, window=16_384)
    ann = agent(play, window=16_384)
    lines = [f"key: {key}, value: {value}" for key, value in zip(keys, values, strict=True)]
    numbers.shuffle(lines)
    ann.load([Document.from_text(f"pair {n}", line) for n, line in enumerate(lines)])
    for key, value in chains[:: 20 // 5]:
        answer = ann.send(f"What is the value of {key}, followed to the end?")
        assert answer.text == f"It is {value}."
        assert answer.ended == "done"
        calls = [json.loads(call.arguments) for step in answer.steps for call in step.calls]
        searches = [arguments for arguments in calls if "query" in arguments]
        assert sum(search["page"] == 0 for search in searches) == depth + 2
        assert len(answer.steps) <= 20
