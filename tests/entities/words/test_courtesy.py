"""What only makes a request polite does not count as words that are not understood."""

from __future__ import annotations

import pytest

from anaphora.core.utterance import Utterance
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.words.function_words import load_courtesy_phrases
from anaphora.models.domain import StopWords
from tests.entities.helpers.model_builders import element, model

POLITE = {
    "en": "hello|good morning|I want to|ok|I would like to|I'd like|"
    "we'd love|would you mind|would you please|could you|pls|"
    "thanks a lot|"
    "if you don't mind|I wouldn't mind|thank you very much|would you be so kind as to|kindly|"
    "may I have|excuse me|if possible|I should like to",
    "de": "guten Tag|hallo|ich will|bitte|ich hätte gern|"
    "ich hätte gerne|ich möchte|ich würde gern|könnten Sie bitte|"
    "wären Sie so nett|danke schön|vielen Dank|falls es Ihnen nichts ausmacht|dürfte ich",
    "ru": "добрый день|привет|я хочу|пожалуйста|я хотел бы|я бы хотела|"
    "не могли бы вы|вы не могли бы|будьте добры|"
    "если вам не трудно|если вас не затруднит|спасибо большое|прошу вас|не можете ли вы",
    "uk": "добрий день|хочу|будь ласка|я хотів би|я б хотіла|"
    "чи не могли б ви|чи могли б ви|будьте ласкаві|прошу|"
    "дякую|якщо вам не важко",
    "fr": "bonjour|d'accord|je veux|s'il vous plaît|s'il te plait|svp|"
    "je voudrais|j'aimerais|pourriez-vous|merci d'avance|"
    "veuillez|pouvez-vous|si cela ne vous dérange pas|ne pourriez-vous pas|excusez-moi",
    "es": "buenos días|hola|quiero|por favor|porfa|quisiera|"
    "me gustaría|podría|podrías|muchas gracias|si no le importa|"
    "tenga la bondad de|sería tan amable de",
    "pt": "bom dia|eu quero|por favor|por gentileza|gostaria de|"
    "eu queria|poderia|muito obrigado|faça o favor de|"
    "se não se importar",
    "it": "buonasera|va bene|d'accordo|per favore|per piacere|"
    "per cortesia|vorrei|mi piacerebbe|potresti|grazie mille|"
    "gentilmente|se non le dispiace|sarebbe così gentile da",
    "ja": "お願いします|お願い致します|ください|下さい|していただけますか|していただけませんか|"
    "してくれませんか|すみません|ありがとうございます",
    "zh": "你好|请|麻烦你|麻烦您帮我|请问|谢谢|能不能|可不可以|拜托|我想要|不好意思|如果可以的话",
    "nl": "goedemorgen|ik wil|alstublieft|graag|ik zou graag|zou u|dank u wel",
    "pl": "proszę|poproszę|chciałbym|czy mógłby pan|dziękuję|jeśli można",
    "tr": "lütfen|rica etsem|teşekkür ederim|mümkünse",
}  # fmt: skip
MEANT = {
    "en": "I like jazz|love songs|mind maps|a kind of tea|do not|never mind the gap",
    "de": "nicht|ein nettes Hotel",
    "ru": "не отправляй|вы не отправили|трудно",
    "fr": "ne pas|il plaît",
    "es": "favor|no envíes",
    "zh": "不|想法",
    "ja": "ません|しない",
}


def read(language: str, text: str) -> Utterance:
    return Pipeline(model(element("x", "zzz"), languages=(language,)))(text)


def listed(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(language, text) for language, texts in table.items() for text in texts.split("|")]


@pytest.mark.parametrize(("language", "text"), listed(POLITE))
def test_polite_words_are_no_content_words(language, text):
    said = read(language, text)
    assert [said.tokens[i].text for i in said.content_words] == []
    assert not list(said.qualifiers)
    assert not any(token.is_content_word for token in said.tokens)


@pytest.mark.parametrize(("language", "text"), listed(MEANT))
def test_the_same_words_elsewhere_are_content_words(language, text):
    assert read(language, text).content_words


def test_a_model_may_have_them_mean_something():
    polite = model(element("x", "zzz"), stop_words=StopWords(excluded=frozenset({"please"})))
    assert [
        word.text for word in Pipeline(polite)("please now").tokens if word.is_content_word
    ] == ["please"]


@pytest.mark.parametrize("language", sorted({*POLITE} - {"ja"}))
def test_each_phrase_of_a_table_is_written_as_the_tokenizer_cuts_it(language):
    cut = Pipeline(model(element("x", "zzz"), languages=(language,)))
    for phrase in load_courtesy_phrases(language):
        text = ("" if language == "zh" else " ").join(phrase)
        for joined in (" n't", " nt", " '", " -"):
            text = text.replace(joined, joined.strip())
        text = text.replace("' ", "'").replace("- ", "-")
        assert not cut(text).content_words
