"""The handlers of the bundled models, to use and to learn from: one package per model."""
