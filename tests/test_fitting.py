"""What fits a message: packs of tools, skills (C40)."""

from __future__ import annotations

import pytest
from published_helpers import Angles, Concepts, database

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, EmbedderFailed
from memkit.embedding import kept_vectors
from memkit.retrieval.context.assembler import NOTHING, Prompt, PromptPart, assemble_prompt
from memkit.retrieval.fitting import fitting

PACKS = {
    "weather": "weather forecasts: rain, sun, wind and temperature of a place",
    "calendar": "appointments, meetings, free times, invitations",
    "shop": "buys things, compares prices, orders food",
    "code": "runs tests, edits source code, deploys applications",
}


def test_C40_the_vector_that_recall_made_of_the_message_chooses_the_packs_too() -> None:
    model = Concepts()
    db = database(["Rosa has a dog"], model)
    model.asked.clear()
    message = "What's up with the dog, Rosa?"
    db.context(message, strategy="construct")
    packs = {"pets": "a dog, a cat", "doctors": "dentist"}
    assert [(one.name, one.similarity) for one in db.fitting(message, packs)] == [("pets", pytest.approx(1.0))]
    db.fitting("dentist?", packs)
    assert model.asked == [message, *packs.values(), "dentist?"], "nothing is embedded twice"


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("is it going to rain tomorrow?", "weather"),
        ("move my meeting with Anna to Friday", "calendar"),
        ("please deploy the app", "code"),
        ("what's the price of a good bicycle?", "shop"),
    ],
)
def test_the_built_in_model_chooses_what_a_person_would(message, name) -> None:
    assert [one.name for one in MemoryDatabase().fitting(message, PACKS)] == [name]


def test_C40_best_fitting_first_and_what_is_just_at_the_threshold_fits() -> None:
    things = {"a": ".25 of a boat", "b": ".5 of a boat", "c": ".75 of a boat"}
    found = fitting("a boat", things, Angles(), 3, 0.5)
    assert [(one.name, one.similarity) for one in found] == [("c", 0.75), ("b", 0.5)]


def test_nothing_fits_a_greeting_and_the_threshold_and_the_number_are_the_callers() -> None:
    db = MemoryDatabase()
    assert not db.fitting("hello there", PACKS)
    assert not db.fitting("", PACKS)
    assert not db.fitting("rain", {})
    found = db.fitting("is it going to rain tomorrow?", PACKS, k=2, least=0.0)
    assert len(found) == 2
    assert found[0].similarity > found[1].similarity >= 0.0
    assert list(found.to_df().columns) == ["name", "description", "similarity"]
    with pytest.raises(BadQuestion, match="0 or more, not -1"):
        db.fitting("rain", PACKS, k=-1)


def test_without_a_model_everything_is_offered_and_one_that_fails_says_so() -> None:
    assert [one.name for one in MemoryDatabase(embed="none").fitting("rain", PACKS)] == list(PACKS)

    class Fails(Concepts):
        def encode(self, texts):
            raise OSError("no network")

    with pytest.raises(EmbedderFailed, match="no network"):
        MemoryDatabase(embed=Fails()).fitting("rain", PACKS)


def test_so_many_vectors_are_kept_the_least_recently_used_leaves_first_and_a_heap_of_texts_is_not_kept() -> None:
    model = Concepts()
    kept = kept_vectors.KeptVectors(model, "concepts", kept_vectors.OrderedDict())
    kept.encode([f"dog {n}" for n in range(kept_vectors.AT_ONCE + 1)])
    assert not kept._kept
    for n in range(kept_vectors.MOST):
        kept.encode([f"dog {n}"])
    kept.encode(["dog 0", "cat", "cat"])
    model.asked.clear()
    assert (kept.encode(["cat", "dog 0", "cat"]) == Concepts().encode(["cat", "dog 0", "cat"])).all()
    assert model.asked == []
    kept.encode(["dog 1"])
    assert model.asked == ["dog 1"]


def test_the_block_before_a_message_has_the_skills_that_fit_it_and_no_others() -> None:
    with MemoryDatabase() as db:
        db.remember("Otto deploys the Kira app with one command.")

        def block(message: str) -> Prompt:
            skills = [f"- {one.name}: {one.description}" for one in db.fitting(message, PACKS)]
            return assemble_prompt(
                [
                    PromptPart("persona", "You are Otto's assistant.", 100, sticky=True),
                    PromptPart("memory", lambda room: str(db.context(message, budget=room)), 80, most=0.5),
                    PromptPart("files", ["deploy.sh: builds and uploads"], 70, heading="## Files"),
                    PromptPart("skills", "\n".join(skills), 60, heading="## Skills"),
                ],
                budget=400,
            )

        about, greeting = block("please deploy the app"), block("hello there")
    assert "## Skills\n- code: runs tests" in str(about)
    assert "weather" not in str(about)
    assert [entry.name for entry in about.ledger if entry.tokens] == ["persona", "memory", "files", "skills"]
    assert "Otto deploys the Kira app" in str(about)
    assert "## Skills" not in str(greeting)
    assert next(entry for entry in greeting.ledger if entry.name == "skills").why == NOTHING
