"""Publishing: selected memories as a folder that Datasette serves, with a check that nothing private is in it."""

from memkit.sharing.publish.checking import check
from memkit.sharing.publish.manifest import About
from memkit.sharing.publish.publishing import publish
from memkit.sharing.publish.redaction import Ambiguous, Redaction
from memkit.sharing.publish.report import CheckReport, Leaked, PublishReport
from memkit.sharing.publish.staging import NotOurs
from memkit.sharing.selection import KEEPABLE, Selection

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
