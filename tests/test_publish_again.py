"""A folder that is published or checked again is what it was, but for what is said anew; how it was is kept at home."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import published_file
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion
from memkit.frontends.cli.main import cli
from memkit.sharing.publish.files import MARKER
from memkit.sharing.publish.republish import SETTING, merged_request

NOW = "2026-03-10T12:00:00Z"
ABOUT = {"description": "Of trees.", "license": "CC BY 4.0", "license_url": "https://example.org/by", "cors": True}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[MemoryDatabase]:
    """A garden with people in it, and a cellar."""
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as made:
        made.remember("Rosa planted the quince, and wore badge B-1234.", project="garden", now=NOW)
        made.remember("Hana pruned it. Write to hana@example.org.", project="garden", now=NOW)
        made.remember("The cellar is locked.", project="cellar", now=NOW)
        yield made


def said(folder: Path) -> dict[str, Any]:
    """What the folder says of itself."""
    return json.loads((folder / MARKER).read_text("utf-8"))


def texts(folder: Path) -> list[str]:
    """What its memories say."""
    with MemoryDatabase(published_file(folder), read_only=True) as public:
        return [row[0] for row in public.conn.execute("select text from memories order by key")]


def every_byte(folder: Path) -> bytes:
    """All files of a folder, in lower case."""
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()).lower()


def kept(db: MemoryDatabase) -> list[dict[str, Any]]:
    """What the private database keeps of how folders were published."""
    row = db.conn.execute("select value from settings where name = ?", (SETTING,)).fetchone()
    return list(json.loads(row[0]).values()) if row else []


# ---------------------------------------------------------------------------------------------- the same again


def test_without_a_word_it_is_published_as_before(db: MemoryDatabase, tmp_path: Path) -> None:
    out = tmp_path / "out"
    how = {"redact": "Rosa", "patterns": {"badge": r"B-\d+"}, "spare": "hana@example.org", "embed": "none"}
    db.publish(out, project="garden", title="A garden", **ABOUT, **how, now=NOW)
    before = {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    report = db.publish(out, now=NOW)
    assert (report.new, report.changed, report.gone) == ((), (), ())
    assert {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert texts(out)[0] == "Person 1 planted the quince, and wore badge [badge]."
    assert said(out)["about"]["license_url"] == ABOUT["license_url"]


def test_a_check_takes_out_what_was_taken_out(db: MemoryDatabase, tmp_path: Path) -> None:
    db.publish(tmp_path / "out", project="garden", redact="Rosa", patterns={"badge": r"B-\d+"}, now=NOW)
    report = db.check_published(tmp_path / "out")
    assert (report.sound, report.changed) == (True, ())
    (tmp_path / "out" / "notes.txt").write_text("by ROSA, B-1234", encoding="utf-8")
    assert {leak.text for leak in db.check_published(tmp_path / "out").leaks} >= {"rosa"}


def test_what_is_said_anew_is_anew_and_the_rest_stays(db: MemoryDatabase, tmp_path: Path) -> None:
    out = tmp_path / "out"
    db.publish(out, project="garden", title="A garden", **ABOUT, now=NOW)
    db.publish(out, title="The orchard", cors=False, description="", now=NOW)
    about = said(out)["about"]
    assert (about["title"], about["cors"], about["description"]) == ("The orchard", False, "")
    assert (about["license"], about["license_url"]) == (ABOUT["license"], ABOUT["license_url"])


def test_the_address_of_a_licence_goes_with_the_licence(db: MemoryDatabase, tmp_path: Path) -> None:
    db.publish(tmp_path / "out", project="garden", **ABOUT, now=NOW)
    db.publish(tmp_path / "out", license="CC0", now=NOW)
    assert (said(tmp_path / "out")["about"]["license"], said(tmp_path / "out")["about"]["license_url"]) == ("CC0", "")


def test_another_choice_replaces_the_whole_choice(db: MemoryDatabase, tmp_path: Path) -> None:
    db.publish(tmp_path / "out", project="garden", since="2026-01-01", title="Mine", now=NOW)
    db.publish(tmp_path / "out", project="cellar", now=NOW)
    assert texts(tmp_path / "out") == ["The cellar is locked."]
    assert kept(db) == [{"projects": ["cellar"], "title": "Mine"}]


def test_who_was_taken_out_stays_out_under_the_same_number_when_others_join(db: MemoryDatabase, tmp_path: Path) -> None:
    db.publish(tmp_path / "out", project="garden", redact="Rosa", now=NOW)
    db.publish(tmp_path / "out", redact="Hana", now=NOW)
    assert texts(tmp_path / "out")[0].startswith("Person 1 planted")
    assert texts(tmp_path / "out")[1] == "Person 2 pruned it. Write to [email]."


def test_anew_forgets_how_it_was_published(db: MemoryDatabase, tmp_path: Path) -> None:
    db.publish(tmp_path / "out", project="garden", redact="Rosa", title="A garden", now=NOW)
    with pytest.raises(BadQuestion, match="Nothing is chosen"):
        db.publish(tmp_path / "out", anew=True, now=NOW)
    db.publish(tmp_path / "out", project="garden", anew=True, now=NOW)
    assert texts(tmp_path / "out")[0].startswith("Rosa planted")
    assert said(tmp_path / "out")["about"]["title"] == "garden"


def test_what_a_review_left_in_is_not_asked_about_again(db: MemoryDatabase, tmp_path: Path) -> None:
    asked: list[str] = []

    def review(one: Any) -> bool:
        asked.append(one.replacement.original)
        return False

    db.publish(tmp_path / "out", project="garden", review=review, now=NOW)
    db.publish(tmp_path / "out", review=review, now=NOW)
    assert asked == ["hana@example.org"]
    assert db.check_published(tmp_path / "out").changed == ()


# ---------------------------------------------------------------------------------------------- where it is kept


def test_nothing_of_what_was_taken_out_is_in_the_folder(db: MemoryDatabase, tmp_path: Path) -> None:
    """It is kept at home; what the folder holds of it is a number that nobody can make without the database."""
    out = tmp_path / "out"
    how = {"redact": "Rosa", "patterns": {"badge": "B-1234"}, "title": "Rosa's trees", "everywhere": "zebediah"}
    db.publish(out, project="garden", **how, now=NOW)
    for secret in (b"rosa", b"b-1234", b"zebediah", b"hana@example.org"):
        assert secret not in every_byte(out)
    assert said(out)["redacted"] is True
    assert kept(db)[0]["title"] == "Rosa's trees"
    with MemoryDatabase(tmp_path / "other.db", embed="none") as other:
        other.remember("Rosa planted the quince, and wore badge B-1234.", project="garden", now=NOW)
        other.publish(tmp_path / "there" / "out", project="garden", **how, now=NOW)
    assert said(out)["asked"] != said(tmp_path / "there" / "out")["asked"]


def test_a_dry_run_and_what_is_refused_keep_nothing(db: MemoryDatabase, tmp_path: Path) -> None:
    db.publish(tmp_path / "out", project="garden", dry_run=True, now=NOW)
    with pytest.raises(BadQuestion):
        db.publish(tmp_path / "for-Rosa", project="garden", redact="Rosa", title="A garden", now=NOW)
    assert kept(db) == []


def test_one_folder_is_kept_once_and_another_by_itself(db: MemoryDatabase, tmp_path: Path) -> None:
    for n in range(5):
        db.publish(tmp_path / "one", project="garden", title=f"The {n}th", now=NOW)
    db.publish(tmp_path / "other", project="cellar", now=NOW)
    assert [one.get("title") for one in kept(db)] == ["The 4th", None]


def test_a_folder_that_was_moved_is_known_again(db: MemoryDatabase, tmp_path: Path) -> None:
    db.publish(tmp_path / "out", project="garden", redact="Rosa", now=NOW)
    (tmp_path / "far").mkdir()
    os.rename(tmp_path / "out", tmp_path / "far" / "out")
    assert db.publish(tmp_path / "far" / "out", now=NOW).changed == ()
    assert b"rosa" not in every_byte(tmp_path / "far" / "out")


def test_what_nobody_knows_any_more_has_to_be_said_again(db: MemoryDatabase, tmp_path: Path) -> None:
    """Publishing the names that were once taken out, because a copy of the database knows of none, must not happen."""
    out = tmp_path / "out"
    db.publish(out, project="garden", title="A garden", redact="Rosa", now=NOW)
    db.conn.execute("delete from settings where name = ?", (SETTING,))
    for again in (lambda: db.publish(out, project="garden", now=NOW), lambda: db.check_published(out)):
        with pytest.raises(BadQuestion, match="does not know which"):
            again()
    assert db.check_published(out, redact="Rosa").sound
    db.publish(out, project="garden", redact="Rosa", now=NOW)
    assert said(out)["about"]["title"] == "A garden"
    assert db.check_published(out).sound


def test_a_database_that_cannot_be_written_to_is_published_all_the_same(db: MemoryDatabase, tmp_path: Path) -> None:
    db.close()
    with MemoryDatabase(tmp_path / "memory.db", read_only=True, embed="none") as reading:
        report = reading.publish(tmp_path / "out", project="garden", now=NOW)
        assert "the options of this publication were not stored" in repr(report)
        assert "were not stored" not in repr(reading.publish(tmp_path / "new", project="garden", dry_run=True, now=NOW))
        assert reading.publish(tmp_path / "out", project="garden", now=NOW).changed == ()


# ---------------------------------------------------------------------------------------------- at the command line


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(cli, ["publish", *arguments])
    assert "Traceback" not in done.output
    return done


def test_the_command_line_does_it_again_and_checks_by_the_same_words(
    db: MemoryDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.close()
    monkeypatch.chdir(tmp_path)
    first = run("memory.db", "out", "--project", "garden", "--redact", "Rosa", "--no-sql", "--download", "--no-common")
    assert first.exit_code == 0, first.output
    again = run("memory.db", "out", "--no-download", "--common")
    assert again.exit_code == 0, again.output
    assert (said(Path("out"))["about"]["allow_sql"], said(Path("out"))["about"]["download"]) == (False, False)
    assert texts(Path("out"))[1] == "Hana pruned it. Write to [email]."
    ways = (
        ["memory.db", "out", "--check"],
        ["--check", "out", "--against", "memory.db"],
        ["memory.db", "--check", "out"],
    )
    for arguments in ways:
        checked = run(*arguments)
        assert (checked.exit_code, checked.output.strip()[-32:]) == (0, "2 memories, nothing private in it"[-32:])


# ---------------------------------------------------------------------------------------------- the rule

SEVERAL = st.lists(st.sampled_from(["Rosa", "rosa", "Will", "will", "Hana"]), unique=True, min_size=1)
HOW = st.fixed_dictionaries(
    {},
    optional={
        "names": SEVERAL,
        "everywhere": SEVERAL,
        "spare": SEVERAL,
        "regions": SEVERAL,
        "patterns": st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy"), min_size=1),
        "common": st.booleans(),
        "projects": SEVERAL,
        "since": st.just("2026-01-01"),
        "title": st.sampled_from(["One", "Two"]),
        "keep": SEVERAL,
    },
)


@given(HOW)
def test_nothing_said_anew_changes_nothing(before: dict[str, Any]) -> None:
    assert merged_request(before, {}) == before


@given(HOW, HOW)
def test_the_same_said_twice_is_the_same_said_once(before: dict[str, Any], now: dict[str, Any]) -> None:
    now.pop("spare", None)  # nobody says of one name both that it goes and that it stays
    once = merged_request(before, now)
    assert merged_request(once, now) == once


@given(HOW, HOW)
def test_whoever_was_to_be_taken_out_still_is(before: dict[str, Any], now: dict[str, Any]) -> None:
    both = merged_request(before, now)
    old, new = before.get("names", []), now.get("names", [])
    assert both.get("names", [])[: len(old)] == old
    assert set(both.get("names", [])) == {*old, *new}
    assert (before.get("patterns", {}).keys() | now.get("patterns", {}).keys()) == both.get("patterns", {}).keys()


@given(HOW, HOW)
def test_a_name_that_is_spared_or_goes_everywhere_goes_by_the_last_word(
    before: dict[str, Any], now: dict[str, Any]
) -> None:
    now.pop("spare", None)
    spared = {name.lower() for name in merged_request(before, now).get("spare", [])}
    assert spared.isdisjoint(name.lower() for name in now.get("everywhere", []))


def test_one_person_asked_for_by_two_names_is_one_person(db: MemoryDatabase, tmp_path: Path) -> None:
    out = tmp_path / "out"
    db.ingest([{"text": "Rosa Tamsin planted the medlar; Rosa likes it. Hana watched.", "project": "garden"}], now=NOW)
    db.merge("Rosa Tamsin", "Rosa")
    db.publish(out, project="garden", redact="Rosa", embed="none", now=NOW)
    before = texts(out)
    db.publish(out, redact=["Rosa Tamsin", "Hana"], now=NOW)
    after = texts(out)
    assert after == [text.replace("Hana", "Person 3") for text in before]
    assert "Person 1 planted the medlar; Person 1 likes it. Person 3 watched." in after
