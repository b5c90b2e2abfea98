"""What the common rules and a person's own patterns take out, and what they leave."""

from __future__ import annotations

import pytest
from growth import grows_in_proportion

from memkit.core.errors import BadQuestion, NeedsPackage
from memkit.text.redact import Redactor
from memkit.text.redact.numbers import luhn
from memkit.text.redact.randomness import entropy

COMMON = Redactor()
# Put together here, so that no file holds what looks like a key.
KEYS = [
    "sk" + "-proj-" + "Ab3dEf6hIj9lMn2pQr5t",
    "gh" + "p_" + "abcdEFGH1234ijklMNOP5678qrstUVWX9012",
    "AK" + "IA" + "ABCDEFGHIJKLMNOP",
    "xox" + "b-123456789012-abcdefABCDEF",
    "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + "dozjgNryP4J3jVmNHl0w5N",
]
BLOCK = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow\nabc/+=\n-----END RSA " + "PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("write to rosa.l+garden@mail.example.co.uk, please", "write to [email], please"),
        ("rosa (at) example [dot] org", "[email]"),
        ("メールはrosa@example.orgです", "メールは[email]です"),
        ("rosa%40example.org and rosa&#64;example.org", "[email] and [email]"),
        ("call +46 70 123 45 67 today", "call [phone] today"),
        ("0171 2345678, (020) 7946 0958, (555) 123-4567, 03-1234-5678", "[phone], [phone], [phone], [phone]"),
        ("tel: 555 1234", "tel: [phone]"),
        ("2019-05-03 0171 2345678 and 03.05.2019 08.99.12.34.56", "2019-05-03 [phone] and 03.05.2019 [phone]"),
        ("0171 2019-05-03, +49 30 03.05.2019 and 030 12.05.1999 44", "[phone], [phone] and [phone]"),
        (
            "0171 2345678.. call then, or 086998910..., or +٤٩ ٣٠ ١٢٣٤٥٦",
            "[phone].. call then, or [phone]..., or [phone]",
        ),
        ("`роза@example.org` and `rosa@example.org`", "`[email]` and `[email]`"),
        ("card 4111 1111 1111 1111, 5500-0000-0000-0004", "card [card], [card]"),
        ("DE89 3704 0044 0532 0130 00 and GB82WEST12345698765432.", "[iban] and [iban]."),
        ("from 192.168.1.20 and 2001:db8::ff00:42:8329", "from [ip] and [ip]"),
        ("password: hunter2; PGPASSWORD=geheim", "password: [key]; PGPASSWORD=[key]"),
        ('"api_key": "a81f3c9d2e7b4650"', '"api_key": "[key]"'),
        ("Authorization: Bearer a81f3c9d2e7b4650aa", "Authorization: Bearer [key]"),
        ("12 Baker Street, London NW1 6XE, at noon", "[address], at noon"),
        ("1600 Pennsylvania Ave, Washington, DC 20500", "[address]"),
        ("Hauptstraße 12, 10115 Berlin", "[address]"),
        ("Lange Straße 5a", "[address]"),
        ("Västra Hamngatan 5, 411 17 Göteborg", "[address]"),
    ],
)
def test_what_leads_to_a_person_goes(text: str, redacted: str) -> None:
    assert COMMON.redact(text).text == redacted


@pytest.mark.parametrize("key", [*KEYS, BLOCK])
def test_keys_go_whole(key: str) -> None:
    done = COMMON.redact(f"use {key} here")
    assert done.text == "use [key] here"
    assert [one.original for one in done.replacements] == [key]


def test_a_password_in_a_url_goes() -> None:
    assert "geheim7" not in COMMON.redact("postgres" + "://" + "rosa" + ":" + "geheim7" + "@db.example.org/x").text


@pytest.mark.parametrize(
    "text",
    [
        "on 2019-05-03 at 12:30:45, or 03.05.2019, or 05/03/2019",
        "std::vector, 10:20, Genesis 1:2",
        "4111 1111 1111 1112 has a wrong check digit",
        "GB82 WEST 1234 5698 7654 33 has too",
        "the key: everything that matters; token = word",
        "version 1.2.3, 3.14159265358979, 0.123456789",
        "5 apples, 12 trees, 1789 and 1,000,000 people",
        "Drawing 2023-03-03 15.13.38.excalidraw, Screenshot 2022-02-07 at 10.12.26, 2024_02_07 and 03.05.2019 17.05",
        "03.05.2019, 07.30 and 2019-05-03_07-30-00, IMG 20190503 07.30.00",
        "127.0.0.1",
        "see you @ noon",
        "a business plan 5 years long",
        "1712345678901 ms",
        "20260407100045 JavaScript, and [[20260413225109 Primitives]]",
        "`@app.get` and `@router.post(...)`",
        "index 086998910..a4de42943 100644, RIP: 0000000000000 and 000-000-0000",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert COMMON.redact(text).text == text


def test_without_the_common_rules_only_what_is_asked_for_goes() -> None:
    redactor = Redactor(patterns={"badge": r"B-\d{4}"}, common=False)
    assert redactor.redact("B-1234, rosa@example.org").text == "[badge], rosa@example.org"


def test_invisible_characters_do_not_hide_what_a_pattern_matches() -> None:
    assert Redactor(patterns={"badge": r"B-\d{4}"}).redact("B-1\u200b234").text == "[badge]"


def test_what_overlaps_goes_as_one() -> None:
    done = Redactor(patterns={"host": r"example\.org/\w+"}).redact("rosa@example.org/garden")
    assert done.text == "[email]" or done.text == "[host]"
    assert len(done.replacements) == 1
    assert done.replacements[0].original == "rosa@example.org/garden"


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "is not a regular expression: missing"),
        (r"\d*", "matches empty text"),
        (r"(a+)+$", "has a repetition inside a repetition"),
        (r"(?:(?:a|b)*c){2,}", "has a repetition inside a repetition"),
        ("a" * 1001, "has 1001 characters, more than 1000"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused_with_a_reason(pattern: str, reason: str) -> None:
    with pytest.raises(BadQuestion, match=f"The pattern 'mine' {reason}"):
        Redactor(patterns={"mine": pattern})


def test_a_region_finds_numbers_as_its_people_write_them() -> None:
    pytest.importorskip("phonenumbers")
    assert Redactor(regions=["DK"]).redact("ring 32 12 34 56 nu").text == "ring [phone] nu"
    with pytest.raises(BadQuestion, match="'XX' is not a region"):
        Redactor(regions=["XX"])


def test_a_region_without_the_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "phonenumbers", None)
    with pytest.raises(NeedsPackage, match=r"pip install 'datasette-memkit\[redact\]'"):
        Redactor(regions=["DK"])


def test_check_digits_and_entropy_are_what_their_sources_say() -> None:
    assert luhn("79927398713")  # the example of ISO/IEC 7812-1's annex
    assert not luhn("79927398710")
    assert entropy("abcd") == 2
    assert entropy("") == 0


LONG = [
    "a",
    "1 ",
    "Aa ",
    "a.b@",
    "12 Aa Bb Cc Dd ",
    "%41",
    "key=",
    "a:",
    ":",
    "//a:",
    "a_",
    "x-\n",
    "a-",
    "rosa ",
    "&#",
]


@pytest.mark.parametrize("piece", [*LONG, "-----BEGIN " + "PRIVATE KEY-----"])
def test_no_text_takes_for_ever(piece: str) -> None:
    assert grows_in_proportion(COMMON.redact, (piece * 50_000)[:50_000])


def test_numbers_without_an_end_between_them_are_hidden_in_a_few_rounds() -> None:
    """Each replacement uncovers the next number; after some rounds, all that stands there together is hidden."""
    redactor = Redactor()
    rounds = []
    found = redactor._found
    redactor._found = lambda text, *, whole: rounds.append(text) or found(text, whole=whole)  # type: ignore[method-assign]
    text = redactor.redact("+46 70 123 45 67" * 600).text
    assert not any(map(str.isdigit, text))
    assert len(rounds) < 40
