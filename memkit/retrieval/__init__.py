"""Retrieval pipeline: a question becomes hits with their reasons, and a page for a prompt."""
