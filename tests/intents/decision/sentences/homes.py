"""Homes to talk to, and what they answer."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

from anaphora import Area, Device, Engine, Home, Request, load_model

NOW = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
NAMES = {
    "en": ("Kitchen", "Hall", "Bedroom", "front door", "back door", "lamp", "radio"),
    "de": ("Küche", "Flur", "Schlafzimmer", "Haustür", "Hintertür", "Lampe", "Radio"),
    "es": ("cocina", "pasillo", "dormitorio", "puerta principal", "puerta trasera", "lámpara",
           "radio"),
    "fr": ("cuisine", "entrée", "chambre", "porte avant", "porte arrière", "lampe", "radio"),
    "it": ("cucina", "corridoio", "camera", "porta d'ingresso", "porta sul retro", "lampada",
           "radio"),
    "nl": ("keuken", "gang", "slaapkamer", "voordeur", "achterdeur", "lamp", "radio"),
    "ru": ("кухня", "коридор", "спальня", "входная дверь", "задняя дверь", "лампа", "радио"),
    "pl": ("kuchnia", "korytarz", "sypialnia", "drzwi", "tylne drzwi", "lampa", "radio"),
    "cs": ("kuchyň", "chodba", "ložnice", "dveře", "vrata", "lampa", "rádio"),
    "pt": ("cozinha", "corredor", "quarto", "porta da frente", "porta das traseiras", "lâmpada",
           "rádio"),
    "uk": ("кухня", "коридор", "спальня", "вхідні двері", "задні двері", "лампа", "радіо"),
    "sv": ("köket", "hallen", "sovrummet", "ytterdörren", "bakdörren", "lampan", "radion"),
    "da": ("køkkenet", "gangen", "soveværelset", "hoveddøren", "bagdøren", "lampen", "radioen"),
    "nb": ("kjøkkenet", "gangen", "soverommet", "ytterdøren", "bakdøren", "lampen", "radioen"),
    "fi": ("keittiö", "eteinen", "makuuhuone", "ulko-ovi", "takaovi", "lamppu", "radio"),
    "hu": ("konyha", "folyosó", "hálószoba", "bejárati ajtó", "hátsó ajtó", "lámpa", "rádió"),
    "tr": ("mutfak", "koridor", "yatak odası", "ön kapı", "arka kapı", "lamba", "radyo"),
    "ja": ("台所", "廊下", "寝室", "玄関", "裏口", "ランプ", "ラジオ"),
    "zh-CN": ("厨房", "走廊", "卧室", "前门", "后门", "台灯", "收音机"),
}  # fmt: skip


@cache
def make_engine(language: str) -> Engine:
    kitchen, hall, bedroom, front, back, lamp, radio = NAMES[language]
    devices = [
        Device(front, "lock", (), hall),
        Device(back, "lock", (), kitchen),
        Device(lamp, "light", (), hall),
        Device(radio, "media_player", (), kitchen),
    ]
    if language == "en":
        devices += [
            Device("oven", "switch", (), kitchen),
            Device("tv", "media_player", (), hall),
            Device("fan", "fan", (), bedroom),
            Device("left blind", "cover", (), bedroom),
            Device("right blind", "cover", (), bedroom),
            Device("garage door", "cover", (), hall),
            Device("heating", "climate", (), bedroom),
        ]
    if language == "de":
        devices.append(Device("Heizung", "climate", (), bedroom))
    areas = (Area(kitchen), Area(hall), Area(bedroom))
    home = Home(areas=areas, devices=tuple(devices))
    return Engine(load_model(f"home-assistant:{language}", home=home), clock=lambda: NOW)


def talk(*texts: str, language: str = "en") -> list[str]:
    """The answers to a dialog: the intent with its slots, else the reason of the refusal. A text
    may begin with the room of the speaker: "@Kitchen: louder"."""
    return [answer for answer, _ in _ask(texts, language)]


def said(*texts: str, language: str = "en") -> str:
    """What the bot says to the last text of a dialog."""
    return _ask(texts, language)[-1][1]


def _ask(texts: tuple[str, ...], language: str) -> list[tuple[str, str]]:
    engine = make_engine(language)
    engine.forget()
    answers = []
    for written in texts:
        area, _, text = written[1:].partition(": ") if written[0] == "@" else ("", "", written)
        reply = engine.ask(text, request=Request(data={"area": area} if area else {}))
        slots = " ".join(f"{name}={slot.value}" for name, slot in sorted(reply.slots.items()))
        answer = f"{reply.intent} {slots}".strip() if reply.intent else reply.reason
        answers.append((answer, reply.text or ""))
    return answers
