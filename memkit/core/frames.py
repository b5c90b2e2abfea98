"""pandas, imported only when a DataFrame is requested."""

from __future__ import annotations

from typing import Any

from memkit.core.errors import NeedsPackage


def pandas() -> Any:
    """The pandas module. Raises NeedsPackage if it is not installed."""
    try:
        import pandas as pd
    except ImportError as error:
        raise NeedsPackage("pandas", "A DataFrame", "'datasette-memkit[pandas]'") from error
    return pd
