"""Rules for English: how a question is written, its grammar, and stiff rewrites."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from chattyshared.check import Finding
from chattyshared.language.inflection import denote_persons, denote_places, head_noun, is_plural
from chattyshared.language.lexicon import alternation, word_list, word_lists, word_map, word_set
from chattyshared.language.scripts import known_languages
from chattyshared.language.wordnet import noun_kinds
from rdflib import Literal

from chattygen.checks import check_answers_hidden, check_well_formed
from chattygen.dialogue_language import DialogueLanguage, primary_subtag
from chattygen.lint.dialogue_view import NAME_MASK, DialogueView, TurnView, mask_names
from chattygen.lint.kg_facts import KGFacts
from chattygen.lint.query_parts import relations

_AUXILIARIES = word_set("function_words", "auxiliaries")
_QUESTION_WORDS = rf"(?:{alternation(_AUXILIARIES | word_set('function_words', 'question_words'))}|can|could|and)"
_PRONOUN = r"(?:it|him|her|them)"
_DETERMINER = r"(?:the|a|an|its|his|their)"
_SELECTION_WORDS = (
    rf"(?:{alternation(word_list('function_words', 'ordinals'))}|last|latter|former|rest|one|ones|two|three"
    r"|four|five|most|least|majority|half|number|members?|only|[a-z]+est|(?:most|least) [a-z]+"
    r"|(?:first|second|third|last|[a-z]+est|most [a-z]+|least [a-z]+) [a-z]+)"
)
_NAMING_WORDS = r"(?:titled|entitled|named|called|labell?ed|known as)"
_STATING_WORDS = f"(?:{alternation(word_list('verbs', 'stating_participles'))})"
_PAST_ONLY = frozenset(past for past, participle in word_lists("verbs", "irregular").values() if past != participle)
"""Forms of the past tense that are no participles: *took*."""
_COPULA = r"(?:is|are|was|were|'s|’s)"
_THE_NOUN = r"(?:the|this|that) [\w-]+(?: [\w-]+)?"
_STIFF_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bthe (?!{_SELECTION_WORDS} of {_PRONOUN}\b)(?:[\w'’-]+ ){{1,6}}?of (?:it|him|them)\b(?! \w+(?:ing)\b)",
        rf"\bthe (?!{_SELECTION_WORDS} of her\b)(?:[\w'’-]+ ){{1,6}}?of her"
        rf"(?=\W*$|,| {_STATING_WORDS}| (?:is|was|in|on|at|and|or|to)\b)",
        r"\b(?:what|which) (?!parts?\b|half\b|sections?\b|sides?\b|one\b|ones\b)\w+ of (?:it|him|them)\b",
        rf"\b\w+ of (?!the |a )\w+ of {_PRONOUN}(?=\W*$)",
        rf"\b{_STATING_WORDS} for {_PRONOUN}\b(?! \w)",
        rf"^(?:and )?(?:what|who|which|when|where|how many)\W*{_COPULA} the [\w'’ -]+ for {_PRONOUN}\W*$",
        rf"\b{_COPULA} there (?:a|an|any|some) [\w'’ -]+ (?:for|of) {_PRONOUN}\b",
        rf"^(?:is|are|was|were) (?:a|an|any|some) [\w'’ -]+ of {_PRONOUN}\b",
        rf"\bthe [\w'’-]+ {_NAMING_WORDS} (?:it|him|her|them|she|he|they)\b",
        r"\b(?:of|for|with|about|titled) (?:she|he|they)\b",
        r"\b(?:to|by|from|named|called) (?:she|he|they)\b(?=\W*$)",
        r"\b(?:of|for) (?:its|theirs)(?=\W*$)",
        rf"\bthe (?:former|latter)(?=\W*$|['’,]| (?:{alternation(_AUXILIARIES)}|and|or)\b)",
        rf"\b(?:does|do|did|{_COPULA}(?= the \w+ \w+ed\b)) the (?:former|latter)\b",
        r"\b(\w{3,}?)(?:e?d) by (?:the|that|this|its|his|her|their) (?:\w+ )?\1(?:e?r|or|ist)s?\b",
        r"\bhow many .+ (?:has|have) .+ got\W*$",
    )
)
_DOUBLED_WORD = re.compile(rf"\b({alternation(word_list('function_words', 'never_doubled'))})\s+\1\b", re.IGNORECASE)
_UNGRAMMATICAL_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_DETERMINER} (?:{_DETERMINER}|this|these|those)\b",
        r"\b(?:the|a|an) (?:it|he|she|they|him|them)\b",
        rf"\b(?:{alternation(word_map('function_words', 'pronoun_groups').keys() - {'their'})})(?:'s|’s) (?:'s|’s)"
        r"|(?:'s|’s)(?:'s|’s)",
        r"\b(?:him|them|his|hers|its|theirs|her)(?:'s|’s)",
        r"\b(?:is|was|are|were|of|by|in|for) it(?:'s|’s)(?! (?:\w+ed|\w+ing|in|from|at|on|the|a|an|not)\b)",
        rf"\bdid (?:it|he|she|they|{NAME_MASK}) "
        rf"(?:{alternation(_AUXILIARIES - {'do', 'have'})}|directed|wrote|won|made|founded|born)\b",
        rf"\bdoes (?:it|he|she|they|{NAME_MASK}) (?:is|was|has|does|had)\b",
        r"\bdoes they\b|\b(?:do|are|were) (?:it|he|she)\b(?! and\b)(?!,)|\bhave (?:he|she)\b|^(?:and )?have it\b",
        r"\b(?:is|was|has) they\b",
        r"^(?:and )?which [a-z]+ that have [^?]* (?:has|is|was)\b",
        rf"\b(?:is|was|are|were) (?:not )?(?:{alternation(_PAST_ONLY)})\b",
        r"\b(?:is|was|are|were) (?:is|was|are|were)\b|\b(?:does|did|do) (?:is|was|are|were|does|did|do)\b",
        r"\b(?<!of )(?<!among )(?<!between )(?:him|them) (?:was|is|were|are|has|does|did)\b",
        r"\b(?:does|did|was|is) (?:him|them)\b",
        r"\bhow many (?:a|an|is|are|was)\b(?! there\b)|\bhow much (?:people|films|books|children|members)\b",
        r"\b(?:who|what|which|where|when) (?:the|its|his|her|their) [a-z]+\W*$",
        r"\b(?:of|by|with|from|for|to) (?:of|by|with|from|for|to)\b(?<!from of)",
        r"\ba [aeiou]\w{3,}\b(?<!a one)(?<!a uni\w)|\ban [bcdfgjklmnpqrstvwxz][a-z]{2,}\b",
        rf"^(?!.*\b(?:{alternation(word_list('function_words', 'modals'))}|should|may|might|must|to|let|do|does|did)\b)"
        r".*\bbe\b",
        rf"\bdid (?:it|he|she|they|(?:{NAME_MASK}|{_THE_NOUN})(?= \w+\W*$)) \w+(?<![eb])ed\b",
        rf"^(?:and )?who did {NAME_MASK}\W*$",
        rf"\b{_COPULA} \w{{3,}}(?:[tsgn]or|[tsgn]er|ment|tion|ship|ness) by\b",
        rf"\b{_COPULA} (?:it|he|she|{NAME_MASK}|{_THE_NOUN}) (?:worked|belonged|died|existed|resided|arrived) "
        r"(?:for|to|at|in)\b",
    )
)
_FORMULAS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bhave (?:[\w'’-]+ ){1,8}?as (?:its|their|his|her)\b",
        r"\bha(?:s|d) (?:it|him|her|them|(?:the|this|that) [\w-]+) as (?:its|their|his|her)\b",
        rf"^(?:and )?(?:of|for) (?:which|what) [\w'’ -]+? {_COPULA} (?:it|he|she|they|{NAME_MASK}|(?:the|this|that)"
        rf" [\w-]+) the \w",
        rf"^(?:and )?(?:what|who) {_COPULA} an? [\w'’ -]+ of (?:it|{NAME_MASK}|(?:the|this|that) [\w'’ -]+)\?$",
        rf"^(?:and )?(?:does|do|did) .+ have (?:the|an?) [\w'’ -]+ {NAME_MASK}\?$",
    )
)
"""Formulas for a predicate that is read backwards, or for its value."""
_INVERTED = re.compile(
    rf"^(?:and )?(?:is|are|was|were) (?!(?:{alternation(word_set('function_words', 'subjects'))})\b)"
    r"(?:(?!of |in |on |at |by |to |from |than |with |among )\S+ )+"
    r"(?:its|his|her|their|(?:the|this|that) [\w -]+(?:'s|’s)) [\w -]+\?$",
    re.IGNORECASE,
)
"""A yes-no question that begins with a value: ``Is red its color?``."""
_SUBJECT_KINDS = frozenset(("person", "group", "location", "animal"))
_HAVE = re.compile(r"^(?:and )?(?:what|which) ((?:[a-z-]+ ){1,3})(?:does|did) .+ have\W*$", re.IGNORECASE)
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
_MARKUP = re.compile(r"https?://|[<>{}\n\t]|\^\^|&(?:amp|lt|gt|quot|nbsp|#\d+);|\*\*|`|\?[a-z]\w*\b(?=.)|_{2,}")


def wording_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge how each question is written, follow-up and standalone; each kind is reported once a turn."""
    names = dialogue.all_names()
    for turn in dialogue.turns:
        formula = next(formulas(turn.question, (*names, *map(str, turn.query.literals))), "") or _inversion(
            turn, kg_facts
        )
        if formula:
            yield Finding("formula", formula, turn=turn.number)
        texts = [text for text in dict.fromkeys((turn.question, turn.standalone)) if text.strip()]
        for kind, judge in (("wording", surface_defects), ("ungrammatical", grammar_defects), ("stiff", stiff_phrases)):
            message = next((defect for text in texts for defect in judge(text, names)), "")
            if message:
                yield Finding(kind, message, turn=turn.number)


def _inversion(turn: TurnView, kg_facts: KGFacts) -> str:
    """Return a yes-no question that begins with the value of an attribute: ``Is red its color?``. Persons, groups and
    places may stand there: ``Is Paris its capital?``."""
    ends = [end for _, _, end in relations(turn.query)]
    if turn.query.form != "ASK" or len(ends) != 1 or not _INVERTED.search(turn.question):
        return ""
    labels = kg_facts.class_labels.get(str(ends[0]), ())
    kinds = set(noun_kinds(head_noun(labels[0]))) if labels else set()
    is_attribute = isinstance(ends[0], Literal) or (kinds and kinds.isdisjoint(_SUBJECT_KINDS))
    is_attribute = is_attribute and not denote_persons(labels) and not denote_places(labels)
    return f'the value comes first: "{turn.question}"' if is_attribute else ""


def surface_defects(text: str, names: tuple[str, ...]) -> Iterator[str]:
    """Yield what is wrong with a question's surface: length, end, markup, first letter."""
    stripped, masked = text.strip(), mask_names(text.strip(), names)
    if len(stripped.split()) < 2:
        yield f'one word: "{text}"'
    if not stripped.endswith("?"):
        yield f'no question mark at the end: "{text}"'
    elif _ends_twice(masked):
        yield f'no single question mark at the end: "{text}"'
    elif re.search(r"\?\s", masked[:-1]):
        yield f'several question marks: "{text}"'
    if _MARKUP.search(masked):
        yield f'IRI or markup: "{text}"'
    if re.match(rf"{_QUESTION_WORDS}\b", stripped):
        yield f'begins with a small letter: "{text}"'


_SECOND_MARK = re.compile(r"(?<!\S)(\S*?)([!,;:?]|\s)\?$")


def _ends_twice(text: str) -> bool:
    """Tell whether the question mark follows another mark; a dot may belong to a name, which other rules judge."""
    match = _SECOND_MARK.search(text)
    if match is None:
        return False
    return not (match[2] == "!" and match[1][:1].isupper())  # a name may end with an exclamation mark


def grammar_defects(text: str, names: tuple[str, ...]) -> Iterator[str]:
    """Yield what is ungrammatical in a question, with names masked."""
    masked = mask_names(text, names)
    match = _DOUBLED_WORD.search(masked) or next(
        (hit for pattern in _UNGRAMMATICAL_PATTERNS if (hit := pattern.search(masked))), None
    )
    if match:
        yield f'"{match[0].replace(NAME_MASK, "...")}" in: "{text}"'
    if masked.count('"') % 2 or any(masked.count(left) != masked.count(right) for left, right in _PAIRS):
        yield f'unbalanced quotes or brackets: "{text}"'


def stiff_phrases(text: str, names: tuple[str, ...]) -> Iterator[str]:
    """Yield what is stiff in a question, with names masked."""
    masked = mask_names(text, names)
    match = next((hit for pattern in _STIFF_PATTERNS if (hit := pattern.search(masked))), None)
    if match:
        yield f'"{match[0].strip()}" in: "{text}"'


def formulas(text: str, names: tuple[str, ...]) -> Iterator[str]:
    """Yield the formula that a question is made by, with names and values masked."""
    masked = mask_names(text, names)
    match = next((hit for pattern in _FORMULAS if (hit := pattern.search(masked))), None)
    if match:
        yield f'"{match[0].replace(NAME_MASK, "...")}" in: "{text}"'
    elif (have := _HAVE.search(masked)) and not is_plural(have[1].split()[-1]):
        yield f'"{have[1]}... have" in: "{text}"'


def language_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge the words of each turn by what its language prescribes; an unknown language prescribes nothing."""
    tag = primary_subtag(dialogue.lang)
    if tag not in {language.tag for language in known_languages()}:
        return
    language = DialogueLanguage(tag)
    for turn in dialogue.turns:
        for text in dict.fromkeys(text for text in (turn.question, turn.standalone) if text.strip()):
            for problem in check_well_formed(text, language):
                yield Finding("wording", problem.sentence, turn=turn.number)
        yield from _unnamed_seed(dialogue, turn, language)
        if not (turn.is_polar or turn.query.counted_variables or turn.form == "comparison"):
            for problem in check_answers_hidden(turn.standalone, turn.answer_texts):
                yield Finding("answer-in-question", problem.sentence, turn=turn.number)
    for text, times in Counter(turn.question.casefold() for turn in dialogue.turns).items():
        if times > 1:
            yield Finding("wording", f'{times} turns read the same: "{text}"')


def _unnamed_seed(dialogue: DialogueView, turn: TurnView, language: DialogueLanguage) -> Iterator[Finding]:
    """A standalone question names the dialogue's entity if its query does."""
    label = dialogue.seed.label
    if (
        label
        and dialogue.seed.iri in dialogue.iris_to_name(turn)
        and not language.contains_name(turn.standalone, label)
    ):
        yield Finding("not-standalone", f'does not name "{label}": "{turn.standalone}"', turn=turn.number)
