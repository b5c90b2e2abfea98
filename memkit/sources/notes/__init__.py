"""Notes and notebooks."""
