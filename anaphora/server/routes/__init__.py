"""The endpoints of the API, one module a subject."""
