"""Personal memory that you can query."""
