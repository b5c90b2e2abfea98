"""Text processing as pure functions: words, chunking, time expressions, extraction, shortening, redaction."""
