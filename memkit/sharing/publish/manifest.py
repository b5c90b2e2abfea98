"""Publication metadata: title, licence and texts, and the rights of readers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memkit.core.errors import BadQuestion
from memkit.text.words import fold

FORMER = "public"  # how every published database was named before they were named after their sites
TAKEN = frozenset({"about", "recall", "con", "prn", "aux", "nul"})  # other pages of a site, and no files in Windows
LONGEST = 50  # characters of a database's name

_URL = re.compile(r"https?://[^\s\"'<>{}]+")
_SYNTAX = re.compile(r"\{[{%#]")


@dataclass(frozen=True, slots=True)
class About:
    """Title, description, licence, a longer text in paragraphs, the words that the database is named after, and the
    rights of readers.

    `download` allows readers to download the database, `allow_sql` to run their own queries; `robots` allows search
    engines, `cors` allows other sites to read the JSON. `cache` is the number of seconds for which a page may be
    cached. Raises BadQuestion for an empty title, a wrong value, a `name` of which no address can be made, or template
    syntax in a text.
    """

    title: str
    description: str = ""
    license: str = ""
    license_url: str = ""
    about: str = ""
    name: str = ""
    download: bool = False
    allow_sql: bool = True
    robots: bool = False
    cors: bool = False
    cache: int = 3600

    def __post_init__(self) -> None:
        if not self.title.strip():
            raise BadQuestion("A publication needs a title, because readers see it first.")
        if self.license_url and not _URL.fullmatch(self.license_url):
            raise BadQuestion(f"license_url must be an http address, not {self.license_url!r}.")
        if self.cache < 0:
            raise BadQuestion(f"cache must be a number of seconds, not {self.cache}.")
        if self.name and not _slug(self.name):
            raise BadQuestion(f"The name of the database must have Latin letters or digits, unlike {self.name!r}.")
        for name in ("title", "description", "license", "about"):
            if _SYNTAX.search(getattr(self, name)):
                raise BadQuestion(f"{name} must not hold template syntax such as '{{{{'.")

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs of the longer text, or else of the description."""
        return [part.strip() for part in re.split(r"\n\s*\n", self.about or self.description) if part.strip()]

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the owner, and the names made from them."""
        own = (self.title, self.description, self.license, self.license_url, self.about, self.name)
        return *own, self.database, self.service

    @property
    def database(self) -> str:
        """The name of the database, in addresses and as a file."""
        return database_name(self.name)

    @property
    def service(self) -> str:
        """The database's name as that of a container, which begins with a letter."""
        return self.database if self.database[0].isalpha() else f"memories-{self.database}"[:LONGEST].rstrip("-")


def first_usable(*words: str) -> str:
    """The first words that have a Latin letter or digit, so that a database can be named after them."""
    return next(filter(_slug, words), "memories")


def database_name(words: str) -> str:
    """The name of a database that is named after these words: `a-year-of-a-garden`."""
    name = _slug(words) or FORMER
    return f"{name}-memories" if name in TAKEN else name


def _slug(words: str) -> str:
    """Lower-case letters without accents, and digits, joined by hyphens; at most LONGEST characters."""
    return "-".join(re.findall("[a-z0-9]+", re.sub("['\N{RIGHT SINGLE QUOTATION MARK}]", "", fold(words))))[
        :LONGEST
    ].strip("-")
