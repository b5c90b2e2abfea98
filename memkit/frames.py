"""Tables for data people: pandas is imported only when a frame is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memkit.errors import NeedsPackage

if TYPE_CHECKING:
    import pandas as pd

    from memkit.results import Recall


def pandas() -> Any:
    """The pandas module. Raises NeedsPackage."""
    try:
        import pandas as pd
    except ImportError as error:
        raise NeedsPackage("pandas", "A DataFrame", "'datasette-memkit[pandas]'") from error
    return pd


COLUMNS = ("id", "score", "text", "kind", "title", "speaker", "project", "happened_at", "source_id", "path")


def recall_frame(found: Recall) -> pd.DataFrame:
    """One row per hit, indexed by rank from 1; times are timestamps, each channel's contribution has its column."""
    pd = pandas()
    rows = []
    for hit in found:
        row = {**hit.to_dict(), "speaker": hit.memory.speaker}
        why = {channel: finding.contribution for channel, finding in hit.why.items()}
        rows.append({name: row[name] for name in COLUMNS} | why)
    channels = sorted({channel for hit in found for channel in hit.why})
    frame = pd.DataFrame(rows, columns=[*COLUMNS, *channels], index=pd.RangeIndex(1, len(rows) + 1, name="rank"))
    frame["happened_at"] = pd.to_datetime(frame["happened_at"], utc=True, errors="coerce", format="ISO8601")
    frame["kind"] = frame["kind"].astype("category")
    return frame
