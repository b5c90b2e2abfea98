"""Made-up secrets in the spellings and places in which people write them down: some two thousand texts.

Every secret is put together here from random letters, so that no file holds what looks like one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

from made_keys import keys

HEX = digits + "abcdef"
ALNUM = ascii_letters + digits
BASE32 = ascii_uppercase + "234567"


@dataclass(frozen=True, slots=True)
class Planted:
    """A text with secrets in it: the group that it belongs to, the place, and what must not stay."""

    group: str
    place: str
    text: str
    secrets: tuple[str, ...]


def made(seed: int = 15) -> list[Planted]:
    """All texts; the same for the same seed."""
    random = Random(seed)
    return [*_named(random), *_known(random), *_elsewhere(random)]


# ---------------------------------------------------------------------------------------------- named by a word

WORDS = {
    "password": "password Password PASSWORD passwd pwd pw PW pass passcode passphrase PIN DB_PASSWORD dbPassword "
    "db.password userPassword root_pw WIFI-PASSWORD",
    "languages": "Passwort Kennwort mot_de_passe contraseña contrasenya senha palavra-passe parola wachtwoord "
    "adgangskode kodeord passord lösenord salasana hasło heslo jelszó пароль κωδικός şifre "
    "パスワード 密码 密碼 口令 비밀번호",
    "tokens": "clientSecret client_secret accessToken access_token refreshToken apiKey api_key API-KEY api.key "
    "privateKey private_key AccountKey SharedAccessKey authToken secretKey SECRET_KEY AWS_SECRET_ACCESS_KEY "
    "appSecret bearerToken sessionToken webhookSecret signingKey encryption_key",
}
PLACES = {
    "prose": "The {word} is {value} for now.",
    "line": "{word}: {value}",
    "equals": "{word}={value}",
    "list": "- user: rosa\n- {word}: {value}\n- since: 2019",
    "bold, colon inside": "**{word}:** {value}",
    "bold, colon outside": "**{word}**: {value}",
    "underlined": "__{word}__: {value}",
    "italic": "*{word}*: {value}",
    "code": "{word}: `{value}`",
    "code on both sides": "`{word}` = `{value}`",
    "table": "| what | value |\n|---|---|\n| {word} | {value} |",
    "table, bold": "| **{word}** | `{value}` |",
    "table, column": "| who | {word} | since |\n|-----|:---:|---|\n| rosa | {value} | 2019 |\n| theo | {other} | 20 |",
    "code block": "```\nuser = rosa\n{word} = {value}\n```",
    "front matter": '---\ntitle: Cellar\n{word}: "{value}"\n---\nText.',
    "json": '{{"user": "rosa", "{word}": "{value}", "n": 3}}',
    "python": "login(user='rosa', {word}='{value}')",
    "shell": "export {word}={value}\necho done",
    "option": "run --{word} {value} --verbose",
    "url": "https://example.org/login?user=rosa&{word}={value}&n=3",
    "chat": "rosa: what was it?\ntheo: {word}: {value}",
    "line break": "{word}:\n{value}\n",
    "line break, block": "{word}:\n\n```\n{value}\n```\n",
    "xml": "<user>rosa</user><{word}>{value}</{word}>",
    "arrow": "{word} -> {value}",
    "quote": "> **{word}**: {value}",
}


def _named(random: Random) -> Iterator[Planted]:
    for group, each in WORDS.items():
        for word in each.split():
            word = word.replace("_de_", " de ")
            for place, form in PLACES.items():
                if (" " in word and place in ("url", "option", "xml", "shell")) or (
                    group == "languages" and place == "prose"
                ):
                    continue
                value, other = (_token(random) if group == "tokens" else _password(random) for _ in range(2))
                said = (value, other) if "{other}" in form else (value,)
                yield Planted(group, place, form.format(word=word, value=value, other=other), said)


def _password(random: Random) -> str:
    word = "".join(random.choices(ascii_lowercase, k=random.randint(5, 8)))
    return random.choice(
        [
            word + str(random.randint(10, 9999)),
            word.title() + random.choice("!?$#%") + str(random.randint(1, 99)),
            word + "-" + "".join(random.choices(ascii_lowercase, k=6)),
            word,
        ]
    )


def _token(random: Random) -> str:
    return _of(random, random.choice([ALNUM, HEX, ALNUM + "+/"]), random.choice([20, 32, 40])) + "7a"


def _of(random: Random, letters: str, count: int) -> str:
    return "".join(random.choices(letters, k=count))


# ---------------------------------------------------------------------------------------------- known by their shape


def shapes(random: Random) -> dict[str, str]:
    """A secret of each service, as its documentation shows them."""

    def of(letters: str, count: int) -> str:
        return _of(random, letters, count)

    word = ALNUM + "_-"
    uuid = "-".join(of(HEX, n) for n in (8, 4, 4, 4, 12))
    return {
        "aws": "AK" + "IA" + of(BASE32, 16),
        "github": "gh" + "p_" + of(ALNUM, 36),
        "github, fine": "github" + "_pat_" + of(ALNUM, 22) + "_" + of(ALNUM, 59),
        "gitlab": "gl" + "pat-" + of(word, 20),
        "gitlab, runner": "gl" + "rt-" + of(word, 20),
        "slack": "xox" + "b-" + of(digits, 12) + "-" + of(digits, 12) + "-" + of(ALNUM, 24),
        "slack, app": "xapp" + "-1-" + of(ALNUM, 11) + "-" + of(digits, 13) + "-" + of(HEX, 64),
        "stripe": "sk" + "_live_" + of(ALNUM, 24),
        "stripe, webhook": "wh" + "sec_" + of(ALNUM, 32),
        "google": "AI" + "za" + of(word, 35),
        "google, oauth": "GOC" + "SPX-" + of(word, 28),
        "openai": "sk-" + "proj-" + of(word, 48),
        "anthropic": "sk-" + "ant-api03-" + of(word, 93) + "AA",
        "azure": "AccountName=rosa;Account" + "Key=" + of(ALNUM + "+/", 86) + "==",
        "azure, client": of(ALNUM, 3) + "8Q~" + of(word, 34),
        "twilio": "S" + "K" + of(HEX, 32),
        "sendgrid": "S" + "G." + of(word, 22) + "." + of(word, 43),
        "mailgun": "key" + "-" + of(HEX, 32),
        "mailchimp": of(HEX, 32) + "-us" + "12",
        "npm": "npm" + "_" + of(ALNUM, 36),
        "pypi": "pypi" + "-AgEIcHlwaS5vcmc" + of(word, 60),
        "huggingface": "hf" + "_" + of(ALNUM, 34),
        "digitalocean": "do" + "p_v1_" + of(HEX, 64),
        "databricks": "dap" + "i" + of(HEX, 32),
        "shopify": "sh" + "pat_" + of(HEX, 32),
        "square": "sq0" + "csp-" + of(word, 43),
        "telegram": of(digits, 10) + ":AA" + of(word, 33),
        "discord": "M" + of(ALNUM, 23) + "." + of(ALNUM, 6) + "." + of(word, 27),
        "linear": "lin" + "_api_" + of(ALNUM, 40),
        "notion": "ntn" + "_" + of(ALNUM, 46),
        "airtable": "pat" + of(ALNUM, 14) + "." + of(HEX, 64),
        "postman": "PM" + "AK-" + of(HEX, 24) + "-" + of(HEX, 34),
        "grafana": "gl" + "sa_" + of(ALNUM, 32) + "_" + of(HEX, 8),
        "vault": "hv" + "s." + of(word, 90),
        "terraform": of(ALNUM, 14) + ".atlas" + "v1." + of(word, 64),
        "doppler": "dp" + ".pt." + of(ALNUM, 43),
        "sentry": "sntr" + "ys_" + "eyJ" + of(ALNUM, 60) + "_" + of(ALNUM, 43),
        "groq": "gs" + "k_" + of(ALNUM, 52),
        "age": "AGE-SECRET-" + "KEY-1" + of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
        "facebook": "EA" + "A" + of(ALNUM, 120),
        "jwt": "ey" + "J" + of(word, 30) + ".ey" + "J" + of(word, 60) + "." + of(word, 43),
        "slack, webhook": "https://hooks.slack.com/services/T"
        + of(BASE32, 8)
        + "/B"
        + of(BASE32, 10)
        + "/"
        + of(ALNUM, 24),
        "discord, webhook": "https://discord.com/api/webhooks/" + of(digits, 18) + "/" + of(word, 68),
        "teams, webhook": f"https://rosa.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/" + of(HEX, 32),
        "zapier, webhook": "https://hooks.zapier.com/hooks/catch/" + of(digits, 7) + "/" + of(ALNUM, 7) + "/",
        "calendar": "https://calendar.google.com/calendar/ical/rosa/private-" + of(HEX, 32) + "/basic.ics",
        "postgres": "postgres://rosa:" + of(ALNUM, 12) + "@db.example.org/garden",
        "basic auth": "https://rosa:" + of(ALNUM, 12) + "@example.org/",
        "otpauth": "otpauth://totp/rosa?secret=" + of(BASE32, 16) + "&issuer=Garden",
        "signed": "https://s3.example.org/a.pdf?X-Amz-Signature=" + of(HEX, 64),
        **keys(random),
    }


IN_TEXT = {
    "prose": "Use {} until May, says Theo.",
    "list": "- {}\n- and water",
    "table": "| key | {} |",
    "code block": "```\n{}\n```",
    "code": "It is `{}`.",
    "json": '{{"a": "{}"}}',
    "chat": "theo: {}",
    "link": "[here]({})",
    "front matter": "---\nx: {}\n---\n",
    "angle": "<{}>",
}


def _known(random: Random) -> Iterator[Planted]:
    for place, form in IN_TEXT.items():
        for name, secret in shapes(random).items():
            yield Planted("shapes", f"{name}, {place}", form.format(secret), (_core(name, secret),))


def _core(name: str, secret: str) -> str:
    """The part that nobody may see."""
    if name in ("postgres", "basic auth"):
        return secret.rsplit(":", 1)[1].partition("@")[0]
    if name == "azure":
        return secret.split("Key=")[1]
    if name in ("otpauth", "signed"):
        return secret.rsplit("?", 1)[1].split("=", 1)[1].split("&")[0]
    if name in ("asana", "linkedin") or name.startswith("fac"):
        return secret[-20:]
    if name == "sentry, address":
        return secret.partition("//")[2].partition("@")[0]
    return secret.rstrip("/").rsplit("/", 2)[-2] if name == "calendar" else secret.rstrip("/").rsplit("/", 1)[-1]


# ---------------------------------------------------------------------------------------------- elsewhere

CARDS = ("4111111111111111", "5500000000000004", "378282246310005", "6011000990139424")
IBANS = ("DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606")
SEED = "legal winner thank year wave sausage worth useful legal winner thank yellow"
GAPS = (" ", "-", ".", "\n", "\u00a0", " - ", "\u2009")


def _elsewhere(random: Random) -> Iterator[Planted]:
    for gap in GAPS:
        for number in CARDS:
            parts = [number[:4], number[4:10], number[10:]] if len(number) == 15 else _fours(number)
            said = gap.join(parts)
            yield Planted("cards", repr(gap), f"The card is {said}, until 2030.", (said,))
        if gap not in (".", " - "):
            for number in IBANS:
                said = gap.join(_fours(number))
                yield Planted("ibans", repr(gap), f"Send it to {said}, please.", (said,))
    for n in range(10):
        password = _of(random, ALNUM, 8) + str(n)
        netrc = f"machine example.org\nlogin rosa\npassword {password}\n"
        for place, text in {
            "netrc": netrc,
            "netrc, one line": netrc.replace("\n", " "),
            "curl -u": f"curl -u rosa:{password} https://example.org",
            "curl --user": f"curl --user 'rosa:{password}' https://example.org",
            "mysql -p": f"mysql -u rosa -p{password} garden",
            "sshpass": f"sshpass -p '{password}' ssh rosa@example.org",
            "docker": f"docker login -u rosa -p {password} example.org",
            "pgpass": f"db.example.org:5432:garden:rosa:{password}",
            "header": f"Send it with Bearer {password}a8Zq71Kd, please.",
            "dsn": f"Server=db;Database=garden;User Id=rosa;Pwd={password};",
            "login and password": f"login/password: rosa / {password}",
            "htpasswd": "rosa:$2y$" + "10$" + _of(random, ALNUM, 53),
        }.items():
            secret = text.split("rosa:")[1] if place == "htpasswd" else password
            yield Planted("commands", place, text, (secret,))
        block = _of(random, ALNUM + "+/", 64)
        for kind in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "):
            pem = f"-----BEGIN {kind}PRIVATE" + f" KEY-----\n{block}\n-----END {kind}PRIVATE" + " KEY-----"
            yield Planted("blocks", kind or "plain", f"Keep:\n{pem}\nwell", (block,))
        putty = "PuTTY-User-Key" + "-File-3: ssh-rsa\nComment: rosa\nPrivate-" + f"Lines: 2\n{block}\n{block}\nwell"
        yield Planted("blocks", "PuTTY", putty, (block,))
        static = "\n".join(_of(random, HEX, 32) for _ in range(16))
        openvpn = "-----BEGIN OpenVPN Static" + f" key V1-----\n{static}\n-----END OpenVPN Static" + " key V1-----"
        yield Planted("blocks", "OpenVPN", openvpn, (static,))
    for word in ("seed phrase", "recovery phrase", "mnemonic", "Seed", "passphrase", "Wiederherstellungsphrase"):
        for form in ("{}: {}", "**{}**: {}", "{}:\n{}", "| {} | {} |"):
            yield Planted("phrases", form, form.format(word, SEED), (SEED[:30],))


def _fours(number: str) -> list[str]:
    return [number[at : at + 4] for at in range(0, len(number), 4)]
