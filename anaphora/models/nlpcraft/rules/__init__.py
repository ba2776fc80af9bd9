"""Translation of each key of a model file of NLPCraft."""
