"""Language models with a memory of their own: agents, their context, functions and memories."""
