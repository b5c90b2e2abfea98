"""Evaluation: questions are read strictly, figures are those of the shared scorer, and reports print everywhere."""

from __future__ import annotations

import builtins
import json
import runpy
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, BadSource, NeedsPackage, NotFound
from memkit.frontends.cli.main import cli
from memkit.retrieval.evaluation.evaluate import evaluate
from memkit.retrieval.evaluation.metrics import MEASURES
from memkit.retrieval.evaluation.query_files import Query, read_queries
from memkit.retrieval.evaluation.runs import percentile
from memkit.retrieval.results import Recall

SHARED = Path(__file__).parent.parent.parent / "shared" / "eval"

ROWS = [
    {"id": "quince", "text": "Rosa planted the quince in 2019.", "project": "garden"},
    {"id": "pears", "text": "The pears are for Otto.", "project": "garden"},
    {"id": "ferry", "text": "The ferry to Kingsferry leaves at noon.", "project": "travel"},
    {"id": "piano", "text": "The piano went out of the window.", "project": "house"},
]
QUERIES: list[dict[str, Any]] = [
    {"id": "q1", "text": "who planted the quince?", "relevant": ["quince"], "category": "garden"},
    {"id": "q2", "text": "ferry", "relevant": ["ferry"], "group": "travel", "category": "travel"},
    {"id": "q3", "text": "quince and ferry", "relevant": ["quince", "ferry"], "category": "travel"},
    {"id": "q4", "text": "zebra", "relevant": [], "category": "quiet"},
]
WORDS = {"name": "words", "vector": None, "graph": None}
NOTHING = {"name": "nothing", "vector": None, "graph": None, "fulltext": None}


@pytest.fixture
def db() -> MemoryDatabase:
    db = MemoryDatabase(embed="none")
    db.ingest(ROWS)
    return db


# ---------------------------------------------------------------------------------------------- questions


def lines(tmp_path: Path, *rows: object) -> Path:
    path = tmp_path / "queries.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), "utf-8")
    return path


def test_a_file_and_a_list_give_the_same_questions(tmp_path):
    assert read_queries(lines(tmp_path, *QUERIES)) == read_queries(QUERIES) == read_queries(iter(QUERIES))


def test_blank_lines_and_a_byte_order_mark_are_no_questions(tmp_path):
    path = lines(tmp_path, "", {"text": "a", "relevant": ["x"]}, "", {"text": "b", "relevant": []})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().lstrip())
    assert [query.id for query in read_queries(path)] == ["1", "3"]


def test_numbers_are_names_too():
    (query,) = read_queries([{"id": 7, "text": "a", "relevant": [1, "2"], "group": 3}])
    assert (query.id, query.relevant, query.group) == ("7", {"1", "2"}, "3")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "a"', "this is not valid JSON"),
        ("[" * 100_000, "this is not valid JSON"),
        ('["a"]', "an object with text and relevant, not list"),
        ('{"relevant": ["x"]}', "it has no text"),
        ('{"text": "  ", "relevant": ["x"]}', "its text is '  '"),
        ('{"text": 5, "relevant": ["x"]}', "its text is 5"),
        ('{"text": "a"}', "does not say what answers it"),
        ('{"text": "a", "relevant": "x"}', "its relevant is 'x', not a list"),
        ('{"text": "a", "relevant": [["x"]]}', "its relevant holds"),
        ('{"text": "a", "relevant": [], "timestamp": "soon"}', "'soon' is not a time"),
        ('{"id": "q1", "text": "a", "relevant": []}', "the id 'q1' is already used in line 1"),
    ],
)
def test_a_bad_line_is_named_by_its_number(tmp_path, line, reason):
    path = lines(tmp_path, QUERIES[0], line)
    with pytest.raises(BadSource) as caught:
        read_queries(path)
    assert f"{path}:2: " in str(caught.value)
    assert reason in str(caught.value)


def test_bytes_that_are_no_text_are_named_by_their_line(tmp_path):
    path = tmp_path / "queries.jsonl"
    path.write_bytes(b'{"text": "a", "relevant": []}\n{"text": "\xff"}')
    with pytest.raises(BadSource, match=r"queries.jsonl:2: byte \d+ is not UTF-8"):
        read_queries(path)


def test_many_bad_lines_are_counted(tmp_path):
    with pytest.raises(BadSource, match=r"\.\.\. and 40 more"):
        read_queries(lines(tmp_path, *["nonsense"] * 50))


def test_a_file_without_questions_or_no_file_is_refused(tmp_path):
    with pytest.raises(BadSource, match="has no question"):
        read_queries(lines(tmp_path, ""))
    with pytest.raises(BadSource, match="cannot be read: No such file"):
        read_queries(tmp_path / "missing.jsonl")
    with pytest.raises(BadSource, match="a list of dicts, not dict"):
        read_queries({"text": "a", "relevant": []})


@given(st.lists(st.one_of(st.none(), st.integers(), st.text(), st.dictionaries(st.text(), st.text()))))
def test_anything_in_a_list_is_a_question_or_bad_source(rows):
    with suppress(BadSource):
        assert all(isinstance(query, Query) for query in read_queries(rows))


# ---------------------------------------------------------------------------------------------- figures


def test_figures_are_means_over_the_questions_that_have_an_answer(db):
    run = db.evaluate(QUERIES, WORDS)["words"]
    assert len(run.scored) == 3
    assert run.figures["R@1"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert run.figures["R@5"] == run.figures["all@5"] == run.figures["MRR"] == 1
    assert run.quiet == 1
    assert run.unanswerable == 1


def test_a_strategy_that_finds_nothing_scores_nothing_and_is_quiet(db):
    run = db.evaluate(QUERIES, NOTHING)["nothing"]
    assert set(run.figures.values()) == {0.0}
    assert run.quiet == 1


def test_a_group_is_searched_alone(db):
    asked = [{"id": "q", "text": "the", "relevant": ["quince"], "group": "travel"}]
    (row,) = db.evaluate([{**asked[0], "text": "quince ferry"}], WORDS).to_dicts("question")
    assert row["found"] == ["ferry"]


def test_a_timestamp_is_the_questions_now(db):
    seen = []

    def ask(query, strategy):
        seen.append(query.timestamp)
        return Recall(query.text)

    evaluate(ask, read_queries([{"text": "a", "relevant": [], "timestamp": "2024-05-31T20:00:00+02:00"}]))
    assert seen == ["2024-05-31T18:00:00Z"]
    db.remember("Otto comes for tea.", happened_at="2024-05-30", now="2024-05-30T12:00:00Z")
    asked = {"text": "what happened yesterday?", "relevant": [], "timestamp": "2024-05-31"}
    assert db.evaluate([asked])  # a day is a time too


def test_a_memory_may_be_called_by_its_own_id(db):
    memory = db.remember("A memory by hand about the zeppelin.")
    run = db.evaluate([{"text": "zeppelin", "relevant": [memory.id]}], WORDS)["words"]
    assert run.figures["R@1"] == 1


def test_relevant_ids_that_no_memory_has_are_told(db):
    report = db.evaluate([{"text": "quince", "relevant": ["quince", "qiunce"]}])
    assert report.unknown == ("qiunce",)
    assert "1 relevant id that no memory has: 'qiunce'" in repr(report)


def test_categories_part_the_questions(db):
    rows = db.evaluate(QUERIES, WORDS).to_dicts("category")
    assert [(row["category"], row["n"]) for row in rows] == [("garden", 1), ("travel", 2), ("quiet", 0)]
    assert rows[1]["R@1"] == 0.75


def test_intervals_hold_their_means(db):
    run = db.evaluate(QUERIES * 1, WORDS)["words"]
    assert run.intervals.keys() == MEASURES.keys()
    for name, (low, high) in run.intervals.items():
        assert low <= run.figures[name] <= high


def test_stages_are_those_of_the_recall_and_all_of_it(db):
    stages = db.evaluate(QUERIES)["memkit"].stages
    assert {"understand", "fulltext", "all"} <= stages.keys()
    assert all(0 <= middle <= high for middle, high in stages.values())


def test_a_percentile_is_of_the_nearest_rank():
    assert [percentile(range(1, n + 1), 0.95) for n in (1, 19, 20, 21, 100)] == [1, 19, 19, 20, 95]


@given(st.lists(st.integers(0, 9), min_size=1), st.sampled_from([0.25, 0.5, 0.95, 1.0]))
def test_a_percentile_is_the_least_value_that_so_many_do_not_exceed(values: list[int], share: float) -> None:
    found = percentile(values, share)
    assert found == min(v for v in values if sum(one <= v for one in values) >= share * len(values))


@pytest.mark.parametrize("name", ["lihua_world", "musique_kg"])
def test_figures_equal_those_of_the_shared_scorer(name, tmp_path):
    if not (SHARED / name).is_dir():
        pytest.skip("the evaluation sets are not here")
    theirs = runpy.run_path(str(SHARED / "score.py"))["score"](SHARED / name, "memkit", tmp_path, 60)
    with MemoryDatabase(tmp_path / f"{name}.db") as db:
        asked = [json.loads(line) for line in (SHARED / name / "queries.jsonl").read_text("utf-8").splitlines()[:60]]
        (ours,) = db.evaluate([{**row, "timestamp": None} for row in asked]).to_dicts()
    assert {name: ours[name] for name in MEASURES} == {name: theirs[name] for name in MEASURES}
    assert ours["n"] == theirs["n"]
    if "quiet" in theirs:
        assert ours["quiet"] == pytest.approx(theirs["quiet"], abs=0.001)


# ---------------------------------------------------------------------------------------------- several strategies


def test_strategies_run_side_by_side_in_the_order_given(db):
    report = db.evaluate(QUERIES, [WORDS, NOTHING, "memkit"])
    assert [run.name for run in report.runs] == ["words", "nothing", "memkit"]
    assert [row["strategy"] for row in report.to_dicts()] == ["words", "nothing", "memkit"]


def test_strategies_may_have_names_of_ones_own(db):
    report = db.evaluate(QUERIES, {"plain": WORDS, "usual": "memkit"})
    assert [run.name for run in report.runs] == ["plain", "usual"]
    assert report["plain"].strategy.vector is None


def test_a_second_strategy_of_a_name_gets_a_number(db):
    report = db.evaluate(QUERIES, [WORDS, {**WORDS, "cut": {"method": "relative", "value": 0.5}}])
    assert [run.name for run in report.runs] == ["words", "words 2"]


def test_a_difference_is_paired_by_question_and_names_those_that_changed(db):
    found = db.evaluate(QUERIES, [WORDS, NOTHING]).difference("words", "nothing", "R@1")
    assert found.difference.mean == pytest.approx(2.5 / 3)
    assert (found.difference.better, found.difference.worse, found.difference.equal) == (3, 0, 0)
    assert [(change.query.id, change.a, change.b) for change in found.changes][-1] == ("q3", 0.5, 0)
    assert found.difference.is_clear
    assert "words - nothing = +0.8333" in repr(found)
    assert "quince and ferry" in repr(found)
    assert json.dumps(found.to_dict())


def test_a_strategy_does_not_differ_from_itself(db):
    found = db.evaluate(QUERIES, [WORDS]).difference("words", "words")
    assert found.changes == ()
    assert found.difference.mean == 0
    assert not found.difference.is_clear


def test_what_there_is_not_is_refused_with_what_there_is(db):
    report = db.evaluate(QUERIES, [WORDS])
    with pytest.raises(BadQuestion, match="There are: words"):
        report.difference("words", "kira")
    with pytest.raises(BadQuestion, match=r"nDCG@10"):
        report.difference("words", "words", "R@7")
    with pytest.raises(BadQuestion, match="There are: category, question, stage, strategy"):
        report.to_dicts("day")
    with pytest.raises(NotFound, match="There are"):
        db.evaluate(QUERIES, ["nonsense"])
    with pytest.raises(BadQuestion, match="1 or more, not 0"):
        db.evaluate(QUERIES, k=0)
    with pytest.raises(BadQuestion, match="needs at least one strategy"):
        db.evaluate(QUERIES, [])


def test_progress_is_told_of_each_answer(db):
    told = []
    db.evaluate(QUERIES, [WORDS, NOTHING], progress=told.append)
    assert told == [1] * 8


# ---------------------------------------------------------------------------------------------- taking it out


def test_a_report_is_a_table_in_text_markdown_and_html(db):
    odd = {"id": "<b>", "text": "<script>quince</script>", "relevant": ["<i>"], "category": "<u>"}
    report = db.evaluate([*QUERIES, odd], [WORDS, NOTHING])
    for shown in (repr(report), report._repr_markdown_(), report._repr_html_()):
        assert "words" in shown
        assert "nDCG@10" in shown
        assert "0.7" in shown
    found = report.difference("words", "nothing")
    for html in (report._repr_html_(), found._repr_html_()):
        assert "<script>" not in html
        assert "<i>" not in html
    assert "garden" in report.to_text(by_category=True)
    assert "garden" not in repr(report)


def test_without_bootstrap_there_are_no_intervals(db):
    report = db.evaluate(QUERIES, [WORDS, NOTHING], bootstrap=False)
    assert "95 %" not in repr(report)
    assert "intervals" not in report.to_dict()["runs"][0]
    assert "95 %" in repr(db.evaluate(QUERIES, WORDS))


def test_a_report_of_nothing_but_unanswerable_questions_is_a_table_too(db):
    report = db.evaluate([QUERIES[3]], [WORDS, NOTHING])
    assert "1.000" in repr(report)
    assert report.to_dict()["runs"][0]["n"] == 0


def test_json_holds_figures_intervals_categories_stages_and_settings(db):
    told = json.loads(db.evaluate(QUERIES, [WORDS, NOTHING]).to_json())
    assert told["questions"] == 4
    (words, nothing) = told["runs"]
    assert words["R@1"] == 0.8333
    assert words["intervals"]["R@5"] == [1.0, 1.0]
    assert words["settings"]["vector"] is None
    assert nothing["quiet"] == 1
    assert told["differences"][0]["mean"] == -1.0


@pytest.mark.parametrize(("by", "rows"), [("strategy", 2), ("category", 6), ("question", 8)])
def test_a_frame_has_a_row_for_each(db, by, rows):
    pytest.importorskip("pandas")
    assert len(db.evaluate(QUERIES, [WORDS, NOTHING]).to_df(by)) == rows


def test_a_plot_shows_every_measure_of_every_strategy(db):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = db.evaluate(QUERIES, [WORDS, NOTHING]).plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == list(MEASURES)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["words", "nothing"]
    assert db.evaluate(QUERIES, WORDS, bootstrap=False).plot(ax) is ax


def test_without_matplotlib_the_error_says_how_to_get_it(db, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    report = db.evaluate(QUERIES, WORDS)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NeedsPackage, match=r"pip install 'datasette-memkit\[plot\]'"):
        report.plot()


# ---------------------------------------------------------------------------------------------- the command


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as db:
        db.ingest(ROWS)
    return path


def run(*arguments: object):
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def test_the_command_prints_a_table(path, tmp_path):
    result = run("eval", path, lines(tmp_path, *QUERIES), "--by-category")
    assert result.exit_code == 0, result.output
    assert "3 questions with an answer, 1 without one" in result.output
    assert "travel" in result.output


def test_the_command_compares_strategies_and_prints_json(path, tmp_path):
    queries = lines(tmp_path, *QUERIES)
    given = ["--strategy", json.dumps(WORDS), "--strategy", json.dumps(NOTHING)]
    told = json.loads(run("eval", path, queries, *given, "--json").stdout)
    assert [row["strategy"] for row in told["runs"]] == ["words", "nothing"]
    told = run("eval", path, queries, *given, "--changed").output
    assert told.count("nothing - words = -1.0000") == 1
    assert "0.000" in told.split("\n\n")[-1]


def test_the_command_says_that_no_question_changed(path, tmp_path):
    given = ["--strategy", json.dumps(WORDS), "--strategy", json.dumps({**WORDS, "name": "same"})]
    told = run("eval", path, lines(tmp_path, *QUERIES), *given, "--changed").output
    assert told.endswith("\n\nEvery question has the same R@5 with same and with words.\n")


def test_the_command_says_which_line_is_wrong(path, tmp_path):
    result = run("eval", path, lines(tmp_path, QUERIES[0], "{"))
    assert result.exit_code == 1
    assert "queries.jsonl:2: this is not valid JSON" in result.output
