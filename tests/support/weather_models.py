"""A small weather model that exercises every rule of the engine, and one with several topics."""

from __future__ import annotations

from typing import Any

from anaphora import Reply

WEATHER = """
    id: weather
    elements:
      - {id: weather, groups: [topic], synonyms: [forecast]}
      - {id: city, values: {Tokyo: [], Kyoto: [], New York: [nyc]}}
      - {id: date, values: {now: [], today: [], tomorrow: [], the day after tomorrow: []}}
    intents:
      - intent=weather term(topic)~{# == 'weather'} term(city)~{# == 'city'}
        term(date)~{# == 'date'}?
    responses:
      weather: "{{ city }}{% if date %}, {{ date }}{% endif %}"
    prompts:
      weather: {city: For which city?}
    reset: ["{enough|forget} {it|that|of the weather}"]
"""

TOPICS = """
    id: both
    elements:
      - {id: weather, groups: [topic], topic: true}
      - {id: price, groups: [topic], topic: true, synonyms: [how much]}
      - {id: hotel, groups: [topic], topic: true}
      - {id: city, values: {Tokyo: [], Kyoto: []}}
      - {id: food, values: {coffee: [], donut: []}}
      - {id: date, values: {now: [], tomorrow: []}}
    intents:
      - intent=weather term(topic)~{# == 'weather'} term(city)~{# == 'city'}
        term(date)~{# == 'date'}?
      - intent=price term(topic)~{# == 'price'} term(food)~{# == 'food'} term(date)~{# == 'date'}?
      - intent=hotel term(topic)~{# == 'hotel'} term(city)~{# == 'city'} term(date)~{# == 'date'}?
"""


def values(reply: Reply) -> dict[str, Any]:
    return {name: slot.value for name, slot in reply.slots.items()}


def sources(reply: Reply) -> dict[str, Any]:
    return {name: slot.source for name, slot in reply.slots.items()}
