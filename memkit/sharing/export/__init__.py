"""Export of a database: as JSON lines for restore, as Markdown notes, or as a graph for other programs."""

from memkit.sharing.export.export import FORMATS, ExportReport, export, selected
from memkit.sharing.export.restore import restore
from memkit.sharing.export.restore_report import RestoreReport, WouldOverwrite
from memkit.sharing.export.settings import askable

__all__ = [
    "FORMATS",
    "ExportReport",
    "RestoreReport",
    "WouldOverwrite",
    "askable",
    "export",
    "restore",
    "selected",
]
