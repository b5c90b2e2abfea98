"""Machinery of note programs: what Obsidian, Logseq, Roam and Dendron write into notes for themselves.

Ids of blocks, queries, settings of plugins, marks of callouts, properties such as `collapsed:: true`, colours and
frames in HTML, what ChatGPT writes for its own page: nobody wrote them, and nobody asks for them. A memory's text is
without them. What stands for other words is replaced by these: a reference to a block by the block's text,
`{{[[TODO]]}}` by `TODO`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter

from memkit.core.patterns import pattern
from memkit.sources.notes.html_marks import html_cuts
from memkit.sources.web_chats import chatgpt_marks
from memkit.text.chunking import code_spans
from memkit.text.spans import Spans

# The text of a block by its id; None if it is not known.
Blocks = Callable[[str], str | None]

# Properties that Logseq, Roam and their plugins keep; others are machinery if their value is an id, true, false ...
_KEPT_BY_PROGRAMS = """id collapsed public filters icon heading template template-including-parent background-color
    exclude-from-graph-view ls-type hl-page hl-color hl-stamp hl-type file file-path order-list-type query-table
    query-sort-by query-sort-desc query-properties card-last-interval card-repeats card-ease-factor card-next-schedule
    card-last-reviewed card-last-score sr-due sr-interval sr-ease last-modified-at view-type""".split()
_ID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_PROPERTY = pattern(
    rf"^[ \t]*(?:[-*+][ \t]+)?(?:(?:{'|'.join(map(re.escape, _KEPT_BY_PROGRAMS))}|logseq\.[\w.-]+)::[^\n]*"
    rf"|[^\W\d_][\w .-]{{0,40}}::[ \t]*(?:{_ID}|true|false|\d{{10,}}|\{{\}})?[ \t]*)$\n?",
    re.MULTILINE | re.IGNORECASE,
)


def _block(begins: str, ends: str) -> re.Pattern[str]:
    """Lines from one that `begins` to the next that `ends`; the search for the end stops where another one begins."""
    return pattern(
        rf"^[ \t]*{begins}(?:\n(?![ \t]*(?:{begins}|{ends}[ \t]*$))[^\n]*)*\n[ \t]*{ends}[ \t]*$\n?",
        re.MULTILINE | re.IGNORECASE,
    )


_DRAWER = _block(r":(?:LOGBOOK|PROPERTIES):[ \t]*", r":END:")
_QUERY_BLOCK = _block(r"#\+BEGIN_QUERY\b[^\n]*", r"#\+END_QUERY")
_ORG_CODE = _block(r"#\+BEGIN_(?:SRC|EXAMPLE)\b[^\n]*", r"#\+END_(?:SRC|EXAMPLE)")
_QUERY_CODE = pattern(
    r"^[ \t>]*(?:[-*+][ \t]+)?(?:```|~~~)[`~]*[ \t]*(?:(?:dataview(?:js)?|query|tasks|base|button|compressed-json)\b"
    r"|json[ \t]*\n\{\s*\"type\":\s*\"excalidraw\")",
    re.IGNORECASE | re.MULTILINE,
)
_COMMENT = pattern(r"(?<!\w)%%[^\n%]*%%|^[ \t]*%%(?:(?!%%).)*%%", re.MULTILINE | re.DOTALL)  # may hold code
_CARD_COMMENT = pattern(r"<!--(?:SR:|ID: ?\d)(?:(?!-->|<!--).)*-->")
_CALLOUT = pattern(r"^([ \t]*>(?:[ \t]*>)*[ \t]*)\[!\w[\w-]*(?:\|[^\]\n]*)?\][-+]?[ \t]*(\n?)", re.MULTILINE)
_ZIM_HEAD = pattern(r"\AContent-Type: text/x-zim-wiki\n(?:[\w-]+: [^\n]*\n)*\n?")
_BLOCK_ID = pattern(r"\^(?=[0-9-]*[A-Za-z])[A-Za-z0-9-]{3,}[ \t]*$", re.MULTILINE)
_EMPTY_ITEM = pattern(r"^[ \t]*-[ \t]*$\n?", re.MULTILINE)
_LINK_TO_BLOCK = pattern(r"#\^[A-Za-z0-9-]+(?::#\^?[\w*-]+)?(?=[\]|])")
_RANGE = pattern(r"(?:,\d+)?:#[\w*^-]+(?=\]\])")
_LABEL_FIRST = pattern(r"\[\[([^\[\]|\n]+)\|([\w-]+(?:\.[\w-]+)*(?:#[^\[\]|\n]*)?)\]\]")
_EMBED = pattern(
    r"\{\{[ \t]*(?:\[\[)?embed(?:\]\])?:?[ \t]*(\(\([\w-]+\)\)|\[\[[^\[\]\n]*\]\])[ \t]*\}\}", re.IGNORECASE
)
# A query of Dataview inside a line, with the brackets around it; `=SUM(A1:B2)` is a formula.
_QUERY_IN_LINE = (
    r"`(?:\$=(?=[^`\n]*\b(?:dv|this|app|moment)\b)|=(?=[^`\n]*(?:\bthis\.|\[\[|\bdate(?:format)?\()))[^`\n]+`"
)
_INLINE_QUERY = pattern(rf"[ \t]*\({_QUERY_IN_LINE}\)|{_QUERY_IN_LINE}")
# What stands in a drawing of Excalidraw beside its words.
_DRAWING = pattern(
    r"^==⚠[^\n]*\bEXCALIDRAW VIEW\b[^\n]*$|^#{1,2}[ \t]+(?:Excalidraw Data|Text Elements|Drawing|Element Links"
    r"|Embedded [Ff]iles)[ \t]*$|^[0-9a-f]{40}:[^\n]*$|^%%[ \t]*$",
    re.MULTILINE,
)
_TASK = pattern(r"\{\{\[\[(TODO|DONE)\]\]\}\}")
_VIDEO = pattern(
    r"\{\{(?:\[\[)?(?:video|youtube|vimeo|bilibili|tweet|twitter|iframe|pdf)(?:\]\])?:?[ \t]+([^{}\n]*)\}\}"
)
_CALL = (
    r"\{\{[ \t]*(?:\[\[)?(?:query|renderer|namespace|cards|function|youtube-timestamp|zotero-[\w-]+|table|kanban|slider"
    r"|mentions|attr-table|word-count|POMO|roam/\w+)(?:\]\])?\b(?:[^{}]|\{[^{}]*\})*\}\}"
)
_MACRO = pattern(rf"^[ \t]*[-*+][ \t]+{_CALL}[ \t]*$\n?|{_CALL}", re.IGNORECASE | re.MULTILINE)
_LABELLED_REFERENCE = pattern(r"\[([^\[\]\n]+)\]\(\(\([\w-]{9,36}\)\)\)")
# Ids of Roam have nine signs; nine letters in one case are a word in brackets.
_REFERENCE = pattern(rf"\(\(({_ID}|(?=[A-Za-z_-]*\d|[A-Za-z]*[a-z][A-Z])[A-Za-z0-9_-]{{9}})\)\)")
_ROAM_TAG = pattern(r"#\[\[([^\[\]\n]+)\]\]")
_INLINE_CODE = pattern(r"(?<!`)(`+)(?!`)[^\n]{0,500}?(?<!`)\1(?!`)")
_BLANK_LINES = pattern(r"\n[ \t]*\n(?:[ \t]*\n)+")
_DEEPEST = 3  # references in the text of a block that is shown for a reference

Cut = tuple[int, int, str]  # a span, and what stands there instead
Rule = tuple[str, re.Pattern[str], Callable[[re.Match[str], Blocks], "str | None"]]


@dataclass(frozen=True, slots=True)
class Machinery:
    """What is to be cut from a note's text, in order and apart from each other."""

    cuts: tuple[Cut, ...] = ()

    def without(self, text: str, start: int, end: int) -> str:
        """`text[start:end]` without machinery; a cut that goes over an end counts as far as it is inside."""
        at_most = bisect_left(self.cuts, end, key=itemgetter(0))
        inside = self.cuts[bisect_right(self.cuts, start, hi=at_most, key=itemgetter(1)) : at_most]
        if not inside:
            return text[start:end]
        kept, at = [], start
        for first, last, instead in inside:
            kept += [text[at : max(first, start)], instead if first >= start else ""]
            at = min(last, end)
        lines = "".join([*kept, text[at:end]]).split("\n")
        return _BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n").rstrip()


def machinery(text: str, start: int, blocks: Blocks, *, dendron: bool = False) -> Machinery:
    """The machinery in a note's text from `start` on, outside of code.

    In notes of Dendron, `[[label|a.b.c]]` has the label first: it is read as `[[a.b.c|label]]`, as everywhere else.
    """
    cuts: list[Cut] = []
    for mark, form, instead in (*_RULES, *(_OF_DENDRON if dendron else ())):
        if mark in text:
            for match in form.finditer(text, start):
                if (words := instead(match, blocks)) is not None:
                    cuts.append((*match.span(), words))
    tags = list(html_cuts(text, start)) if "<" in text else []
    queries = ("```" in text or "~~~" in text) and _QUERY_CODE.search(text, start)
    if not cuts and not queries and not tags:
        return Machinery()
    code = [(start + first, start + last) for first, last in code_spans(text[start:])]
    shown = Spans([*code, *(match.span() for match in _ORG_CODE.finditer(text, start))] if "#+" in text else code)
    cuts = [cut for cut in cuts if not shown.cover(cut[0])]
    if tags:
        quoted = Spans(match.span() for match in _INLINE_CODE.finditer(text, start))
        cuts += [tag for tag in tags if not shown.cover(tag[0]) and not quoted.cover(tag[0])]
    cuts += [(*span, "") for span in code if queries and _QUERY_CODE.match(text, span[0])]
    return Machinery(tuple(_apart(cuts)))


def plain_words(heading: str) -> str:
    """A heading without machinery, such as the id behind it."""
    return machinery(heading, 0, lambda _: None).without(heading, 0, len(heading))


def _said(reference: str, blocks: Blocks, depth: int = _DEEPEST) -> str:
    """The text of a block for `((its id))`, also of those that it refers to; empty if it is not known."""
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        return reference  # a page: the link stays
    text = blocks(match[1]) if depth else None
    return _REFERENCE.sub(lambda inner: _said(inner[0], blocks, depth - 1), text) if text else ""


def _apart(cuts: list[Cut]) -> Iterator[Cut]:
    """The cuts in order, without those that begin inside an earlier one."""
    end = 0
    for first, last, instead in sorted(cuts, key=lambda cut: (cut[0], -cut[1])):
        if first >= end:
            yield first, last, instead
            end = last


# ---------------------------------------------------------------------------------------------- the rules


def _nothing(match: re.Match[str], blocks: Blocks) -> str:
    return ""


def _words(match: re.Match[str], blocks: Blocks) -> str:
    return match[1].strip()


def _after_space(match: re.Match[str], blocks: Blocks) -> str | None:
    before = match.string[match.start() - 1 : match.start()]
    return "" if not before or before.isspace() else None


def _in_a_link(match: re.Match[str], blocks: Blocks) -> str | None:
    return None if match.string[match.start() - 1 : match.start()] == "[" else ""  # a block of the same note


# What a text must have for a rule to apply (most have none), the pattern, and what stands instead of a match (None: it
# is no machinery).
_RULES: tuple[Rule, ...] = (
    ("x-zim-wiki", _ZIM_HEAD, _nothing),
    ("%%", _COMMENT, _nothing),
    ("EXCALIDRAW VIEW", _DRAWING, _nothing),
    ("`=", _INLINE_QUERY, _nothing),
    ("`$=", _INLINE_QUERY, _nothing),
    (chatgpt_marks.FIRST, chatgpt_marks.MARK, lambda match, blocks: chatgpt_marks.words(match)),
    (chatgpt_marks.SENTENCE, chatgpt_marks.SIGN, _nothing),
    (chatgpt_marks.SOURCE, chatgpt_marks.CITATION, _nothing),
    ("::", _PROPERTY, _nothing),
    (":END:", _DRAWER, _nothing),
    ("#+END", _QUERY_BLOCK, _nothing),
    ("<!--", _CARD_COMMENT, _nothing),
    ("-\n", _EMPTY_ITEM, _nothing),
    ("- \n", _EMPTY_ITEM, _nothing),
    ("^", _BLOCK_ID, _after_space),
    ("#^", _LINK_TO_BLOCK, _in_a_link),
    (":#", _RANGE, _nothing),
    ("{{", _MACRO, _nothing),
    ("[!", _CALLOUT, lambda match, blocks: "" if match[2] else match[1]),
    ("{{[[", _TASK, _words),
    ("{{", _VIDEO, _words),
    ("](((", _LABELLED_REFERENCE, _words),
    ("#[[", _ROAM_TAG, lambda match, blocks: f"[[{match[1]}]]"),
    ("{{", _EMBED, lambda match, blocks: _said(match[1], blocks)),
    ("((", _REFERENCE, lambda match, blocks: _said(match[0], blocks)),
)
_OF_DENDRON: tuple[Rule, ...] = (("|", _LABEL_FIRST, lambda match, blocks: f"[[{match[2]}|{match[1]}]]"),)


# ---------------------------------------------------------------------------------------------- blocks with an id

_LOGSEQ_ID = pattern(rf"[ \t]*id::[ \t]*({_ID})[ \t]*")
_BULLET = pattern(r"[ \t]*[-*+][ \t]+")
_ANY_PROPERTY = pattern(r"[ \t]*[^\W\d_][\w .-]{0,40}::")


def blocks_of(text: str) -> Iterator[tuple[str, str]]:
    """The blocks of a Logseq page that have an id: the id, and the words of the block in one line."""
    block: list[str] = []
    for line in text.split("\n"):
        if bullet := _BULLET.match(line):
            block = [line[bullet.end() :].strip()]
        elif id := _LOGSEQ_ID.fullmatch(line):
            if any(block):
                yield id[1], " ".join(filter(None, block))
        elif block and not _ANY_PROPERTY.match(line):
            block.append(line.strip())
