"""NLPCraft 0.9's REST API over the same engine."""

from __future__ import annotations

from anaphora.server.nlpcraft.routes import PREFIX, router

__all__ = ["PREFIX", "router"]
