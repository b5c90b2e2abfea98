"""Knowledge graph: entities and their names, mentions, relations, links, and walks over all of them."""
