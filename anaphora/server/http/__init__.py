"""HTTP: connection limits, body limits, middleware."""
