"""Three ways to let a model call functions: tool calls of the protocol, JSON by schema, text."""
