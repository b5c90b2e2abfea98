"""Evaluation charts with matplotlib, which work without a network and without JavaScript, also in a PDF.

(Altair's charts are interactive, but outside JupyterLab they load their renderer from the web each time.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memkit.core.errors import NeedsPackage


def measures(
    figures: Mapping[str, Mapping[str, float]],
    intervals: Mapping[str, Mapping[str, tuple[float, float]]],
    ax: Any = None,
) -> Any:
    """Matplotlib Axes with a point for every measure of every run, and a line for its interval if there is one.

    Raises NeedsPackage if matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise NeedsPackage("matplotlib", "A plot", "'datasette-memkit[plot]'") from error
    names = list(next(iter(figures.values()), {}))
    if ax is None:
        _, ax = pyplot.subplots(figsize=(7, 1.2 + len(names) * (0.2 + 0.14 * len(figures))), layout="constrained")
    for n, (run, values) in enumerate(figures.items()):
        places = [i + 0.6 * ((n + 0.5) / len(figures) - 0.5) for i in range(len(names))]
        bounds = intervals.get(run, {})
        reach = (
            [[max(0.0, sign * (values[m] - bounds[m][end])) for m in names] for end, sign in ((0, 1), (1, -1))]
            if bounds
            else None
        )
        ax.errorbar([values[name] for name in names], places, xerr=reach, fmt="o", markersize=5, capsize=2, label=run)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.02)
    ax.grid(axis="x", alpha=0.3)
    ax.legend(loc="best", frameon=False)
    return ax
