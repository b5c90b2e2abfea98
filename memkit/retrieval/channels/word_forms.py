"""Word forms: which words of a question a memory has as they were asked, and not only in another form of their stem."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.store import keys_json
from memkit.text.words import fold, words

if TYPE_CHECKING:
    import numpy as np

SELECT_WORDED = f"""
select key, text || ' ' || coalesce(title, '') || ' ' || coalesce(speaker, '') || ' ' || {or_empty("tags")}
from memories where key in (select value from json_each(:keys))
"""


def as_asked(conn: Connection, terms: Sequence[str], keys: Sequence[int]) -> np.ndarray:
    """Whether a memory's text, title, speaker or tags have a term as it is: bool, (terms, keys).

    Case, width and diacritics make no difference, as in the index. A term of several words (`e-mail`) is there where
    they follow each other.
    """
    import numpy as np

    texts = {key: fold(text) for key, text in conn.execute(SELECT_WORDED, {"keys": keys_json(keys)})}
    asked = [words(fold(term)) for term in terms]
    forms = [re.compile(r"(?<![^\W_])" + r"[\W_]+".join(map(re.escape, parts)) + r"(?![^\W_])") for parts in asked]
    return np.array(
        [
            [all(part in texts[key] for part in parts) and form.search(texts[key]) is not None for key in keys]
            for parts, form in zip(asked, forms, strict=True)
        ],
        bool,
    ).reshape(len(terms), len(keys))
