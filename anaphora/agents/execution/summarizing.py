"""The summarizer of what leaves the window, fitted to the window of the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from anaphora.agents.context.model_summarizer import ModelSummarizer
from anaphora.agents.context.summary import RecursiveSummarizer
from anaphora.agents.execution.limits import AgentLimits
from anaphora.agents.execution.services import AskModel
from anaphora.chat_model.chat_model import ChatModel
from anaphora.ltm.summarizers.extractive.summarizer import Extractive
from anaphora.ltm.summarizers.summarizer import Summarizer

__all__ = ["summarizer_factory"]

_WORDS_PER_TOKEN = 0.4  # on the safe side


def summarizer_factory(
    summarizer: Summarizer | None, model: ChatModel, limits: AgentLimits
) -> Callable[[AskModel], RecursiveSummarizer]:
    """Return how a run of an event gets its summarizer, which may call the model."""
    fallback = Extractive()
    # A summary of more words than a tenth of the window would fill what a flush has freed.
    words = min(limits.summary_words, int(0.1 * _WORDS_PER_TOKEN * model.window))
    portion = int(0.5 * _WORDS_PER_TOKEN * (model.window - model.max_tokens))

    def build(ask: AskModel) -> RecursiveSummarizer:
        primary = summarizer or ModelSummarizer(partial(ask, purpose="summary"))
        return RecursiveSummarizer(primary, fallback, words, portion)

    return build
