"""What texts say: names, wikilinks, relations. Pure functions over text and values; the graph stores what they find."""
