"""Information extraction: names, wikilinks and relations in texts. Pure functions; the graph stores what they find."""
