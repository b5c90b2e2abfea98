"""Names of sliders: those that screen readers say, which the sliders of ipywidgets lack."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import ipywidgets as W

from memkit.widgets.scripted import scripted


class SliderNames(W.Box):
    """An invisible part of a widget that names its sliders after their labels.

    `say` sets the words for the handles of sliders that show no value, by their labels. Without anywidget (the extra
    `graph`) the sliders stay without names.
    """

    def __init__(self) -> None:
        kind = scripted("slider_names")
        self.script = kind() if kind else None
        super().__init__([self.script] if self.script else [], layout={"margin": "0", "height": "0"})

    def say(self, values: Mapping[str, Sequence[str]]) -> None:
        """The words for the values of these sliders."""
        if self.script is not None:
            self.script.value = json.dumps(values)
