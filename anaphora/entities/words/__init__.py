"""A token to a word: normalized form, stem, lemma, alternatives."""
