"""Agent files: agents declared in YAML or JSON."""
