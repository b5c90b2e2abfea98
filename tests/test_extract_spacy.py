"""The spaCy extra: tried with a pipeline of rules, since its models come from elsewhere."""

import sys

import pytest

from memkit.errors import NeedsPackage, NotFound
from memkit.extract import spacy_names


@pytest.fixture(autouse=True)
def _fresh_models():
    spacy_names._load.cache_clear()
    yield
    spacy_names._load.cache_clear()


def test_without_spacy_the_way_to_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(NeedsPackage, match="pip install spacy"):
        spacy_names.find_names("We met Wren.")


def test_without_a_model_the_way_to_it_is_told():
    pytest.importorskip("spacy")
    with pytest.raises(NotFound, match="spacy download no_such_model"):
        spacy_names.find_names("We met Wren.", model="no_such_model")


def test_names_are_what_the_pipeline_finds_but_for_dates(tmp_path):
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    rules = nlp.add_pipe("entity_ruler")
    rules.add_patterns([{"label": "PERSON", "pattern": "Wren"}, {"label": "DATE", "pattern": "Monday"}])
    nlp.to_disk(tmp_path / "rules")
    text = "We met Wren on Monday."
    (span,) = spacy_names.find_names(text, model=str(tmp_path / "rules"))
    assert (text[span.start : span.end], span.name) == ("Wren", "Wren")
