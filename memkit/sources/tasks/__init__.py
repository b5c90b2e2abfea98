"""Loaders of tasks: one format a file."""
