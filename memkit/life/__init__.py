"""What becomes of memories after they are stored: observed, compacted, let go, brought back, all of it written down."""
