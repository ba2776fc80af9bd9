"""The vocabulary of the smart home: devices, rooms, colors and actions."""

from __future__ import annotations

__all__ = [
    "AREAS",
    "COMMANDS",
    "MODIFIERS",
    "NICKNAMES",
    "NOUNS",
    "OPTIONS",
    "QUESTIONS",
    "REQUESTS",
    "SETTINGS",
]

# Kind of device → device → its synonyms.
NOUNS: dict[str, dict[str, tuple[str, ...]]] = {
    "light": {
        "lamp": ("light",),
        "ceiling light": ("overhead light",),
        "spotlight": ("spot",),
        "light strip": ("led strip",),
        "lantern": ("hurricane lamp",),
        "chandelier": ("candelabra",),
        "floor lamp": ("standing lamp", "torchiere"),
        "night light": ("sleep light",),
    },
    "climate": {
        "thermostat": ("heating control",),
        "heater": ("stove heater",),
        "radiator": ("heating",),
        "air conditioner": ("ac", "aircon"),
        "fan": ("ventilator",),
        "humidifier": ("mist maker",),
        "air purifier": ("air cleaner",),
    },
    "cover": {
        "blinds": ("shades", "venetian blinds"),
        "curtain": ("drapes",),
        "shutter": ("roller shutter",),
        "awning": ("sun canopy",),
        "skylight": ("roof window",),
    },
    "door": {
        "door": ("entry door",),
        "gate": ("wicket",),
        "garage door": ("overhead door",),
        "cat flap": ("pet door",),
    },
    "lock": {"door lock": ("deadbolt",), "safe": ("strongbox",)},
    "media": {
        "television": ("tv", "telly"),
        "radio": ("wireless",),
        "speaker": ("loudspeaker",),
        "record player": ("turntable",),
        "projector": ("beamer",),
        "soundbar": ("sound bar",),
    },
    "robot": {"vacuum": ("hoover", "vacuum cleaner"), "lawn mower": ("mower", "lawn robot")},
    "appliance": {
        "dishwasher": ("dish washer",),
        "washing machine": ("washer", "laundry machine"),
        "dryer": ("tumble dryer",),
        "oven": ("stove",),
        "kettle": ("water boiler",),
    },
    "coffee": {"coffee machine": ("coffee maker", "espresso machine")},
    "alarm": {"alarm": ("alarm system",), "smoke detector": ("smoke alarm",)},
    "camera": {"camera": ("webcam",), "doorbell": ("bell",)},
}

# Distinguishing words for devices of one kind, besides the areas.
MODIFIERS = (
    "left",
    "big",
    "small",
    "old",
    "front",
    "back",
    "corner",
    "desk",
    "bedside",
    "reading",
    "main",
    "upper",
    "window",
    "portable",
    "party",
)

NICKNAMES = (
    "rosie",
    "bertha",
    "mister frosty",
    "hal",
    "dude",
    "grumpy",
    "old faithful",
    "sparky",
    "monolith",
    "jarvis",
    "tiny tim",
    "moby dick",
    "lady gaga",
    "captain hook",
    "big ben",
    "goldilocks",
    "dobby",
    "chewbacca",
    "godzilla",
    "marvin",
)

# Area → its synonyms.
AREAS: dict[str, tuple[str, ...]] = {
    "kitchen": ("kitchenette",),
    "living room": ("lounge", "sitting room"),
    "bedroom": ("master bedroom",),
    "bathroom": ("bath", "washroom"),
    "hallway": ("hall", "corridor"),
    "garage": ("carport",),
    "garden": ("yard", "backyard"),
    "office": ("study", "home office"),
    "dining room": ("dinette",),
    "nursery": ("baby room", "kids room"),
    "guest room": ("spare room",),
    "attic": ("loft",),
    "basement": ("cellar",),
    "balcony": ("loggia",),
    "terrace": ("patio",),
    "porch": ("veranda",),
    "laundry room": ("utility room",),
    "pantry": ("larder",),
    "library": ("book room",),
    "gym": ("fitness room",),
    "workshop": ("tool room",),
    "playroom": ("games room",),
    "conservatory": ("winter garden", "sun room"),
    "greenhouse": ("glasshouse",),
    "stairwell": ("stairs", "stairway"),
    "lobby": ("foyer", "vestibule"),
    "dressing room": ("walk in closet",),
    "music room": ("studio",),
    "shed": ("garden shed",),
    "cinema room": ("home cinema",),
}

# Options of intents besides device and area: value → its synonyms.
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "colour": {
        "red": ("crimson", "scarlet"),
        "orange": ("amber",),
        "yellow": ("lemon",),
        "green": ("emerald",),
        "blue": ("azure",),
        "purple": ("violet", "lilac"),
        "pink": ("rose",),
        "white": ("daylight",),
        "warm white": ("soft white",),
        "turquoise": ("teal", "aqua"),
    },
    "level": {
        "low": ("minimum", "lowest"),
        "medium": ("middle", "average"),
        "half": ("halfway", "fifty percent"),
        "high": ("strong",),
        "full": ("maximum", "a hundred percent"),
    },
    "warmth": {
        "comfort": ("cosy", "cozy"),
        "eco": ("economy", "energy saving"),
        "away": ("holiday", "vacation"),
        "frost protection": ("antifreeze",),
    },
    "mode": {
        "automatic": ("auto",),
        "silent": ("whisper",),
        "turbo": ("boost",),
        "manual": ("by hand",),
        "delicate": ("gentle",),
    },
    "speed": {"slow": ("leisurely",), "moderate": ("normal",), "fast": ("quick", "rapid")},
    "source": {
        "bluetooth": ("blue tooth",),
        "spotify": ("streaming",),
        "line in": ("aux", "auxiliary"),
        "hdmi": ("game console", "playstation"),
    },
    "genre": {
        "jazz": ("swing",),
        "rock": ("rock music", "hard rock"),
        "classical": ("classical music", "mozart"),
        "pop": ("chart music",),
        "blues": ("soul",),
        "lullabies": ("bedtime songs",),
    },
    "scene": {
        "film night": ("movie", "movie night"),
        "dinner": ("supper",),
        "party": ("celebration",),
        "romantic": ("romance", "candlelight"),
        "bedtime": ("sleep",),
        "concentration": ("focus",),
    },
    "drink": {
        "espresso": ("ristretto",),
        "cappuccino": ("cappucino",),
        "latte": ("latte macchiato", "caffe latte"),
        "coffee": ("black coffee", "americano"),
        "cocoa": ("hot chocolate",),
    },
}

# Command → its verbs ("turn … on" is "turn/on") | the kinds of devices, "-" for none; "+" adds
# areas.
COMMANDS: dict[str, str] = {
    "turn_on": "turn/on switch/on power/up | light climate media appliance camera +",
    "turn_off": "turn/off switch/off shut/off power/down | light climate media appliance camera +",
    "toggle": "toggle flip | light climate media camera +",
    "dim": "dim darken | light +",
    "brighten": "brighten lighten | light +",
    "warm_up": "warm/up heat/up | climate +",
    "cool_down": "cool/down chill | climate +",
    "louder": "turn/up crank/up amplify | media +",
    "quieter": "turn/down soften | media +",
    "mute": "mute silence hush | media +",
    "unmute": "unmute | media +",
    "pause": "pause suspend | media robot appliance +",
    "resume": "resume continue | media robot appliance +",
    "stop": "stop halt cancel | media robot appliance cover +",
    "lock": "lock bolt | door lock +",
    "unlock": "unlock unbolt | door lock +",
    "open": "open raise pull/up | cover door +",
    "close": "close shut pull/down | cover door +",
    "arm": "arm activate | alarm camera +",
    "disarm": "disarm deactivate | alarm camera +",
    "start": "start run launch | robot appliance",
    "dock": "dock recall send/home | robot",
    "clean": "clean sweep mop | - +",
    "record": "record film | camera",
    "test": "test try/out | alarm camera",
    "reset": "reset restart reboot | climate media camera alarm",
}

# Setting → its option, then its verbs | its topics ("?" if optional) | kinds.
SETTINGS: dict[str, str] = {
    "set_colour": "colour: set change turn make paint | colour,color,hue? | light +",
    "set_brightness": "level: set change put | brightness,light level | light +",
    "set_volume": "level: set change put | volume,loudness | media +",
    "set_temperature": "warmth: set change put switch | temperature,warmth? | climate +",
    "set_mode": "mode: set change put switch | mode,program? | robot appliance climate",
    "set_speed": "speed: set change | speed,pace? | robot climate",
    "set_source": "source: set change switch | source,input? | media",
    "set_scene": "scene: set change switch | scene,mood? | - +",
}

# Request → its option, then its verbs | the preposition before the device | kinds.
REQUESTS: dict[str, str] = {
    "play": "genre: play put/on | on | media +",
    "brew": "drink: brew make prepare | with | coffee",
}

# Question → states ("is it …?") | topics ("what is the …?") | kinds.
QUESTIONS: dict[str, str] = {
    "is_on": "on,running,switched on | | light media appliance climate",
    "is_locked": "locked,bolted | | door lock",
    "get_temperature": "| temperature,warmth | climate +",
    "get_battery": "| battery,battery level,charge | robot camera lock",
}
