"""Rules for English: how a question is written, its grammar, and stiff rewrites."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattygen.lint.defect import LintFinding
from chattygen.lint.dialogue_view import DialogueView
from chattygen.lint.entity_names import NAME_MASK, mask_names
from chattygen.lint.kg_facts import KGFacts

_ASKING = r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|and)"
_PRONOUN = r"(?:it|him|her|them)"
_PICKED = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|latter|former|rest|one|ones|two|three"
    r"|four|five|most|least|majority|half|number|members?|only|[a-z]+est|(?:most|least) [a-z]+"
    r"|(?:first|second|third|last|[a-z]+est|most [a-z]+|least [a-z]+) [a-z]+)"
)
_NAMED = r"(?:titled|entitled|named|called|labell?ed|known as)"
_STATED = r"(?:recorded|given|stated|listed|known|available|specified|mentioned|provided|documented|noted|indicated)"
_ACT = r"(?:is|are|was|were|'s|’s)"
_STIFF = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bthe (?!{_PICKED} of {_PRONOUN}\b)(?:[\w'’-]+ ){{1,6}}?of (?:it|him|them)\b(?! \w+(?:ing)\b)",
        rf"\bthe (?!{_PICKED} of her\b)(?:[\w'’-]+ ){{1,6}}?of her"
        rf"(?=\W*$|,| {_STATED}| (?:is|was|in|on|at|and|or|to)\b)",
        r"\b(?:what|which) (?!parts?\b|half\b|sections?\b|sides?\b|one\b|ones\b)\w+ of (?:it|him|them)\b",
        rf"\b\w+ of (?!the |a )\w+ of {_PRONOUN}(?=\W*$)",
        rf"\b{_STATED} for {_PRONOUN}\b(?! \w)",
        rf"^(?:and )?(?:what|who|which|when|where|how many)\W*{_ACT} the [\w'’ -]+ for {_PRONOUN}\W*$",
        rf"\b{_ACT} there (?:a|an|any|some) [\w'’ -]+ (?:for|of) {_PRONOUN}\b",
        rf"^(?:is|are|was|were) (?:a|an|any|some) [\w'’ -]+ of {_PRONOUN}\b",
        rf"\bthe [\w'’-]+ {_NAMED} (?:it|him|her|them|she|he|they)\b",
        r"\b(?:of|for|with|about|titled) (?:she|he|they)\b",
        r"\b(?:to|by|from|named|called) (?:she|he|they)\b(?=\W*$)",
        r"\b(?:of|for) (?:its|theirs)(?=\W*$)",
    )
)
_TWICE = re.compile(
    r"\b(the|a|an|of|is|was|are|were|in|to|for|by|does|did|has|have|its|his|her|their|which|what|who|whom|when|where"
    r"|and|from|with|on|at|it|he|she|they|how|many|or)\s+\1\b",
    re.IGNORECASE,
)
_WRONG = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:the|a|an|its|his|their) (?:the|a|an|its|his|their|this|these|those)\b",
        r"\b(?:the|a|an) (?:it|he|she|they|him|them)\b",
        r"\b(?:it|he|she|they|him|her|them|his|its|hers|theirs)(?:'s|’s) (?:'s|’s)|(?:'s|’s)(?:'s|’s)",
        r"\b(?:him|them|his|hers|its|theirs|her)(?:'s|’s)",
        r"\b(?:is|was|are|were|of|by|in|for) it(?:'s|’s)(?! (?:\w+ed|\w+ing|in|from|at|on|the|a|an|not)\b)",
        rf"\bdid (?:it|he|she|they|{NAME_MASK}) "
        r"(?:was|were|is|are|has|had|does|did|directed|wrote|won|made|founded|born)\b",
        rf"\bdoes (?:it|he|she|they|{NAME_MASK}) (?:is|was|has|does|had)\b",
        r"\bdoes they\b|\b(?:do|are|were) (?:it|he|she)\b(?! and\b)(?!,)|\bhave (?:he|she)\b|^(?:and )?have it\b",
        r"\b(?:is|was|has) they\b",
        r"^(?:and )?which [a-z]+ that have [^?]* (?:has|is|was)\b",
        r"\b(?:is|was|are|were) (?:is|was|are|were)\b|\b(?:does|did|do) (?:is|was|are|were|does|did|do)\b",
        r"\b(?<!of )(?<!among )(?<!between )(?:him|them) (?:was|is|were|are|has|does|did)\b",
        r"\b(?:does|did|was|is) (?:him|them)\b",
        r"\bhow many (?:a|an|is|are|was)\b(?! there\b)|\bhow much (?:people|films|books|children|members)\b",
        r"\b(?:who|what|which|where|when) (?:the|its|his|her|their) [a-z]+\W*$",
        r"\b(?:of|by|with|from|for|to) (?:of|by|with|from|for|to)\b(?<!from of)",
        r"\ba [aeiou]\w{3,}\b(?<!a one)(?<!a uni\w)|\ban [bcdfgjklmnpqrstvwxz][a-z]{2,}\b",
    )
)
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
_MARKUP = re.compile(r"https?://|[<>{}\n\t]|\^\^|&(?:amp|lt|gt|quot|nbsp|#\d+);|\*\*|`|\?[a-z]\w*\b(?=.)|_{2,}")


def wording_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[LintFinding]:
    """Judge how each question is written, follow-up and standalone; each class is told once a turn."""
    names = dialogue.all_names()
    for line in dialogue.turns:
        texts = [text for text in dict.fromkeys((line.question, line.standalone)) if text.strip()]
        for kind, judge in (("wording", surface_defects), ("ungrammatical", grammar_defects), ("stiff", stiff_phrases)):
            found = next((said for text in texts for said in judge(text, names)), "")
            if found:
                yield LintFinding(kind, line.number, found)


def surface_defects(text: str, names: tuple[str, ...]) -> Iterator[str]:
    """Say what is wrong with how a question is written: length, end, markup, first letter."""
    said, bare = text.strip(), mask_names(text.strip(), names)
    if len(said.split()) < 2:
        yield f'one word: "{text}"'
    if not said.endswith("?"):
        yield f'no question mark at the end: "{text}"'
    elif _ends_twice(bare):
        yield f'no single question mark at the end: "{text}"'
    elif re.search(r"\?\s", bare[:-1]):
        yield f'several question marks: "{text}"'
    if _MARKUP.search(bare):
        yield f'IRI or markup: "{text}"'
    if re.match(rf"{_ASKING}\b", said):
        yield f'begins with a small letter: "{text}"'


def _ends_twice(text: str) -> bool:
    """Tell whether the question mark is not the only mark at the end; a dot may be a name's, other rules judge it."""
    found = re.search(r"(\S*?)([!,;:?]|\s)\?$", text)
    if found is None:
        return False
    return not (found[2] == "!" and found[1][:1].isupper())  # a name may end with an exclamation mark


def grammar_defects(text: str, names: tuple[str, ...]) -> Iterator[str]:
    """Say what is ungrammatical in a question, names left out."""
    bare = mask_names(text, names)
    found = _TWICE.search(bare) or next((hit for one in _WRONG if (hit := one.search(bare))), None)
    if found:
        yield f'"{found[0].replace(NAME_MASK, "...")}" in: "{text}"'
    if bare.count('"') % 2 or any(bare.count(left) != bare.count(right) for left, right in _PAIRS):
        yield f'unbalanced quotes or brackets: "{text}"'


def stiff_phrases(text: str, names: tuple[str, ...]) -> Iterator[str]:
    """Say what is stiff in a question, names left out."""
    bare = mask_names(text, names)
    found = next((hit for one in _STIFF if (hit := one.search(bare))), None)
    if found:
        yield f'"{found[0].strip()}" in: "{text}"'
