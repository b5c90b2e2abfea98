"""Subjects: what a note is about, and what it links to, as names of entities.

That is its title, but no date, no id and no usual heading; and of its links those that lead to more than a day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from memkit.graph.entities import by_names, is_word_for_user
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object, list_in, object_in, or_empty
from memkit.storage.store import dumps
from memkit.text.extract.identifiers import (
    is_counter,
    is_day,
    is_folder_page,
    is_host,
    is_media,
    names_nothing,
    points_elsewhere,
)
from memkit.text.extract.labels import is_about_the_note
from memkit.text.extract.plain_statements import Topic
from memkit.text.extract.wikilinks import WikiLink, find_links
from memkit.text.words import normal_name

# Kinds of documents whose titles do not name what they are about. That of an appointment says what will be done
# (`Call with Rosa Lind`, `Dentist`): whom it names is found in it, as in a text.
NAMING_NOTHING = ("chat", "log", "history", "calendar")

FILE = f"{or_empty('meta')}->>'$.aliases[#-1]'"  # of a document: the name of its file, where the title is another


def select_shared(among: str = "true") -> str:
    """SQL for the titles (of those `among`) that several notes have.

    A copy of a note, in another folder, has the same title and file: there the file would tell no more.
    """
    return f"""
    select title from documents
    where {among} and kind not in ('chat', 'log') and archived_at is null
    group by title having count(distinct coalesce({FILE}, title)) > 1
    """


SELECT_SHARED = select_shared("title in (select value from json_each(:titles))")

_PEOPLE = frozenset(
    """
    person persons people contact contacts persona personas gente contactos personen menschen kontakte personne
    personnes 人 人物 人脉 联系人
    """.split()
)
_NEUTRAL = frozenset(
    """
    about bio biography info information details profile overview summary career work job education background
    contact facts sobre biografía datos trabajo perfil resumen über leben beruf steckbrief profil biographie travail
    简介 介绍 生平 信息
    """.split()
)
_FORMS = re.compile(  # perhaps with a number or a sign before it: `99 - Templates/`
    r"(?i:/(?:[^/\w]|\d)*(?:_?templates?|vorlagen?|plantillas?|szablony|шаблоны|模板|テンプレート)"
    r"(?: [^/]{0,12})?/[^/]*\Z)"
)
_FILE = re.compile(r"\.\w{2,5}\Z")  # of a picture or a document that a note shows


def subjects(conn: Connection, rows: Iterable[Any]) -> dict[int, str]:
    """The name of what each row is about, by its `key`; rows (`title`, `document_kind`, `meta`) without are left out.

    Several notes that begin with `# Overview` are not about one thing of this name: each is called after its file.
    """
    titled = [row for row in rows if row["title"] and row["document_kind"] not in NAMING_NOTHING and not _is_form(row)]
    files = {row["key"]: list_in(json_object(row["meta"]), "aliases") for row in titled}
    titles = sorted({row["title"] for row in titled if row["document_kind"] == "note" and files[row["key"]]})
    shared = {row[0] for row in conn.execute(SELECT_SHARED, {"titles": dumps(titles)})} if titles else set()
    # A note whose title is not the name of its file has this name as its last alias.
    named = {
        row["key"]: str(files[row["key"]][-1]) if row["title"] in shared and files[row["key"]] else row["title"]
        for row in titled
    }
    return {key: name for key, name in named.items() if not (names_nothing(name) or is_word_for_user(name))}


def _is_form(row: Any) -> bool:
    """Whether a note only shows how others are to be written: it lies in a folder for templates."""
    return row["document_kind"] == "note" and _FORMS.search(row["source"]) is not None


def links_in(row: Any, subject: str | None) -> list[WikiLink]:
    """The links in the text of a memory, and at the start of a note about nothing those in its front matter.

    A note called after a day says in this way who was there. That of a note with a subject becomes relations.
    """
    links = links_of(row["text"])
    if subject is None and not row["position"] and row["document_kind"] == "note" and "[[" in (row["meta"] or ""):
        fields = object_in(json_object(row["meta"]), "fields").values()
        links += [link for value in fields for text in field_texts(value) for link in links_of(text)]
    return links


def field_texts(value: Any) -> list[str]:
    """The texts in a field's value. YAML reads a link without quotes (`up: [[Trees]]`) as a list in a list."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return []
    if len(value) == 1 and isinstance(value[0], list) and all(isinstance(one, str) for one in value[0]):
        return [f"[[{', '.join(value[0])}]]"]
    return [text for one in value for text in field_texts(one)]


def links_of(text: str) -> list[WikiLink]:
    """The links in a text to notes that are about something: no pictures or other files, no days, and no `index`."""
    links = [link for link in find_links(text) if not any(says(link.name) for says in _NO_PAGE)]
    return [link for link in links if not (link.embed and _FILE.search(link.name))]


_NO_PAGE = (is_day, is_counter, is_folder_page, is_media, is_host)


def link_names(conn: Connection, links: Iterable[WikiLink]) -> dict[str, str]:
    """The names of what links lead to, by their targets: `Unity/UI` if a page is called so, else `UI`."""
    names = {link.target: link.name for link in links}
    placed = [target for target, name in names.items() if target != name]
    known = by_names(conn, placed, files="first") if placed else {}
    return names | {target: target for target in placed if normal_name(target) in known}


def is_person(row: Any) -> bool:
    """Whether a note is about a person, by its front matter (`type: person`), tags or folder, or by an `@` in front."""
    if row["document_kind"] != "note":
        return False
    return str(row["title"]).startswith("@") or _tells_person(row["meta"], row["source"])


@lru_cache(maxsize=8)  # the passages of a note follow each other
def _tells_person(meta: str, source: str) -> bool:
    note = json_object(meta)
    fields = object_in(note, "fields")
    told = [fields.get("type"), fields.get("kind"), fields.get("category"), *list_in(note, "tags")]
    told += source.rsplit("/", 2)[-2:-1]
    return any(one.strip("#[] ").casefold() in _PEOPLE for one in told if isinstance(one, str))


def _only_link(heading: str) -> WikiLink | None:
    """The link that is all of a heading, if it leads to a note."""
    links = links_of(heading)
    return links[0] if len(links) == 1 and links[0].start == 0 and links[0].end == len(heading.strip()) else None


def topic(row: Any, about: str | None) -> Topic | None:
    """What the lines of a passage are about that name no subject; None where that is unsure.

    It is what the note is about (`about`) at its beginning, directly under its title and under a heading such as
    `Metadata`, and for a person also under `Bio`; under a heading that is only a link, it is what that names.
    """
    if row["document_kind"] != "note":
        return None
    headings = [one for one in (row["heading"] or "").split(" > ") if one]
    if headings and (link := _only_link(headings[-1])):
        return Topic(link.name)
    if about is None:
        return None
    own = {normal_name(about), normal_name(row["title"] or "")}
    other = (one for one in headings if normal_name(one) not in own)
    below = [one for one in other if not names_nothing(one) or points_elsewhere(one)]
    person = is_person(row)
    direct = not below or (person and below[-1].strip(" :").casefold() in _NEUTRAL)
    direct = direct or (len(below) == 1 and is_about_the_note(below[0]))
    opening = row["position"] in (None, 0)
    return Topic(about, person, opening, direct) if opening or direct else None
