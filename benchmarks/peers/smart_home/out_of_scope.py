"""Out-of-scope utterances, which no intent should answer."""

from __future__ import annotations

from random import Random

from benchmarks.peers.smart_home.english import past
from benchmarks.peers.smart_home.vocabulary import NICKNAMES
from benchmarks.peers.smart_home.work import Work

__all__ = ["out_of_scope_text"]

_ABOUT_NOTHING = (
    "what a lovely evening",
    "tell me a joke",
    "how are you today",
    "who won the match yesterday",
    "my feet hurt",
    "I had pasta for lunch",
    "it might rain tomorrow",
    "what is the capital of France",
    "good morning everybody",
    "I love you",
    "are we there yet",
    "that was a long day",
    "where did I leave my keys",
    "nobody told me",
    "sing me a song about the sea",
)
_WITHOUT_ACTION = (
    "I bought {name} for the {area}",
    "my favourite colour is {colour}",
    "there is a spider on the {name}",
    "the {name} was a present from my aunt",
    "our neighbours have a {name} too",
    "my sister sleeps in the {area}",
    "it smells strange in the {area}",
    "the {name} and the {area}",
    "do you like {genre}",
    "the {drink} was too hot",
    "what is a {name}",
    "we met in the {area}",
    "the {area} is larger than the {other}",
)
_ABOUT_ACTIONS = (
    "why did you {verb} the {name}",
    "who {done} the {name}",
    "do not {verb} the {name}",
    "don't {verb} the {name} in the {area}",
    "never {verb} the {name}",
    "when did you {verb} the {name} in the {area}",
)
_WITHOUT_A_THING = (
    "{word} it {particle}",
    "please {word} that {particle}",
    "could you {word} them {particle}",
    "just {verb}",
)

_SHARES = (
    (_ABOUT_NOTHING, 0.3),
    (_WITHOUT_ACTION, 0.35),
    (_ABOUT_ACTIONS, 0.2),
    (_WITHOUT_A_THING, 0.15),
)


def out_of_scope_text(work: Work, random: Random) -> tuple[str, str]:
    """A shape and a text: unrelated to the home (30 %), about its things without an action (35 %),
    about an action without requesting it (20 %), or a command without an object (15 %)."""
    (shapes,) = random.choices([one for one, _ in _SHARES], [share for _, share in _SHARES])
    shape = random.choice(shapes)
    intent = random.choice([one for one in work.intents if one.family == "command"])
    devices = [one for one in work.names if one.kind in intent.kinds] or list(work.names)
    verb = random.choice(intent.verbs)
    area, other = random.sample(work.areas, 2)
    words = {
        option: random.choice(random.choice(values).phrases)
        for option, values in work.options.items()
    }
    text = shape.format(
        verb=verb.text,
        word=verb.word,
        particle=verb.particle,
        done=f"{past(verb.word)} {verb.particle}".strip(),
        name=random.choice([one for one in random.choice(devices).phrases if one not in NICKNAMES]),
        area=area.value,
        other=other.value,
        **words,
    )
    return shape, text.strip()
