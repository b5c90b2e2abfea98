"""What a sentence needs before it: kept alone, "Never." or "I want to visit it." would be about something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from maintenance_helpers import day

from memkit import MemoryDatabase
from memkit.text.fragments import is_bare, is_unfinished, leaves_out
from memkit.text.leaning import leans
from memkit.text.needed import needed
from memkit.text.replies import asks, goes_on, is_reply, returns_question
from memkit.text.statements import statements
from memkit.text.summarize import summarize


@pytest.mark.parametrize(
    "message",
    [
        "Never been there in my whole life, and I do not miss the noise.",
        "No actually not many, just the Art Basel and a couple of exhibitions this year.",
        "I fully agree.",
        "Same, i feel like having a dog would be fun too since they are so energetic.",
        "Nobody.",
        "Me too!",
        "I don't.",
        "Hm I can't remember the name of the mayor of Kiel",
        "odie5533: telnet",
        "It does!",
        "Nein, wir haben dort nie gewohnt, obwohl Marta es wollte.",
        "Ich auch nicht.",
        "Nunca, porque el médico me lo prohibió el año pasado.",
        "Moi non plus.",
        "Jamais, parce que le médecin me l'a interdit.",
        "不，我从来不吃这些东西，因为医生不让。",
        "没有。",
        "ok",
    ],
)
def test_replies_that_say_something_only_with_their_question(message: str) -> None:
    assert is_reply(message)


@pytest.mark.parametrize(
    "message",
    [
        "Yes, I sold the house in Lisbon last week.",
        "I do not eat pork.",
        "Nobody I know watched that film in Graz.",
        "I was there in May with Otto.",
        "Right now I live in Rome with Marta.",
        "Novak lives in Brno these days.",
        "Ja, wir haben das Haus in Jena verkauft.",
        "不过我去了青岛。",
        "Sure, the rehearsal begins at 6:30 in the small hall.",
    ],
)
def test_messages_that_say_something_by_themselves(message: str) -> None:
    assert not is_reply(message)


@pytest.mark.parametrize(
    "sentence",
    [
        "It was delicious.",
        "Not only for the exercise, but also for the peace of mind that comes with walking.",
        "I really want to visit it once.",
        "We bought them in 2019.",
        "I wish I could go there.",
        "For example, the trails are long.",
        "Gets tiring to work at though, I would rather have tea.",
        "Another is from 1920.",
        "Ich war noch nie dort.",
        "Je les ai vus.",
        "Allí vive mi hermana.",
    ],
)
def test_sentences_that_lean_on_the_one_before(sentence: str) -> None:
    assert leans(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "There is a lake behind the house.",
        "Hello there, Otto!",
        "I parked the old car behind the house and locked it for the night.",
        "We met Marta and visited it.",
        "Dinner was good.",
        "I made it to the top of the hill.",
        "",
    ],
)
def test_sentences_that_do_not_lean(sentence: str) -> None:
    assert not leans(sentence)


@pytest.mark.parametrize(
    "message", ["and two ducks", "with prompts in between of course", "weil es regnet", "因为下雨"]
)
def test_messages_that_go_on(message: str) -> None:
    assert goes_on(message)


@pytest.mark.parametrize(
    "text", ["did you know engineers earn more", "yeah. what about the boat", "Hast du das gewusst", "你去过青岛吗。"]
)
def test_a_reply_comes_with_a_question_without_its_mark(text: str) -> None:
    told = ("Ada", "I sold 14 jars of quince jelly in Bremen on Friday.")
    assert asks(text)
    assert (
        along([("Otto", text), told, ("Ada", "I didnt, so thats odd for me")], "I didnt, so thats odd for me")[0]
        == text
    )


@pytest.mark.parametrize(
    "text", ["I know what you did", "We do you a favour", "Whatever you say", "How odd", "What a day"]
)
def test_what_asks_nothing(text: str) -> None:
    assert not asks(text)


def test_questions_that_are_returned() -> None:
    assert all(map(returns_question, ("And you?", "What about you, Otto?", "Und du?", "¿Y tú?", "Et toi ?", "你呢？")))
    assert not any(map(returns_question, ("What is new?", "Where do you live?", "Is Otto well?")))


# ---------------------------------------------------------------------------------------------- what comes along


def along(turns: list[tuple[str, str]], text: str) -> list[str]:
    """What comes along with the statement with these words."""
    found = [one for number, (_, said) in enumerate(turns) for one in statements(said, number=number)]
    (at,) = (place for place, one in enumerate(found) if one.words == text)
    return [found[place].words for place in needed(found, at, lambda place: turns[found[place].text][0])]


PORK = ("Otto", "Lovely weather. Do you eat pork?")
OPERA = ("Otto", "I love the opera in Vienna.")


def test_a_reply_comes_with_its_question_also_over_another_message() -> None:
    assert along([PORK, ("Ada", "Never.")], "Never.") == ["Do you eat pork?", "Never."]
    assert along([PORK, OPERA, ("Ada", "Never.")], "Never.") == ["Do you eat pork?", "Never."]


def test_a_reply_after_a_greeting_is_one() -> None:
    turns = [("Otto", "Anything new with you?"), ("Ada", "Hey Otto! Nothing new, my boss was out.")]
    assert along(turns, "Nothing new, my boss was out.") == ["Anything new with you?", "Nothing new, my boss was out."]
    told = [("Otto", "Anything new with you?"), ("Ada", "I sold the boat in Kiel. Nothing new, my boss was out.")]
    assert along(told, "Nothing new, my boss was out.") == ["Nothing new, my boss was out."]


def test_an_answer_with_a_word_for_what_was_asked_comes_with_the_question() -> None:
    asked = ("Otto", "The mayor is kind. Have you met the mayor?")
    answer = "I have met him a few times on the ferry to work."
    assert along([asked, ("Ada", answer)], answer) == ["Have you met the mayor?", answer]
    named = "I have met Rosa on the ferry, as she did before me."
    assert along([asked, ("Ada", named)], named) == [named]
    assert along([("Otto", "The mayor is kind."), ("Ada", answer)], answer) == ["The mayor is kind.", answer]


def test_a_reply_to_no_question_comes_with_what_was_said_last() -> None:
    assert along([OPERA, ("Ada", "Me too!")], "Me too!") == ["I love the opera in Vienna.", "Me too!"]


def test_nobody_answers_himself() -> None:
    turns = [PORK, ("Ada", "Where is the salt?"), ("Ada", "Never.")]
    assert along(turns, "Never.") == ["Do you eat pork?", "Never."]


def test_a_question_that_is_returned_comes_with_what_it_returns() -> None:
    for asked in ("What about you?", "Do you?"):
        turns = [("Otto", f"I do not eat pork. {asked}"), ("Ada", "Me neither.")]
        assert along(turns, "Me neither.") == ["I do not eat pork.", asked, "Me neither."]


@pytest.mark.parametrize("text", ["and two white ducks", "But you hate birds", "For eggs and nothing else"])
def test_a_message_that_goes_on_comes_with_the_last_one_that_tells_something(text: str) -> None:
    turns = [("Ada", "We have three hens."), ("Ada", "Like"), ("Otto", text)]
    assert along(turns, text) == ["We have three hens.", text]


def test_a_leaning_sentence_comes_with_the_one_before_it_or_what_its_message_answers() -> None:
    turns = [("Otto", "How is the new bridge?"), ("Ada", "I saw it on Monday. It is red.")]
    assert along(turns, "It is red.") == ["How is the new bridge?", "I saw it on Monday.", "It is red."]


def test_an_item_of_a_list_comes_with_its_heading() -> None:
    text = "Hello.\n\nWhat the cake needs:\n\n- 200 g of flour\n- 3 eggs\n\nI baked two cakes on Sunday."
    turns = [("Ada", text)]
    assert along(turns, "3 eggs") == ["What the cake needs:", "3 eggs"]
    assert along(turns, "I baked two cakes on Sunday.") == ["I baked two cakes on Sunday."]


def test_what_is_needed_needs_more_itself() -> None:
    ruin = "It is inspiring how Dr Weiss ran the bank into the ground."
    turns = [("Otto", f"{ruin} He must be really smart."), ("Ada", "I disagree, the bank from Graz is well run.")]
    assert along(turns, turns[1][1]) == [ruin, "He must be really smart.", turns[1][1]]


def test_a_question_to_somebody_else_is_not_answered() -> None:
    turns = [
        ("nox", "the guide by Weiss is a good read for beginners"),
        ("Amaranth", "nox: Please do not tell people to read that guide."),
        ("Seveas", "and it has backports on by default"),
        ("Amaranth", "Seveas: official backports?"),
        ("nox", "why? it really helps"),
    ]
    assert "Seveas: official backports?" not in along(turns, "why? it really helps")
    called = [*turns[:3], ("nox", "Amaranth, why not?")]
    assert along(called, "Amaranth, why not?")[-2:] == [turns[1][1], "Amaranth, why not?"]
    assert along([("Otto", "Is it done?"), ("Ada", "Well, not yet.")], "Well, not yet.")[0] == "Is it done?"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("I wonder if he still has the old boat in Kiel", "My brother moved to Graz."),
        ("We met them on Friday at the harbour of Bremen", "The Weiss twins came home."),
        ("I would pay a lot for it at the market in Graz", "Rosa sells a cello."),
        ("The man at the desk did not know those flowers either", "I planted red dahlias."),
        ("Ich habe ihn am Freitag in Bremen gesehen", "Mein Bruder wohnt in Graz."),
        ("Creo que ella vive en Bilbao desde 2019", "Mi hermana es médica."),
        ("Je pense à elle le vendredi soir à Lyon", "Ma sœur a un bateau."),
        ("我昨天见到他了，在汉堡的市场", "我哥哥搬到格拉茨了。"),
    ],
)
def test_a_pronoun_comes_with_the_last_statement_that_has_a_noun_for_it(text: str, named: str) -> None:
    turns = [("Otto", "Wir/we: 14 12."), ("Otto", named), ("Ada", "oh"), ("Otto", text)]
    assert along(turns, text) == [named, text]


@pytest.mark.parametrize(
    "message",
    [
        "I started a few days ago",
        "We went over the summer with my family.",
        "I plan to someday",
        "I would love to!",
        "I'm still trying but it is hard",
        "I've been twice",
        "I'd like to go back sometime soon.",
        "I totally agree with what you did.",
    ],
)
def test_messages_that_leave_out_what_was_named_before(message: str) -> None:
    assert leaves_out(message)
    asked = ("Otto", "Do you play the drums in Kiel?")
    assert along([asked, ("Ada", message)], message)[0] == asked[1]


def test_what_leaves_something_out_comes_with_what_was_said_before_it_also_if_nobody_asked() -> None:
    told, message = "The drums in Kiel are loud.", "I started a few days ago."
    assert along([("Otto", told), ("Ada", message)], message) == [told, message]
    assert along([("Ada", f"{told} {message}")], message) == [told, message]
    whole = "I started the course in May."
    assert along([("Otto", told), ("Ada", whole)], whole) == along([("Ada", f"{told} {whole}")], whole) == [whole]


@pytest.mark.parametrize(
    "message", ["I started the course in May", "I went to Graz", "I want to sing", "I tried the soup"]
)
def test_messages_that_leave_out_nothing(message: str) -> None:
    assert not leaves_out(message)


def test_an_answer_without_subject_and_verb_comes_with_its_question() -> None:
    answer = "341, 314 and 331 i think"
    assert is_bare(answer)
    assert not is_bare("We took three classes")
    asked = ("Otto", "Which classes do you need?")
    assert along([asked, ("Ada", answer)], answer) == [asked[1], answer]
    told = ("Otto", "I know which classes you need.")
    assert along([told, ("Ada", answer)], answer) == [answer]


def test_a_part_of_a_sentence_comes_with_what_its_speaker_said_before() -> None:
    part = "networks, code and assembly"
    assert along([("Otto", "I learn a lot"), ("Otto", part)], part) == ["I learn a lot", part]
    assert along([("Otto", "I learn a lot"), ("Ada", part)], part) == [part]
    assert along([("Otto", "I learn a lot."), ("Otto", part)], part) == ["I learn a lot.", part]
    whole = "the networks of the school are old and slow"
    assert along([("Otto", "I learn a lot."), ("Otto", whole)], whole) == [whole]


def test_an_answer_that_says_little_comes_with_its_question() -> None:
    little, enough = "My uncle did everything alone.", "My uncle repaired both masts with oak yesterday."
    asked, told = "Who mends the boat?", "Somebody mends the boat."
    assert along([("Ada", asked), ("Otto", little)], little) == [asked, little]
    assert along([("Ada", told), ("Otto", little)], little) == [little]
    assert along([("Ada", asked), ("Otto", enough)], enough) == [enough]


def test_a_message_that_ends_in_the_middle_of_a_sentence_comes_with_the_rest() -> None:
    begun, rest = "I got a degree in", "computer science at the school of Kiel"
    assert is_unfinished(begun)
    assert not is_unfinished(rest)
    both = [("Otto", begun), ("Otto", rest)]
    assert along(both, begun) == along(both, rest) == [begun, rest]
    assert along([("Otto", begun), ("Ada", rest)], begun) == [begun]


def test_a_message_with_a_small_letter_goes_on_with_one_that_has_not_ended() -> None:
    begun, rest = "I finished my homework early so much", "to make my whole family angry in Kiel"
    assert along([("Otto", begun), ("Otto", rest)], rest) == [begun, rest]
    assert along([("Otto", begun + "."), ("Otto", rest)], rest) == [rest]


def test_a_fragment_within_a_turn_comes_with_the_sentence_before() -> None:
    said = [("Otto", "One rides out to see lions. Usually in a jeep.")]
    assert along(said, "Usually in a jeep.") == ["One rides out to see lions.", "Usually in a jeep."]


def test_a_sentence_without_its_subject_leans_and_a_question_does_not() -> None:
    assert leans("Have a lot of pacing issues but I love the songs.")
    assert not leans("Have many swans come to Kiel this year?")


def test_what_is_needed_directly_is_not_left_out_for_what_that_needs() -> None:
    asked = "Have you ridden a horse in Husum?"
    chain = [("Otto", "It snowed, and she left it there."), ("Ada", "But she said so.")] * 4
    said = [*chain, ("Ada", asked), ("Otto", "No, but it looks fun. I always wanted to try it.")]
    assert asked in along(said, "I always wanted to try it.")


def test_what_a_near_sentence_needs_is_not_left_out_for_a_longer_chain() -> None:
    mast, so, last = "The mast broke.", "But she said so.", "I want to see them once."
    said = [("Otto", mast), ("Otto", so), ("Otto", so), ("Ada", "She left it there."), ("Otto", mast), ("Otto", mast)]
    near = [("Otto", "I always wanted to try it."), ("Ada", so), ("Otto", last)]
    assert along([*said, *near], last)[-3:] == [words for _, words in near]


def test_a_short_answer_comes_with_its_question_and_seems_to_answer_no_other() -> None:
    """Alone, "Sorry, I forgot." would answer whether the boat was mended."""
    chat = [("Ada", "Was the boat mended?"), ("Otto", "Not yet."), ("Ada", "Have you paid the bill?")]
    assert along([*chat, ("Otto", "Sorry, I forgot.")], "Sorry, I forgot.") == [chat[2][1], "Sorry, I forgot."]


def test_an_opinion_is_about_what_was_said_last_and_not_about_an_earlier_question() -> None:
    chat = [
        ("Otto", "Would you rather have soup or bread?"),
        ("Ada", "Marta bakes."),
        ("Otto", "Let us order the bread."),
    ]
    assert along([*chat, ("Ada", "Sounds good to me.")], "Sounds good to me.")[-2] == chat[2][1]


def test_then_means_a_time_that_was_said() -> None:
    assert leans("I am wide open then.")
    assert goes_on("Then comes the hard part, a market analysis.")
    assert not leans("We met then a man in Kiel.")


def test_somebody_unknown_is_no_noun_for_a_pronoun_of_a_later_message() -> None:
    turns = [("Otto", "My sister called."), ("Otto", "I hope that nobody heard"), ("Otto", "I miss her a lot")]
    assert along(turns, "I miss her a lot") == ["My sister called.", "I miss her a lot"]


def test_a_speaker_is_no_noun_for_a_pronoun() -> None:
    turns = [("Otto", "My sister called."), ("Otto", "Good evening, Ada!"), ("Otto", "I miss her a lot")]
    assert along([*turns, ("Ada", "hm")], "I miss her a lot")[0] in ("My sister called.", "Good evening, Ada!")
    spoken = [("Ada", "Hello"), *turns]
    assert along(spoken, "I miss her a lot") == ["My sister called.", "I miss her a lot"]


@pytest.mark.parametrize("text", ["But the enemies are too strong for me in Graz.", "Tosca?"])
def test_what_goes_on_inside_a_turn_comes_with_the_sentence_before(text: str) -> None:
    turns = [("Ada", f"I play a game about Vienna. {text}")]
    assert along(turns, text) == ["I play a game about Vienna.", text]


@pytest.mark.parametrize(
    "text",
    [
        "Probably in the small hall of the museum in Bremen",
        "hmm id sell the boat to the man from Kiel and keep the cello",
        "Yeah but not with Marta and the twins",
        "Vielleicht im kleinen Saal des Museums in Bremen",
    ],
)
def test_an_answer_without_its_verb_comes_with_the_question(text: str) -> None:
    asked = "Where would you meet Rosa?"
    assert along([("Otto", asked), ("Ada", text)], text) == [asked, text]
    assert along([("Otto", "We met Rosa."), ("Ada", "I sold jam."), ("Ada", text)], text)[-1] == text


def test_a_chain_of_needs_is_whole() -> None:
    """What an answer brings along brings the noun of its pronouns, too."""
    turns = [
        ("Otto", "Those lines about pepper will make people run away from you in Kiel"),
        ("Ada", "I love cheese"),
        ("Ada", "Is it because they want me to run after them?"),
        ("Otto", "No I don't think running after them is a good idea in Kiel either"),
    ]
    assert along(turns, turns[3][1]) == [text for _, text in turns]


def test_whoever_is_called_said_what_is_meant() -> None:
    turns = [
        ("Rosa", "I have a Mac mini from 2004 and want Debian on the disk"),
        ("Otto", "My cellos are for sale in Kiel"),
        ("Ada", "Otto: the cellos of your brother, I hope"),
        ("Otto", "Ada: my sister has painted them red"),
        ("Nox", "Rosa: that requires the system of Apple"),
        ("Nox", "Rosa, which costs 900 euros in Kiel"),
    ]
    assert along(turns, turns[4][1]) == [turns[0][1], turns[4][1]]
    assert along(turns, turns[5][1])[-2:] == [turns[4][1], turns[5][1]]


CHAT = [
    ("Otto", "I love the opera in Vienna, where we heard Tosca in 2019."),
    ("Ada", "Do you eat pork or beef these days?"),
    ("Otto", "Never since 2018, because of Dr Weiss in Graz."),
    ("Ada", "I sold 14 jars of quince jelly in Bremen on Friday."),
    ("Otto", "Where did you sell the old boat?"),
    ("Ada", "Not yet sold, the man from Kiel offered 900 euros."),
]


@given(st.integers(0, 120))
def test_no_denial_is_kept_without_its_question(budget: int) -> None:
    found = summarize([text for _, text in CHAT], budget, labels=[f"{name}: " for name, _ in CHAT])
    said = {one.words for one in found}
    assert CHAT[2][1] not in said or CHAT[1][1] in said
    assert CHAT[5][1] not in said or CHAT[4][1] in said


@pytest.mark.parametrize("part", [50, 60, 80])
def test_a_reply_and_its_question_are_in_one_summary(part: int) -> None:
    with MemoryDatabase(":memory:", embed="none") as db:
        settings = {"compact_kinds": "turn", "part_tokens": str(part), "compress_share": "0.9"}
        db.set_policy(settings={f"episodes.{name}": value for name, value in settings.items()})
        turns = [("Otto", "Do you still eat the pork that Marta cooks?"), ("Ada", "Never, since Dr Weiss said so.")]
        rows = [
            {"id": n, "session": "s", "speaker": who, "text": text, "kind": "turn", "timestamp": day(n / 2000)}
            for n, (who, text) in enumerate([*CHAT, *turns] * 4)
        ]
        db.ingest(rows, now=day(1))
        db.maintain(now=day(3))
        made = [row[0] for row in db.conn.execute("select text from memories where compression = 'compressed'")]
    with_denial = [text for text in made if "Ada: Never" in text]
    assert with_denial
    assert all("pork" in text.split("Ada: Never")[0] for text in with_denial)
    assert not any(text.startswith(("Ada: Never", "Otto: Never", "Ada: Not yet")) for text in made)
