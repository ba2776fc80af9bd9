"""spaCy components and pipelines."""
