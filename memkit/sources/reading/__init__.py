"""What was read: highlights, saved pages, books."""
