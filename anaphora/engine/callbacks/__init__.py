"""Handlers and hooks: functions of the bot's author."""
