"""Bots for dialogs: one that offers trains, one that fills a form and confirms it, two that take
orders of several things (one of them counts), one that answers questions which are corrected, one
that calls people, and one that mentions a second place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import time
from typing import Any

from anaphora import Answer, Engine

__all__ = ["BAR", "ORDERS", "PEOPLE", "SALON", "TRAINS", "TRIPS", "WEATHER", "offer_trains"]

TRAINS = """
id: trains
language: [en, ru, de, es]
dialog_acts: true
conversation: {timeout: 30m, depth: 3}
entities: [date, money, number]
elements:
  - id: find
    topic: true
    synonyms:
      en: ["{train|trains}", connections]
      ru: [поезд, поезда, билеты]
      de: ["{Zug|Züge}", Verbindungen]
      es: ["{tren|trenes}"]
  - id: buy
    synonyms:
      en: ["{buy|get} {a ticket|tickets|_}"]
      ru: [купи, купить]
      de: [kaufe, kaufen]
      es: [compra, comprar]
  - id: duration
    synonyms:
      en: ["how long", duration]
      ru: ["как долго", "сколько ехать"]
      de: ["wie lange"]
      es: ["cuánto tarda"]
  - {id: office, synonyms: {en: [office], ru: [касса], de: [Schalter], es: [taquilla]}}
  - id: news
    topic: true
    synonyms: {en: [news], ru: [новости], de: [Nachrichten], es: [noticias]}
  - id: city
    refers: place
    values:
      Bonn: {en: [Bonn], ru: [Бонн], de: [Bonn], es: [Bonn]}
      Jena: {en: [Jena], ru: [Йена], de: [Jena], es: [Jena]}
  - id: line
    refers: thing
    values:
      Comet: {en: [Comet], ru: [Комета], de: [Komet], es: [Cometa]}
      Heron: {en: [Heron], ru: [Цапля], de: [Reiher], es: [Garza]}
      Swift: {en: [Swift], ru: [Стриж], de: [Mauersegler], es: [Vencejo]}
intents:
  - "intent=find term(find)~{# == 'find'} term(city)~{# == 'city'}"
  - "intent=buy term(buy)={# == 'buy'} term(line)~{# == 'line'} term(seats)~{# == 'number'}"
  - "intent=duration term={# == 'duration'} term(line)~{# == 'line'}"
  - "intent=office term={# == 'office'}"
  - "intent=news term={# == 'news'}"
prompts:
  find: {city: "Where to?"}
  buy: {line: "Which train?", seats: "How many seats?"}
responses:
  find: "Trains to {{ city }}."
  buy: "{{ seats }} seats in {{ line }}."
  duration: "{{ line }}: two hours."
  office: "Open from nine."
  news: "None."
"""
SALON = """
id: salon
language: [en, ru, de, es]
dialog_acts: true
conversation: {timeout: 30m, depth: 8}
entities: [date]
elements:
  - id: book
    synonyms:
      en: ["{book|make} {an appointment|_}", appointment]
      ru: ["{запиши|запишите} {меня|_}"]
      de: [Termin]
      es: [cita]
  - id: hours
    synonyms: {en: ["opening hours"], ru: ["часы работы"], de: [Öffnungszeiten], es: [horario]}
  - id: service
    values:
      cut: {en: [haircut, cut], ru: [стрижка], de: [Haarschnitt, schneiden], es: [corte]}
      colour: {en: [colouring], ru: [окраска], de: [Färben, färben], es: [tinte]}
  - id: master
    values:
      Vera: {en: [Vera], ru: [Вера], de: [Vera], es: [Vera]}
      Olga: {en: [Olga], ru: [Ольга], de: [Olga], es: [Olga]}
  - id: wash
    values:
      washed:
        en: ["with a wash", washed]
        ru: ["с мытьем"]
        de: ["mit Waschen"]
        es: ["con lavado"]
      dry: {en: [dry], ru: [без мытья], de: [trocken], es: [seco]}
intents:
  - "intent=book
      term(book)~{# == 'book'} term(service)~{# == 'service'} term(master)~{# == 'master'}
      term(day)~{# == 'date'} term(wash)~{# == 'wash'}?"
  - "intent=hours term={# == 'hours'}"
prompts:
  book:
    service:
      en: "What shall we do?"
      ru: "Что делаем?"
      de: "Was darf es sein?"
      es: "¿Qué desea?"
    master: {en: "With whom?", ru: "К кому?", de: "Bei wem?", es: "¿Con quién?"}
    day: {en: "When?", ru: "Когда?", de: "Wann?", es: "¿Cuándo?"}
    wash: {en: "With a wash?", ru: "С мытьем?", de: "Mit Waschen?", es: "¿Con lavado?"}
confirm:
  book: "{{ service }}, {{ master }}, {{ slots.day.text }}{% if wash %}, {{ wash }}{% endif %}?"
responses:
  book: "Done."
  hours: "Nine to five."
"""

ORDERS = """
id: bakery
language: [en, ru, de, es]
dialog_acts: true
conversation: {timeout: 30m, depth: 8}
elements:
  - id: sandwich
    topic: true
    fresh: true
    synonyms: {en: [sandwich, bagel], ru: [бутерброд], de: [Brötchen], es: [bocadillo]}
  - id: bread
    values:
      rye: {en: [rye], ru: [ржаной], de: [Roggen], es: [centeno]}
      white: {en: [white], ru: [белый], de: [weiß, weißes], es: [blanco]}
  - id: filling
    several: true
    values:
      egg: {en: [egg, eggs], ru: [яйцо], de: [Ei, Eier], es: [huevo]}
      salmon: {en: [salmon], ru: [лосось], de: [Lachs], es: [salmón]}
      cress: {en: [cress], ru: [кресс], de: [Kresse], es: [berro]}
      butter: {en: [butter], ru: [масло], de: [Butter], es: [mantequilla]}
intents:
  - "intent=order
      term(sandwich)~{# == 'sandwich'} term(bread)~{# == 'bread'}
      term(fillings)~{# == 'filling'}[0,4]"
prompts:
  order: {bread: "Which bread?"}
responses:
  order: "{{ bread }}: {{ fillings | join(' and ') if fillings else 'plain' }}."
"""

WEATHER = """
id: climate
language: [en, ru, de, es]
dialog_acts: true
conversation: {timeout: 30m, depth: 8}
entities: [date]
elements:
  - id: weather
    topic: true
    synonyms: {en: [weather], ru: [погода], de: [Wetter], es: [tiempo]}
  - id: tide
    topic: true
    synonyms: {en: [tide, tides], ru: [прилив], de: [Flut], es: [marea]}
  - id: city
    refers: place
    values:
      Oslo: {en: [Oslo], ru: [Осло], de: [Oslo], es: [Oslo]}
      Turku: {en: [Turku], ru: [Турку], de: [Turku], es: [Turku]}
      Riga: {en: [Riga], ru: [Рига], de: [Riga], es: [Riga]}
intents:
  - "intent=weather term(kind)~{# == 'weather'} term(city)~{# == 'city'} term(day)~{# == 'date'}?"
  - "intent=tide term(kind)~{# == 'tide'} term(city)~{# == 'city'} term(day)~{# == 'date'}?"
responses:
  weather: "{{ city }}."
  tide: "High in {{ city }}."
"""

BAR = """
id: bar
language: [en, ru, de]
dialog_acts: true
conversation: {timeout: 30m, depth: 8}
entities: [number]
elements:
  - id: want
    synonyms: {en: ["{i want|i'd like}"], ru: ["{хочу|принесите}"], de: [ich möchte]}
  - id: drink
    several: true
    counts: number
    id_synonym: false
    values:
      tea: {en: [tea], ru: [чай], de: [Tee]}
      coffee: {en: [coffee], ru: [кофе], de: [Kaffee]}
intents:
  - id: order
    slots: {want: want, drinks: {element: drink, several: true, ask: "What?"}}
    response: "{% for one in drinks %}/{{ one.quantity or 1 }} {{ one }}{% endfor %}"
"""

PEOPLE = """
id: people
language: [en, ru, de, es]
dialog_acts: true
conversation: {timeout: 30m, depth: 8}
entities: [date]
elements:
  - id: seller
    synonyms: {en: [who sells], ru: [кто продаёт], de: [wer verkauft], es: [quién vende]}
  - id: call
    synonyms: {en: [call], ru: [позвони], de: [rufe], es: ["llama {a|_}"]}
  - id: write
    synonyms: {en: ["write {to|_}"], ru: [напиши], de: ["schreib {an|_}"], es: ["escribe {a|_}"]}
  - id: colleague
    refers: [person]
    values:
      Anna: {en: [Anna], ru: [Анна], de: [Anna], es: [Ana]}
      Boris: {en: [Boris], ru: [Борис], de: [Boris], es: [Boris]}
  - {id: product, refers: thing, values: {tea: {en: [tea], ru: [чай], de: [Tee], es: [té]}}}
intents:
  - "intent=seller term={# == 'seller'} term(product)~{# == 'product'}"
  - "intent=call term={# == 'call'} term(whom)~{# == 'colleague'} term(day)~{# == 'date'}?"
  - "intent=write term={# == 'write'} term(whom)~{# == 'colleague'}"
prompts: {call: {whom: "Whom?"}}
mentions: {seller: {colleague: Boris}}
"""

TRIPS = """
id: trips
language: [en, ru, de]
dialog_acts: true
conversation: {timeout: 30m, depth: 8}
elements:
  - {id: hotel, groups: [topic], synonyms: {en: [hotel], ru: [отель], de: [Hotel]}}
  - {id: weather, groups: [topic], synonyms: {en: [weather], ru: [погода], de: [Wetter]}}
  - id: city
    groups: [place, city]
    refers: place
    values: {Oslo: {ru: [Осло]}, Riga: {ru: [Рига]}}
  - {id: beach, groups: [place, beach], refers: place, values: {Huk: {ru: [Хук]}}}
intents:
  - "intent=hotel term(topic)~{# == 'hotel'} term(place)~{has(ent_groups(), 'place')}"
  - "intent=weather term(topic)~{# == 'weather'} term(place)~{has(ent_groups(), 'place')}"
mentions: {hotel: {beach: Huk}}
"""

_TIMETABLE = (
    {"line": "Comet", "date": time(7), "money": "€30"},
    {"line": "Heron", "date": time(9), "money": "€20"},
    {"line": "Swift", "date": time(16), "money": "€45"},
)


def offer_trains(
    engine: Engine, timetable: Sequence[Mapping[str, Any]] = _TIMETABLE, at_once: int = 3
) -> Engine:
    """Let the bot of :data:`TRAINS` offer these trains, so many at once, and none that was
    declined."""

    @engine.on("find")
    def find(declined: Sequence[Mapping[str, Any]]) -> Answer:
        gone = {bundle["line"] for bundle in declined}
        left = [train for train in timetable if train["line"] not in gone][:at_once]
        return Answer(
            " or ".join(train["line"] for train in left) or "None.", offers=left, then="buy"
        )

    return engine
