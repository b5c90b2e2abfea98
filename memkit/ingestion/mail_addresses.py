"""Mail addresses: whoever writes from one address under several names is one person: `Rosa`, `Rosa Lind`, `rosalind7`.

Names are one only if all under which mails came from an address are forms of the fullest: some of its words, the
address itself, or a nickname that the address has, too. An address of several people (a family, an office, a list)
is nobody's, and so is a name that others bear as well, or under which somebody speaks elsewhere.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from memkit.graph import merging
from memkit.graph.entities import Entity, by_names
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps, keys_json
from memkit.text.extract.resolve import canonical_name
from memkit.text.words import normal_name

_ADDRESS = f"lower(json_extract({or_empty('d.meta')}, '$.from'))"
SELECT_ADDRESSES = f"""
select distinct {_ADDRESS} from memories as m join documents as d on d.key = m.document_key
where m.key in (select value from json_each(:keys)) and d.kind = 'mail'
"""
SELECT_SENDERS = f"""
select distinct {_ADDRESS} as address, m.speaker
from documents as d join memories as m on m.document_key = d.key
where d.kind = 'mail' and m.speaker is not null and m.archived_at is null
    and {_ADDRESS} in (select value from json_each(:addresses))
order by 1, 2
"""
SELECT_SPEAKS_ELSEWHERE = f"""
select 1 from mentions as x
    join memories as m on m.key = x.memory_key
    left join documents as d on d.key = m.document_key
where x.entity_key = :key and x.role = 'speaker' and (d.kind is not 'mail' or {_ADDRESS} is not :address)
limit 1
"""
SELECT_OTHERS_SO_CALLED = """
select 1 from entities
where normal >= :name || ' ' and normal < :name || '!' and kind = 'person' and merged_into is null and key <> :key
limit 1
"""
_SHARED = re.compile(  # addresses from which a program or an office writes for many
    r"(?:.*[._+-])?(?:no-?reply|do-?not-?reply|notif\w*|mailer(?:-daemon)?|bounces?|info|office|support|admin|service|news"
    r"|newsletter|contact|kontakt|team|owner|lists?|hello|sales|postmaster|webmaster)(?:[._+-].*)?@.*"
)
_SENT_FOR = re.compile(r"\b(?:via|on behalf of|im auftrag von|für)\b|\(.*\)", re.IGNORECASE)
_LEAST_NICKNAME = 3  # letters


def unite(conn: Connection, keys: Iterable[int], now: str) -> None:
    """Merges the other names of those who sent these memories (keys) into their fullest ones. `unmerge` undoes it."""
    addresses = [row[0] for row in conn.execute(SELECT_ADDRESSES, {"keys": keys_json(keys)}) if row[0]]
    sent: dict[str, list[str]] = defaultdict(list)
    for address, speaker in conn.execute(SELECT_SENDERS, {"addresses": dumps(addresses)}) if addresses else ():
        sent[address].append(speaker)
    for address, names in sent.items():
        if len(names) > 1 and not _SHARED.fullmatch(address) and not any(map(_SENT_FOR.search, names)):
            _unite(conn, address, names, now)


def _unite(conn: Connection, address: str, names: list[str], now: str) -> None:
    fullest = max(names, key=lambda name: (name.lower() != address, len(_words(name)), len(name)))
    others = [name for name in names if name != fullest]
    if not all(is_form_of(name, fullest, address) for name in others):
        return
    person = _known(conn, fullest)
    for name in others:
        other = _known(conn, name)  # asked one by one: the one before may have had this name, too
        if person and other and other.key != person.key and _is_nobody_else(conn, other, person, address):
            merging.merge_found(conn, person.key, other.key, now)


def _known(conn: Connection, name: str) -> Entity | None:
    return next(iter(by_names(conn, [name]).get(normal_name(name), ())), None)


def is_form_of(name: str, fullest: str, address: str) -> bool:
    """Whether a name is another form of the fullest one under which somebody writes from an address."""
    words, all_words = _words(name), _words(fullest)
    if name.lower() == address or set(words) <= set(all_words):
        return True
    return len(words) == 1 < len(all_words) and words[0] in _nicknames(address)


def _words(name: str) -> list[str]:
    return canonical_name(name, "person").split()


def _nicknames(address: str) -> Iterator[str]:
    """What an address calls somebody: `quince` and `quince7` of `quince7@example.org`."""
    local = address.partition("@")[0]
    return (normal_name(one) for one in {local, local.rstrip("0123456789")} if len(one) >= _LEAST_NICKNAME)


def _is_nobody_else(conn: Connection, other: Entity, person: Entity, address: str) -> bool:
    """Whether a name of one word is that of a sender from this address only, and no other person is called so."""
    if len(other.name.split()) > 1:
        return True
    if conn.execute(SELECT_SPEAKS_ELSEWHERE, {"key": other.key, "address": address}).fetchone():
        return False
    return not conn.execute(SELECT_OTHERS_SO_CALLED, {"name": normal_name(other.name), "key": person.key}).fetchone()
