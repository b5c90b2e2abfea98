"""Dates, ids and counters stand where names stand, and name nothing."""

import pytest

from memkit.text.extract.identifiers import is_card, names_nothing


@pytest.mark.parametrize(
    "text",
    [
        *(
            "2024-05-31",
            "2023_11_03",
            "20231103",
            "2024.5.1",
            "d2025-09-25",
            "2024-W12",
            "2024-05",
            "1999",
            "2023年3月14日",
            "Nov 13th, 2022",
            "04 de abril de 2024",
            "14. März 2023",
            "November 3, 2022",
            "Sunday, 13 Nov 2022",
            "13.11.2022",
            "13-11-2022",
        ),
        *(
            "2023-03-14 09:30",
            "202303141530",
            "7Hd68M5niADEkip4CdU85",
            "bdlszeAKWeSOhpjqR62ra",
            "GHjKTmxGjjtoWBzfz9MZL",
        ),
        *("664f6887-8f02-4b40-844d-14dde9dec922", "9f86d081884c7d659a2feaa0c55ad015", "scan_of_a_book_1701698631729_0"),
        *("index", "README", "_index", "_index.en", "TOC", "sketch.png", "Scan of a letter.pdf"),
        *("12", "3.1", "--", " 7 ", "abcdefg1hijklmn2Op"),
        *("References", "Refs", "UE Resources", "Quellen", "recursos", "参考资料", "High-level", "client-side", "DONE"),
        *("(no title)", "Untitled", "untitled 3", "New note (2)", "Ohne Titel", "Sans titre 4", "Bez tytułu", "无标题"),
        *("Başlıksız 28", "Senza nome 1", "Bez nazwy", "無題のファイル", "Mon, 23-05-2022"),
        *("garden.example.com", "mp.example.co.jp", "192.0.2.153"),
        *("^quinces", "^b1a2c3"),
    ],
)
def test_a_date_a_number_and_a_programs_id_name_nothing(text: str) -> None:
    assert names_nothing(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Quince", "Apollo 11", "Ulysses 31", "2001: A Space Odyssey", "A2", "Windows95", "C++ 11", "3D", "M1911"),
        *("JavaScriptCore2", "OpenAIChatGPT4Turbo", "iPhone15ProMax", "IPFSDesktop", "js-libp2p", "go-multiaddr-net"),
        *("2024-05-31 Meeting", "deadbeefcafefeed", "Facade1234567", "Proyecto2025Final", "北京", "Rosa", "Node.js"),
        *("Nov 13th", "May Day 2022", "area.garden.trees", "DevOps.dev", "Quince 3.1.2"),
        *("Untitled Goose Game", "New notes on tides", "Ohne Titelblatt"),
        *("Links between trees", "Resource Group", "Spider-Man", "References in C++"),
    ],
)
def test_a_name_with_digits_or_capitals_is_still_a_name(text: str) -> None:
    assert not names_nothing(text)


def test_the_number_of_a_card_is_told_from_a_word() -> None:
    assert [text for text in ("A2", "12b3", "21", "Quince", "Porto 2") if is_card(text)] == ["A2", "12b3", "21"]
