"""Export and publishing: everything that leaves a database."""
