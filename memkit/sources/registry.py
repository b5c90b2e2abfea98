"""Formats by name: memkit's own, and those of plugins."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import pluggy

from memkit.core.formatting import html_table
from memkit.core.terminal_text import table
from memkit.sources import hookspecs, memkit_export, zip_of_files
from memkit.sources.agents import (
    ai_studio,
    aider,
    amp,
    antigravity,
    claude_code,
    cline,
    codex,
    copilot,
    cursor,
    droid,
    gemini_cli,
    goose,
    grok,
    kimi,
    kiro,
    llm_logs,
    opencode,
    pi,
    qwen_code,
    sharegpt,
    zed,
)
from memkit.sources.documents import (
    asciidoc,
    doc,
    docx,
    epub,
    html,
    mhtml,
    opendocument,
    pdf,
    ppt,
    pptx,
    rst,
    rtf,
    xls,
    xlsx,
)
from memkit.sources.events import (
    bookmarks,
    browser_history,
    google_takeout,
    ics,
    meeting,
    saved_places,
    streaming,
    transcript,
)
from memkit.sources.format import OWN, Format
from memkit.sources.mail import contact_table, eml, maildir, mbox, msg, vcard
from memkit.sources.messengers import (
    adium,
    bluesky,
    discord,
    discord_package,
    element,
    facebook,
    facebook_html,
    google_chat,
    google_voice,
    hangouts,
    imessage,
    imessage_export,
    irc,
    kakaotalk,
    line,
    linkedin,
    mastodon,
    mattermost,
    pidgin,
    qq,
    reddit,
    signal,
    skype,
    slack,
    sms_backup,
    snapchat,
    telegram,
    telegram_html,
    tiktok,
    twitter,
    whatsapp,
    zoom,
    zulip,
)
from memkit.sources.notes import (
    apple_notes,
    blogger,
    canvas,
    cherrytree,
    day_one,
    daylio,
    dokuwiki,
    drafts,
    enex,
    google_keep,
    joplin,
    journey,
    jrnl,
    markdown,
    notebook,
    notion,
    opml,
    org,
    rednotebook,
    roam,
    simplenote,
    standard_notes,
    substack,
    textbundle,
    tiddlywiki,
    tomboy,
    wiki,
    wordpress,
    zim,
)
from memkit.sources.reading import (
    anki,
    apple_books,
    bibtex,
    bookmark_services,
    calibre,
    csl_json,
    goodreads,
    hypothesis,
    imdb,
    kindle,
    kobo,
    letterboxd,
    omnivore,
    pocket,
    readwise,
    ris,
    saved_pages,
    storygraph,
)
from memkit.sources.tables import rows, sqlite_table, triples
from memkit.sources.tasks import github_issues, google_tasks, task_tables, ticktick, todo_txt, todoist, trello
from memkit.sources.web_chats import (
    chat_json,
    chatgpt,
    claude,
    deepseek,
    gemini,
    grok_export,
    microsoft_copilot,
    open_webui,
)

# In this order they are asked whether a file is theirs.
_OWN: tuple[Format, ...] = (
    memkit_export.FORMAT,
    deepseek.FORMAT,
    chatgpt.FORMAT,
    claude.FORMAT,
    gemini.FORMAT,
    grok_export.FORMAT,
    microsoft_copilot.FORMAT,
    open_webui.FORMAT,
    notebook.FORMAT,
    enex.FORMAT,
    google_keep.FORMAT,
    day_one.FORMAT,
    daylio.FORMAT,
    joplin.FORMAT,
    journey.FORMAT,
    textbundle.FORMAT,
    standard_notes.FORMAT,
    simplenote.FORMAT,
    drafts.FORMAT,
    canvas.FORMAT,
    cherrytree.FORMAT,
    notion.FORMAT,
    rednotebook.FORMAT,
    roam.FORMAT,
    apple_notes.FORMAT,
    tiddlywiki.FORMAT,
    tomboy.FORMAT,
    opml.FORMAT,
    wordpress.FORMAT,
    blogger.FORMAT,
    substack.FORMAT,
    org.FORMAT,
    wiki.FORMAT,
    zim.FORMAT,
    claude_code.FORMAT,
    codex.FORMAT,
    gemini_cli.FORMAT,
    qwen_code.FORMAT,
    kimi.FORMAT,
    pi.FORMAT,
    droid.FORMAT,
    goose.FORMAT,
    amp.FORMAT,
    kiro.FORMAT,
    grok.FORMAT,
    antigravity.FORMAT,
    zed.FORMAT,
    copilot.FORMAT,
    cursor.FORMAT,
    opencode.FORMAT,
    cline.FORMAT,
    aider.FORMAT,
    sharegpt.FORMAT,
    ai_studio.FORMAT,
    chat_json.FORMAT,
    llm_logs.FORMAT,
    mbox.FORMAT,
    eml.FORMAT,
    maildir.FORMAT,
    msg.FORMAT,
    vcard.FORMAT,
    contact_table.FORMAT,
    adium.FORMAT,
    discord.FORMAT,
    discord_package.FORMAT,
    element.FORMAT,
    facebook.FORMAT,
    facebook_html.FORMAT,
    google_chat.FORMAT,
    google_voice.FORMAT,
    hangouts.FORMAT,
    imessage.FORMAT,
    imessage_export.FORMAT,
    irc.FORMAT,
    signal.FORMAT,
    line.FORMAT,
    linkedin.FORMAT,
    kakaotalk.FORMAT,
    pidgin.FORMAT,
    qq.FORMAT,
    reddit.FORMAT,
    mastodon.FORMAT,
    bluesky.FORMAT,
    mattermost.FORMAT,
    tiktok.FORMAT,
    twitter.FORMAT,
    skype.FORMAT,
    slack.FORMAT,
    sms_backup.FORMAT,
    snapchat.FORMAT,
    telegram.FORMAT,
    telegram_html.FORMAT,
    whatsapp.FORMAT,
    zoom.FORMAT,
    zulip.FORMAT,
    jrnl.FORMAT,
    kindle.FORMAT,
    kobo.FORMAT,
    calibre.FORMAT,
    anki.FORMAT,
    apple_books.FORMAT,
    pocket.FORMAT,
    saved_pages.INSTAPAPER,
    saved_pages.RAINDROP,
    bookmark_services.PINBOARD,
    bookmark_services.WALLABAG,
    bookmark_services.DELICIOUS,
    bookmark_services.READABILITY,
    readwise.FORMAT,
    goodreads.FORMAT,
    storygraph.FORMAT,
    imdb.FORMAT,
    letterboxd.FORMAT,
    omnivore.FORMAT,
    hypothesis.FORMAT,
    bibtex.FORMAT,
    ris.FORMAT,
    csl_json.FORMAT,
    bookmarks.FORMAT,
    ics.FORMAT,
    browser_history.FORMAT,
    transcript.VTT,
    transcript.SRT,
    meeting.FORMAT,
    saved_places.FORMAT,
    streaming.NETFLIX,
    streaming.SPOTIFY,
    google_tasks.FORMAT,
    ticktick.FORMAT,
    todoist.FORMAT,
    trello.FORMAT,
    *task_tables.FORMATS,
    github_issues.FORMAT,
    todo_txt.FORMAT,
    google_takeout.FORMAT,
    triples.FORMAT,
    pdf.FORMAT,
    doc.FORMAT,
    docx.FORMAT,
    ppt.FORMAT,
    pptx.FORMAT,
    xls.FORMAT,
    xlsx.FORMAT,
    epub.FORMAT,
    mhtml.FORMAT,
    opendocument.FORMAT,
    asciidoc.FORMAT,
    rst.FORMAT,
    rtf.FORMAT,
    dokuwiki.FORMAT,
    # Those that fit where nothing else does.
    html.FORMAT,
    markdown.FORMAT,
    rows.CSV,
    rows.TSV,
    rows.JSON,
    rows.JSONL,
    sqlite_table.FORMAT,
    zip_of_files.FORMAT,
)
FORMATS: Mapping[str, Format] = {one.name: one for one in sorted(_OWN, key=lambda one: one.name)}


class Formats(dict[str, Format]):
    """Formats by their names. In a notebook, and printed, it is a table in the order of the names."""

    HEADINGS = ("format", "what it is", "files", "from", "needs")

    @property
    def rows(self) -> list[list[str]]:
        """A row for each format, as texts; `needs` says what has to be installed, and whether that is there."""
        return [[one.name, one.about, ", ".join(one.files), one.origin, _needs(one)] for _, one in sorted(self.items())]

    @property
    def described(self) -> list[dict[str, Any]]:
        """The same for programs: `install` goes after `pip install`, `installed` says whether files can be read now."""
        return [
            {
                "name": one.name,
                "about": one.about,
                "files": list(one.files),
                "origin": one.origin,
                "needs": list(one.needs),
                "install": one.package,
                "installed": not one.missing,
            }
            for _, one in sorted(self.items())
        ]

    def _repr_html_(self) -> str:
        return html_table("Formats", self.HEADINGS, self.rows)

    def __repr__(self) -> str:
        rows = ((one.name, _told(one), ", ".join(one.files)) for _, one in sorted(self.items()))
        return table([self.HEADINGS[:3], *rows])


def _told(format: Format) -> str:
    """What a format is, and behind it what is not as with most: what it needs, and whose it is."""
    needs, plugin = _needs(format), "" if format.origin == OWN else f"of {format.origin}"
    return "; ".join(filter(None, (format.about, plugin, needs and f"needs {needs}")))


def _needs(format: Format) -> str:
    return f"{format.package} ({'missing' if format.missing else 'installed'})" if format.package else ""


def formats() -> Formats:
    """All formats by name, in the order in which they are asked: plugins' first, which may replace memkit's own."""
    brought = {one.name: one for one in _brought()}
    own = {one.name: FORMATS[one.name] for one in _OWN if one.name not in brought}
    return Formats({**brought, **own})


@cache
def _brought() -> tuple[Format, ...]:
    """The formats of the plugins that are installed. A plugin that fails is left out with a warning."""
    found: list[Format] = []
    for entry in entry_points(group="memkit"):
        manager = pluggy.PluginManager("memkit")
        manager.add_hookspecs(hookspecs)
        brought: list[Format] = []
        try:
            manager.register(entry.load(), entry.name)
            manager.hook.memkit_register_sources(register=brought.append)
        except Exception as error:  # noqa: BLE001 (another package's mistake must not stop memkit)
            warnings.warn(f"The plugin {entry.name!r} of memkit is left out: {error}", stacklevel=2)
        else:
            origin = entry.dist.name if entry.dist else entry.name
            found += [replace(one, origin=origin) for one in brought]
    return tuple(found)
