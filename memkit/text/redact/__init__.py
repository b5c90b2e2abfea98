"""Redaction of personal data: names in all spellings, addresses, numbers, keys, and custom patterns."""

from memkit.text.redact.redactor import Redactor
from memkit.text.redact.values import Names, Redacted, Replacement

__all__ = ["Names", "Redacted", "Redactor", "Replacement"]
