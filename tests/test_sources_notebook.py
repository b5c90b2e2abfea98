"""Notebooks: cells in order, with the beginning of what they printed."""

import json

from hypothesis import given
from hypothesis import strategies as st

from memkit.core.types import DocumentDraft, Draft, Failure
from memkit.sources import detect, read
from memkit.sources.notes.notebook import LONGEST_OUTPUT


def cell(kind, source, **rest):
    return {"cell_type": kind, "source": source, "metadata": {}, **rest}


def write(path, *cells):
    path.write_text(json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


def test_a_notebook_is_its_cells_in_order(tmp_path):
    outputs = [
        {"output_type": "stream", "text": ["\x1b[31m42\x1b[0m\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "3.14", "image/png": "AAAA"}},
        {"output_type": "error", "ename": "ValueError", "evalue": "no"},
    ]
    path = write(
        tmp_path / "study.ipynb",
        cell("markdown", ["# Quinces\n", "\n", "How many?"], id="m1"),
        cell("code", "count()", outputs=outputs),
        cell("code", " \n", outputs=outputs),
        cell("markdown", "## Then\n\nWe saw.", id="m2"),
        cell("code", "x = 1", outputs=[]),
    )
    assert detect(path) == "notebook"
    found = list(read(path))
    assert [(x.source_id, x.text, x.meta["heading"]) for x in found] == [
        ("study.ipynb#m1", "# Quinces\n\nHow many?", "Quinces"),
        ("study.ipynb#2", "count()\n\nOutput:\n42\n3.14\nValueError: no", "Quinces"),
        ("study.ipynb#m2", "## Then\n\nWe saw.", "Then"),
        ("study.ipynb#5", "x = 1", "Then"),
    ]
    document = found[0].document
    assert (document.source, document.kind, document.title) == (path.as_posix(), "notebook", "Quinces")


def test_a_long_output_is_cut_short(tmp_path):
    path = write(tmp_path / "a.ipynb", cell("code", "x", outputs=[{"output_type": "stream", "text": "y" * 9999}]))
    (found,) = read(path)
    assert len(found.text) == len("x\n\nOutput:\n") + LONGEST_OUTPUT
    assert found.text.endswith("…")


def test_a_broken_or_old_notebook_is_a_failure(tmp_path):
    (tmp_path / "a.ipynb").write_text('{"cells": [')
    (tmp_path / "b.ipynb").write_text('{"worksheets": []}')
    cut = "broken JSON: it ends too early, as after a download that was not finished"
    assert [(x.line, x.reason) for x in read(tmp_path / "a.ipynb")] == [(1, cut)]
    assert [x.reason[:30] for x in read(tmp_path / "b.ipynb", format="notebook")] == ["not a notebook of format 4 (no"]


VALUES = st.recursive(
    st.one_of(st.none(), st.integers(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner), st.dictionaries(st.sampled_from(["text", "data", "text/plain", "output_type"]), inner)
    ),
    max_leaves=8,
)
CELLS = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown", "raw", None]), "source": VALUES, "outputs": VALUES}
)


@given(st.lists(st.one_of(CELLS, VALUES)))
def test_any_cells_are_drafts_or_failures_or_a_document_without_text(tmp_path_factory, cells):
    path = write(tmp_path_factory.mktemp("any") / "a.ipynb", *cells)
    found = list(read(path))
    assert all(isinstance(x, Draft | Failure) for x in found) or [type(x) for x in found] == [DocumentDraft]
