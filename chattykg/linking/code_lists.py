"""Code lists: the words for coded values that comments of predicates list ("A = active, I = inactive")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from chattyshared.kg import KnowledgeGraph, LiteralHit
from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.language.morphology import FUNCTION_WORDS, lemma_stem_of, split_label

from chattykg.linking.mention_detection import Mention, Span

# Origin of the numbers below: set by hand on the development sets.
CODE_SCORE = 0.92
"""Score (0..1) of a value whose code a comment explains by the words of the question."""
_MAX_COMMENT_CHARACTERS = 1_000
"""Characters of a comment that are read."""
_MARK = re.compile(r"(?:^|(?<=[\s,;/|(:]))(?:(\w{1,8})\s*(=|->|→|:(?=\s))\s*|([A-Z]{1,5}|\d{1,3})\s+(?=[a-z]))")
_AROUND = " ,;/|.()"


def parse_code_list(comment: str) -> Mapping[str, str]:
    """Return the description of each code that a comment lists, empty unless it lists codes.

    A single code needs a sign ("0 = ground floor"); without signs the list must begin the comment.
    """
    comment = comment[:_MAX_COMMENT_CHARACTERS]
    marks = list(_MARK.finditer(comment))
    if not marks or not marks[0][2] and (len(marks) < 2 or marks[0].start()):
        return {}
    ends = [*(mark.start() for mark in marks[1:]), len(comment)]
    described = ((mark[1] or mark[3], comment[mark.end() : end]) for mark, end in zip(marks, ends, strict=True))
    return {code: text.strip(_AROUND) for code, text in described if text.strip(_AROUND)}


def index_codes(vocabulary: Vocabulary) -> Mapping[frozenset[str], tuple[tuple[str, str], ...]]:
    """Return the predicate and code of each description, by the stems of its words."""
    index: dict[frozenset[str], tuple[tuple[str, str], ...]] = {}
    for entry in vocabulary.predicates.values():
        codes = parse_code_list(entry.comment) if entry.comment and entry.object_kind == "literal" else {}
        for code, text in codes.items():
            key = _key(split_label(text))
            index[key] = (*index.get(key, ()), (entry.iri, code))
    return index


def _key(words: Sequence[str]) -> frozenset[str]:
    """Return the stems of some words, without function words if others are left."""
    return frozenset(map(lemma_stem_of, [word for word in words if word not in FUNCTION_WORDS] or words))


def code_mentions(kg: KnowledgeGraph, question_spans: Sequence[Span]) -> Iterator[Mention]:
    """Yield the coded values that the question names by their descriptions; at most one request.

    Raises:
        EndpointError: the KG could not be asked.
    """
    index = index_codes(kg.vocabulary)
    meanings = {span: index.get(_key(split_label(span.text)), ()) for span in (question_spans if index else ())}
    codes = tuple(dict.fromkeys(code for each in meanings.values() for _, code in each))
    hits = kg.search_literals(codes, limit=len(index) + 1, whole_only=True) if codes else {}
    for span, coded in meanings.items():
        values = tuple(
            LiteralHit(hit.value, (iri,), CODE_SCORE)
            for iri, code in coded
            for hit in hits.get(code, ())
            if str(hit.value) == code and iri in hit.predicates
        )
        if values:
            yield Mention(span.text, span.start, span.end, "value", CODE_SCORE, values=values)
