"""Typesetting: a word that a page, a book or a mail cuts at the end of a line, or sets with ligatures, is one word."""

from __future__ import annotations

import pytest

from memkit import MemoryDatabase
from memkit.text.typesetting import as_typed


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Donau\u00addampf\u00adschiff", "Donaudampfschiff"),
        ("the wo\u2060rd and the \ufeffmark in la\ufeffnd", "the word and the \ufeffmark in land"),
        ("2001\u00ad2003", "2001\u00ad2003"),  # old programs showed it
        ("\u00ad a list", "\u00ad a list"),
        ("the ﬁrst eﬀort of the oﬃce", "the first effort of the office"),
        ("quince", "quince"),
    ],
)
def test_signs_that_nobody_sees_leave_words(text, left):
    assert as_typed(text) == left


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.html", "<html><title>Die Quit&shy;te</title><p>Sie fuhr mit dem Donau&shy;dampf&shy;schiff.</p></html>"),
        ("note.md", "# Die Quit\u00adte\n\nSie fuhr mit dem Donau\u00addampf\u00adschiff."),
        ("chat.txt", "03.05.2024, 19:12 - Rosa: Sie fuhr mit dem Donau\u00addampf\u00adschiff.\n"),
        ("mail.eml", "Subject: Die Quit\u00adte\nFrom: r@x.org\n\nSie fuhr mit dem Donau\u00addampf\u00adschiff."),
    ],
)
def test_a_word_with_soft_hyphens_is_found_as_it_is_seen(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with MemoryDatabase(embed="none") as db:
        db.ingest(tmp_path / name)
        (hit,) = db.recall("Donaudampfschiff")
        assert "fulltext" in hit.why
        assert "Donaudampfschiff." in hit.memory.text
        assert "\u00ad" not in f"{hit.memory.text}{hit.memory.title}"
