"""Secrets are masked in one place, before anything is written down or shown.

    HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz   ->   HF_TOKEN=[masked]

What is masked is the value, so that a line keeps its shape for the parsers. Known by the name beside it, by
its own shape, or by its place in a URL. A number is no secret: `token: 128` is a count.
"""

from __future__ import annotations

import re

MASK = "[masked]"
_NAME = (
    r"token|secret|passw(?:or)?d|passphrase|api[-_]?key|access[-_]?key(?:[-_]?id)?|account[-_]?key|private[-_]?key"
    r"|secret[-_]?key|credentials?|authorization|cookie|signature|dockerconfigjson|client-key-data|tls\.key"
    r"|(?-i:[A-Z0-9]_(?:KEY|PAT))"  # ENCRYPTION_KEY=     GITHUB_PAT=
)
# "TOKEN": "     \"TOKEN\": \"     environ['TOKEN'] = '     TOKEN => "     TOKEN:        (as kubectl describes it)
_IS = r"(?:\\{0,7}[\"'])?\]?[ \t]{0,3}(?:=>|:=|[=:])[ \t]{0,60}(?:b?\\{0,7}[\"'])?"
_SIGN = r"(?:[^\s\"'\0,;&\\]|\\(?![\"'\\]))"

# "HF_TOKEN": "hf_abc"     password = hunter22     secret: s3cr3t
NAMED = re.compile(rf"(?i)((?:{_NAME}|_pass|_pwd|[;,]pwd|,pass){_IS})({_SIGN}{{4,}})")
# - name: HF_TOKEN\n  value: hf_abc     {"name": "HF_TOKEN", "value": "hf_abc"}     "auth": "dXNlcjpwYXNz" (docker)
LISTED = re.compile(
    rf"(?i)(\bname[\"']?[ \t]{{0,3}}:[ \t]{{0,3}}[\"']?[\w.-]{{0,60}}?(?:{_NAME}|_pass|_pwd)\w{{0,20}}"
    rf"[\"']?,?\s{{0,60}}[\"']?value[\"']?[ \t]{{0,3}}:[ \t]{{0,3}}[\"']?"
    rf"|\"auth\"[ \t]{{0,3}}:[ \t]{{0,3}}\")([^\s\"'\0,]{{4,}})"
)
# Authorization: token abc
SCHEMED = re.compile(
    r"(?i)(\bauthorization[\"']?[ \t]{0,3}[=:][ \t]{0,3}[\"']?(?:token|digest|negotiate|apikey|key|ntlm)[ \t]{1,3})"
    r"([^\s\"'\0]{4,})"
)
# password=a,b&c: what has no quotes ends at a space, since a password may hold any other sign
WHOLE = re.compile(r"(?i)((?:passw(?:or)?d|passphrase|_pass|secret)[ \t]{0,3}[=:][ \t]{0,3})(?![\"'])([^\s\"'\0]{4,})")
# --hf-token hf_abc     --password=hunter22
OPTION = re.compile(rf"(?i)(-(?:{_NAME})[ =\0]{{1,3}}[\"']?)([^\s\"'\0]{{4,}})")
# Authorization: Bearer abc.def     Basic dXNlcjpwYXNz
SCHEME = re.compile(r"(?i)\b((?:bearer|basic)[ \t]{1,3})([\w.+/=~-]{8,})")
# password="two words"     "passphrase": "a, b"
QUOTED = re.compile(rf"(?i)((?:{_NAME}|_pass)[\"']?[ \t]{{0,3}}[=:][ \t]{{0,3}}([\"']))([^\"'\n\0]{{1,400}})(?=\2)")
# Cookie: a=b; c=d     the whole header
HEADER = re.compile(r"(?i)(\b(?:set-)?cookie[\"']?[ \t]{0,3}:[ \t]{0,3}[\"']?)([^\"'\n\0]{4,})")
# The place of a secret on the command line of a known tool; (.netrc) login bob password hunter22
COMMAND = re.compile(
    r"((?:\bcurl\b[^\n\0]{0,200}?[ \0](?:-u|--user)[ =\0]?[^\s:\0]{1,80}:)|(?:\bsshpass[ \0]+-p[ \0]?[\"']?)"
    r"|(?:\b(?:mysql(?:dump|admin)?|mariadb(?:-dump)?)\b[^\n\0|;]{0,200}?[ \0]-p[\"']?)"
    r"|(?:\bredis-cli\b[^\n\0]{0,200}?[ \0]-a[ \0])"
    r"|(?:\b(?:docker|podman)[ \0]login\b[^\n\0]{0,200}?[ \0]-p[ \0][\"']?)"
    r"|(?:\bwandb[ \0]login[ \0](?:--relogin[ \0])?)"
    r"|(?:\baws[ \0]configure[ \0]set[ \0]\S{0,60}(?:secret|token)\S{0,20}[ \0])|(?:\blogin +\S{1,80} +password +))"
    r"([^\s\"'\0-][^\s\"'\0]*)"
)
# https://user:password@host/     https://bucket/key?X-Amz-Signature=abc&sig=def
USER = re.compile(r"(://[^\s/:@\"']{0,80}:)([^\s/\"']{1,200})(?=@)")
# https://token@host/ without a user     HTTPS_PROXY=user:password@host
ALONE = re.compile(r"(?i)(\bhttps?://(?=[^\s/:@\"']{16})|_proxy[=:][ \t]?[^\s:/@]{1,80}:)([^\s/:@\"']{4,200})(?=@)")
QUERY = re.compile(
    r"(?i)([?&](?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|key|token|code)=)([^&\s\"']{4,})"
)
# https://hooks.slack.com/services/T0/B0/abc
HOOK = re.compile(r"(\bhooks\.slack\.com/services/|\bdiscord(?:app)?\.com/api/webhooks/\d{1,30}/)([\w/-]{8,})")
# hf_..., ghp_..., sk-..., AKIA..., JSON web tokens
SHAPES = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{16,}"
    r"|xox[abprs]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}"
    r"|nvapi-[\w-]{20,}|dckr_pat_[\w-]{20,}|ya29\.[\w-]{20,}|gsk_[A-Za-z0-9]{20,}|[rs]k_(?:live|test)_\w{16,}"
    r"|SG\.[\w-]{16,}\.[\w-]{16,}|pypi-[\w-]{20,}|wandb_v1_\w{20,}|hvs\.[\w-]{20,}|AGE-SECRET-KEY-1[0-9A-Z]{20,}"
    r"|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,})"
)
KEY_BEGIN, KEY_END = "PRIVATE KEY-----", "-----END"
NEVER_A_COUNT = re.compile(r"(?i)passw|passphrase|secret|://")
NUMBER = re.compile(r"[-+]?[\d.,]+(?:e[-+]?\d+)?[%sMGkK]?")


def mask(text: str) -> str:
    """The text with every secret that is recognised replaced by `[masked]`; takes linear time."""
    text = _mask_keys(text)
    text = QUOTED.sub(lambda found: found[0] if _counts(found[1], found[3]) else found[1] + MASK, text)
    for pattern in (HEADER, COMMAND, SCHEME, SCHEMED, USER, ALONE, QUERY, HOOK, OPTION, LISTED, WHOLE, NAMED):
        text = pattern.sub(_mask_value, text)
    return SHAPES.sub(MASK, text)


def mask_bytes(data: bytes) -> bytes:
    """As `mask`, for bytes of any encoding that agrees with ASCII."""
    return mask(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _mask_value(found: re.Match[str]) -> str:
    return found[0] if _counts(found[1], found[2]) else found[1] + MASK


def _counts(name: str, value: str) -> bool:
    """A number is a count, unless what it belongs to is never one."""
    return bool(NUMBER.fullmatch(value)) and not NEVER_A_COUNT.search(name)


def _mask_keys(text: str) -> str:
    """Private keys in PEM form span lines, and each line of one is masked."""
    parts, at = [], 0
    while (begin := text.find(KEY_BEGIN, at)) >= 0:
        begin += len(KEY_BEGIN)
        end = text.find(KEY_END, begin)
        end = len(text) if end < 0 else end
        parts += [text[at:begin], *("\n" + MASK if line else "\n" for line in text[begin:end].split("\n")[1:])]
        at = end
    return "".join([*parts, text[at:]])
