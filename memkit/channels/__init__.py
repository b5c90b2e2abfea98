"""Ways of finding: each channel answers a question with a ranking, memory key to score, best first."""
