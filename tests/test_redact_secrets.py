"""Secrets in the spellings in which people write them, and what only looks like one."""

from __future__ import annotations

import pytest
from growth import grows_in_proportion
from made_secrets import IN_TEXT, made, shapes

from memkit.text.redact import Names, Redactor
from memkit.text.redact.credentials import RULES
from memkit.text.redact.randomness import looks_chosen

COMMON = Redactor()
MADE = made()
# The share of the made-up texts in which nothing stays. What is missing stands after a word that also means something
# else (`pass: blossom`, `parola: casa`), and has neither digits nor signs.
LEAST = {
    "password": 0.92,
    "languages": 0.91,
    "tokens": 1,
    "shapes": 1,
    "cards": 1,
    "ibans": 1,
    "commands": 1,
    "blocks": 1,
    "phrases": 0.83,
}


@pytest.mark.parametrize("group", LEAST)
def test_secrets_are_found_however_they_are_written(group: str) -> None:
    texts = [one for one in MADE if one.group == group]
    kept = [one for one in texts if any(secret in COMMON.redact(one.text).text for secret in one.secrets)]
    assert 1 - len(kept) / len(texts) >= LEAST[group], [one.text for one in kept[:20]]


def test_there_are_enough_of_them() -> None:
    assert len(MADE) > 2_000
    assert {one.group for one in MADE} == LEAST.keys()


@pytest.mark.parametrize("text", [one.text for one in MADE[::7]])
def test_what_was_redacted_stays_so(text: str) -> None:
    done = COMMON.redact(text).text
    assert COMMON.redact(done).text == done


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("**Password:** geheim", "**Password:** [key]"),
        ("__password__: geheim", "__password__: [key]"),
        ("| password | geheim |", "| password | [key] |"),
        ("| who | password |\n|---|---|\n| rosa | geheim |", "| who | password |\n|---|---|\n| rosa | [key] |"),
        ("who | Passwort\n--- | ---\nrosa | geheim", "who | Passwort\n--- | ---\nrosa | [key]"),
        ("pw: geheim", "pw: [key]"),
        ("clientSecret=a81f3c9d2e7b4650", "clientSecret=[key]"),
        ("パスワード：geheim7", "パスワード：[key]"),
        ("Mot de passe : geheim", "Mot de passe : [key]"),
        ("Das Passwort ist geheim7.", "Das Passwort ist [key]"),
        ("La contraseña es geheim7", "La contraseña es [key]"),
        ("curl -u rosa:geheim7 https://example.org", "curl -u rosa:[key] https://example.org"),
        ("passphrase: correct horse battery staple", "passphrase: [key]"),
        ("4111.1111.1111.1111", "[card]"),
        ("4111 1111\n1111 1111", "[card]"),
        ("3782-822463-10005 and 3782\n822463\n10005", "[card] and [card]"),
        ("DE89 3704 0044\n0532 0130 00", "[iban]"),
    ],
)
def test_the_spellings_that_were_missed(text: str, redacted: str) -> None:
    assert COMMON.redact(text).text == redacted


@pytest.mark.parametrize(
    "text",
    [
        'user = base64_decode(x); $password = $_POST["password"]; my $password = $cgi->param("password");',
        "secret = base64_decode( strrev( hex2bin( secret1 ) ) )",
        "interface User { password: string; }",
        "The password (again): notes.txt",
        "With the password:\n\n```bash\ncurl https://example.org\n```",
        'find({password: {$ne: "1"}})',
        "The password policy says that a password has twelve characters.",
        "Passwords are kept in a safe; the key to success is patience.",
        "| password | the word that opens the door |",
        "| key | value |\n|---|---|\n| colour | red |\n| size | 12 |",
        "export PASSWORD=$OTHER and password=${SECRET} and --password <your password>",
        "docker run -v $(pwd):/workspace alpine",
        "curl -u username:password example.org",
        "gpg: using RSA key B2570A9DA3E2A537781501B11A8656918A8D016B",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "ISBN 978-3-16-148410-0, 2019-05-03 12:30:45, v1.22.333",
        "The pin: a small one. Pass: the Gotthard. parola: casa",
        "https://en.wikipedia.org/wiki/Password#Security_of_passwords",
        "Seeds, words and phrases: a mnemonic helps.",
        "tokenizer: a class; secretary: Rosa; keyboard = new; author: theo7",
        "2019.2020.2021.2022",
        "2011\n2012\n2013\n2017",
        "test_a_kill_at_any_moment_loses_nothing, live_tables_without_numbers_in_their_long_names",
        "sha256:" + "9f86d081884c7d65" * 4 + " and sha512-" + "zB3r8" * 10,
        "123e4567-e89b-12d3-a456-426614174000, v1.0-rc1, s.thatIsOnlyOneLongNameHere, 1/2026:12",
        "Watch https://www.youtube.com/watch?v=dQw4w9WgXcQ at https://example.org/2026/11/26/hooks-and-handles",
        "|12345678901234567|SOME_LONG_NAME_OF_A_CONSTANT_IN_CAPITALS|",
        "sk_model_of_things, api_org_structure_of_the_company, fw_update, pat.lindqvist@example, sl.se",
        "re_evaluate_the_conversation_of_sessions, hf_transfer_and_other_things_now",
    ],
)
def test_what_only_speaks_of_secrets_stays(text: str) -> None:
    assert COMMON.redact(text).text == text


@pytest.mark.parametrize("name", shapes(__import__("random").Random(1)))
def test_a_key_of_a_service_goes_whole(name: str) -> None:
    if name in ("azure", "postgres", "basic auth", "otpauth", "signed"):
        pytest.skip("only a part of it is secret")
    secret = shapes(__import__("random").Random(1))[name]
    done = COMMON.redact(f"use {secret} here").text.replace("api.telegram.org/", "")
    assert done in ("use [key] here", "use https://[key] here", "use https://[key]/ here")
    assert set(IN_TEXT) >= {"prose", "table", "json"}


@pytest.mark.parametrize(
    "text",
    [
        "Rosaʰ",
        "Rosaᵃ and Rosaⁿ",
        "ᴿᵒˢᵃ",
        "Rosa\u3164Lindqvist",
        "Ro\uffa0sa",
        "Rosa\u1160",
        "R\u20ddosa",
        "Rоsа",
        "Rοsa",
    ],
)
def test_raised_letters_fillers_enclosing_marks_and_lookalikes_hide_no_name(text: str) -> None:
    done = Redactor([Names("P", ("Rosa Lindqvist",))]).redact(text).text
    assert done.replace(" and ", "").strip("ʰᵃⁿ\u1160P") == ""


def test_a_rule_is_not_tried_where_its_words_are_missing_and_each_has_one_that_is_in_what_it_finds() -> None:
    for rule in RULES:
        found = [one.text for one in MADE if rule.pattern.search(one.text)]
        assert found
        assert all(any(hint in text.lower() for hint in rule.hints) for text in found)


@pytest.mark.parametrize(
    ("value", "chosen"),
    [("hunter2", True), ("Tr0ub4dor", True), ("geheim!", True), ("1234", True), ("12", False), ("blossom", False)],
)
def test_a_chosen_password_has_digits_or_signs(value: str, chosen: bool) -> None:
    assert looks_chosen(value) is chosen


LONG = [
    "password ",
    "password: ",
    "| pass ",
    "|a|\n|-|\n",
    "key-",
    "curl -u ",
    "machine ",
    "--password ",
    "a:1234:",
    "pw|",
]
LONG += ["seed phrase: abc ", "a.", "-us", "4111.", "DE89 ", "\u02b0", "аa", "login/pw: ", "eyJ", "https://a:", "***: "]


@pytest.mark.parametrize("piece", LONG)
def test_no_text_takes_for_ever(piece: str) -> None:
    assert grows_in_proportion(COMMON.redact, (piece * 50_000)[:50_000])
