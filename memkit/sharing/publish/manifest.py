"""Publication metadata: title, licence and texts, and the rights of readers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memkit.core.errors import BadQuestion

_URL = re.compile(r"https?://[^\s\"'<>{}]+")
_SYNTAX = re.compile(r"\{[{%#]")


@dataclass(frozen=True, slots=True)
class About:
    """Title, description, licence, a longer text in paragraphs, and the rights of readers.

    `download` allows readers to download the database, `allow_sql` to run their own queries; `robots` allows search
    engines, `cors` allows other sites to read the JSON. `cache` is the number of seconds for which a page may be
    cached. Raises BadQuestion for an empty title, a wrong value, or template syntax in a text.
    """

    title: str
    description: str = ""
    license: str = ""
    license_url: str = ""
    about: str = ""
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
        for name in ("title", "description", "license", "about"):
            if _SYNTAX.search(getattr(self, name)):
                raise BadQuestion(f"{name} must not hold template syntax such as '{{{{'.")

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs of the longer text, or else of the description."""
        return [part.strip() for part in re.split(r"\n\s*\n", self.about or self.description) if part.strip()]

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the owner, and the service name made from the title."""
        return self.title, self.description, self.license, self.license_url, self.about, self.service

    @property
    def service(self) -> str:
        """The title as a name for a container."""
        name = "-".join(re.findall("[a-z0-9]+", self.title.lower()))[:40].strip("-")
        return name if name[:1].isalpha() else f"memories-{name}".rstrip("-")
