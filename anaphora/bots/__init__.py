"""The handlers of the bundled models, to use and to learn from: one module a model."""
