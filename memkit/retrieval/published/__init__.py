"""The published designs: one file and one line here for each. Delete both to remove a design; nothing else changes.

Its name for editors goes with them: `StrategyName`.
"""

# ruff: noqa: F401, I001  (imported because they register themselves, in the order in which people see them)

from typing import Literal

from memkit.retrieval.published import construct
from memkit.retrieval.published import kira
from memkit.retrieval.published import slots
from memkit.retrieval.published import membox
from memkit.retrieval.published import engram

from memkit.retrieval.designs import DESIGNS

# Editors read this without running it, and offer these names after `strategy="`.
StrategyName = Literal["memkit", "construct", "kira", "slots", "membox", "engram"]

__all__ = ["DESIGNS", "StrategyName"]
