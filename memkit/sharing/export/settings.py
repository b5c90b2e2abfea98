"""Settings in an export: they decide what a database does, so a restore takes only those that it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from memkit.core.errors import BadQuestion, MemkitError, one_of
from memkit.core.validation import is_list_of_texts
from memkit.ingestion import front_matter, own_voice, projects
from memkit.maintenance import policy_toml
from memkit.retrieval import own_strategy, saved_questions
from memkit.sharing.publish import republish
from memkit.storage import template_lines


def _policy(value: Any) -> bool:
    try:
        return isinstance(value, str) and policy_toml.read(value) is not None
    except MemkitError:
        return False


def _texts_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _flags_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, bool) for one in value.values())


def _dicts_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())


# The settings that a restore takes if it is asked for them by name, and what their values must be.
ASKABLE: Mapping[str, Callable[[Any], bool]] = {
    policy_toml.SETTING: _policy,
    "me": lambda value: isinstance(value, str),
    "single_valued": is_list_of_texts,
    "slot_predicates": is_list_of_texts,
    front_matter.KNOWLEDGE: is_list_of_texts,
    projects.NAMED: _texts_by_name,
    own_voice.SETTING: _flags_by_name,
    template_lines.SETTING: is_list_of_texts,
    republish.SETTING: _dicts_by_name,
    own_strategy.SETTING: own_strategy.is_strategy,
    saved_questions.SETTING: saved_questions.is_saved,
}


def askable(names: Collection[str]) -> frozenset[str]:
    """The names of settings that a restore shall take. Raises BadQuestion for one that it never takes."""
    for name in names:
        if name not in ASKABLE:
            raise BadQuestion(one_of("setting that a restore can take", name, ASKABLE))
    return frozenset(names)


def fits(name: str, value: str) -> bool:
    """Whether the stored value (JSON) of a setting is one that memkit could have written."""
    return ASKABLE[name](json.loads(value))
