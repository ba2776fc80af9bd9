"""From a text to an utterance (tokens and every entity that may stand in them), and to its
variants.

:class:`~anaphora.entities.pipeline.Pipeline` is the entry. How a word meets a synonym:

1. ``tokens.token_cache`` splits the text.
2. ``words.lexicon`` makes a ``Word`` of each token: normalized form, stem or lemma, alternatives.
3. ``phrases.stem_candidates`` finds what a word may stand for that no synonym contains (missing
   marks, typos, compounds).
4. ``matching.matcher.match_elements`` asks each ``matching.levels.CompositionLevel``.
5. The level looks the stems up in ``phrases.trie``, ``phrases.sparse_matcher`` (gaps, any order)
   and ``phrases.separable_verbs``.
6. Each ``PhraseMatch`` leads to an ``Entry`` (element, value), of which ``tokens.sentence`` creates
   an ``Entity``.
7. ``matching.entity_filter`` keeps the longest.

The synonyms got there by ``phrases.phrase_reader`` and ``phrases.trie_builder``, cached on disk by
``matching.index_cache``. ``spacy.tagger.ElementTagger.__call__`` runs only where other spaCy
components look at the Doc. Afterwards ``variants.search`` chooses between entities that overlap.

This module imports nothing, because spaCy takes half a second to load.
"""
