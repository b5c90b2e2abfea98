"""Maintenance of stored memories: observing, summarising, pruning, restoring and forgetting, with a log of it all."""
