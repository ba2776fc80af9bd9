"""Load model files: read, translate, validate, build."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from msgspec.msgpack import encode

from anaphora.errors import Problem
from anaphora.gc_control import gc_paused
from anaphora.grammar.python_functions import FunctionLoader
from anaphora.models.building.elements import build_elements, check_composition, find_declared_ids
from anaphora.models.building.fallback import build_fallback
from anaphora.models.building.handlers import resolve_fallback_handler, resolve_handlers
from anaphora.models.building.intents import IntentTable, build_intents, print_intents
from anaphora.models.building.mapping_intents.texts import move_intent_texts
from anaphora.models.building.phrases import PhraseExpander
from anaphora.models.building.responses import ResponseBuilder
from anaphora.models.building.samples import build_samples
from anaphora.models.building.spoken_entities import SpokenEntityBuilder, build_dialog_acts
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.checking.spacy_languages import describe_unknown_language, is_spacy_language
from anaphora.models.checking.validation import validate
from anaphora.models.composition import find_part_names
from anaphora.models.domain import (
    BridgeMode,
    BridgeSettings,
    ConversationSettings,
    Dialog,
    Model,
    StopWords,
    UtteranceLimits,
)
from anaphora.models.hassil.attachment import (
    attach_sentences,
    describe_sentence_model,
    is_sentence_source,
    wrap_sentence_file,
)
from anaphora.models.hassil.home import Home
from anaphora.models.hassil.home_reader import read_home
from anaphora.models.hassil.reader import is_sentence_file
from anaphora.models.nlpcraft import NlpcraftVersion, Translation, detect_version, translate
from anaphora.models.nlpcraft.legacy_dialect import LegacyIntents
from anaphora.models.reading.files import FileFormat, check_size, file_format, find_model, read_text
from anaphora.models.reading.json_reader import read_json
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode, to_data
from anaphora.models.reading.source import FileDiagnostics, SourceText
from anaphora.models.reading.yaml_reader import read_yaml
from anaphora.models.schema.field_types import describe_value
from anaphora.models.schema.model_file import BridgeSchema, LimitsSchema
from anaphora.storage.cache import Cache

__all__ = ["load_model", "load_samples", "parse_model", "print_model_intents"]

_RASA_KEYS = frozenset({"nlu", "stories", "rules", "slots", "forms"})


def load_model(
    source: str | Path,
    *,
    intents: str | Iterable[str] = (),
    home: Home | str | Path | None = None,
    cache: Cache | str | Path | None = None,
) -> Model:
    """Load a model from a file, or the bundled model with that name.

    ``source`` is the path of a ``.yaml``, ``.yml`` or ``.json`` file in Anaphora's format or in
    NLPCraft's (0.9 or 1.0); if there is no such file, the name of a bundled model. ``intents``
    is a further text (or several) in the intent language, for files without intents. Python
    modules that the file names are imported. A ``cache``, or the folder of one, keeps the built
    model, unless the model depends on Python functions other than handlers.

    A file or a folder of sentences in the format of hassil is a model as well, and so is
    ``home-assistant:en``, the sentences of Home Assistant in a language. ``home`` has the areas,
    floors and devices that they name: a :class:`Home`, or a file with them.

    Raises :class:`~anaphora.errors.ModelError` with all errors of the file, or with the reason
    why it cannot be read.
    """
    warnings: tuple[Problem, ...] = ()
    if isinstance(home, str | Path):
        home, warnings = read_home(Path(home))
    if isinstance(cache, str | Path):
        cache = Cache(cache)
    further = _as_tuple(intents)
    with gc_paused():
        model = None
        if is_sentence_source(source):
            model = _load_sentences(source, further, home, cache)
        if model is None:
            model = _load_file(source, further, home, cache)
    return replace(model, warnings=(*model.warnings, *warnings)) if warnings else model


def _load_sentences(
    source: str | Path, intents: tuple[str, ...], home: Home | None, cache: Cache | None
) -> Model | None:
    """Load the model of a packaged collection or of a folder of sentences; None for a folder
    without any."""

    def parsed() -> tuple[Model, FunctionLoader | None] | None:
        written = describe_sentence_model(source)
        if written is None:
            return None
        return _parse(written, str(source), "yaml", Path(), intents, home, cache)

    others = str(source), str(Path(source).absolute()), *intents
    return _load_or_build(cache, "", others, home, parsed, Path())


def _load_file(
    source: str | Path, intents: tuple[str, ...], home: Home | None, cache: Cache | None
) -> Model:
    path = find_model(source)
    format, text = file_format(path), read_text(path)

    def parsed() -> tuple[Model, FunctionLoader | None]:
        return _parse(text, str(path), format, path.parent, intents, home, cache)

    others = str(path), str(path.parent.absolute()), format, *intents
    model = _load_or_build(cache, text, others, home, parsed, path.parent)
    assert model is not None
    return model


def _load_or_build(
    cache: Cache | None,
    text: str,
    others: Iterable[str],
    home: Home | None,
    build: Callable[[], tuple[Model, FunctionLoader | None] | None],
    folder: Path,
) -> Model | None:
    """Load a model from the cache, or build it; None if ``build`` returns None."""
    try:
        at_home = b"" if home is None else encode(home)
    except TypeError:  # its context has values that are no plain data
        cache = None
    if cache is None:
        built = build()
        return built and built[0]
    from anaphora.models.model_cache import load_cached

    return load_cached(cache, text, (*others, at_home), build, folder)


def load_nlpcraft_model(
    path: Path,
    version: NlpcraftVersion,
    *,
    intents: str | Iterable[str] = (),
    text: str | None = None,
) -> Model:
    """Like :func:`load_model`, for a file that is known to be of NLPCraft, though nothing in it may
    tell it from one of Anaphora. ``text`` is YAML that stands for a file of code."""
    format: FileFormat = "yaml"
    if text is None:
        text, format = read_text(path), file_format(path)
    further = _as_tuple(intents)
    return _parse(text, str(path), format, path.parent, further, version=version)[0]


def parse_model(
    text: str,
    *,
    source: str = "<text>",
    format: FileFormat = "yaml",
    intents: str | Iterable[str] = (),
) -> Model:
    """Like :func:`load_model`, for the text of a model file; messages call it ``source``.
    Imports are relative to the working folder.

    Raises :class:`~anaphora.errors.ModelError` with all errors, in the order of the text.
    """
    check_size(source, len(text))
    return _parse(text, source, format, None, _as_tuple(intents))[0]


def print_model_intents(source: str | Path) -> str:
    """The intents of a model file as text in the intent language; ``source`` is as in
    :func:`load_model`.

    Raises :class:`~anaphora.errors.ModelError` with the errors of the file.
    """
    path = find_model(source)
    draft = _read_draft(read_text(path), str(path), file_format(path), path.parent, ())
    _build_model(draft, ())
    draft.diagnostics.raise_if_any()
    return print_intents(draft)


def _as_tuple(intents: str | Iterable[str]) -> tuple[str, ...]:
    return (intents,) if isinstance(intents, str) else tuple(intents)


def _parse(
    text: str,
    source: str,
    format: FileFormat,
    folder: Path | None,
    intents: tuple[str, ...],
    home: Home | None = None,
    cache: Cache | None = None,
    version: NlpcraftVersion | None = None,
) -> tuple[Model, FunctionLoader | None]:
    """The model, and the loader of its handlers; None if it depends on other functions as well."""
    draft = _read_draft(text, source, format, folder, intents, home, cache, version)
    model, known = _build_model(draft, intents)
    names_others = bool(draft.code.requested_modules)
    handlers = resolve_handlers(draft, known)
    fallback_handler = resolve_fallback_handler(draft)
    draft.diagnostics.raise_if_any()
    model = replace(
        model,
        handlers=handlers,
        fallback_handler=fallback_handler,
        warnings=draft.diagnostics.warnings,
    )
    return model, None if names_others else draft.code


def _read_draft(
    text: str,
    source: str,
    format: FileFormat,
    folder: Path | None,
    intents: tuple[str, ...],
    home: Home | None = None,
    cache: Cache | None = None,
    version: NlpcraftVersion | None = None,
) -> ModelDraft:
    """Read and validate the text of a model file. ``intents`` are further texts in the intent
    language, ``version`` is that of NLPCraft, if it is known."""
    diagnostics = FileDiagnostics(SourceText(source, text))
    root = _parse_tree(diagnostics, format, "a model begins with 'id: some-name'")
    if not isinstance(root, MappingNode):
        found = describe_value(to_data(root))
        diagnostics.abort(
            root.start, f"a model file is a mapping with keys such as id, not {found}"
        )
    if _RASA_KEYS & root.items.keys() and not {"id", "elements"} & root.items.keys():
        hint = "'anaphora import rasa FOLDER' translates the project"
        diagnostics.abort(root.start, "this is a file of Rasa, not a model", hint)
    if is_sentence_file(root):
        root = wrap_sentence_file(root, Path(source))
        folder = None
    root, sentences = attach_sentences(root, diagnostics, folder, home, cache)
    version = version or detect_version(root)
    legacy: LegacyIntents | None = None
    if version:
        translation = _translate_nlpcraft(root, version, diagnostics, intents, folder)
        root, legacy = translation.root, translation.intents
    written_names = find_declared_ids(root)
    move_intent_texts(root, diagnostics)
    file = validate(root, diagnostics)
    code = FunctionLoader(file.code or "", folder)
    return ModelDraft(file, root, diagnostics, written_names, code, legacy, sentences)


def _translate_nlpcraft(
    root: MappingNode,
    version: NlpcraftVersion,
    diagnostics: FileDiagnostics,
    intents: tuple[str, ...],
    folder: Path | None,
) -> Translation:
    """Translate a file of NLPCraft to Anaphora's format, with warnings for ignored keys.
    ``intents`` are further texts in the intent language."""
    name = Path(diagnostics.source.name).stem
    translation = translate(root, version, name=name, intents=intents, folder=folder)
    for note in translation.notes:
        if note.kind == "ignored" and not (intents and note.key == "intents"):
            diagnostics.add_warning(
                note.offset, f"{note.key}: {note.reason}" if note.key else note.reason
            )
    return translation


def load_samples(source: str | Path, model: Model) -> tuple[Dialog, ...]:
    """Load the sample dialogs for ``model`` from a separate file: a list of dialogs, or a mapping
    with the list under ``samples`` (the key ``model`` is ignored).

    Raises :class:`~anaphora.errors.ModelError` with all errors of the file, or with the reason
    why it cannot be read.
    """
    path = Path(source)
    format = file_format(path)
    diagnostics = FileDiagnostics(SourceText(str(path), read_text(path)))
    root = _parse_tree(diagnostics, format, "samples begin with 'samples:'")
    frame = _wrap_samples(root, model, diagnostics)
    draft = ModelDraft(validate(frame, diagnostics), frame, diagnostics)
    intents = IntentTable({i.id: i for i in model.intents}, frozenset(), complete=True)
    samples = build_samples(draft, intents, model.elements)
    diagnostics.raise_if_any()
    return samples


def _parse_tree(diagnostics: FileDiagnostics, format: FileFormat, hint: str) -> Node:
    root = read_json(diagnostics) if format == "json" else read_yaml(diagnostics)
    if root is None:
        diagnostics.abort(0, "the file is empty", hint)
    return root


def _build_model(draft: ModelDraft, further: tuple[str, ...]) -> tuple[Model, IntentTable]:
    """Build the model without handlers, and the table of its intents. The result is valid only
    if no error was reported. A file of NLPCraft may lack intents: its bot declares them in code."""
    file = draft.file
    _check_languages(draft)
    _check_limits(draft)
    expander = PhraseExpander(draft)
    elements = build_elements(expander)
    check_composition(draft, elements)
    intents = build_intents(draft, elements, further)
    if not (file.intents or further or draft.imported or draft.is_removed("intents")):
        draft.add_error(("intents",), "the model declares no intents")
    parts = {element.id: find_part_names(element) for element in elements}
    texts = ResponseBuilder(draft, intents, parts)
    abstract = frozenset(element.id for element in elements if element.abstract)
    spoken = SpokenEntityBuilder(texts, abstract)
    model = Model(
        id=file.id,
        elements=elements,
        intents=tuple(intents.by_id.values()),
        name=file.name,
        version=file.version,
        description=file.description,
        languages=draft.languages,
        locales=draft.locales,
        conversation=ConversationSettings(file.conversation.timeout, file.conversation.depth),
        responses=texts.build("responses"),
        prompts=texts.build_prompts(),
        reset=expander.expand(("reset",), file.reset),
        meta=file.meta,
        samples=build_samples(draft, intents, elements),
        source=draft.diagnostics.source.name,
        origin=file.origin,
        stop_words=StopWords(
            additional=frozenset(file.stop_words.add),
            excluded=frozenset(file.stop_words.remove),
            skipped=file.stop_words.skip,
            commas=file.stop_words.commas,
        ),
        limits=_build_limits(file.limits),
        pipelines=_resolve_pipelines(draft),
        imports=intents.imports,
        bridge=_build_bridge(file.bridge),
        recall_offers=texts.build("recall_offers"),
        unused=texts.build_unused(),
        dialog_acts=build_dialog_acts(expander),
        mentions=spoken.build_mentions(),
        offers=spoken.build_offers(),
        choices=texts.build("choices"),
        confirmations=texts.build("confirm"),
        validators=texts.build_validators(),
        fallback=build_fallback(draft, texts),
        sentences=draft.sentences,
        free_words=file.free_words,
    )
    return model, intents


def _resolve_pipelines(draft: ModelDraft) -> dict[str, str]:
    """The spaCy pipelines by language; folders are relative to that of the file."""
    written = draft.file.pipeline
    if isinstance(written, str):
        named = dict.fromkeys(draft.languages, written) if written else {}
    else:
        named = written
        for language in written:
            draft.check_language(("pipeline", language), language)
    here = (draft.code.folder or Path()).absolute()
    return {
        language: str(here / name) if "/" in name or name.startswith(".") else name
        for language, name in named.items()
    }


def _build_bridge(written: BridgeSchema | BridgeMode) -> BridgeSettings:
    if isinstance(written, BridgeSchema):
        return BridgeSettings(written.mode, written.within, written.exchanges)
    return BridgeSettings(written)


def _build_limits(written: LimitsSchema) -> UtteranceLimits:
    def words(listed: Iterable[str]) -> frozenset[str]:
        return frozenset(word.lower() for word in listed)

    plain_limits = written.model_dump(exclude={"suspicious_words", "swear_words"})
    if written.suspicious_words and written.max_suspicious_words is None:
        plain_limits["max_suspicious_words"] = 0
    return UtteranceLimits(
        **plain_limits,
        suspicious_words=words(written.suspicious_words),
        swear_words=words(written.swear_words),
    )


def _check_languages(draft: ModelDraft) -> None:
    written = draft.file.language
    if not written and not draft.is_removed("language"):
        draft.add_error(("language",), "the list of languages is empty")
    tags = [written] if isinstance(written, str) else written
    codes = [tag.partition("-")[0] for tag in tags]
    for index, language in enumerate(codes):
        path = ("language",) if isinstance(written, str) else ("language", index)
        if language in codes[:index]:
            draft.add_error(path, f"duplicate language '{language}'")
        elif not draft.file.pipeline and not is_spacy_language(language):
            draft.add_error(path, *describe_unknown_language(language))


def _check_limits(draft: ModelDraft) -> None:
    limits = draft.file.limits
    for what in ("words", "entities"):
        least, most = getattr(limits, f"min_{what}"), getattr(limits, f"max_{what}")
        if least is not None and most is not None and least > most:
            message = f"no question can have at least {least} and at most {most} {what}"
            draft.add_error(("limits", f"min_{what}"), message)
    for path, listed in (
        (("limits", "suspicious_words"), limits.suspicious_words),
        (("limits", "swear_words"), limits.swear_words),
        (("stop_words", "add"), draft.file.stop_words.add),
        (("stop_words", "remove"), draft.file.stop_words.remove),
    ):
        for index, word in enumerate(listed):
            if len(word.split()) != 1:
                message = f"'{word}' is no single word: nothing matches it"
                draft.add("warning", (*path, index), message, index=0)


def _wrap_samples(root: Node, model: Model, diagnostics: FileDiagnostics) -> MappingNode:
    """Wrap samples in the tree of a minimal model file."""
    samples = root
    if isinstance(root, MappingNode):
        for key in root.items.keys() - {"samples", "model"}:
            diagnostics.add_error(
                root.key_offsets[key],
                f"unknown key '{key}'",
                "the keys of a file of samples are samples and model",
            )
        if "samples" not in root.items:
            diagnostics.abort(root.start, "the file has no samples", "put them under 'samples:'")
        samples = root.items["samples"]
    at = root.start
    languages = SequenceNode(at, [ScalarNode(at, at, code, "'") for code in model.languages])
    id = ScalarNode(at, at, "samples", "'")
    items: dict[str, Node] = {"id": id, "language": languages, "samples": samples}
    return MappingNode(at, items, dict.fromkeys(items, at))
