"""Context for a prompt: recall before a message, rendered as a page in the layout of the strategy."""
