"""Built-in entities and those of other programs in a model file of NLPCraft."""
