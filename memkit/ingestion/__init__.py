"""Ingestion: drafts from sources become memories, entities and relations."""
