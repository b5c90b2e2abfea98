"""Keys by their shape: tokens whose first letters name their service, webhook addresses, key blocks, password hashes.

The shapes are those that the services document. A new one is a line in SHAPES.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memkit.text.spans import Span

_WORD = r"[\w\-]"
SHAPES = (
    # Models
    rf"sk-(?:ant-|proj-|svcacct-|admin-|or-)?{_WORD}{{16,}}",  # OpenAI, Anthropic, OpenRouter
    r"(?:hf|gsk|r8)_\w{20,}",  # Hugging Face, Groq, Replicate
    rf"(?:pplx|xai|nvapi)-{_WORD}{{30,}}",  # Perplexity, xAI, NVIDIA
    # Code and packages
    r"gh[pousr]_\w{20,}|github_pat_\w{20,}",
    rf"gl(?:pat|rt|dt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-{_WORD}{{16,}}",  # GitLab
    rf"npm_\w{{30,}}|pypi-\w{_WORD}{{30,}}|rubygems_[0-9a-f]{{40,}}|dckr_(?:pat|oat)_{_WORD}{{20,}}",
    rf"ATATT3{_WORD}{{60,}}|PMAK-[0-9a-f]{{24}}-[0-9a-f]{{34}}|figd_{_WORD}{{36,}}|lin_api_\w{{36,}}",
    r"ntn_\w{40,}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",  # Notion, Airtable
    # Clouds
    r"A(?:KIA|SIA|ROA|IDA|BIA|CCA)[A-Z0-9]{16}",  # AWS
    rf"AIza{_WORD}{{30,}}|ya29\.{_WORD}{{20,}}|GOCSPX-{_WORD}{{24,}}",  # Google
    r"[\w.~\-]{3}\dQ~[\w.~\-]{31,34}",  # Azure: a client's secret
    r"do[opr]_v1_\w{32,}|dapi[0-9a-f]{32}|LTAI[A-Za-z0-9]{12,30}|sbp_[0-9a-f]{40}",
    rf"pscale_(?:tkn|pw|oauth)_[\w.\-]{{30,}}|tskey-{_WORD}{{20,}}|fo1_{_WORD}{{40,}}|NRAK-[A-Z0-9]{{27}}",
    rf"hv[sbr]\.{_WORD}{{24,}}|[A-Za-z0-9]{{14}}\.atlasv1\.{_WORD}{{60,}}|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.\-]{{30,}}",
    r"glsa_\w{32,}|sntry[su]_[\w=+/\-]{40,}|ops_eyJ\w{60,}",  # Grafana, Sentry, 1Password
    # Messages and mail
    rf"xox[abeoprs]-{_WORD}{{10,}}|xapp-\d-{_WORD}{{20,}}",  # Slack
    rf"\d{{8,10}}:AA{_WORD}{{32,35}}",  # Telegram
    rf"[MNO][A-Za-z\d_\-]{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,40}}",  # Discord
    rf"SG\.{_WORD}{{16,}}\.{_WORD}{{16,}}|SK[0-9a-f]{{32}}|key-[0-9a-f]{{32}}|[0-9a-f]{{32}}-us\d{{1,2}}",
    r"EAA[A-Za-z0-9]{80,}",  # Meta
    # Money
    r"[srp]k_(?:live|test)_\w{16,}|whsec_\w{20,}",  # Stripe
    rf"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{{32}}|sq0[a-z]{{3}}-{_WORD}{{22,}}",  # Shopify, Square
    # Of any service
    r"eyJ[\w\-]{8,4000}\.[\w\-]{8,}(?:\.[\w\-]*)?",  # a JSON web token
    r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    r"\$(?:2[abxy]\$\d\d|apr1|[156]|y|argon2i?d?)\$[\w./$,=+\-]{20,200}",  # a hash of a password
)
# An address with which everybody may write, or read, is a key itself.
ADDRESSES = (
    r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/\-]{8,}",
    r"(?:\w{1,12}\.)?discord(?:app)?\.com/api/webhooks/\d+/[\w\-]{20,}",
    r"[\w.\-]{1,80}\.webhook\.office\.com/[\w/@\-]{20,}|outlook\.office(?:365)?\.com/webhook/[\w/@\-]{20,}",
    r"hooks\.zapier\.com/hooks/catch/[\w/]{6,}|maker\.ifttt\.com/trigger/[\w\-]{1,80}/with/key/[\w\-]{8,}",
    r"chat\.googleapis\.com/v1/spaces/[\w\-]{4,}/messages\?[\w=&%\-]{20,}",
    r"calendar\.google\.com/calendar/ical/[\w.%@\-]{1,120}/private-[\w\-]{16,}/basic\.ics",
    r"(?:\w{1,12}\.)?webhook\.site/[0-9a-f\-]{36}",
)
# One of these is in each of the addresses; looking for them first is faster than the pattern.
ADDRESS_HINTS = ("hook", "/trigger/", "chat.googleapis", "/private-")
_KNOWN = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(SHAPES)})")
_ADDRESS = re.compile(rf"(?:{'|'.join(ADDRESSES)})")
_ONE_TIME = re.compile(r"otpauth(?:-migration)?://[^\s\"'<>)`|]{1,500}")
_BLOCK = re.compile(
    r"-----BEGIN (?P<what>(?:[A-Z0-9]+ ){0,4})PRIVATE KEY(?P<block>(?: BLOCK)?)-----"
    r"(?:.{0,20000}?-----END (?P=what)PRIVATE KEY(?P=block)-----|[A-Za-z0-9+/=:,\-\s]*)",
    re.DOTALL,
)


def shaped(text: str) -> Iterator[Span]:
    """The spans of keys that their own shape tells."""
    for pattern in (_KNOWN, _BLOCK):
        yield from (match.span() for match in pattern.finditer(text))
    for pattern, hints in ((_ADDRESS, ADDRESS_HINTS), (_ONE_TIME, ("otpauth",))):
        if any(hint in text for hint in hints):
            yield from (match.span() for match in pattern.finditer(text))
