"""Exports of chats with models on the web."""
