"""Runs the sample dialogs of models."""
