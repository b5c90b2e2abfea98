"""What is private, taken out of a text: names in every spelling, addresses, numbers, keys, patterns of one's own."""

from memkit.redact.redactor import Redactor
from memkit.redact.values import Names, Redacted, Replacement

__all__ = ["Names", "Redacted", "Redactor", "Replacement"]
