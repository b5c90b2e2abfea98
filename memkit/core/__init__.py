"""Shared foundations without a database: data types, errors, argument checks, the clock, progress, formatting."""
