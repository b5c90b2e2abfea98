"""IPython extension, `%load_ext memkit`: completes the name of a strategy where a notebook knows no types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext
    from IPython.core.interactiveshell import InteractiveShell

BEGUN = re.compile(r"""\bstrateg(?:y\s*=|ies\s*=\s*\[(?:[^\]]*,)?)\s*["'](?P<typed>\w*)$""")


def complete_strategies(shell: InteractiveShell) -> None:
    """Completes strategies after `strategy="` and in `strategies=["` in this shell or notebook."""
    completer: Any = shell.Completer
    if strategies not in completer.custom_matchers:
        completer.custom_matchers.append(strategies)


def strategies(context: CompletionContext) -> dict[str, Any]:
    """The strategies whose names begin as it was typed; nothing elsewhere in a line."""
    from IPython.core.completer import SimpleCompletion

    from memkit.retrieval.registry import STRATEGIES

    begun = BEGUN.search(context.text_until_cursor)
    if begun is None:
        return {"completions": []}
    typed = begun["typed"]
    matching = [SimpleCompletion(name, type="text") for name in STRATEGIES if name.startswith(typed)]
    return {"completions": matching, "matched_fragment": typed, "suppress": bool(matching)}


strategies.matcher_api_version = 2  # type: ignore[attr-defined]
