"""Logs of agents and of command lines: what a person and a model said to each other at work."""
