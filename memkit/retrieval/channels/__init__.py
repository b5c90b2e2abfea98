"""Channels: each searches in one way, and answers a question with a ranking (memory key to score, best first)."""
