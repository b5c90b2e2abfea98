"""The SQLite file: driver, schema, memories, vectors, caches, filters, health checks and reindexing."""
