"""Which words of a question the KG knows: as a vertex, a class, a predicate or a literal value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from chattyshared.kg import Hit, KnowledgeGraph, LiteralHit
from chattyshared.kg.label_ranking import singular_key, singularize
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import FUNCTION_WORDS, lemma_of
from chattyshared.language.tokenizer import Token

from chattykg.linking.label_lexicon import COMMENT_SCORE, LabelLexicon
from chattykg.linking.spelling_correction import correct_spelling, is_unknown_word

MentionKind = Literal["vertex", "class", "predicate", "value"]


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of the question that the KG knows: ``question[start:end]``, as a vertex, class, predicate or value.

    One span may have several mentions of different kinds. Candidates are best first: ``hits`` for a vertex,
    ``values`` for a literal value, ``iris`` (with ``scores`` beside) for classes and predicates.
    """

    text: str
    start: int
    end: int
    kind: MentionKind
    score: float
    hits: tuple[Hit, ...] = ()
    values: tuple[LiteralHit, ...] = ()
    iris: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()


LONGEST_MENTION = 8
"""Tokens of the longest n-gram of plain words that is looked up."""
LONGEST_NAME = 12
"""Tokens of the longest capitalised one."""
MOST_TEXTS = 120
"""n-grams of one question that are looked up at most; longer questions lose their plain ones first."""
FUZZY = 0.62
"""How well a label must fit capitalised or quoted words; plain words must fit it wholly."""
MISSPELT = 0.8
"""How well a label must fit several plain words of which one is misspelt."""
PLURAL_VALUE_SCORE = 0.95
"""What a value is worth that the question says in the plural ("herbs" where the graph states the kind "herb")."""
_EXACT = 0.985
_SHARED = 0.5
"""How well a label must fit at least to be any mention at all: it shares nearly all of the words."""
_DATED = 0.9
_JOINTS = word_set("function_words", "label_breakers")
"""Behind its first word no label has one of these: "films did direct" is two things."""
_ARTICLES = frozenset(("a", "an"))
_STATES = frozenset("in on under out at off".split())
_YEAR = re.compile(r"[12]\d{3}")
_PART = re.compile(r"\w+")
_STOP = FUNCTION_WORDS | word_set("function_words", "mention_stop_words")


@dataclass(frozen=True, slots=True)
class Span:
    """An n-gram of a question."""

    text: str
    start: int
    end: int
    words: tuple[str, ...]
    is_proper_name: bool


def extract_spans(question: str, tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return the n-grams that may be a mention: none begins or ends with a small word, unless it is capitalised."""
    found = [
        Span(question[run[0].start : run[-1].end], run[0].start, run[-1].end, tuple(t.lower for t in run), _proper(run))
        for run in _runs(tokens)
    ]
    found.sort(key=lambda span: (not span.is_proper_name, len(span.words), span.start))
    return tuple(found[:MOST_TEXTS])


def _runs(tokens: Sequence[Token]) -> Iterator[tuple[Token, ...]]:
    for start in range(len(tokens)):
        for end in range(start + 1, min(len(tokens), start + LONGEST_NAME) + 1):
            run = tuple(tokens[start:end])
            if run[-1].kind in ("mark", "possessive") and not (end - start > 1 and run[-1].lower in "!?.)"):
                continue
            if _open_brackets(run):
                continue
            if any(t.kind == "quoted" for t in run) and end - start > 1:
                break
            if run[0].kind in ("mark", "possessive") and run[0].lower != "(":
                break
            if end - start > LONGEST_MENTION and not _proper(run):
                continue
            if all(t.lower in _STOP or t.kind == "mark" for t in run) and not _titled(run, start):
                continue
            if run[-1].lower in _STOP and not run[-1].is_capitalized:
                continue
            if run[0].lower in _STOP and not run[0].is_capitalized and not _is_state(run):
                continue
            yield run


def _is_state(run: tuple[Token, ...]) -> bool:
    """Tell whether a preposition and its plain noun may be a value: "in service", "under construction"."""
    plain = all(t.kind == "word" and not t.is_capitalized and t.lower not in _STOP for t in run[1:])
    return run[0].lower in _STATES and len(run) == 2 and plain


def _open_brackets(run: tuple[Token, ...]) -> bool:
    """Tell whether a bracket is opened or closed only within the run."""
    return sum(t.lower == "(" for t in run) != sum(t.lower == ")" for t in run)


def _titled(run: tuple[Token, ...], start: int) -> bool:
    """Tell whether small words alone may be a name ("The Who"): several, capitalised, not at the beginning."""
    return start > 0 and len(run) > 1 and all(t.is_capitalized for t in run)


def _proper(run: tuple[Token, ...]) -> bool:
    if run[0].kind == "quoted":
        return True
    first, last = run[1 if run[0].lower == "(" and len(run) > 1 else 0], run[-1]
    inner, depth = True, 0
    for token in run:
        depth += (token.lower == "(") - (token.lower == ")")
        small = token.lower in FUNCTION_WORDS or token.kind in ("possessive", "number", "mark")
        inner = inner and (token.is_capitalized or small or depth > 0) and token.lower != "or"
    ends = last.is_capitalized or last.kind == "number" or last.lower == ")"
    article = first.lower in _STOP and not (first.lower in ("the", "a", "an") and len(run) > 2 and first.start > 0)
    return inner and first.is_capitalized and ends and not article


def vertex_mentions(kg: KnowledgeGraph, question_spans: Sequence[Span], *, limit: int) -> Iterator[Mention]:
    """Yield the vertex mentions: whole labels for plain words, near ones for capitalised or quoted words."""
    texts = tuple(dict.fromkeys(span.text for span in question_spans))
    nearly = {span.text for span in question_spans if span.is_proper_name or _is_misspelt(span) or _is_dated(span)}
    hits = kg.search(texts, limit=limit, whole_only=frozenset(texts) - nearly, min_score=_SHARED)
    exact_at: set[int] = set()
    near: list[tuple[Span, tuple[Hit, ...]]] = []
    for span in question_spans:
        whole = tuple(hit for hit in hits.get(span.text, ()) if hit.score >= _EXACT or _same_lemma(hit, span))
        if whole:
            exact_at.update(range(span.start, span.end))
            score = max(0.95, *(hit.score for hit in whole))
            yield Mention(span.text, span.start, span.end, "vertex", score, hits=whole)
        elif span.is_proper_name or _is_misspelt(span):
            least = FUZZY if span.is_proper_name else MISSPELT
            near.append((span, tuple(hit for hit in hits.get(span.text, ()) if hit.score >= least)))
    for span in question_spans:
        dated = _dated(span, hits.get(span.text, ()))
        if dated:
            yield Mention(span.text, span.start, span.end, "vertex", _DATED, hits=dated)
    for span, found in near:
        apart = exact_at.isdisjoint(range(span.start, span.end))
        if found and (apart or span.is_proper_name and found[0].score >= 0.9):
            score = found[0].score * 0.95
            yield Mention(span.text, span.start, span.end, "vertex", score, hits=found)


def _dated(span: Span, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the only vertex whose label holds a year and all other words of a span: "the 2010 congress"."""
    said = {lemma_of(word) for word in span.words if word not in FUNCTION_WORDS}
    if span.is_proper_name or len(said) < 2 or not _is_dated(span):
        return ()
    found = [hit for hit in hits if said <= {lemma_of(part) for part in _PART.findall(hit.matched_label.lower())}]
    return tuple(found) if len({hit.iri for hit in found}) == 1 else ()


def _is_dated(span: Span) -> bool:
    return any(_YEAR.fullmatch(word) for word in span.words)


def _is_misspelt(span: Span) -> bool:
    """Tell whether several plain words may be a name with a slip of the pen: one of them is no word."""
    plain = len(span.words) > 1 and not any(word in _STOP for word in span.words)
    return plain and any(is_unknown_word(word) for word in span.words)


def _same_lemma(hit: Hit, span: Span) -> bool:
    said = hit.matched_label.lower().split()
    if hit.score < 0.6 or len(said) != len(span.words) or tuple(said[:-1]) != span.words[:-1]:
        return False
    return lemma_of(said[-1]) == lemma_of(span.words[-1])


def value_mentions(kg: KnowledgeGraph, question_spans: Sequence[Span], *, limit: int) -> Iterator[Mention]:
    """Yield the literal values that stand in the question as they stand in the KG."""
    texts = tuple(dict.fromkeys(span.text for span in question_spans if len(span.words) <= 5 or span.is_proper_name))
    found: Mapping[str, tuple[LiteralHit, ...]] = (
        kg.search_literals(texts, limit=limit, whole_only=True) if texts else {}
    )
    for span in question_spans:
        whole = tuple(hit for hit in found.get(span.text, ()) if hit.score >= _EXACT)
        if whole:
            yield Mention(span.text, span.start, span.end, "value", whole[0].score, values=whole)
        elif not span.is_proper_name and singularize(span.words[-1]) != span.words[-1]:
            meant = tuple(
                hit for hit in found.get(span.text, ()) if singular_key(str(hit.value)) == singular_key(span.text)
            )
            if meant:
                yield Mention(span.text, span.start, span.end, "value", PLURAL_VALUE_SCORE, values=meant)


def alias_mentions(
    kg: KnowledgeGraph, question: str, aliases: Sequence[tuple[str, str]], mentions: Sequence[Mention], *, limit: int
) -> Iterator[Mention]:
    """Yield the vertices that bear what names in the question are called otherwise, as far as they are not found yet.

    Raises:
        EndpointError: the KG could not be asked.
    """
    hits = kg.search(tuple(dict.fromkeys(asked for _, asked in aliases)), limit=limit)
    known = {(m.start, m.end, hit.iri) for m in mentions if m.kind == "vertex" for hit in m.hits}
    for name, asked in aliases:
        start = question.find(name)
        end = start + len(name)
        whole = [hit for hit in hits.get(asked, ()) if hit.score >= _EXACT and (start, end, hit.iri) not in known]
        if start >= 0 and whole:
            yield Mention(name, start, end, "vertex", whole[0].score, hits=tuple(whole))


def vocabulary_mentions(lexicon: LabelLexicon, question_spans: Sequence[Span]) -> Iterator[Mention]:
    """Yield the class and predicate mentions."""
    for span in question_spans:
        said = (part for word in span.words for part in (word.split("-") if word.count("-") == 1 else (word,)))
        words = tuple(correct_spelling(word, lexicon) for word in said if word not in FUNCTION_WORDS and word != "'s")
        if _JOINTS.intersection(span.words[1:]):
            continue
        if span.start and span.text[0].isupper() and _ARTICLES.intersection(span.words[1:]):
            continue  # "is Vik Hospital a teaching hospital": the name ends before the article
        if (
            len(words) > 4
            or not words
            or span.words[0] in FUNCTION_WORDS
            or span.words[-1] in FUNCTION_WORDS
            or "'s" in span.words
        ):
            continue
        for kind in ("class", "predicate"):
            named = lexicon.match_labels(kind, words)
            if named and not (kind == "class" and named[0].score <= COMMENT_SCORE and "of" in span.words):
                yield Mention(
                    span.text, span.start, span.end, "class" if kind == "class" else "predicate", named[0].score,
                    iris=tuple(n.iri for n in named), scores=tuple(n.score for n in named),
                )  # fmt: skip
