"""Run the sample dialogs of models."""
