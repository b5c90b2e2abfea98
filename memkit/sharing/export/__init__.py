"""Export of a database: as JSON lines for restore, as Markdown notes, or as a graph for other programs."""

from memkit.sharing.export.export import FORMATS, ExportReport, export, selected
from memkit.sharing.export.restore import restore

__all__ = ["FORMATS", "ExportReport", "export", "restore", "selected"]
