"""The format of model files, as pydantic models and as JSON Schema."""
