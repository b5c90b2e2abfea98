"""Keys by their shape: tokens whose first letters name their service, webhook addresses, key blocks, password hashes.

The shapes are those that the services document. A new one is a line in SHAPES.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memkit.text.spans import Span

_WORD = r"[\w\-]"
_HEX = "[0-9a-f]"
_UUID = rf"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"
SHAPES = (
    # Models
    rf"sk-(?:ant-|proj-|svcacct-|admin-|or-)?{_WORD}{{16,}}|sk_{_HEX}{{48}}",  # OpenAI, Anthropic, ...; ElevenLabs
    r"(?:hf|gsk|r8|api_org)_[A-Za-z0-9]{20,}",  # Hugging Face, Groq, Replicate
    rf"(?:pplx|xai|nvapi)-{_WORD}{{30,}}",  # Perplexity, xAI, NVIDIA
    r"ABSK[A-Za-z0-9+/]{60,}=*|bedrock-api-key-[A-Za-z0-9+/]{30,}=*",  # AWS Bedrock
    rf"tgp_v1_{_WORD}{{40,}}|fw_[A-Za-z0-9]{{24,}}|tvly-{_WORD}{{20,}}|fc-{_HEX}{{32}}",  # Together, Fireworks, Tavily
    rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}|wandb_v1_{_WORD}{{40,}}|pcsk_\w{{40,}}|e2b_{_HEX}{{40}}",
    # Code and packages
    r"gh[pousr]_\w{20,}|github_pat_\w{20,}",
    rf"gl(?:pat|rt|dt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-[\w\-.]{{15,}}{_WORD}|GR1348941{_WORD}{{20,}}",  # GitLab
    rf"npm_\w{{30,}}|pypi-\w{_WORD}{{30,}}|rubygems_[0-9a-f]{{40,}}|dckr_(?:pat|oat)_{_WORD}{{20,}}",
    r"CLOJARS_[a-z0-9]{60}|cio(?=[A-Za-z]*\d)[A-Za-z0-9]{32}|oy2[a-z0-9]{43}",  # Clojars, crates.io, NuGet
    rf"ATATT3{_WORD}{{60,}}|ATCTT3{_WORD}{{60,}}|ATBB[A-Za-z0-9]{{24,}}|ATTA{_HEX}{{64}}",  # Atlassian, Trello
    rf"PMAK-[0-9a-f]{{24}}-[0-9a-f]{{34}}|figd_{_WORD}{{36,}}|lin_api_\w{{36,}}",
    r"AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59}|API-(?=[A-Z]*\d)[A-Z0-9]{26}",  # Artifactory, Octopus
    rf"(?:sgp|slk)_(?:(?:{_HEX}{{16}}|local)_)?{_HEX}{{40,}}|sq[apu]_{_HEX}{{40}}|bkua_{_HEX}{{40}}",
    rf"CCI(?:PAT|PRJ)_\w{{22}}_{_HEX}{{40}}|snyk_\w{{3}}\.[\w.\-]{{40,}}|rdme_[a-z0-9]{{70}}",
    rf"ico-[A-Za-z0-9]{{32}}|pn[ub]_[A-Za-z0-9]{{36}}|pul-{_HEX}{{40}}",  # Infracost, Prefect, Pulumi
    r"ntn_\w{40,}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",  # Notion, Airtable
    # Clouds
    r"A(?:KIA|SIA|ROA|IDA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16}",  # AWS
    rf"AIza{_WORD}{{30,}}|ya29\.{_WORD}{{20,}}|GOCSPX-{_WORD}{{24,}}|AAAA{_WORD}{{7}}:{_WORD}{{100,}}",  # Google
    r"[\w.~\-]{3}\dQ~[\w.~\-]{31,34}",  # Azure: a client's secret
    r"do[opr]_v1_\w{32,}|dapi[0-9a-f]{32}(?:-\d)?|LTAI[A-Za-z0-9]{12,30}|sbp_[0-9a-f]{40}",
    r"AKID[A-Za-z0-9]{32}|AKLT[A-Za-z0-9]{36,}|bce-v3/ALTAK-[\w\-]{16,}/\w{32,}",  # Tencent, Volcengine, Baidu
    r"p8e-[a-z0-9]{32}|SCW(?=[A-Z]*\d)[A-Z0-9]{17}|K0{2}\d[A-Za-z0-9+/]{27}",  # Adobe, Scaleway, Backblaze
    r"AQVN[\w\-]{35,38}|YC[A-Z][\w\-]{37}|t1\.[\w\-]{8,}=*\.[\w\-]{86}=*",  # Yandex
    rf"4b1d(?=[a-z\d]*[A-Z])[A-Za-z0-9]{{38}}|v1\.0-{_HEX}{{24}}-{_HEX}{{100,}}",  # ClickHouse, Cloudflare
    rf"HRKU-AA{_WORD}{{50,}}|nf[pcob]_[A-Za-z0-9]{{36}}|rnd_(?=[A-Za-z]*\d)[A-Za-z0-9]{{24,}}",  # Heroku, Netlify
    rf"sb_secret_{_WORD}{{20,}}|napi_[a-z0-9]{{40,}}|dd[pw]_[A-Za-z0-9]{{36}}|tk-us-{_WORD}{{48}}",
    rf"sha256~{_WORD}{{43}}|s\.(?=[A-Za-z]*\d)[A-Za-z0-9]{{24}}(?!\w)|cflt[A-Za-z0-9+/]{{60}}",  # OpenShift, Vault
    rf"pscale_(?:tkn|pw|oauth)_[\w.\-]{{30,}}|tskey-{_WORD}{{20,}}|dnkey-{_WORD}{{70,}}",
    r"f(?:o1_[\w\-]{40,}|m[12][ar]?_[A-Za-z0-9+/]{60,}=*)",  # Fly
    r"hv[sbr]\.[\w\-]{24,}|[A-Za-z0-9]{14}\.atlasv1\.[\w\-]{60,}|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.\-]{30,}",
    r"[ps]at\.[\w\-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}|dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}",  # Harness
    rf"NR(?:AK|II|JS|RA)-{_WORD}{{19,}}|hca[il]k_[a-z0-9]{{50,}}|pylf_v\d_(?:[a-z]{{2}}_)?[A-Za-z0-9]{{40,}}",
    rf"(?:sdk|mob|api)-{_UUID}|2[A-Za-z0-9]{{26}}_[A-Za-z0-9]{{21}}|[A-Za-z0-9]{{6}}_[A-Za-z0-9]{{29}}_mmk",
    r"glsa_\w{32,}|glc_[A-Za-z0-9+/]{32,}=*|sntry[sua]_[\w=+/\-]{40,}|ops_eyJ[\w+/]{60,}=*",  # Grafana, Sentry
    # Work
    r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",  # 1Password
    rf"[01]/\d{{13,16}}:{_HEX}{{32}}|pk_\d{{5,10}}_[A-Z0-9]{{32}}|CFPAT-{_WORD}{{40,}}",  # Asana, ClickUp, Contentful
    rf"sl\.{_WORD}{{100,}}|fio-u-{_WORD}{{60,}}|pat-[a-z]{{2,3}}\d-{_UUID}|dG9rO[A-Za-z0-9+/]{{40,}}=*",
    rf"WPL_AP\d\.[\w.+/=\-]{{16,}}|ph[xsr]_[A-Za-z0-9]{{40,}}|tfp_{_WORD}{{40,}}",  # LinkedIn, PostHog, Typeform
    r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_\-][a-z0-9\-]{10,32}\.[\w+/=\-]{30,}",  # Authress
    # Messages and mail
    rf"xox[abeoprs]-{_WORD}{{10,}}|xox[abeoprs]\.xox[bp]-{_WORD}{{20,}}|xapp-\d-{_WORD}{{20,}}",  # Slack
    rf"(?:bot)?\d{{8,10}}:AA{_WORD}{{32,35}}",  # Telegram
    rf"[MNO][A-Za-z\d_\-]{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,40}}",  # Discord
    rf"SG\.{_WORD}{{16,}}\.{_WORD}{{16,}}|SK[0-9a-f]{{32}}|(?:pub)?key-[0-9a-f]{{32}}|[0-9a-f]{{32}}-us\d{{1,2}}",
    rf"xs?(?:key|mtp)sib-{_HEX}{{64}}-\w{{16}}|mlsn\.{_HEX}{{64}}|{_HEX}{{32}}-{_HEX}{{8}}-{_HEX}{{8}}|re_[A-Za-z0-9]{{8}}_[A-Za-z0-9]{{24}}",
    rf"EAA{_WORD}{{57,}}|IG(?:QV|AA){_WORD}{{80,}}|\d{{15,16}}[|%](?=[A-Z\d_\-]*[a-z]){_WORD}{{27,40}}",  # Meta, Square
    r"A{20,}[A-Za-z0-9%]{60,}",  # Twitter
    # Money
    r"[srp]k_(?:live|test|prod)_\w{16,}|whsec_\w{20,}|rzp_(?:live|test)_[A-Za-z0-9]{14,}",  # Stripe, Razorpay
    rf"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{{32}}|sq0[a-z]{{3}}-{_WORD}{{22,}}",  # Shopify, Square
    r"access_token\$\w{7,12}\$\w{16}\$[0-9a-f]{32}|EZ[AT]K[A-Za-z0-9]{54}|FLWSECK(?:_TEST)?-\w{12,32}(?:-X)?",
    rf"duffel_(?:live|test)_[\w=\-]{{40,}}|shippo_(?:live|test)_{_HEX}{{40}}|sm_[aps]at_[A-Za-z0-9]{{16}}",
    rf"(?:live|test)_(?:(?=[A-Za-z]*\d)[A-Za-z0-9]{{30,}}|pub_{_HEX}{{31}})|access-[a-z]{{7,11}}-{_UUID}",  # Lob
    r"[5KL](?=[A-Za-z]*\d)[1-9A-HJ-NP-Za-km-z]{50,51}(?!\w)|[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,}",  # Bitcoin
    # Of any service
    r"nsec1[a-z0-9]{58}|AGE-SECRET-KEY-1[A-Z0-9]{58}",
    r"(?:[pst]k\.)?eyJ[\w\-]{8,4000}\.[\w\-]{8,}(?:\.[\w\-]*)?|(?:ZXlK|eyJrIjoi)[A-Za-z0-9+/\-]{40,}=*",  # JWT
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
    r"(?:\w{1,12}\.)?webhook\.site/[0-9a-f\-]{36}|[\w.\-]{1,80}/hooks/[a-z0-9]{26}",  # the second: Mattermost
    r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[\w\-]{16,}|hook\.[a-z]{2}\d\.make\.com/\w{20,}",
    r"[0-9a-f]{32}@[\w.\-]{1,80}sentry\.io/\d+",
)
# One of these is in each of the addresses; looking for them first is faster than the pattern.
ADDRESS_HINTS = ("hook", "/trigger/", "chat.googleapis", "/private-", "sentry.io")
# A key is longer than most words, which are passed over without a look at each shape.
_KNOWN = re.compile(rf"(?<![A-Za-z0-9])(?=\S{{15}})(?:{'|'.join(SHAPES)})")
_ADDRESS = re.compile(rf"(?:{'|'.join(ADDRESSES)})")
_ONE_TIME = re.compile(r"otpauth(?:-migration)?://[^\s\"'<>)`|]{1,500}")
_BLOCK = re.compile(
    r"-----BEGIN (?P<what>(?:[A-Z0-9]+ ){0,4})PRIVATE KEY(?P<block>(?: BLOCK)?)-----"
    r"(?:.{0,20000}?-----END (?P=what)PRIVATE KEY(?P=block)-----|[A-Za-z0-9+/=:,\-\s]*)"
    r"|-----BEGIN OpenVPN Static key V1-----[0-9a-f\s]*|\bPrivate-Lines: ?\d{1,3}\s[A-Za-z0-9+/=\s]*",  # PuTTY
    re.DOTALL,
)


def shaped(text: str) -> Iterator[Span]:
    """The spans of keys that their own shape tells."""
    for pattern in (_KNOWN, _BLOCK):
        yield from (match.span() for match in pattern.finditer(text))
    for pattern, hints in ((_ADDRESS, ADDRESS_HINTS), (_ONE_TIME, ("otpauth",))):
        if any(hint in text for hint in hints):
            yield from (match.span() for match in pattern.finditer(text))
