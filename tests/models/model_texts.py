"""A model without a mistake, and what the tests of this folder do with model texts."""

from __future__ import annotations

from textwrap import dedent
from typing import Literal

from anaphora.errors import ModelError, Problem
from anaphora.models.loader import parse_model

GOOD = """\
id: weather
name: Weather
version: 1.10
language: [en, ru]
meta: {owner: us, port: 8080, ratio: .5, on: true}
conversation: {timeout: 1h30m, depth: 4}
macros:
  "<ASK>": "{what|how} {is|about|_}"
elements:
  - id: weather
    description: The topic.
    groups: [topic]
    topic: true
    synonyms: {en: ["{<ASK>|_} {weather|forecast}"], ru: [погода]}
    meta: {weight: 3}
  - id: place
    id_synonym: false
    synonyms: [somewhere, 90210]
  - id: big_city
    parent: place
    values:
      Tokyo: []
      New York: [big apple, 'nyc']
      on:
      off: {en: ["//o[f]+//"], ru: [выкл]}
  - id: date
    values: [now, today]
intents:
  - |
    intent=weather
      term(topic)~{# == 'weather'}
      term(city)~{# == 'big_city'}
      term(date)~{# == 'date'}?
  - "intent=hello term(any)~{has(ent_groups(), 'topic')}"
responses:
  weather: "It is fine in {{ city }}{% if date %}, {{ date | upper }}{% endif %}, {{ user }}."
  hello: {en: Hello, ru: Привет}
prompts:
  weather: {city: For which city?, topic: {en: What?, ru: Что?}}
reset: ["{enough|forget it}"]
samples:
  - name: follow-up
    dialog:
      - ask: What is the weather in Tokyo now?
        intent: weather
        slots: {city: Tokyo, date: [now, today], topic: null}
      - ask: And in New York?
        from_memory: [topic, date]
        language: en
      - pause: 6m
      - ask: What is the weather?
        status: incomplete
        missing: [city]
      - reset: all
"""

START = """\
id: m
elements: [{id: e}]
intents: ["intent=i term(t)~{# == 'e'}"]
"""
"""The least that is a model, in three lines."""


def problems_of(text: str, format: Literal["yaml", "json"] = "yaml") -> tuple[Problem, ...]:
    """What is wrong with a model text; () if nothing is."""
    try:
        parse_model(dedent(text), format=format)
    except ModelError as error:
        return error.problems
    return ()


def positions_of(text: str, format: Literal["yaml", "json"] = "yaml") -> list[tuple[int, int]]:
    """The lines and columns of the mistakes in a model text."""
    return [(problem.line, problem.column) for problem in problems_of(text, format)]
