"""The published designs: one file and one line here for each. Delete both to remove a design; nothing else changes."""

# ruff: noqa: F401, I001  (imported because they register themselves, in the order in which people see them)

from memkit.retrieval.published import construct
from memkit.retrieval.published import kira
from memkit.retrieval.published import slots
from memkit.retrieval.published import membox
from memkit.retrieval.published import engram

from memkit.retrieval.designs import DESIGNS

__all__ = ["DESIGNS"]
