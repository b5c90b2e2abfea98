"""A part of one's memory, safe for others to read: a folder that Datasette serves, and the proof that it is safe."""

from memkit.publish.about import About
from memkit.publish.checking import check
from memkit.publish.cleaning import Ambiguous, Redaction
from memkit.publish.publishing import publish
from memkit.publish.report import CheckReport, Leaked, PublishReport
from memkit.publish.selection import KEEPABLE, Selection
from memkit.publish.staging import NotOurs

__all__ = [
    "KEEPABLE",
    "About",
    "Ambiguous",
    "CheckReport",
    "Leaked",
    "NotOurs",
    "PublishReport",
    "Redaction",
    "Selection",
    "check",
    "publish",
]
