"""Evidence quotes: the sentence of a text that names two entities."""

from __future__ import annotations

from memkit.text.words import has_cjk, normal_name, sentences

LONGEST_QUOTE = 400


def quote_for(text: str, subject: str, object: str) -> str:
    """The first sentence of a text that names both, or else one of them; empty if none does."""
    wanted = (normal_name(subject), normal_name(object))
    best, quote = 0, ""
    for start, end in sentences(text):
        said = f" {normal_name(text[start:end])} "
        score = sum(f" {name} " in said or (has_cjk(name) and name in said) for name in wanted)
        if score > best:
            best, quote = score, text[start:end]
        if best == 2:
            break
    return quote[:LONGEST_QUOTE]
