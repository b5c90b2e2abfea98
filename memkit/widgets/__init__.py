"""Widgets for notebooks: ask, compare, browse and decide. Each widget keeps what it shows as a value.

    RecallBox(db)        search as you type                   .found       Recall
    StrategyLab(db)      a slider for every setting           .strategy    Strategy
    CompareBox(db)       two strategies side by side          .found       two Recalls
    GraphView(db)        browse the knowledge graph           .selected    EntityCard
    Timeline(db)         memories and facts over time         .memories    a list of Moments
    ContextPreview(db)   what a language model would read     .context     Context
    ProposalBox(db)      accept or refuse proposals           .decided     a list of Proposals

They are built on ipywidgets, which also works without a browser: set a value, read the result.
"""

from memkit.widgets.compare_box import CompareBox
from memkit.widgets.context_preview import ContextPreview
from memkit.widgets.graph_view import GraphView
from memkit.widgets.proposal_box import ProposalBox
from memkit.widgets.recall_box import RecallBox
from memkit.widgets.strategy_lab import StrategyLab
from memkit.widgets.timeline import Timeline

__all__ = ["CompareBox", "ContextPreview", "GraphView", "ProposalBox", "RecallBox", "StrategyLab", "Timeline"]
