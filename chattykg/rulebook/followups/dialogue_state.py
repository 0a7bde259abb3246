"""The discourse context of a follow-up: referents, answer sets and descriptions of what earlier turns asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from chattyshared.language.lexicon import alternation, word_list, word_set
from chattyshared.language.morphology import (
    AUXILIARY,
    BE,
    COMMAND,
    DETERMINER,
    DO,
    FUNCTION,
    NAMING,
    POLITE,
    PREPOSITION,
    VERBS,
    WH,
    parse_degree,
)
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.literals import parse_number
from chattyshared.text import join_texts, quote_text

from chattykg.conversation.referents import Referent
from chattykg.rulebook.followups.resolution import (
    MIN_PROPERTY_FIT,
    asked_stems,
    fits_noun,
    last_answers,
    property_fit,
    select_holders,
)

MAX_NAMED_ANSWERS = 12
"""Answers that are listed by name; a longer list is replaced by its description."""
_MAX_UNQUOTED_WORDS = 7
_COMPARED_TURNS = 3
_AMBIGUOUS = re.compile(r"""[?!,;:"]|^\W|['’](?:s\b|(?!\w))""")
"""What makes a label ambiguous in a question: punctuation, a mark at its start, a possessive."""
_OF_A_LIST = frozenset(("of them", "of these", "of those"))
_POLITE_WORDS = word_set("followups", "openers", "polite_openers", "polite_phrases") - {"or", "but", "only"}
_POLITE_LEAD = re.compile(rf"(?i)^\s*((?:{alternation(_POLITE_WORDS)})\b[,\s]*)+")
_OPENERS = word_set("small_talk", "openers", "acknowledgments") | word_set("followups", "openers", "polite_openers")
_ORDERED = re.compile(r"(?i)(?<!\s)\s++(ordered|sorted|ranked|arranged)\s+(by|in|from)\b.*$")
_EMPTY_CLAUSE = re.compile(
    rf"(?i)^(we|you|i)\s+((do|can|could)\s+)?({alternation(word_list('followups', 'holding_verbs'))})\s*$"
)
"""What follows "which antibiotics" in "which antibiotics do we have" says nothing of them."""
_EXISTENTIAL_END = re.compile(r"(?i)(?<!\s)\s++(are|is|were) there( in total)?$")
_SHIFT = re.compile(
    r"(?i)^\s*(?:and\s+|so\s+)?(?:what|how)\s+about\s+(?P<name>[^?!.,]+?)\s*"
    rf"(?:[?!.]|,\s*(?=(?:and\s+)?(?:{alternation(word_list('function_words', 'question_beginnings'))}|can)\b))"
    r"\s*(?P<rest>\S.*\S)\s*$"
)
_NAMED_FIRST = re.compile(
    r"^\s*(?:(?:[Aa]nd|[Bb]ut|[Ss]o)\s+)?(?P<name>[A-Z][^\s,?!]*(?:\s+(?:[A-Z][^\s,?!]*|of|the|and))*)(?:,|\s[-\u2013])\s+"
    rf"(?P<rest>(?i:{alternation(word_list('function_words', 'question_beginnings'))})\b.*)$"
)
"""A name before the question about it: "And Ann, where was she born?"."""
_ASKED_AFTER = re.compile(r"(?i)^(?P<there>(is|are|was|were)\s+there)\s+(any\s+)?(?P<rest>[^?]+?)\s*\?\s*(and\s+)?"
                          r"(if so,?\s+)?(which|who|what)(\s+(one|ones))?\s*\?*\s*$")  # fmt: skip
_CORRECTION = re.compile(
    r"(?i)^\s*(?:(?:no|nope|sorry|oops|wait|actually|rather|my\s+mistake)\s*[,.:;!-]+\s*)*"
    r"(?:(?:(?:sorry|no|actually|but)\s+)*i\s+(?:really\s+|actually\s+)?(?:meant|mean|was\s+asking\s+about|was\s+thinking\s+of)\s+"
    r"(?:to\s+(?:say|ask)\s+)?)?(?P<meant>.+)$"
)
_NOT_THAT = re.compile(r"(?i)^not\s+[^,]+?(?:,|\s+but)\s+(?=\S)")
_NOT_BEHIND = re.compile(r"(?i)(?:,|(?<!\s))\s++(?:and\s+)?not\s+[^,?]+$")
_INSTEAD = re.compile(r"(?i)(?:,|(?<!\s))\s++(?:instead|please)\s*$")
_PERSONAL = frozenset("he she it they him them".split())
_POSSESSIVE = frozenset("his her its their".split())
_EXCLUSION_WORDS = re.compile(r"(?i)\b(others?|else|another)\b")
_OTHER_NOUN = re.compile(r"(?i)\b(?:others?|another)\s+(?P<noun>[a-z]+)\b")
_MAX_EXCLUDED = 12
_COMPARING = frozenset(("more", "fewer", "less"))
_SECOND = re.compile(r"(?i)\b(?:than|as)\b|\bor\b")
"""What says with what something is compared."""
_RECENT_TURNS = 3


@dataclass(frozen=True, slots=True)
class DiscourseContext:
    """The discourse context of a question: the last standalone question, and the referents of the conversation.

    ``standalone_questions`` are all earlier questions as
    they were understood, ``original_questions`` the same as the user wrote them.
    """

    previous_question: str
    referents: tuple[Referent, ...]
    question: str = ""
    standalone_questions: tuple[str, ...] = ()
    original_questions: tuple[str, ...] = ()

    @property
    def unnamed_referents(self) -> tuple[Referent, ...]:
        """The referents that the question itself does not name, which a pronoun in it may stand for."""
        said = self.question.casefold()
        return tuple(r for r in self.referents if r.label.casefold() not in said) or self.referents

    @property
    def asked_stems(self) -> Mapping[str, float]:
        """The stems of what the question asks for."""
        return asked_stems(self.question)

    def asked_stems_without(self, noun: str) -> Mapping[str, float]:
        """The same without an anaphoric noun: "the city" does not tell what is asked about it."""
        return asked_stems(self.question, noun)

    @property
    def answers(self) -> tuple[Referent, ...]:
        """The answers of the latest turn that had any."""
        return last_answers(self.referents)

    def latest_list(self, noun: str = "") -> tuple[Referent, ...]:
        """Return the antecedent set of "them" or "those films": the latest list, of the noun's kind if there is one.

        Empty if a set was counted ("How many films are there?") after the latest list.
        """
        lists: dict[int, list[Referent]] = {}
        for referent in self.referents:
            if referent.role == "answer" and referent.answer_count > 1:
                lists.setdefault(referent.turn, []).append(referent)
        fitting = [turn for turn, match in lists.items() if noun and fits_noun(match[0], noun)]
        latest = max(fitting or lists, default=0)
        if not latest or not fitting and self.latest_counting_turn() > latest:
            return () if noun else self.compared_topics(())
        match = tuple(sorted(lists[latest], key=lambda referent: referent.position))
        return match if noun else self.compared_topics(match) or match

    def compared_topics(self, answers: tuple[Referent, ...]) -> tuple[Referent, ...]:
        """Return the topics of several turns with the same question, if these and not its answers fit the question.

        "How high is Mont Aran? And Pic Dour? Which one was climbed first?"
        """
        since = last_turn(self) - _COMPARED_TURNS
        topics = tuple({r.iri: r for r in self.referents if r.role == "topic" and r.iri and r.turn > since}.values())
        anew = not answers or answers[0].turn < min((topic.turn for topic in topics), default=0)
        able_to = anew or all(property_fit(topic, self.asked_stems) >= MIN_PROPERTY_FIT for topic in topics)
        alike = len({topic.types[:1] for topic in topics}) == 1
        held = bool(answers) and (
            not answers[0].properties or property_fit(answers[0], self.asked_stems) >= MIN_PROPERTY_FIT
        )
        return topics if len(topics) > 1 and able_to and alike and not held else ()

    def latest_counting_turn(self) -> int:
        """Return the latest turn that counted a set of its own, not one that was listed before (0: none did)."""
        turns = zip(self.standalone_questions, self.original_questions, strict=True)
        return max(
            (turn for turn, (standalone, said) in enumerate(turns, 1) if _counts_anew(standalone, said)), default=0
        )

    @property
    def plural_referents(self) -> tuple[Referent, ...]:
        """The antecedents of "they" and "their" if there are several: a recent list."""
        things = [r for r in self.referents if r.role == "answer" and r.iri]
        latest = last_answers(things)
        talked = max((r.turn for r in self.referents if r.role == "topic"), default=0)
        topics = {r.iri: r for r in self.referents if r.role == "topic" and r.turn == talked}
        if not latest or len(latest) < 2:
            return ()
        said = {r.iri for r in latest}
        if latest[0] not in select_holders(
            (latest[0], *(r for r in self.referents if r.role == "topic")), self.asked_stems
        ):
            return ()
        return latest if latest[0].turn >= talked or len(topics.keys() & said) > 1 else ()


def render_referent(referent: Referent) -> str:
    """Return a referent's label, in quotes if it could be read as more than a name."""
    label = referent.label
    if len(label.split()) > _MAX_UNQUOTED_WORDS or _AMBIGUOUS.search(label):
        return quote_text(label)
    return label


def render_referents(answers: tuple[Referent, ...], conjunction: str = "and") -> str:
    """Return the labels of several referents: "A", "B" and "C"."""
    return join_texts([quote_text(answer.label) for answer in answers], conjunction)


def last_turn(discourse: DiscourseContext) -> int:
    """Return the latest turn that has a referent."""
    return max((r.turn for r in discourse.referents), default=0)


def is_plural_reference(discourse: DiscourseContext) -> bool:
    """Tell whether "they" stands for several things: a list of entities, else of values."""
    if discourse.plural_referents:
        return True
    answers = discourse.answers
    literal = len(answers) > 1 and not any(
        r.iri for r in discourse.referents if r.role == "answer" or r.role == "topic"
    )
    return literal and answers[0].turn == last_turn(discourse)


def render_answer_set(discourse: DiscourseContext, conjunction: str = "and", noun: str = "") -> str:
    """Return the last set in words: by names if they are few, else by its description ("" if unknown)."""
    answers = discourse.latest_list(noun)
    turn = answers[0].turn if answers else discourse.latest_counting_turn() or len(discourse.standalone_questions)
    described = (
        describe_target(discourse.standalone_questions[turn - 1])
        if discourse.standalone_questions
        else describe_target(discourse.previous_question)
    )
    few = answers and len(answers) <= MAX_NAMED_ANSWERS and all(answer.iri for answer in answers)
    if described and not few and (answers or discourse.latest_counting_turn()):
        return f"the {described}"
    if answers:
        return render_referents(answers[:100], conjunction)
    if discourse.answers and not _is_number(discourse.answers):
        return render_referents(discourse.answers[:100], conjunction)
    return f"the {described}" if described else ""


def strip_lead(question: str) -> str:
    """Return a question without its final mark, its politeness and its leading command."""
    text = _POLITE_LEAD.sub("", question.strip().rstrip("?!. ")).strip()
    words = text.split(" ")
    while words and words[0].lower().strip(",") in COMMAND | POLITE and len(words) > 1:
        words = words[1:]
        while words and words[0].lower() in ("me", "us", "just", "only", "also"):
            words = words[1:]
    return " ".join(words)


def describe_target(question: str) -> str:
    """Return what a question asks for as a noun group without article ("" if it is not of that kind)."""
    text = _ORDERED.sub("", strip_lead(question))
    tokens = tokenize(text)
    if not tokens:
        return ""
    text = _EXISTENTIAL_END.sub("", text) if tokens[0].lower in ("which", "what") else text
    word = tokens[0].lower
    if word in ("which", "what") and len(tokens) > 1:
        return _describe_wh_target(text, tokens)
    if word in ("who", "whom") and len(tokens) > 2:
        if tokens[1].lower in BE and tokens[2].lower in DETERMINER:
            return _strip_article(text[tokens[2].start :])
        return f"people who {text[tokens[1].start :]}"
    if word == "how" and len(tokens) > 3 and tokens[1].lower == "many":
        text = _EXISTENTIAL_END.sub("", text)
        return _relative_clause(text, tokenize(text), 3 if tokens[2].lower == "of" else 2)
    if word in AUXILIARY or word in ("when", "where", "how", "whose", "if", "whether"):
        return ""
    if word in PREPOSITION:
        return ""
    return _strip_article(text)


def resolve_correction(question: str) -> str:
    """Return what a correction asks for ("What about X?" for "No, I meant X"; any other question as it stands)."""
    match = _CORRECTION.match(question)
    if match is None or not match.start("meant") and not _NOT_THAT.match(question):
        return question
    said = _NOT_THAT.sub("", match["meant"].strip().rstrip("?!. "))
    said = _INSTEAD.sub("", _NOT_BEHIND.sub("", said)).strip()
    tokens = tokenize(said)
    if not tokens:
        return question
    whole = tokens[0].lower in WH | AUXILIARY | COMMAND
    return f"{said[0].upper()}{said[1:]}?" if whole else f"What about {said}?"


def merge_sentences(question: str) -> str:
    """Return "How many has X won?" for "What about X? How many has she won?", "Which ... are there?" for "Are there
    ...? Which?", "What about X?" for "No, I meant X"; any other question as it stands."""
    question = resolve_correction(question)
    asked = _ASKED_AFTER.match(question.strip())
    if asked:
        return f"Which {asked['rest']} {' '.join(asked['there'].lower().split())}?"
    shift = _SHIFT.match(question)
    named = _NAMED_FIRST.match(question)
    if named and named["name"].casefold() in _OPENERS:  # "OK, what is its height?" names nothing
        return merge_sentences(named["rest"][0].upper() + named["rest"][1:])
    if named and not shift:
        return _insert_name(named["name"], named["rest"]) or question
    if not shift:
        return question
    return _insert_name(shift["name"], shift["rest"]) or question


def expand_exclusion(question: str, discourse: DiscourseContext) -> str:
    """Name what "other" and "else" leave out: what was spoken of that is of the asked kind, or lately of any kind."""
    if not _EXCLUSION_WORDS.search(question) or re.search(
        r"(?i)\b(other than|except|besides|the other one)\b", question
    ):
        return question
    since = last_turn(discourse) - _RECENT_TURNS
    said = question.casefold()
    known = [r for r in discourse.referents if r.iri and r.label.casefold() not in said]
    noun = _OTHER_NOUN.search(question)
    alike = [r for r in known if noun and fits_noun(r, noun["noun"].lower())]
    recent = {r.iri: r for r in alike or known if alike or r.turn > since}
    if not recent or len(recent) > _MAX_EXCLUDED:
        return question
    return f"{question.rstrip('?!. ')} except {render_referents(tuple(recent.values()))}?"


def add_compared_thing(question: str, discourse: DiscourseContext) -> str:
    """Say with what a yes-or-no question compares ("Is Ann older?"): the latest other thing of that kind."""
    tokens = [token for token in tokenize(question) if token.kind != "mark"]
    words = [token.lower for token in tokens if not token.is_capitalized]
    is_degree = any(parse_degree(word)[1] == "er" or word in _COMPARING for word in words)
    if not is_degree or tokens[0].lower not in AUXILIARY or _SECOND.search(question):
        return question
    named = [r for r in discourse.referents if r.iri and r.label.casefold() in question.casefold()]
    others = [r for r in discourse.referents if r.iri and r not in named and (r.role == "topic" or r.answer_count == 1)]
    alike = [r for r in others if len({n.iri for n in named}) == 1 and r.types[:1] == named[0].types[:1]]
    latest = max(alike, key=lambda r: (r.turn, r.role == "topic"), default=None)
    return f"{question.rstrip('?!. ')} than {render_referent(latest)}?" if latest else question


def _is_number(answers: tuple[Referent, ...]) -> bool:
    return len(answers) == 1 and not answers[0].iri and parse_number(answers[0].label) is not None


def _counts_anew(standalone: str, original: str) -> bool:
    """Tell whether a question counts what it describes itself ("How many films ...?", not "How many of them ...?")."""
    words = original.lower().split()
    pairs = {" ".join(pair) for pair in zip(words, words[1:], strict=False)}
    noun = words[words.index("many") + 1 : words.index("many") + 2] if "many" in words else []
    bare = bool(noun) and noun[0].strip("?") in AUXILIARY
    return standalone.lower().startswith("how many") and not bare and not _OF_A_LIST & pairs


def _describe_wh_target(text: str, tokens: tuple[Token, ...]) -> str:
    if tokens[1].lower in BE and len(tokens) > 2:
        return _strip_article(text[tokens[2].start :])
    if tokens[1].lower == "of" or tokens[1].lower in AUXILIARY:
        return ""
    return _relative_clause(text, tokens, 1)


def _relative_clause(text: str, tokens: tuple[Token, ...], start: int) -> str:
    """Turn "films did Nolan direct" into "films that Nolan direct", "films star X" into "films that star X"."""
    verb = next((at for at in range(start + 1, len(tokens)) if tokens[at].lower in AUXILIARY), 0)
    clause_at = next(
        (at for at in range(start + 1, len(tokens)) if tokens[at].lower in ("that", "who", "whose", "which", "where")),
        0,
    )
    if clause_at and (not verb or clause_at < verb):
        verb = 0
    if not verb:
        at = 0 if clause_at else _verb_index(tokens, start)
        rest = f" that {text[_start_of(tokens[at]) :]}" if at else ""
        return _strip_article(
            text[_start_of(tokens[start]) : tokens[at].start].rstrip() + rest
            if at
            else text[_start_of(tokens[start]) :]
        )
    head, rest = text[_start_of(tokens[start]) : tokens[verb].start].strip(), text[tokens[verb].start :]
    if tokens[verb].lower in DO:
        rest = _move_auxiliary(text, tokens, verb)
    elif tokens[verb].lower in BE:
        rest = _subject_first(text, tokens, verb)
    rest = re.sub(r"(?i)^(are|is|were|was) there\s*", "", rest)
    if _EMPTY_CLAUSE.match(rest):
        return _strip_article(head)
    preposition = bool(re.match(r"(?i)(in|on|of|by|at|from|with|for)\b", rest))
    return _strip_article(f"{head} {rest}" if preposition else f"{head} that {rest}")


def _verb_index(tokens: tuple[Token, ...], start: int) -> int:
    """Return the index of the verb in "films star X": a base form right after a plural noun (0: there is none)."""
    for at in range(start + 1, len(tokens) - 1):
        before, token = tokens[at - 1], tokens[at]
        if token.kind != "word" or before.is_capitalized or before.lower in FUNCTION or token.lower in FUNCTION:
            return 0
        if token.lower == token.lemma and token.lemma in VERBS and before.lemma != before.lower:
            return at
    return 0


def _move_auxiliary(text: str, tokens: tuple[Token, ...], auxiliary: int) -> str:
    """Put the auxiliary before its verb ("did Ann build" as "Ann did build"), so that the clause's verb stays clear."""
    rest = text[tokens[auxiliary].end :].strip()
    verbs = [token for token in tokens[auxiliary + 2 :] if token.lemma in VERBS and not token.is_capitalized]
    if not verbs:
        return rest
    verb = verbs[0]
    return f"{text[tokens[auxiliary].end : verb.start].strip()} {tokens[auxiliary].lower} {text[verb.start :]}"


def _subject_first(text: str, tokens: tuple[Token, ...], verb: int) -> str:
    """Put a name before its verb: "is Ann the manager of" says "Ann is the manager of"."""
    end = verb + 1
    while end < len(tokens) and (tokens[end].is_capitalized or tokens[end].kind == "quoted"):
        end += 1
    if end == verb + 1 or end == len(tokens):
        return text[tokens[verb].start :]
    name = text[_start_of(tokens[verb + 1]) : tokens[end].start].strip()
    return f"{name} {tokens[verb].text} {text[tokens[end].start :]}"


def _start_of(token: Token) -> int:
    """Return where a token begins, with the mark before it if it is quoted."""
    return token.start - (token.kind == "quoted")


def _strip_article(text: str) -> str:
    """Drop articles and "names of the" from the beginning."""
    words = text.strip(" ,").split(" ")
    while words and words[0].lower() in DETERMINER | {"of"}:
        words = words[1:]
    if len(words) > 2 and words[0].lower() in NAMING and words[1].lower() in ("of", "for"):
        return _strip_article(" ".join(words[2:]))
    return " ".join(words)


def _insert_name(name: str, rest: str) -> str:
    """Return a question with its pronouns replaced by a name ("" if it has none)."""
    done, said = 0, ""
    tokens = tokenize(rest)
    for index, token in enumerate(tokens):
        following = tokens[index + 1 : index + 2]
        before = tokens[index - 1].lower if index else ""
        owns = token.lower in _POSSESSIVE and following and following[0].kind == "word" and following[0].lower not in BE
        alone = not following or following[0].kind == "mark"
        if token.lower == "there" and alone:
            text = name if before in PREPOSITION else f"there in {name}" if before in BE else f"in {name}"
        elif token.lower in _PERSONAL | _POSSESSIVE or token.lower in ("that", "this") and alone:
            text = f"{name}'s" if owns else name
        else:
            continue
        said += rest[done : token.start] + text
        done = token.end
    return said + rest[done:] if done else ""
