"""Port the code of a bot of NLPCraft: from annotated Java to a Python skeleton."""
