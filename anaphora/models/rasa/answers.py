"""What answers each intent of a Rasa project: responses and forms, from rules and stories."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import ModelError, Problem
from anaphora.models.rasa.notes import AddNote, Place
from anaphora.models.rasa.project import Entry, RasaProject

__all__ = ["YES_AND_NO", "Answers", "collect_answers"]

YES_AND_NO = {"affirm": "accept", "deny": "decline"}
"""The intents that projects have for them by custom, and their keys in ``dialog_acts``."""

_SYSTEM_ACTIONS = frozenset({"action_listen", "action_default_fallback", "action_restart"})
_STEP_KEYS = frozenset(
    {"intent", "user", "entities", "action", "bot", "active_loop", "slot_was_set", "metadata"}
)


@dataclass(slots=True)
class Answers:
    """``texts`` are the names of the responses to an intent, ``forms`` the form it begins; the
    responses after a form are those of the intent that begins it. ``completing`` are the intents
    that answer within a form, ``coded`` those that a custom action answers. ``after`` are the
    responses to a yes or a no by the intent before it."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    after: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    forms: dict[str, str] = field(default_factory=dict)
    completing: set[str] = field(default_factory=set)
    coded: set[str] = field(default_factory=set)


def collect_answers(project: RasaProject, add_note: AddNote) -> Answers:
    """Collect the answers from rules, then from stories without branches.

    Raises :class:`ModelError` for forms and rules that name what is not there.
    """
    _check(project)
    answers = Answers()
    submitted: dict[str, list[str]] = {}
    for entry, is_rule in (
        *((rule, True) for rule in project.rules),
        *((story, False) for story in project.stories),
    ):
        _add(project, answers, submitted, entry, add_note, is_rule=is_rule)
    for intent, form in answers.forms.items():
        if form in submitted:
            answers.texts[intent] = submitted[form]
    _expand_retrieval_intents(project, answers)
    return answers


def _expand_retrieval_intents(project: RasaProject, answers: Answers) -> None:
    """Give each intent such as ``faq/hours`` the response ``utter_faq/hours``."""
    for intent in project.examples:
        base, _, key = intent.partition("/")
        if not key:
            continue
        names = answers.texts.get(intent) or answers.texts.get(base) or [f"utter_{base}"]
        texts = [own if (own := f"{name}/{key}") in project.responses else name for name in names]
        if any(name in project.responses for name in texts):
            answers.texts[intent] = texts


def _check(project: RasaProject) -> None:
    problems = []
    for form, entry in project.forms.items():
        settings = entry.data if isinstance(entry.data, dict) else {}
        for slot in settings.get("required_slots", settings) or []:
            if slot not in project.slots:
                message = f"the form '{form}' requires the slot '{slot}', which the domain lacks"
                problems.append(_problem(entry.place, message, slot, project.slots))
    for rule in (*project.rules, *project.stories):
        for step in _steps(rule):
            action, intent = step.get("action"), step.get("intent")
            if isinstance(action, str) and action.startswith("utter_"):
                if not any(name.partition("/")[0] == action for name in project.responses) and (
                    action not in project.responses
                ):
                    message = f"there is no response '{action}'"
                    problems.append(_problem(rule.place, message, action, project.responses))
            elif isinstance(intent, str) and project.intents and intent != "nlu_fallback":
                name = intent.partition("/")[0]
                if name not in project.intents:
                    message = f"the domain has no intent '{name}'"
                    problems.append(_problem(rule.place, message, name, project.intents))
    if problems:
        raise ModelError(problems)


def _problem(place: Place, message: str, name: str, known: Any) -> Problem:
    lines = place.source.text.splitlines()
    excerpt = lines[place.line - 1] if place.line <= len(lines) else ""
    column = len(excerpt) - len(excerpt.lstrip()) + 1
    hint = did_you_mean(str(name), known, label="there are")
    return Problem(
        message,
        source=place.source.name,
        line=place.line,
        column=column,
        excerpt=excerpt,
        hint=hint,
    )


def _steps(entry: Entry) -> list[dict[str, Any]]:
    steps = entry.data.get("steps") if isinstance(entry.data, dict) else None
    return [step for step in steps or [] if isinstance(step, dict)]


def _add(
    project: RasaProject,
    answers: Answers,
    submitted: dict[str, list[str]],
    entry: Entry,
    add_note: AddNote,
    *,
    is_rule: bool,
) -> None:
    data = entry.data if isinstance(entry.data, dict) else {}
    title = (
        f"{'rule' if is_rule else 'story'} {data.get('rule') or data.get('story') or ''}".strip()
    )
    steps = _steps(entry)
    if unknown := {key for step in steps for key in step} - _STEP_KEYS:
        listed = ", ".join(sorted(unknown))
        add_note("ignored", entry.place, f"{title}: {listed}: a branch has no counterpart")
        return
    conditions = data.get("condition") or []
    loops = [one.get("active_loop") for one in conditions if isinstance(one, dict)]
    if conditions and not any(loops):
        add_note("ignored", entry.place, f"{title}: its condition on slots has no counterpart")
        return
    active = form = next((str(loop) for loop in loops if loop), "")
    intent = before = within = ""
    responses: list[str] = []

    def finish() -> None:
        known = answers.texts
        name = intent
        if intent in YES_AND_NO and within and responses:
            reason = "a yes or a no within a form answers its question, and no thanks drops it"
            add_note("ignored", entry.place, f"{title}: {intent} within {within}: {reason}")
            return
        if intent in YES_AND_NO and before and not is_rule:
            known = answers.after.setdefault(intent, {})
            name = before
        _finish(known, name, intent, responses, entry, add_note, title)

    for step in steps:
        if "intent" in step or "user" in step:
            finish()
            before = intent or before
            intent, responses = str(step.get("intent", "")), []
            within = active if active in project.forms and not loops else ""
        if step.get("bot"):
            add_note("ignored", entry.place, f"{title}: a text in a story: make it a response")
        if "active_loop" in step:
            active = str(step["active_loop"] or "")
        action = str(step.get("action") or "")
        if action == active and intent and action in project.forms:
            answers.completing.add(intent)  # it answers the form, which began before
            intent = ""
        if action in project.forms:
            if intent:
                answers.forms.setdefault(intent, action)
            form = action
        elif action.startswith("utter_"):
            if form and (not intent or answers.forms.get(intent) == form):
                submitted.setdefault(form, []).append(action)
            else:
                responses.append(action)
        elif action and action not in _SYSTEM_ACTIONS:
            answers.coded.add(intent)
            add_note("ignored", entry.place, f"{title}: {action} is code: answer with a handler")
    finish()


def _finish(
    known: dict[str, list[str]],
    key: str,
    intent: str,
    responses: list[str],
    entry: Entry,
    add_note: AddNote,
    title: str,
) -> None:
    """Keep the responses to an intent under a key: the intent itself, or the one before it."""
    if not intent or not responses:
        return
    first = known.setdefault(key, responses)
    what = intent if key == intent else f"{intent} after {key}"
    if first != responses:
        reason = f"it answers {what} with {', '.join(responses)}, not {', '.join(first)}"
        add_note("ignored", entry.place, f"{title}: {reason}: a branch has no counterpart")
    else:
        add_note("mapped", entry.place, f"{title}: {what} → {', '.join(responses)}")
