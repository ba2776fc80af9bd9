"""The words of arithmetic, a YAML file for each language, and the signs of all of them."""
