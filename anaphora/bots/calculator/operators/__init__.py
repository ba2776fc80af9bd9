"""Words of arithmetic, a YAML file per language, and the signs that all languages share."""
