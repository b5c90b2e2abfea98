"""Widgets for notebooks: ask, compare and look. Each keeps what it shows as a value.

    RecallBox(db)        ask as you type                      .found       Recall
    StrategyLab(db)      a slider for every setting           .strategy    Strategy
    CompareBox(db)       two strategies side by side          .found       the two recalls
    GraphView(db)        walk the graph                       .selected    EntityCard
    Timeline(db)         what happened and held, and when     .memories    a list of moments
    ContextPreview(db)   what a language model would read     .context     Context
    ProposalBox(db)      decide what may be one, what is so   .decided     a list of proposals

They stand on ipywidgets, which also works without a browser: set a value, read the result.
"""

from memkit.widgets.compare_box import CompareBox
from memkit.widgets.context_preview import ContextPreview
from memkit.widgets.graph_view import GraphView
from memkit.widgets.proposal_box import ProposalBox
from memkit.widgets.recall_box import RecallBox
from memkit.widgets.strategy_lab import StrategyLab
from memkit.widgets.timeline import Timeline

__all__ = ["CompareBox", "ContextPreview", "GraphView", "ProposalBox", "RecallBox", "StrategyLab", "Timeline"]
