"""The values of the REST API: one set of types for the server, OpenAPI, MCP and the client."""
