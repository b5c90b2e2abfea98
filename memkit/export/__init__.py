"""Moving on: a database as JSON lines that come back the same, as notes in Markdown, as a graph for other programs."""

from memkit.export.export import FORMATS, ExportReport, export, selected
from memkit.export.restore import restore

__all__ = ["FORMATS", "ExportReport", "export", "restore", "selected"]
