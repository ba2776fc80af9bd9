"""The shapes of requests and responses, and OpenAPI."""
