"""The policy of upkeep: one TOML block, presets, and a sentence for every impossible number."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import reduce
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import MemkitError
from memkit.frontends.cli.main import cli
from memkit.maintenance import policy_toml
from memkit.maintenance.policy import PRESETS, Policy


def test_without_a_policy_memkits_own_holds(file: MemoryDatabase) -> None:
    assert file.policy() == Policy()


def test_kiras_preset_has_the_published_ages(file: MemoryDatabase) -> None:
    ages = file.set_policy("kira").episodes
    published = (24, 6, 8, 7, 90)
    assert (
        ages.compress_after_hours,
        ages.raw_days,
        ages.keep_importance,
        ages.distil_after_days,
        ages.compressed_days,
    ) == published
    conversation = file.policy().conversation
    assert (conversation.budget_share, conversation.keep_last, conversation.keep_share) == (0.75, 10, 0.3)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_written_and_read_again(preset: str) -> None:
    policy = policy_toml.policy_from_dict({"preset": preset})
    assert policy_toml.read(policy_toml.write(policy)) == policy == policy_toml.read(policy_toml.brief(policy))


@given(
    hours=st.floats(0, 1e5),
    cap=st.integers(0, 10_000_000),
    kinds=st.lists(st.text(min_size=1).filter(str.strip), min_size=1),
)
def test_any_possible_values_are_written_and_read_again(hours: float, cap: int, kinds: list[str]) -> None:
    values = {"episodes": {"compress_after_hours": hours, "compact_kinds": kinds}, "prune": {"user": {"cap": cap}}}
    policy = policy_toml.policy_from_dict(values)
    assert policy_toml.read(policy_toml.write(policy)) == policy == policy_toml.read(policy_toml.brief(policy))


@given(st.text())
def test_any_text_is_a_policy_or_is_refused_in_words(text: str) -> None:
    with suppress(MemkitError):
        assert isinstance(policy_toml.read(text), Policy)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("[episodes]\nraw_days = -1", r"episodes\.raw_days = -1 is impossible: it is a number from 0 to 36500\."),
        ("[episodes]\nraw_days = nan", r"episodes\.raw_days = nan is impossible"),
        ("[episodes]\nraw_days = inf", r"episodes\.raw_days = inf is impossible"),
        ("[episodes]\nraw_days = 'six'", r"episodes\.raw_days = 'six' is impossible"),
        ("[episodes]\nraw_days = true", r"episodes\.raw_days = True is impossible"),
        ("[episodes]\nraw_day = 1", r"'raw_day' is not a setting of episodes\. Did you mean 'raw_days'"),
        ("[prune.user]\ncap = 1.5", r"prune\.user\.cap = 1\.5 is impossible: it is a whole number"),
        ("[conversation]\nbudget_share = 75", r"conversation\.budget_share = 75 is impossible"),
        ("[episodes]\ncompressed_days = 3", r"summaries would expire before they are distilled"),
        ("[feedback]\nadjust = 1", r"feedback\.adjust = 1 is impossible: it is true or false"),
        ("steps = ['prun']", r"'prun' is not a maintenance step\. Did you mean 'prune'"),
        ("steps = 3", r"steps = 3 is impossible: it is a list of names"),
        ("prune = 3", r"prune is a section, not a value. Its settings are keep_days"),
        ("preset = 'kirra'", r"'kirra' is not a preset of a policy\. Did you mean 'kira'"),
        ("preset = []", r"is not a preset of a policy"),
        ("x =", r"This policy is not TOML"),
    ],
)
def test_what_is_impossible_is_refused_and_changes_nothing(file: MemoryDatabase, toml: str, said: str) -> None:
    file.set_policy("slots")
    with pytest.raises(MemkitError, match=said):
        file.set_policy(toml=toml)
    assert file.policy().preset == "slots"


@pytest.mark.parametrize("written", [r'"\udffe"', r'["turn", "\ud800"]'])
def test_a_value_that_cannot_be_stored_is_refused_too(file: MemoryDatabase, written: str) -> None:
    with pytest.raises(MemkitError, match=r"episodes\.compact_kinds = .* is impossible: it is a list of names"):
        file.set_policy(settings={"episodes.compact_kinds": written})
    with pytest.raises(MemkitError, match=r"slots\.fill = .* is impossible: it is a word"):
        file.set_policy(settings={"slots.fill": r'"\ud800"'})


# What each setting of the published designs is, and from what to what it can be set.
BOUNDS = {
    "episodes.compress_after_hours": (24.0, 0, 876_000),
    "episodes.distil_after_days": (7.0, 0, 36_500),
    "episodes.raw_days": (6.0, 0, 36_500),
    "episodes.keep_importance": (8.0, 1, 11),
    "episodes.compressed_days": (90.0, 0, 36_500),
    "conversation.budget_share": (0.75, 0.01, 1),
    "conversation.keep_last": (10, 0, 100_000),
    "conversation.keep_share": (0.3, 0, 1),
    "prune.agent.cap": (0, 0, 10_000_000),
    "prune.agent.min_age_days": (30.0, 0, 36_500),
    "prune.agent.min_access": (3, 0, 1_000_000),
    "observe.observer_tokens": (3_000, 1, 10_000_000),
    "observe.reflector_tokens": (4_000, 1, 10_000_000),
    "observe.batch_tokens": (16_000, 100, 10_000_000),
    "triggers.topic_cosine": (0.3, -1, 1),
    "triggers.recent_messages": (3, 1, 1_000),
    "promote.sources": (3, 1, 10_000),
    "promote.per_source": (0.05, 0, 1),
    "promote.most": (0.95, 0, 1),
    "promote.crystal_characters": (1_500, 50, 1_000_000),
    "file.size_limit_mb": (0.0, 0, 1e9),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_a_setting_has_its_value_and_its_bounds(name: str) -> None:
    value, low, high = BOUNDS[name]
    section, _, field = name.rpartition(".")

    def of(policy: Policy) -> object:
        return reduce(getattr, name.split("."), policy)

    def changed(to: float) -> Policy:
        # A summary may not expire before it is distilled.
        ages = "episodes.compressed_days = 36500\nepisodes.distil_after_days = 0\n".replace(f"{name} =", "#")
        return policy_toml.read(f"{ages}{section}.{field} = {to!r}")

    assert repr(of(Policy())) == repr(value)
    assert of(changed(high)) == high
    if name != "episodes.compressed_days":
        assert of(changed(low)) == low
    step = 1 if isinstance(value, int) else 0.005
    for impossible in (low - step, high + step):
        with pytest.raises(MemkitError, match=rf"{re.escape(name)} = \S+ is impossible: it is a"):
            changed(impossible)


def test_values_are_changed_one_by_one_and_the_others_follow_the_preset(file: MemoryDatabase) -> None:
    file.set_policy("slots", settings={"prune.user.cap": "7", "episodes.compact_kinds": "episode, turn"})
    policy = file.set_policy(settings={"prune.keep_days": "60", "episodes.compress_share": ".48"})
    assert (policy.preset, policy.prune.user.cap, policy.prune.agent.cap, policy.prune.keep_days) == (
        "slots",
        7,
        200,
        60,
    )
    assert (policy.episodes.compact_kinds, policy.episodes.compress_share) == (("episode", "turn"), 0.48)


@pytest.mark.parametrize("written", ["kira", '"kira"'])
def test_a_preset_among_the_settings_is_that_preset_and_not_its_name_alone(file: MemoryDatabase, written: str) -> None:
    kira = file.set_policy("kira")
    file.set_policy("slots", settings={"steps": "prune", "episodes.raw_days": "9", "prune.user.cap": "7"})
    assert file.set_policy(settings={"preset": written}) == kira
    changed = file.set_policy(settings={"episodes.raw_days": "9", "preset": "slots"})
    assert (changed.preset, changed.episodes.raw_days, changed.prune.user.cap) == ("slots", 9, 200)
    with pytest.raises(MemkitError, match=r"'kirra' is not a preset of a policy\. Did you mean 'kira'"):
        file.set_policy(settings={"preset": "kirra"})


def test_a_stored_policy_that_makes_no_sense_is_said_before_anything_is_done(file: MemoryDatabase) -> None:
    file.conn.execute("insert into settings (name, value) values ('policy', ?)", ('"[prune]\\nkeep_days = -5"',))
    with pytest.raises(MemkitError, match=r"prune\.keep_days = -5 is impossible"):
        file.maintain()


def test_the_command_shows_the_policy_as_toml_and_takes_it_back(tmp_path: Path) -> None:
    path, edited = tmp_path / "m.db", tmp_path / "policy.toml"
    MemoryDatabase(path, embed="none").close()
    run = CliRunner()
    run.invoke(cli, ["policy", str(path), "--preset", "kira", "--set", "episodes.raw_days=9"])
    shown = run.invoke(cli, ["policy", str(path)])
    edited.write_text(shown.output.replace("raw_days = 9.0", "raw_days = 11"))
    again = run.invoke(cli, ["policy", str(path), "--edit", str(edited)])
    assert again.output == "episodes.raw_days = 11.0  # was 9.0\n"
    assert "raw_days = 11.0  # days until summarised" in run.invoke(cli, ["policy", str(path)]).output
    wrong = run.invoke(cli, ["policy", str(path), "--set", "episodes.raw_days"])
    assert (wrong.exit_code, "NAME=VALUE" in wrong.output) == (2, True)


def test_the_command_says_what_it_changed_and_from_what(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    MemoryDatabase(path, embed="none").close()

    def told(*options: str) -> str:
        return CliRunner().invoke(cli, ["policy", str(path), *options]).output

    assert told("--set", "prune.user.cap=7", "--set", "episodes.compact_kinds=episode,turn").splitlines() == [
        'episodes.compact_kinds = ["episode", "turn"]  # was ["episode"]',
        "prune.user.cap = 7  # was 0",
    ]
    assert told("--preset", "engram").splitlines() == [
        'preset = "engram"  # was "memkit"',
        'steps = ["propose", "purge"]  # was ["facts", "slots", "compress", "distil", "prune", "expire", "purge"]',
        'episodes.compact_kinds = ["episode"]  # was ["episode", "turn"]',
        "prune.user.cap = 0  # was 7",
    ]
    assert told("--preset", "engram") == "This is the policy already: nothing has changed.\n"
    with MemoryDatabase(path, embed="none") as db:
        assert told() == policy_toml.write(db.policy())


def test_a_stored_policy_that_makes_no_sense_is_mended_from_the_command_line(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        db.conn.execute("insert into settings (name, value) values ('policy', ?)", ('"[prune]\\nkeep_days = -5"',))
    mended = CliRunner().invoke(cli, ["policy", str(tmp_path / "m.db"), "--preset", "kira"])
    assert (mended.exit_code, mended.output.splitlines()[0]) == (0, 'preset = "kira"')


def test_the_lines_that_differ_are_a_policy_themselves(file: MemoryDatabase) -> None:
    """Given to the one that was before, they make the one that is now."""
    before, now = (
        Policy(),
        policy_toml.policy_from_dict({"preset": "slots", "episodes": {"raw_days": 3, "compact_kinds": ["a#b"]}}),
    )
    file.set_policy(toml="\n".join(policy_toml.changed_settings(before, now)))
    assert file.policy() == now


@pytest.mark.parametrize(
    ("short", "whole"),
    [
        ("raw_days", "'episodes.raw_days'"),
        ("episodes.keep_days", "'prune.keep_days'"),
        ("cap", "'prune.user.cap' or 'prune.project.cap' or 'prune.agent.cap'"),
    ],
)
def test_a_short_name_is_refused_with_the_whole_one(file: MemoryDatabase, short: str, whole: str) -> None:
    with pytest.raises(MemkitError, match=rf"is not a setting of .*\. Did you mean {re.escape(whole)}\?"):
        file.set_policy(settings={short: "10"})


def test_a_policy_file_may_begin_with_a_byte_order_mark_and_is_refused_if_it_is_no_text(tmp_path: Path) -> None:
    path, edited = tmp_path / "m.db", tmp_path / "policy.toml"
    MemoryDatabase(path, embed="none").close()
    edited.write_bytes(b"\xef\xbb\xbf[episodes]\r\nraw_days = 11\r\n")
    assert "episodes.raw_days = 11.0" in CliRunner().invoke(cli, ["policy", str(path), "--edit", str(edited)]).output
    edited.write_bytes(b"\xff\xfe[\x00")
    refused = CliRunner().invoke(cli, ["policy", str(path), "--edit", str(edited)])
    assert refused.exit_code == 1
    assert refused.output == f"Error: {edited} is not text in UTF-8.\n"
