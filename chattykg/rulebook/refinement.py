"""Follow-ups that count, narrow, extend or sort the last list."""

from __future__ import annotations

import re

from chattykg.linking.tokens import tokenise
from chattykg.rulebook.legacy.closed_words import AUXILIARY, IRREGULAR, WH
from chattykg.rulebook.previous import description

_COUNT = re.compile(
    r"(?i)^\s*(and\s+)?how\s+many(\s+of\s+(them|(these|those)(?!\s+(are|is|were|was)\b)(\s+\w+)?|these|those))?"
    r"(\s+(are|is|were)\s+(there|those|they|these|that))?(\s+in total)?\s*\??\s*$"
)
_COUNT_THAT = re.compile(
    r"(?i)^\s*(and\s+)?how\s+many\s+(?P<of>of\s+(?:them|these|those)\s+)?"
    r"(?P<rest>(?:are|is|have|were|was|do|did|does|has|had|of(?!\s+(?:the|them|these|those|his|her|its|their|all)\b|.*'s)"
    r"|live|work)\b.*?)\s*\??\s*$"
)
_LIST_THEM = re.compile(
    r"(?i)^\s*(?:(?:please|now|and|ok|okay|can you|could you)[,\s]+)*(?:"
    r"(?:list|show|name|enumerate|give)(?:\s+me)?\s+(?:them|these|those)(?:\s+all)?"
    r"|(?:what|which|who)\s+are\s+(?:they|these|those)|which\s+(?:ones|are\s+they))\s*[?.!]*\s*$"
)
_ORDER = re.compile(
    r"(?i)^\s*((please|now|can you|could you)\s+)*(sort|order|arrange|rank|list)\s+"
    r"(them|it|these|those|the results?|the list|this list)?\s*(?P<how>(in\s+\w+\s+order\s+)?(of|by|in)\b.*)$"
)
_CONDITION = (
    r"(from|with|that|who|whose|which|in|born|made|of|above|below|over|under|without|after|before|where|having|by|"
    r"on|older|younger|released|published|founded|located|produced|built|written|directed|between|at|[a-z]+ed|[a-z]+ing)"
)
_ONLY = re.compile(
    r"(?i)^\s*((please|now|okay|ok|and|but)[,\s]+)*((only|just)\b|(show|list|give|keep|return|find|select)\b)"
    r"(?P<between>.*?)\b(the\s+ones|those|ones)\s+(?P<rest>" + _CONDITION + r"\b.*)$"
)
_ABOUT_THOSE = re.compile(
    r"(?i)^\s*(?:(?:and|or|but)\s+(?:(?:what|how)\s+about\s+)?|(?:what|how)\s+about\s+)(?:only\s+)?"
    r"(?:the\s+ones|those|ones)\s+(?P<rest>(?:for|" + _CONDITION[1:] + r"\b.*)$"
)
_THERE_IN = re.compile(r"(?i)^(are|is|were|was)\s+there\s+[a-z]+\s+\S")
_WHICH_ONES = re.compile(r"(?i)^\s*(and\s+)?(which|who|what)\s+(ones?|of\s+(them|these|those))\s+(?P<rest>.+)$")


def refine(question: str, previous: str, listed: str) -> str:
    """Return a question that counts, sorts or narrows the last list, in full ("" where it is none).

    ``listed`` says the last answer: its names, or the words that described it; "" where there is none.
    """
    described = description(previous)
    if not described:
        return ""
    if _LIST_THEM.match(question) and previous.lower().startswith("how many"):
        return f"List the {described}."
    if _COUNT.match(question):
        return f"How many {described} are there?"
    counted = _COUNT_THAT.match(question)
    if counted and not counted["of"] and previous.lower().startswith("how many"):
        if _THERE_IN.match(counted["rest"]):
            return ""
        if _has_subject(counted["rest"]):
            return f"How many {_head(described)} {counted['rest']}?"
    if counted:
        return f"How many of {listed if counted['of'] and listed else 'the ' + described} {counted['rest']}?"
    ordered = _ORDER.match(question)
    if ordered:
        return f"List the {described} ordered {ordered['how'].strip().rstrip('?!. ')}"
    shifted = _ABOUT_THOSE.match(question)
    narrowed = shifted or (None if _is_whole(question) else _ONLY.match(question))
    if narrowed:
        described = _without_parallel(described, narrowed["rest"]) if shifted else described
        described += _joint(described, narrowed["rest"])
        return f"List the {described} {narrowed['rest'].strip().rstrip('?!. ')}"
    chosen = _WHICH_ONES.match(question)
    if chosen and not listed:
        return f"Which of the {described} {chosen['rest']}"
    return ""


def _has_subject(rest: str) -> bool:
    """Tell whether another subject stands behind the auxiliary: "(how many) did Ann write"."""
    tokens = tokenise(rest)
    return len(tokens) > 2 and tokens[0].lower in AUXILIARY and (tokens[1].capital or tokens[1].kind == "quoted")


def _head(described: str) -> str:
    """Return the noun group before the clause: "old films" of "old films that Ann did write"."""
    return re.split(r"\s+(?:that|who|which)\s+", described, maxsplit=1)[0]


def _without_parallel(described: str, rest: str) -> str:
    """Cut off the condition that another one of the same kind takes the place of ("released before 2000")."""
    first = tokenise(rest)[0].lower
    place = next((token.start for token in tokenise(described)[1:] if token.lower == first), 0)
    kept = re.sub(r"(?i)\s+(that|who|which)(\s+(are|is|were|was|have|has|been))*\s*$", "", described[:place].rstrip())
    return kept or described


def _joint(described: str, rest: str) -> str:
    """Return " and" between two participles: "patients admitted in Ward A" and "born before 1960"."""
    words = [token.lower for token in tokenise(described)]
    first = tokenise(rest)[0].lower
    told = any(word.endswith("ed") or word in IRREGULAR for word in words[1:]) and not {"that", "who"} & set(words)
    return " and" if told and (first.endswith("ed") or first in IRREGULAR) else ""


def _is_whole(question: str) -> bool:
    tokens = tokenise(question)
    return bool(tokens) and tokens[0].lower in WH | AUXILIARY
