"""Retrieval evaluation: recall measured on questions with known answers."""
