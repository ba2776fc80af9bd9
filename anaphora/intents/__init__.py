"""Intents matched against utterance and memory: solver, ranking, slots, handlers, the engine."""
