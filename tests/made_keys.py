"""The forms of keys of services, without a key: `{h32}` stands for 32 made-up hex digits, and so on.

What the forms are is known from the services' documentation and from the rules of scanners such as gitleaks.
"""

from __future__ import annotations

import re
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

LETTERS = {
    "a": ascii_letters + digits,
    "b": ascii_letters + digits + "+/",
    "d": digits,
    "h": digits + "abcdef",
    "l": ascii_lowercase + digits,
    "s": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "u": ascii_uppercase + digits,
    "w": ascii_letters + digits + "_-",
}
UUID = "{h8}-{h4}-{h4}-{h4}-{h12}"
FORMS = {
    # Models
    "aws, bedrock": "ABSK{b132}",
    "together": "tgp_v1_{w43}",
    "fireworks": "fw_{a24}",
    "tavily": "tvly-dev-{a32}",
    "firecrawl": "fc-{h32}",
    "elevenlabs": "sk_{h48}",
    "langsmith": "lsv2_pt_{h32}_{h10}",
    "pinecone": "pcsk_{a6}_{a60}",
    "e2b": "e2b_{h40}",
    "weights and biases": "wandb_v1_{w60}",
    "huggingface, organization": "api_org_{a34}",
    # Code and packages
    "gitlab, registration": "GR1348941{w20}",
    "gitlab, job": "glcbt-{a2}_{w20}",
    "bitbucket": "ATBB{a32}",
    "trello": "ATTA{h64}",
    "clojars": "CLOJARS_{h60}",
    "crates.io": "cio{a32}",
    "nuget": "oy2{l43}",
    "artifactory": "AKCp{a69}",
    "artifactory, reference": "cmVmd{a59}",
    "sourcegraph": "sgp_{h16}_{h40}",
    "sonarqube": "squ_{h40}",
    "octopus": "API-{u26}",
    "buildkite": "bkua_{h40}",
    "circleci": "CCIPAT_{a22}_{h40}",
    "snyk": "snyk_uat.{h8}.{w60}",
    "readme": "rdme_{l70}",
    "infracost": "ico-{a32}",
    "prefect": "pnu_{a36}",
    "pulumi": "pul-{h40}",
    # Clouds
    "adobe": "p8e-{l32}",
    "tencent": "AKID{a32}",
    "volcengine": "AKLT{a44}",
    "scaleway": "SCW{u17}",
    "backblaze": "K005{b27}",
    "yandex": "AQVN{w36}",
    "yandex, storage": "YCAJ{w36}",
    "yandex, token": "t1.{w30}.{w86}",
    "clickhouse": "4b1d{a38}",
    "cloudflare, origin": "v1.0-{h24}-{h146}",
    "fly": "fm2_{b120}",
    "heroku": "HRKU-AA{w58}",
    "netlify": "nfp_{a36}",
    "render": "rnd_{a28}",
    "supabase": "sb_secret_{w31}",
    "neon": "napi_{l64}",
    "deno": "ddp_{a36}",
    "scalingo": "tk-us-{w48}",
    "openshift": "sha256~{w43}",
    "vault, before 1.10": "s.1{a23}",
    "confluent": "cflt{b60}",
    "harness": "pat.{w22}.{a24}.{a20}",
    "dynatrace": "dt0c01.{u24}.{u64}",
    "new relic, insert": "NRII-{w32}",
    "grafana, cloud": "glc_{b60}",
    "honeycomb": "hcaik_{l58}",
    "logfire": "pylf_v1_us_{a43}",
    "launchdarkly": "sdk-" + UUID,
    "nebula": "dnkey-{w26}-{w52}",
    "ngrok": "2{a26}_{a21}",
    "maxmind": "{a6}_{a29}_mmk",
    "firebase, messaging": "AAAA{w7}:APA91b{w134}",
    # Work
    "1password": "A3-{u6}-{u11}-{u5}-{u5}-{u5}",
    "asana": "1/{d16}:{h32}",
    "clickup": "pk_{d8}_{u32}",
    "contentful": "CFPAT-{w43}",
    "dropbox": "sl.{w135}",
    "frame.io": "fio-u-{w64}",
    "hubspot": "pat-na1-" + UUID,
    "intercom": "dG9rO{b54}=",
    "linkedin": "WPL_AP1.{a16}.{b12}",
    "posthog": "phx_{a43}",
    "typeform": "tfp_{w44}",
    "mapbox": "sk.eyJ{w80}.{w22}",
    "authress": "sc_{l20}.{l4}.acc-{l16}.{w60}",
    # Messages and mail
    "brevo": "xkeysib-{h64}-{a16}",
    "brevo, smtp": "xsmtpsib-{h64}-{a16}",
    "mailersend": "mlsn.{h64}",
    "mailgun, signing": "{h32}-{h8}-{h8}",
    "resend": "re_{a8}_{a24}",
    "instagram": "IGQV{w130}",
    "facebook, app": "{d15}|{w27}",
    "twitter": "AAAAAAAAAAAAAAAAAAAAAA{a90}",
    "telegram, address": "https://api.telegram.org/bot{d10}:AA{w33}",
    # Money
    "braintree": "access_token$production${l16}${h32}",
    "duffel": "duffel_live_{w43}",
    "easypost": "EZAK{a54}",
    "flutterwave": "FLWSECK-{h32}-X",
    "flutterwave, test": "FLWSECK_TEST-{h32}-X",
    "lob": "live_{h35}",
    "mollie": "test_{a30}1",
    "plaid": "access-production-" + UUID,
    "razorpay": "rzp_live_{a14}",
    "settlemint": "sm_pat_{a16}",
    "shippo": "shippo_live_{h40}",
    "square, access": "EAAA{w60}",
    "bitcoin": "L4{s50}",
    "bitcoin, extended": "xprv9{s106}",
    "nostr": "nsec1{l58}",
    # Of any service
    "token in base64": "ZXlKaGJHY2lPaU{b80}",
    "feishu, webhook": "https://open.feishu.cn/open-apis/bot/v2/hook/" + UUID,
    "make, webhook": "https://hook.eu1.make.com/{l32}",
    "mattermost, webhook": "https://chat.example.org/hooks/{l26}",
    "sentry, address": "https://{h32}@o{d6}.ingest.sentry.io/{d7}",
}


def keys(random: Random) -> dict[str, str]:
    """A made-up key of each form."""
    return {name: _filled(random, form) for name, form in FORMS.items()}


def _filled(random: Random, form: str) -> str:
    def made(place: re.Match[str]) -> str:
        return "".join(random.choices(LETTERS[place[1]], k=int(place[2])))

    return re.sub(r"\{(\w)(\d+)\}", made, form)
