"""What a text for people may hold, and what is taken out of one that may hold anything."""

import re
import unicodedata

MAX_TEXT = 10_000
# Of the direction of writing: what stands after one reads as something else.
OVERRIDES = "\u202d\u202e"
ZERO_WIDTH_SPACE = "\u200b"
# What steers a terminal, whole (ECMA-48, 5.4 and 5.6): a control sequence, a string, a short escape.
_ESCAPES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-~]"
)
_CALLS_ALL = re.compile(r"(@|<!)(?=(?:everyone|here|channel|room|all)\b)", re.IGNORECASE)
# Up to the last @ before the path: a password may hold one itself.
_LOGIN = re.compile(r"(?<=://)[^\s/?#]*@")
# Letters and signs by their category, and nothing is seen of them: Hangul fillers, Braille without dots.
_UNSEEN = "\u115f\u1160\u3164\uffa0\u2800"


def fit_for_people(text: str) -> str:
    """Without what is no character or only steers a terminal, without a login in a link, calling nobody who
    did not ask, and no longer than a message may be. Empty where nothing is to be seen of it.
    """
    kept = "".join(
        character
        for character in _ESCAPES.sub("", text[: 2 * MAX_TEXT])
        if character in "\n\t"
        or (unicodedata.category(character) not in ("Cc", "Cs", "Co", "Cn") and character not in OVERRIDES)
    )
    calm = _CALLS_ALL.sub(r"\1" + ZERO_WIDTH_SPACE, _LOGIN.sub("", kept)).strip()
    if not any(map(_is_seen, calm)):
        return ""
    return calm if len(calm) <= MAX_TEXT else calm[: MAX_TEXT - 1] + "…"


def is_blank(text: str) -> bool:
    """Whether nothing is to be seen of it once it is made fit for people."""
    return not fit_for_people(text)


def _is_seen(character: str) -> bool:
    """A letter, number, sign or mark of punctuation; a mark that needs another character is none alone."""
    return unicodedata.category(character)[0] in "LNPS" and character not in _UNSEEN
