"""Dialogs with a home about what was done before."""
