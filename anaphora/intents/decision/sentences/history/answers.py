"""Read a yes or a no to what the bot has said: "yes, open it", "no, thanks"."""

from __future__ import annotations

from anaphora.core.utterance import Utterance
from anaphora.entities.builtin.boolean import Confirmation
from anaphora.entities.languages import languages_with
from anaphora.entities.words.normalization import base_code
from anaphora.intents.confirmation import parse_answer, parse_confirmation
from anaphora.intents.decision.sentences.completion import Completion
from anaphora.intents.decision.sentences.fragments.fragment import find_linking_words, says_only
from anaphora.intents.decision.sentences.history.rest import complete_rest
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import last_command_meta
from anaphora.models.hassil.elements import REST
from anaphora.stm.conversation import Conversation

__all__ = ["find_accepted_rest", "is_acknowledgement", "parse_reply", "says_yes"]


def parse_reply(model: SentenceIntents, utterance: Utterance) -> Confirmation | None:
    """The yes or the no that an utterance says, and nothing else; None for any other."""
    known = parse_confirmation(utterance.text, (model.language,))
    if known is not None or utterance.sentences:  # "no, turn it off"
        return known
    if base_code(model.language) in languages_with("booleans"):
        return None
    content = utterance.content_words
    answers = set()
    for token in utterance.tokens:
        answer = parse_answer(token.text, (model.language,))
        if answer is not None or token.index in content:
            answers.add(answer)
    said = answers.pop() if len(answers) == 1 else None
    return None if said is None else Confirmation(said)


def says_yes(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance says yes and nothing else. "Go on" is none: it may mean the music."""
    answer = parse_reply(model, utterance)
    return answer is not None and answer.is_yes and not answer.is_command


def is_acknowledgement(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance is a yes, an okay or thanks, which want nothing if nothing was asked."""
    return says_yes(model, utterance) or says_only(model, utterance, model.thanks)


def find_accepted_rest(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation
) -> Completion | None:
    """What is left to do, if the bot has said what that is and the user says yes, or begins with
    it; None otherwise."""
    if not last_command_meta(conversation).get(REST):
        return None
    said = (utterance.tokens[index].text for index in find_linking_words(model, utterance))
    is_yes = says_yes(model, utterance) or any(parse_answer(one, (model.language,)) for one in said)
    return complete_rest(model, conversation) if is_yes else None
