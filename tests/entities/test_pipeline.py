from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cache

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, Span

from anaphora.core.utterance import Utterance
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.prefetch import UnreadText
from anaphora.entities.spacy import language_pipelines
from anaphora.entities.spacy.language_pipelines import build_pipeline
from anaphora.errors import HandlerError, ModelError
from anaphora.models.domain import Element
from anaphora.models.loader import parse_model
from tests.entities.helpers.model_builders import WEATHER, element, model

pytestmark = pytest.mark.usefixtures("own_tokenizers")


def entities(utterance: Utterance) -> list[tuple[str, str | None]]:
    return [(entity.element, entity.value) for entity in utterance.entities]


@pytest.fixture(scope="module")
def weather() -> Pipeline:
    return Pipeline(WEATHER)


def test_an_utterance_has_tokens_and_entities_with_their_places(weather):
    utterance = weather("What's the weather in  New York?")
    assert [token.text for token in utterance.tokens] == [
        "What", "'s", "the", "weather", "in", " ", "New", "York", "?",
    ]  # fmt: skip
    assert [token.text for token in utterance.tokens if token.is_content_word] == [
        "weather",
        "New",
        "York",
    ]
    assert all(utterance.text[t.start : t.end] == t.text for t in utterance.tokens)
    topic, city = utterance.entities
    assert (city.text, city.tokens, city.start, city.end) == ("New York", (6, 7), 23, 31)
    assert (topic.topic, topic.groups, topic.value) == (True, frozenset({"topic"}), None)
    assert utterance.language == "en"


def test_entities_carry_what_their_element_says():
    child = Element(
        "child", frozenset({"g"}), {"": (("child",),)}, ancestors=("parent",), meta={"a": 1}
    )
    entity, _ = Pipeline(model(child))("children and a childs").entities
    assert (entity.ancestors, entity.meta, entity.exact, entity.is_from_phrase) == (
        ("parent",), {"a": 1}, False, True,
    )  # fmt: skip


def test_entities_come_by_their_start_and_the_longer_first():
    pipeline = Pipeline(
        model(
            element("a", "york"), element("b", "new york"), element("c", "new"), element("d", "new")
        )
    )
    assert [e.element for e in pipeline("new york").entities] == ["b", "c", "d", "a"]


def test_a_reset_phrase_counts_unless_it_is_inside_a_longer_entity():
    pipeline = Pipeline(model(element("song", "never forget it"), reset=["forget it"]))
    assert pipeline("please forget it").resets == ((1, 2),)
    assert pipeline("play never forget it").resets == ()


@pytest.mark.parametrize(
    ("text", "cities"),
    [
        ("", []),
        ("   \n\t", []),
        ("Tokyo\0Tokyo Tokyo \0", ["Tokyo"]),
        ("🙂 Tokyo 🏙️ 👨‍👩‍👧", ["Tokyo"]),
        ("\u200fTokyo\u200f مدينة", ["Tokyo"]),
        ("\ud800 Tokyo \udfff", ["Tokyo"]),
    ],
)
def test_any_text_can_be_read(weather, text, cities):
    utterance = weather(text)
    assert [value for _, value in entities(utterance)] == cities
    utterance.text.encode()


@pytest.mark.parametrize("text", ["☀ hot", "☀️ hot", "☀ \u200b hot", "\u202b☀️ hot\u202c"])
@pytest.mark.parametrize("phrase", ["☀️ hot", "☀ hot"])
def test_what_cannot_be_seen_makes_no_difference(phrase, text):
    (sun,) = Pipeline(model(element("sun", phrase)))(text).entities
    assert sun.text.strip("\u202b\u202c") == text.strip("\u202b\u202c")


def test_lone_surrogates_become_the_replacement_character(weather):
    assert weather("a\ud800b").text == "a\ufffdb"
    assert weather("\ud83d\ude42").text == "🙂"


@pytest.mark.parametrize("times", [5_000, pytest.param(50_000, marks=pytest.mark.thorough)])
def test_a_long_text_can_be_read(weather, times):
    utterance = weather("weather in Tokyo now, " * times)
    assert len(utterance.entities) == 3 * times
    assert len(weather("forget it in Tokyo " * times).resets) == times


def test_a_megabyte_can_be_read(weather):
    assert not weather("x" * 1_100_000).entities


@pytest.fixture(scope="module")
def bilingual() -> Pipeline:
    weather = Element(
        "weather", frozenset({"weather"}), {"en": (("weather",),), "ru": (("погода",),)}
    )
    city = Element("city", frozenset({"city"}), {"": (("Tokyo",),), "ru": (("Токио",),)})
    return Pipeline(model(weather, city, languages=("en", "ru")))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the weather in Tokyo?", "en"),
        ("Какая погода в Токио?", "ru"),
        ("А погода в Tokyo?", "ru"),
        ("And in Tokyo?", "en"),
        ("А в Tokyo?", "ru"),
        ("А что?", "ru"),
        ("Tokyo", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_that_in_which_most_is_understood(bilingual, text, language):
    assert bilingual(text).language == language


def test_a_language_can_be_asked_for(bilingual):
    assert bilingual("What is the weather in Tokyo?", "ru").language == "ru"
    with pytest.raises(ModelError, match="'fr'") as caught:
        bilingual("Tokyo", "fr")
    assert "'en', 'ru'" in caught.value.hint


def test_an_unknown_language_of_a_model_is_an_error():
    with pytest.raises(ModelError, match="'qq' is not a language that spaCy knows"):
        Pipeline(model(languages=("qq",)))


@Language.component("test_shouting")
def shouting(doc):
    """Stands for a user's component: capitals are cities, and something that is no element."""
    for token in doc:
        if token.is_upper:
            doc.spans["anaphora"].append(Span(doc, token.i, token.i + 1, "city", kb_id=token.text))
            doc.spans["anaphora"].append(Span(doc, token.i, token.i + 1, "nothing known"))
    return doc


def test_an_own_pipeline_keeps_its_components_and_gets_ours_last():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    assert build_pipeline(WEATHER, "en", nlp) is nlp
    assert nlp.pipe_names == ["sentencizer", "anaphora_elements"]
    build_pipeline(model(element("x", "tokyo")), "en", nlp)
    assert nlp.pipe_names == ["sentencizer", "anaphora_elements"]
    doc = nlp("Tokyo")
    assert [span.label_ for span in doc.spans["anaphora"]] == ["x"]


def test_components_of_the_user_may_add_entities():
    nlp = spacy.blank("en")
    pipeline = Pipeline(WEATHER, nlp)
    nlp.add_pipe("test_shouting", after="anaphora_elements")
    assert entities(pipeline("weather in PARIS")) == [("weather", None), ("city", "PARIS")]


def test_docs_of_an_own_pipeline_stay_valid(monkeypatch):
    monkeypatch.setattr(language_pipelines, "_NEW_STRINGS", 10)
    nlp = spacy.blank("en")
    pipeline = Pipeline(WEATHER, nlp)
    doc = nlp("unheardof words")
    for number in range(100):
        pipeline(f"word{number}")
    assert not nlp.vocab.in_memory_zone
    assert doc[0].text == "unheardof"


def test_one_pipeline_cannot_serve_two_models():
    nlp = spacy.blank("en")
    first = Pipeline(WEATHER, nlp)
    second = Pipeline(model(element("x", "tokyo")), nlp)
    assert entities(second("Tokyo")) == [("x", None)]
    with pytest.raises(ModelError, match="now serves another model"):
        first("Tokyo")


def test_own_pipelines_are_taken_by_language():
    both = model(element("city", "Tokyo"), languages=("en", "ru"))
    russian = spacy.blank("ru")
    Pipeline(both, russian)
    assert russian.pipe_names == ["anaphora_elements"]
    Pipeline(both, {"en": (english := spacy.blank("en"))})
    assert english.pipe_names == ["anaphora_elements"]
    with pytest.raises(ModelError, match="'de'"):
        Pipeline(both, spacy.blank("de"))
    with pytest.raises(ModelError, match="'de'"):
        Pipeline(both, {"de": spacy.blank("de")})


def test_many_threads_may_ask(monkeypatch):
    monkeypatch.setattr(language_pipelines, "_NEW_STRINGS", 50)
    monkeypatch.setattr(language_pipelines, "_ZONES", 3)
    pipeline = Pipeline(WEATHER)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            texts = [f"weather w{n} in Tokyo x{n} now" for n in range(800)]
            for text, utterance in zip(texts, pool.map(pipeline, texts), strict=True):
                assert " ".join(token.text for token in utterance.tokens) == text
                assert len(utterance.entities) == 3
    finally:
        sys.setswitchinterval(interval)


def test_the_vocabulary_does_not_grow_for_ever(monkeypatch):
    monkeypatch.setattr(language_pipelines, "_NEW_STRINGS", 200)
    monkeypatch.setattr(language_pipelines, "_ZONES", 4)
    seen, blank = [], language_pipelines.blank
    monkeypatch.setattr(
        language_pipelines, "blank", lambda *a, **k: seen.append(blank(*a, **k)) or seen[-1]
    )
    pipeline = Pipeline(WEATHER)
    start = len(seen[0].vocab.strings)
    for number in range(1500):
        utterance = pipeline(f"some{number}thing and other{number} in Tokyo")
        assert entities(utterance) == [("city", "Tokyo")]
        assert len(seen[-1].vocab.strings) < start + 500
    assert len(seen) > 1


class Batched:
    """Stands for a neural component: it takes batches, and cannot read everything."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def __call__(self, doc: Doc) -> Doc:
        return self._marked([doc])[0]

    def pipe(self, docs: Iterator[Doc], *, batch_size: int) -> Iterator[Doc]:
        for batch in spacy.util.minibatch(docs, batch_size):
            yield from self._marked(list(batch))

    def _marked(self, docs: list[Doc]) -> list[Doc]:
        self.sizes.append(len(docs))
        for doc in docs:
            if "unreadable" in doc.text:
                raise ValueError(f"no sense in {doc.text!r}")
            for token in doc:
                token.lemma_ = token.lower_ + str(doc.user_data.get("anaphora_at", ""))
        return docs


@Language.factory("test_batched")
def create_batched(nlp: Language, name: str) -> Batched:
    return Batched()


def with_batches(language: str = "en") -> tuple[Language, Batched]:
    nlp = spacy.blank(language)
    return nlp, nlp.add_pipe("test_batched")


TRIP = parse_model("""
id: trip
language: [en, ru]
entities: [date]
elements:
  - {id: city, values: {Tokyo: {en: [], ru: [Токио]}, Kyoto: []}}
intents: ["intent=trip term(city)={# == 'city'}"]
reset: {en: [forget it], ru: [забудь]}
""")


@cache
def pipelines() -> dict[str, Pipeline]:
    """Ours, the user's, and both for different languages."""
    return {
        "ours": Pipeline(TRIP),
        "a given one": Pipeline(WEATHER, with_batches()[0]),
        "one for a language": Pipeline(TRIP, {"en": with_batches()[0]}),
    }


NEW_YEAR = datetime(2026, 1, 1, 12, tzinfo=UTC)
WORDS = ["weather", "in", "Tokyo", "now", "Токио", "завтра", "tomorrow", "forget it", "забудь"]
SAID = st.lists(st.sampled_from([*WORDS, "\ud800", ".", "unreadable"]), max_size=5).map(" ".join)


def until_one_fails(utterances: Iterator[Utterance]) -> list[Utterance | str]:
    """All of them, or those before an error, and what it says."""
    found: list[Utterance | str] = []
    try:
        found.extend(utterances)
    except (HandlerError, ModelError) as error:
        found.append(str(error))
    return found


def read_batch(
    pipeline: Pipeline,
    texts: list[str],
    language: str | None = None,
    preferred: str = "",
    at: datetime | None = None,
) -> Iterator[Utterance]:
    """As :meth:`Engine.ask_many` does: texts whose batch fails are analyzed one by one."""
    batch = pipeline.prefetch([UnreadText(text, language, at) for text in texts])
    for text, prefetched in zip(texts, batch, strict=True):
        if prefetched is None:
            yield pipeline(text, language, preferred=preferred, at=at)
        else:
            yield prefetched.select_likeliest(preferred)


class TestBatches:
    @settings(deadline=None)
    @given(
        name=st.sampled_from(["ours", "a given one", "one for a language"]),
        texts=st.lists(SAID, max_size=6),
        language=st.sampled_from([None, None, "en", "ru"]),
        preferred=st.sampled_from(["", "en", "ru"]),
        at=st.sampled_from([NEW_YEAR, NEW_YEAR.replace(month=7)]),
    )
    def test_give_what_one_text_after_the_other_gives(self, name, texts, language, preferred, at):
        pipeline = pipelines()[name]
        one_by_one = (pipeline(text, language, preferred=preferred, at=at) for text in texts)
        many = read_batch(pipeline, texts, language, preferred, at)
        assert until_one_fails(many) == until_one_fails(one_by_one)

    def test_reach_the_components_of_the_user_as_batches(self):
        nlp, batched = with_batches()
        utterances = read_batch(Pipeline(WEATHER, nlp), ["Tokyo", "New York", "now"])
        assert [entities(one) for one in utterances] == [
            [("city", "Tokyo")],
            [("city", "New York")],
            [("date", "now")],
        ]
        assert batched.sizes == [3]

    def test_that_fail_are_read_one_by_one(self):
        nlp, batched = with_batches()
        utterances = read_batch(Pipeline(WEATHER, nlp), ["Tokyo", "unreadable", "now"])
        assert entities(next(utterances)) == [("city", "Tokyo")]
        with pytest.raises(HandlerError, match="no sense in 'unreadable'"):
            next(utterances)
        assert batched.sizes == [3, 1, 1]

    def test_lose_no_text_where_spacy_is_to_go_on_after_errors(self):
        nlp = spacy.blank("en")
        nlp.add_pipe("test_grumbling")
        nlp.set_error_handler(lambda name, component, docs, error: None)
        texts = ["Tokyo", "unreadable Tokyo", "now"]
        pipeline = Pipeline(WEATHER, nlp)
        assert list(read_batch(pipeline, texts)) == list(map(pipeline, texts))

    def test_leave_the_vocabulary_as_small_as_it_was(self, monkeypatch):
        monkeypatch.setattr(language_pipelines, "_NEW_STRINGS", 200)
        monkeypatch.setattr(language_pipelines, "_ZONES", 3)
        pipeline = Pipeline(WEATHER)
        texts = [f"Tokyo (some{number}thing), other{number}!" for number in range(1500)]
        kept = list(read_batch(pipeline, texts))
        assert [one.tokens[-1].text for one in kept] == ["!"] * 1500
        assert [one.tokens[2].lower for one in kept] == [f"some{n}thing" for n in range(1500)]

    def test_of_many_threads_do_not_meet(self):
        nlp, _ = with_batches()
        pipeline = Pipeline(WEATHER, nlp)
        texts = [[f"w{n} Tokyo {i}" for i in range(20)] for n in range(8)]

        def read(batch: list[str]) -> list[Utterance]:
            return list(read_batch(pipeline, batch))

        with ThreadPoolExecutor(8) as pool:
            for said, found in zip(texts, pool.map(read, texts), strict=True):
                assert [one.text for one in found] == said


@Language.component("test_grumbling")
def grumbling(doc: Doc) -> Doc:
    if "unreadable" in doc.text:
        raise ValueError("no sense in it")
    return doc


def test_importing_the_package_loads_no_spacy():
    code = "import sys, anaphora.entities; print('spacy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_an_utterance_holds_no_doc():
    docs = []

    @Language.component("test_pipeline_lemmas")
    def lemmas(doc):
        docs.append(weakref.ref(doc))
        for token in doc:
            token.lemma_ = token.lower_
        return doc

    nlp = spacy.blank("en")
    nlp.add_pipe("test_pipeline_lemmas")
    utterances = list(read_batch(Pipeline(WEATHER, nlp), ["weather in Tokyo", "now"]))
    gc.collect()
    assert [ref() for ref in docs] == [None, None]
    assert [token.text for token in utterances[0].tokens] == ["weather", "in", "Tokyo"]


def test_a_pipeline_that_is_gone_leaves_no_words():
    pipeline = Pipeline(model(element("dessert", "icecream")))
    pipeline("an ice cream")
    (reader,) = pipeline._readers.values()
    lexicon = weakref.ref(reader._tagger.lexicon)
    del pipeline, reader
    gc.collect()
    assert lexicon() is None
