"""What a bot says by itself, and what answers it, by language: the offers of the bridge to the
long-term memory, and the question about what a sentence has left over.

A model may word both itself; there is a phrase here for every language that the package has
tables of. Those without a table of yes and no (:mod:`anaphora.entities.plain.boolean`) have the
plain words for it here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anaphora.entities.languages import base_code
from anaphora.models.utterance import Entity

if TYPE_CHECKING:
    from anaphora.entities.plain.boolean import Confirmation

__all__ = [
    "parse_answer",
    "parse_confirmation",
    "format_declined",
    "format_unused_question",
    "display_name",
    "format_offer",
]

_MAX_NAME_WORDS = 2  # words
_MAX_ANSWER_LENGTH = 200  # characters of a yes or a no


@dataclass(frozen=True, slots=True)
class _LanguageTexts:
    """``still`` asks whether it is about ``{}``, ``declined`` answers a no."""

    still: str
    declined: str
    yes: frozenset[str] = frozenset()
    no: frozenset[str] = frozenset()
    comma: str = ", "


def format_offer(names: Iterable[str], language: str) -> str:
    """Asks whether the conversation is still about what bears these names."""
    wording = _texts_of(language)
    return wording.still.replace("{}", wording.comma.join(dict.fromkeys(names)))


def display_name(entity: Entity) -> str:
    """What to call an entity: its value, else what was said if that is short ("forecast"), else
    its element ("weather" for "what's the weather like")."""
    if entity.value is not None or len(entity.text.split()) <= _MAX_NAME_WORDS:
        return entity.value_or_text
    return entity.element.replace("_", " ")


def format_declined(language: str) -> str:
    """Answers somebody who does not want what was offered."""
    return _texts_of(language).declined


def format_unused_question(texts: Iterable[str], language: str) -> str:
    """Asks whether to go on without what these words mean."""
    code = base_code(language) if base_code(language) in _UNUSED_QUESTIONS else "en"
    return _UNUSED_QUESTIONS[code].replace("{}", _texts_of(code).comma.join(texts))


def parse_answer(text: str, languages: Iterable[str]) -> bool | None:
    """Whether the whole of ``text`` is a yes or a no in one of the languages, or in English if
    one of them has no words here; None if it is neither."""
    from anaphora.entities.plain.boolean import parse_answer

    for code in _candidate_languages(text, languages):
        answer = _parse_plain_answer(text, code)
        if answer is None:
            answer = parse_answer(text, code)
        if answer is not None:
            return answer
    return None


def parse_confirmation(text: str, languages: Iterable[str]) -> Confirmation | None:
    """As :func:`parse_answer`, for an answer to the question whether to go on."""
    from anaphora.entities.plain.boolean import Confirmation, parse_confirmation

    for code in _candidate_languages(text, languages):
        answer = _parse_plain_answer(text, code)
        if answer is not None:
            return Confirmation(answer)
        if confirmation := parse_confirmation(text, code):
            return confirmation
    return None


def _candidate_languages(text: str, languages: Iterable[str]) -> Iterable[str]:
    """The languages in which a text may be an answer; none for a long text, which says something
    else."""
    if len(text) > _MAX_ANSWER_LENGTH:
        return ()
    codes = [base_code(language) for language in languages]
    if any(code not in _TEXTS for code in codes):
        codes.append("en")
    return dict.fromkeys(codes)


def _parse_plain_answer(text: str, code: str) -> bool | None:
    """The answer by the plain words for yes and no of a language without a table of them."""
    wording = _texts_of(code)
    bare = text.strip(" \t\n.,!?。！？").casefold()
    return bare in wording.yes if bare in wording.yes or bare in wording.no else None


def _texts_of(language: str) -> _LanguageTexts:
    return _TEXTS.get(base_code(language)) or _TEXTS["en"]


def _with_answers(still: str, declined: str, yes: str, no: str) -> _LanguageTexts:
    return _LanguageTexts(still, declined, frozenset(yes.split("|")), frozenset(no.split("|")))


_TEXTS: Mapping[str, _LanguageTexts] = {
    "ar": _LanguageTexts("هل ما زال الأمر يتعلق بهذا: {}؟", "حسنًا، لنترك ذلك.", comma="، "),
    "az": _with_answers(
        "Söhbət hələ də bundan gedir: {}?", "Yaxşı, bunu buraxaq.", "bəli|hə", "xeyr|yox"
    ),
    "bg": _with_answers("Още ли става дума за: {}?", "Добре, оставяме го.", "да", "не"),
    "da": _with_answers(
        "Stadig om {}?", "Fint, så lader vi det ligge.", "ja|jo|ja tak", "nej|nej tak"
    ),
    "de": _LanguageTexts("Geht es noch um {}?", "Gut, dann nicht."),
    "en": _LanguageTexts("Still about {}?", "All right, not that then."),
    "es": _LanguageTexts("¿Todavía sobre {}?", "De acuerdo, lo dejamos."),
    "et": _with_answers("Kas ikka veel sel teemal: {}?", "Olgu, jätame selle.", "jah|jaa", "ei"),
    "fa": _with_answers("هنوز دربارهٔ {}؟", "باشد، از آن می‌گذریم.", "بله|آره", "نه|خیر"),
    "fi": _with_answers("Vieläkö tästä: {}?", "Selvä, jätetään se.", "kyllä|joo|juu", "ei"),
    "fr": _LanguageTexts("Toujours au sujet de : {} ?", "Très bien, n'en parlons plus."),
    "he": _LanguageTexts("עדיין לגבי {}?", "בסדר, נעזוב את זה."),
    "hi": _with_answers(
        "क्या बात अब भी इसकी है: {}?",
        "ठीक है, इसे छोड़ देते हैं।",
        "हाँ|हां|जी हाँ|जी हां|जी",
        "नहीं|जी नहीं",
    ),
    "it": _LanguageTexts("Si tratta ancora di {}?", "Va bene, lasciamo stare."),
    "ja": _LanguageTexts("まだ{}のことですか？", "わかりました。では、それはなしで。", comma="、"),
    "ko": _with_answers(
        "아직 이것에 대한 질문인가요: {}?",
        "알겠습니다. 그럼 그만두겠습니다.",
        "네|예|응",
        "아니요|아니오|아니",
    ),
    "nb": _with_answers(
        "Fortsatt om {}?", "Greit, da lar vi det ligge.", "ja|jo|ja takk", "nei|nei takk"
    ),
    "pl": _with_answers("Czy nadal chodzi o: {}?", "Dobrze, zostawmy to.", "tak", "nie"),
    "pt": _LanguageTexts("Ainda sobre {}?", "Tudo bem, deixamos isso."),
    "ru": _LanguageTexts("Речь всё ещё об этом: {}?", "Хорошо, оставим это."),
    "sv": _with_answers(
        "Fortfarande om {}?", "Okej, då släpper vi det.", "ja|jo|ja tack", "nej|nej tack"
    ),
    "th": _with_answers("ยังเป็นเรื่อง {} อยู่ไหม", "ตกลง ไม่เป็นไร", "ใช่|ครับ|ค่ะ", "ไม่|ไม่ใช่"),
    "tr": _with_answers("Hâlâ bununla mı ilgili: {}?", "Peki, bırakalım.", "evet", "hayır|yok"),
    "uk": _LanguageTexts("Йдеться все ще про це: {}?", "Гаразд, залишмо це."),
    "vi": _with_answers("Vẫn là về {} phải không?", "Được, vậy thôi.", "vâng|có|đúng", "không"),
    "zh": _LanguageTexts("还是关于{}吗？", "好的，那就算了。", comma="、"),
}

_UNUSED_QUESTIONS: Mapping[str, str] = {
    "ar": "لم أفهم: {}. هل أتابع بدونه؟",
    "az": "Bunu başa düşmədim: {}. Onsuz davam edim?",
    "bg": "Не разбрах: {}. Да продължа ли без това?",
    "da": "Jeg forstod ikke: {}. Skal jeg fortsætte uden?",
    "de": "Das habe ich nicht verstanden: {}. Soll ich ohne das fortfahren?",
    "en": "I did not understand: {}. Shall I go on without it?",
    "es": "No he entendido: {}. ¿Continúo sin eso?",
    "et": "Ma ei saanud aru: {}. Kas jätkan ilma selleta?",
    "fa": "این را نفهمیدم: {}. بدون آن ادامه دهم؟",
    "fi": "En ymmärtänyt: {}. Jatkanko ilman sitä?",
    "fr": "Je n'ai pas compris : {}. Dois-je continuer sans cela ?",
    "he": "לא הבנתי: {}. להמשיך בלי זה?",
    "hi": "मैं यह नहीं समझा: {}. क्या मैं इसके बिना आगे बढ़ूँ?",
    "it": "Non ho capito: {}. Continuo senza?",
    "ja": "次の部分がわかりませんでした: {}。それなしで続けますか？",
    "ko": "다음을 이해하지 못했습니다: {}. 그것 없이 계속할까요?",
    "nb": "Jeg forsto ikke: {}. Skal jeg fortsette uten?",
    "pl": "Nie zrozumiałem: {}. Czy kontynuować bez tego?",
    "pt": "Não entendi: {}. Continuo sem isso?",
    "ru": "Я не понял: {}. Продолжить без этого?",
    "sv": "Jag förstod inte: {}. Ska jag fortsätta utan det?",
    "th": "ไม่เข้าใจ: {} ให้ดำเนินการต่อโดยไม่มีสิ่งนี้ไหม",
    "tr": "Şunu anlamadım: {}. Onsuz devam edeyim mi?",
    "uk": "Я не зрозумів: {}. Продовжити без цього?",
    "vi": "Tôi không hiểu: {}. Tôi tiếp tục mà không có phần đó nhé?",
    "zh": "我没有听懂：{}。要略过它继续吗？",
}
