"""Flag detection: phrases that say the same as a predicate of truth values, with a word of their own."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from chattyshared.language.languages import ENGLISH
from chattyshared.language.morphology import FUNCTION_WORDS, STOP_WORDS, lemma_of, related_stems
from chattyshared.language.wordnet import is_verb

from chattykg.linking.label_lexicon import LabelLexicon
from chattykg.linking.mention_detection import Mention
from chattykg.linking.question_spans import Span
from chattykg.linking.spelling_correction import correct_spelling

# Origin of the numbers below: set by hand on the development sets.
LOOSE_FLAG_SCORE = 0.76
"""Score (0..1) of a flag of which a phrase has half the words or more, and one word besides."""
_MIN_SHARE = 0.5
"""Share (0..1) of the words of a flag that a phrase has at least."""
_MAX_WORDS, _MAX_FLAGS = 4, 200
"""Content words of the longest phrase, and flags of the largest vocabulary that is searched."""
_EMPTY = FUNCTION_WORDS | STOP_WORDS
_SEPARATE = frozenset("with without and or but in on at".split())
"""Words behind which another property begins."""


def loose_flag_mentions(
    question: str, lexicon: LabelLexicon, spans: Sequence[Span], known: Container[str]
) -> Iterator[Mention]:
    """Yield the flags that a question words loosely: "free of charge", "in public hands", "bring my bicycle".

    The word that the flag does not have is kept, for an answer rests on it too. ``known`` are words that name things.
    """
    flags = lexicon.flags
    if not flags or len(flags) > _MAX_FLAGS or lexicon.language is not ENGLISH:
        return
    labels = {iri: _stems(lexicon.labels[iri][0].split()) for iri in flags}
    for span in spans:
        parts = [part for word in span.words for part in word.split("-")]
        words = [correct_spelling(part, lexicon) for part in parts if part not in _EMPTY]
        is_plain = span.text[1:].islower() and span.text[-1].isalpha() and span.words[-1] not in _EMPTY
        if not is_plain or not 1 < len(words) <= _MAX_WORDS or not _SEPARATE.isdisjoint(span.words):
            continue
        found = {iri: _compare(words, label) for iri, label in labels.items()}
        best = max(share for share, _ in found.values())
        iris = [iri for iri, (share, loose) in found.items() if share == best >= _MIN_SHARE and len(loose) == 1]
        is_joined = len(parts) > len(words) or "-" in span.text or len(words) > 2 or _is_stated(question, span)
        if len(iris) != 1 or found[iris[0]][1][0] in known:
            continue
        if is_joined and _may_stand_beside(found[iris[0]][1][0], words, lexicon):
            yield Mention(
                span.text, span.start, span.end, "predicate", LOOSE_FLAG_SCORE,
                iris=(iris[0],), scores=(LOOSE_FLAG_SCORE,), loose_words=tuple(found[iris[0]][1]),
            )  # fmt: skip


def _stems(words: Sequence[str]) -> Mapping[str, frozenset[str]]:
    plain = (word.removesuffix("ly") for word in words if word not in _EMPTY)
    return {word: frozenset(related_stems(word)) for word in plain}


def _compare(words: Sequence[str], label: Mapping[str, frozenset[str]]) -> tuple[float, list[str]]:
    """Return the share of the words of a label that a phrase has, and the words that the label does not have."""
    stems = {word: related_stems(word) for word in words}
    named = {each for each, own in label.items() if any(own & said for said in stems.values())}
    loose = [word for word, said in stems.items() if not any(own & said for own in label.values())]
    return len(named) / max(1, len(label)), loose


def _may_stand_beside(word: str, words: Sequence[str], lexicon: LabelLexicon) -> bool:
    """Tell whether a word that nothing is called by adds little to a flag: a verb before it, or what follows it.

    A modifier before the noun ("heated shelter") and a noun right behind it ("shelter keeper") say something else.
    """
    if any(lexicon.by_stem[kind].get(lexicon.stem_of(word)) for kind in ("class", "predicate")):
        return False
    return words[0] != word or is_verb(lemma_of(word))


def _is_stated(question: str, span: Span) -> bool:
    """Tell whether a phrase stands behind a preposition of states: "in public hands"."""
    return question[: span.start].lower().endswith((" in ", " on "))
