"""Exports of messengers: what people wrote to each other."""
