"""Follow-ups in a language with word lists and templates only: references become names, ellipses become questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chattyshared.language.languages import QuestionLanguage
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.text import join_texts, quote_text

from chattykg.conversation.referents import Referent
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.rulebook.followups.resolution import is_place, last_answers, last_list, resolve_pronoun

MAX_SET = 12
"""Things of a set that are named one by one."""
_GENDERS = {"masculine": "male", "feminine": "female"}
_MAX_PHRASE = 3
"""Words of the longest phrase for a set."""


@dataclass(frozen=True, slots=True)
class EarlierTurns:
    """What a follow-up refers to: the questions so far (as asked, and standing alone), and what they named.

    ``previous_card`` holds the mentions in the latest standalone question.
    """

    asked: Sequence[str]
    standalone: Sequence[str]
    referents: Sequence[Referent]
    previous_card: VocabularyCard | None = None


class WordLists:
    """The lists and templates of ``followups.toml`` of a language."""

    def __init__(self, language: QuestionLanguage) -> None:
        """Take the lists of a language."""
        self.language = language
        self.templates = language.templates

    def words(self, key: str) -> frozenset[str]:
        """Return one list."""
        return self.language.words("followups", key)

    def kind_of(self, tokens: Sequence[Token], index: int) -> str:
        """Return what kind of reference stands at a token, "" for none: a list's name, or ``possessive``."""
        word = tokens[index].lower
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        is_before_noun = following is not None and following.kind != "mark" and not self._is_closed(following)
        if self.set_length(tokens, index):
            return "sets"
        if word in self.words("possessives") and is_before_noun:
            return "possessive"
        if word in self.words("neuter") and self._is_impersonal(tokens, index):
            return ""
        for kind in ("masculine", "feminine", "neuter", "places"):
            if word in self.words(kind):
                return kind
        is_alone = index > 0 and not is_before_noun and (following is None or not following.text[0].isupper())
        is_relative = index > 0 and tokens[index - 1].kind == "mark"
        return "demonstratives" if word in self.words("demonstratives") and is_alone and not is_relative else ""

    def set_length(self, tokens: Sequence[Token], index: int) -> int:
        """Return the number of tokens of the phrase for a set that begins at a token, 0 without one."""
        sets = self.words("sets")
        lengths = range(_MAX_PHRASE, 0, -1)
        return next((n for n in lengths if " ".join(t.lower for t in tokens[index : index + n]) in sets), 0)

    def is_asking_alone(self, tokens: Sequence[Token], index: int) -> bool:
        """Tell whether a question word for a choice has neither noun nor set behind it ("which is older?")."""
        is_asking = tokens[index].lower in self.language.asking_words
        return is_asking and index + 1 < len(tokens) and tokens[index + 1].lower in self._auxiliaries()

    def opener_length(self, tokens: Sequence[Token]) -> int:
        """Return the number of tokens with which a follow-up opens."""
        return int(bool(tokens) and tokens[0].lower in self.words("openers"))

    def is_verbless(self, tokens: Sequence[Token]) -> bool:
        """Tell whether some tokens hold no verb."""
        morphology = self.language.morphology
        plain = (t.lower for t in tokens if t.kind == "word" and not t.text[0].isupper())
        return not any(word in self._auxiliaries() or "Vfin" in morphology.verb_categories(word) for word in plain)

    def _is_closed(self, token: Token) -> bool:
        return token.lower in self.language.function_words or bool(self.language.morphology.verb_categories(token.text))

    def _is_impersonal(self, tokens: Sequence[Token], index: int) -> bool:
        around = {token.lower for token in (*tokens[max(0, index - 1) : index], *tokens[index + 1 : index + 2])}
        return bool(around & self.words("impersonal_verbs"))

    def _auxiliaries(self) -> frozenset[str]:
        return self.language.words("closed_classes", "be", "have")


def refers_back(question: str, language: QuestionLanguage) -> bool:
    """Tell whether a question refers to what was said before."""
    lists, tokens = WordLists(language), [t for t in tokenize(question) if t.lower not in "?!."]
    if lists.opener_length(tokens) or not tokens:
        return True
    return any(lists.kind_of(tokens, at) or lists.is_asking_alone(tokens, at) for at in range(len(tokens)))


def rewrite_by_word_lists(question: str, language: QuestionLanguage, turns: EarlierTurns) -> str:
    """Return the question with names instead of references; an ellipsis is completed by the question before it."""
    lists = WordLists(language)
    tokens = [token for token in tokenize(question) if token.lower not in "?!."]
    tokens = tokens[lists.opener_length(tokens) :]
    text = _replace_references(question, tokens, lists, turns)
    if tokens and lists.is_verbless(tokens):
        return _complete(text, tokens, lists, turns)
    return f"{text}?"


def _replace_references(question: str, tokens: Sequence[Token], lists: WordLists, turns: EarlierTurns) -> str:
    parts: list[str] = []
    at = 0
    while at < len(tokens):
        text, length = _replacement(tokens, at, lists, turns)
        parts.append(text or question[tokens[at].start : tokens[at].end])
        if tokens[at].kind == "quoted" and not text:
            parts[-1] = f'"{parts[-1]}"'
        at += max(1, length)
    return " ".join(parts)


def _replacement(tokens: Sequence[Token], at: int, lists: WordLists, turns: EarlierTurns) -> tuple[str, int]:
    """Return what stands for the reference at a token, and the number of its tokens; ("", 0) if there is none."""
    kind = "" if tokens[at].kind == "quoted" else lists.kind_of(tokens, at)
    answers = (last_list(turns.referents) or last_answers(turns.referents))[:MAX_SET]
    names = join_texts([quote_text(one.label) for one in answers], lists.templates["conjunction"])
    answer_set = lists.templates["set"].format(name=names)
    if lists.is_asking_alone(tokens, at) and len(answers) > 1:
        return f"{tokens[at].text} {answer_set}", 1
    if not kind:
        return "", 0
    if kind == "sets":
        return (answer_set, lists.set_length(tokens, at)) if answers else ("", 0)
    referent = _resolve(kind, tokens[at].lower, turns)
    if referent is None:
        return "", 0
    name = quote_text(referent.label)
    if kind == "possessive":
        is_asked = at > 0 and tokens[at - 1].lower in lists.language.asking_words
        template = lists.templates["asked_possessed" if is_asked else "possessed"]
        return template.format(noun=tokens[at + 1].text, name=name), 2
    return (lists.templates["place"].format(name=name) if kind == "places" else name), 1


def _resolve(kind: str, word: str, turns: EarlierTurns) -> Referent | None:
    """Return what a reference stands for: the same as the same pronoun of the question before, or the latest thing."""
    referents = [r for r in turns.referents if r.iri and (r.role == "topic" or r.answer_count == 1)]
    gender = _GENDERS.get(kind, "")
    referents = [r for r in referents if not gender or r.gender in ("", gender)]
    if kind == "places":
        return resolve_pronoun("there", [r for r in referents if is_place(r)] or referents)
    latest = max((r.turn for r in turns.referents), default=0)
    topics = [r for r in referents if r.turn == latest and r.role == "topic"]
    if topics and word in (token.lower for token in tokenize(turns.asked[-1])):
        return topics[0]
    return resolve_pronoun("they", referents)


def _complete(text: str, tokens: Sequence[Token], lists: WordLists, turns: EarlierTurns) -> str:
    """Return the question before with the words of an ellipsis in the place of its question words, or of its name."""
    previous = turns.standalone[-1].rstrip("?!. ")
    before = [token for token in tokenize(previous) if token.kind != "mark"]
    question_words = lists.language.words("closed_classes", "question_words")
    if any(token.lower in question_words for token in tokens[:2]):
        end = _question_phrase_end(before, lists, question_words)
        return f"{text} {previous[end:].strip()}?" if end else f"{text}?"
    names = [m for m in turns.previous_card.mentions if m.kind == "vertex"] if turns.previous_card else []
    name = max(names, key=lambda m: (m.end - m.start, m.score), default=None)
    if name is None:
        return f"{text}?"
    start = name.start
    prepositions = lists.language.words("closed_classes", "prepositions")
    preceding = next((token for token in reversed(before) if token.end < start), None)
    if tokens[0].lower in prepositions and preceding is not None and preceding.lower in prepositions:
        start = preceding.start
    quotes = previous[start - 1 : start] == '"'
    return f"{previous[: start - quotes]}{text}{previous[name.end + quotes :]}?"


def _question_phrase_end(tokens: Sequence[Token], lists: WordLists, question_words: frozenset[str]) -> int:
    """Return where the question words of a question end, with the noun or adjective that they ask for."""
    at = next((i for i, token in enumerate(tokens[:2]) if token.lower in question_words), None)
    if at is None:
        return 0
    while at + 1 < len(tokens) and lists.is_verbless(tokens[at + 1 : at + 2]) and at < _MAX_PHRASE:
        at += 1
    return tokens[at].end
