"""Rows of tables, databases and triples."""
