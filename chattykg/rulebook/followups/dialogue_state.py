"""The discourse context of a follow-up: referents, answer sets and descriptions of what earlier turns asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.literals import parse_number

from chattykg.conversation.referents import Referent
from chattykg.rulebook.followups.resolution import (
    MIN_PROPERTY_FIT,
    asked_stems,
    fits_noun,
    last_answers,
    property_fit,
    select_holders,
)
from chattykg.rulebook.legacy.closed_words import (
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
)

MAX_NAMED_ANSWERS = 12
"""Answers that are said by name; a longer list is said by the words that described it."""
_PLAIN_LABEL = 7
_COMPARED_TURNS = 3
_AMBIGUOUS = re.compile(r"""[?!,;:"]|^\W|['’](?:s\b|(?!\w))""")
"""What in a label may be read as more than a name: marks, a mark at the beginning, the sign of an owner."""
_OF_A_LIST = frozenset(("of them", "of these", "of those"))
_LEAD = re.compile(
    r"(?i)^\s*((please|okay|ok|now|then|and|so|well|also|just|can you|could you|would you|i want to know|i want|"
    r"i would like to (know|see)|tell me|let me know|do you know)\b[,\s]*)+"
)
_ORDERED = re.compile(r"(?i)\s+(ordered|sorted|ranked|arranged)\s+(by|in|from)\b.*$")
_KEPT = re.compile(r"(?i)^(we|you|i)\s+((do|can|could)\s+)?(have|has|know|know of|got|get|find|offer|keep)\s*$")
"""What follows "which antibiotics" in "which antibiotics do we have" says nothing of them."""
_THERE = re.compile(r"(?i)\s+(are|is|were) there( in total)?$")
_SHIFT = re.compile(
    r"(?i)^\s*(?:and\s+|so\s+)?(?:what|how)\s+about\s+(?P<name>[^?!.,]+?)\s*"
    r"(?:[?!.]|,\s*(?=(?:and\s+)?(?:who|whose|what|which|where|when|how|is|are|was|were|do|does|did|has|have|can)\b))"
    r"\s*(?P<rest>\S.*\S)\s*$"
)
_CHOSEN = re.compile(
    r"(?i)^(?:which|who)(?:\s+ones?|\s+of\s+(?:them|those|these))?\s+(?P<rest>(?:are|were|have|had|do|did|can)\s.+)$"
)
_ASKED_AFTER = re.compile(r"(?i)^(?P<there>(is|are|was|were)\s+there)\s+(any\s+)?(?P<rest>[^?]+?)\s*\?\s*(and\s+)?"
                          r"(if so,?\s+)?(which|who|what)(\s+(one|ones))?\s*\?*\s*$")  # fmt: skip
_MEANT = re.compile(
    r"(?i)^\s*(?:(?:no|nope|sorry|oops|wait|actually|rather|my\s+mistake)\s*[,.:;!-]+\s*)*"
    r"(?:(?:(?:sorry|no|actually|but)\s+)*i\s+(?:really\s+|actually\s+)?(?:meant|mean|was\s+asking\s+about|was\s+thinking\s+of)\s+"
    r"(?:to\s+(?:say|ask)\s+)?)?(?P<meant>.+)$"
)
_NOT_THAT = re.compile(r"(?i)^not\s+[^,]+?(?:,|\s+but)\s+(?=\S)")
_NOT_BEHIND = re.compile(r"(?i),?\s+(?:and\s+)?not\s+[^,?]+$")
_INSTEAD = re.compile(r"(?i),?\s+(?:instead|please)\s*$")
_PERSONAL = frozenset("he she it they him them".split())
_POSSESSIVE = frozenset("his her its their".split())
_MORE = re.compile(r"(?i)\b(others?|else|another)\b")
_MOST = 12
_TURNS = 3


@dataclass(frozen=True, slots=True)
class DiscourseContext:
    """What a rewriting looks at: the last question as it was understood, and the referents.

    ``told`` are all questions before as they were understood, ``spoken`` the same as they were said.
    """

    previous_question: str
    target_noun: str
    referents: tuple[Referent, ...]
    question: str = ""
    standalone_questions: tuple[str, ...] = ()
    original_questions: tuple[str, ...] = ()

    @property
    def unnamed_referents(self) -> tuple[Referent, ...]:
        """The referents that the question itself does not name: nobody says "Ann" and then means her by "she"."""
        said = self.question.casefold()
        return tuple(r for r in self.referents if r.label.casefold() not in said) or self.referents

    @property
    def asked_stems(self) -> Mapping[str, float]:
        """The stems of what the question asks for."""
        return asked_stems(self.question)

    def asked_stems_without(self, noun: str) -> Mapping[str, float]:
        """The same without the noun that points back: "the city" says nothing of what is asked about it."""
        return asked_stems(self.question, noun)

    @property
    def answers(self) -> tuple[Referent, ...]:
        """The answers of the latest turn that had any."""
        return last_answers(self.referents)

    def latest_list(self, noun: str = "") -> tuple[Referent, ...]:
        """Return the set that "them" or "those films" stand for: the latest list, of the noun's kind if there is one.

        Nothing where what was counted last ("How many films are there?") is meant and no list was said since.
        """
        lists: dict[int, list[Referent]] = {}
        for referent in self.referents:
            if referent.role == "answer" and referent.answer_count > 1:
                lists.setdefault(referent.turn, []).append(referent)
        fitting = [turn for turn, found in lists.items() if noun and fits_noun(found[0], noun)]
        latest = max(fitting or lists, default=0)
        if not latest or not fitting and self.latest_counting_turn() > latest:
            return () if noun else self.compared_topics(())
        found = tuple(sorted(lists[latest], key=lambda referent: referent.position))
        return found if noun else self.compared_topics(found) or found

    def compared_topics(self, answers: tuple[Referent, ...]) -> tuple[Referent, ...]:
        """Return what several turns asked the same of, where that, and not its answers, can have what is asked now.

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
        return max((turn for turn, (told, said) in enumerate(turns, 1) if _counts_anew(told, said)), default=0)

    @property
    def plural_referents(self) -> tuple[Referent, ...]:
        """What "they" and "their" stand for if it is more than one thing: a list that was said lately."""
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
    """Say a referent by its label, in quotes where the label could be read as more than a name."""
    label = referent.label
    if len(label.split()) > _PLAIN_LABEL or _AMBIGUOUS.search(label):
        return '"' + label.replace('"', "'") + '"'
    return label


def render_referents(answers: tuple[Referent, ...], conjunction: str = "and") -> str:
    """Say several referents: "A", "B" and "C"."""
    names = ['"' + answer.label.replace('"', "'") + '"' for answer in answers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {conjunction} {names[-1]}"


def last_turn(discourse: DiscourseContext) -> int:
    """Return the latest turn that anything is known of."""
    return max((r.turn for r in discourse.referents), default=0)


def is_plural_reference(discourse: DiscourseContext) -> bool:
    """Tell whether "they" stands for several things: a list of entities, or of values where there is none."""
    if discourse.plural_referents:
        return True
    answers = discourse.answers
    literal = len(answers) > 1 and not any(
        r.iri for r in discourse.referents if r.role == "answer" or r.role == "topic"
    )
    return literal and answers[0].turn == last_turn(discourse)


def render_plural_reference(discourse: DiscourseContext, conjunction: str = "and") -> str:
    """Say what "they" stands for."""
    if (
        discourse.plural_referents
        and discourse.plural_referents[0].turn < last_turn(discourse)
        and len(discourse.plural_referents) <= 100
    ):
        return render_referents(discourse.plural_referents, conjunction)
    return render_answer_set(discourse, conjunction)


def render_answer_set(discourse: DiscourseContext, conjunction: str = "and", noun: str = "") -> str:
    """Say the whole set that was spoken of: by names where they are few, else as it was described ("" if unknown)."""
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


def is_plural_np(tokens: tuple[Token, ...]) -> bool:
    """Tell whether plain words name a kind of things: "the physicians"."""
    last = tokens[-1]
    plain = all(token.kind == "word" and not token.is_capitalized for token in tokens)
    return plain and last.lower not in FUNCTION and (last.lemma != last.lower or last.lower == "people")


def strip_lead(question: str) -> str:
    """Return a question without its final mark, its politeness and its leading command."""
    text = _LEAD.sub("", question.strip().rstrip("?!. ")).strip()
    words = text.split(" ")
    while words and words[0].lower().strip(",") in COMMAND | POLITE and len(words) > 1:
        words = words[1:]
        while words and words[0].lower() in ("me", "us", "just", "only", "also"):
            words = words[1:]
    return " ".join(words)


def find_target_noun(question: str) -> str:
    """Return the head noun of what a question asks for ("Which old films ..." -> "films"; "" if it names none)."""
    described = describe_target(question)
    run: list[str] = []
    for token in tokenize(described):
        if token.lower in FUNCTION or token.kind != "word":
            if run:
                break
            continue
        if token.is_capitalized and run:
            break
        run.append(token.lower)
        if len(run) > 1 and run[-1].endswith("ed"):
            run.pop()
            break
    return run[-1] if run else ""


def describe_target(question: str) -> str:
    """Return what a question asks for as a noun group without article ("" if it is not of that kind)."""
    text = _ORDERED.sub("", strip_lead(question))
    tokens = tokenize(text)
    if not tokens:
        return ""
    text = _THERE.sub("", text) if tokens[0].lower in ("which", "what") else text
    word = tokens[0].lower
    if word in ("which", "what") and len(tokens) > 1:
        return _wh(text, tokens)
    if word in ("who", "whom") and len(tokens) > 2:
        if tokens[1].lower in BE and tokens[2].lower in DETERMINER:
            return _plain(text[tokens[2].start :])
        return f"people who {text[tokens[1].start :]}"
    if word == "how" and len(tokens) > 3 and tokens[1].lower == "many":
        text = _THERE.sub("", text)
        return _relative(text, tokenize(text), 3 if tokens[2].lower == "of" else 2)
    if word in AUXILIARY or word in ("when", "where", "how", "whose", "if", "whether"):
        return ""
    if word in PREPOSITION:
        return ""
    return _plain(text)


def resolve_correction(question: str) -> str:
    """Return what a correction asks for ("What about X?" for "No, I meant X"; any other question as it stands)."""
    found = _MEANT.match(question)
    if found is None or not found.start("meant") and not _NOT_THAT.match(question):
        return question
    said = _NOT_THAT.sub("", found["meant"].strip().rstrip("?!. "))
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
    if shift and not any(token.is_capitalized for token in tokenize(shift["name"])):
        chosen = _CHOSEN.match(shift["rest"])
        return (
            f"Which of {shift['name']} {chosen['rest']}"
            if chosen and is_plural_np(tokenize(shift["name"]))
            else question
        )
    if not shift:
        return question
    return _with_name(shift["name"], shift["rest"]) or question


def expand_exclusion(question: str, discourse: DiscourseContext) -> str:
    """Name what "other" and "else" leave out: the entities that were asked about or answered lately."""
    if not _MORE.search(question) or re.search(r"(?i)\b(other than|except|besides)\b", question):
        return question
    since = last_turn(discourse) - _TURNS
    said = question.casefold()
    recent = {r.iri: r for r in discourse.referents if r.iri and r.turn > since and r.label.casefold() not in said}
    if not recent or len(recent) > _MOST:
        return question
    return f"{question.rstrip('?!. ')} except {render_referents(tuple(recent.values()))}?"


def _is_number(answers: tuple[Referent, ...]) -> bool:
    return len(answers) == 1 and not answers[0].iri and parse_number(answers[0].label) is not None


def _counts_anew(told: str, said: str) -> bool:
    """Tell whether a question counts what it describes itself ("How many films ...?", not "How many of them ...?")."""
    words = said.lower().split()
    pairs = {" ".join(pair) for pair in zip(words, words[1:], strict=False)}
    noun = words[words.index("many") + 1 : words.index("many") + 2] if "many" in words else []
    bare = bool(noun) and noun[0].strip("?") in AUXILIARY
    return told.lower().startswith("how many") and not bare and not _OF_A_LIST & pairs


def _wh(text: str, tokens: tuple[Token, ...]) -> str:
    if tokens[1].lower in BE and len(tokens) > 2:
        return _plain(text[tokens[2].start :])
    if tokens[1].lower == "of" or tokens[1].lower in AUXILIARY:
        return ""
    return _relative(text, tokens, 1)


def _relative(text: str, tokens: tuple[Token, ...], start: int) -> str:
    """Turn "films did Nolan direct" into "films that Nolan direct", "films star X" into "films that star X"."""
    verb = next((at for at in range(start + 1, len(tokens)) if tokens[at].lower in AUXILIARY), 0)
    clause_at = next(
        (at for at in range(start + 1, len(tokens)) if tokens[at].lower in ("that", "who", "whose", "which", "where")),
        0,
    )
    if clause_at and (not verb or clause_at < verb):
        verb = 0
    if not verb:
        at = 0 if clause_at else _predicate(tokens, start)
        rest = f" that {text[_begin(tokens[at]) :]}" if at else ""
        return _plain(
            text[_begin(tokens[start]) : tokens[at].start].rstrip() + rest if at else text[_begin(tokens[start]) :]
        )
    head, rest = text[_begin(tokens[start]) : tokens[verb].start].strip(), text[tokens[verb].start :]
    if tokens[verb].lower in DO:
        rest = _emphatic(text, tokens, verb)
    elif tokens[verb].lower in BE:
        rest = _subject_first(text, tokens, verb)
    if rest.lower() in ("are there", "is there", "exist", "are in total"):
        return _plain(head)
    rest = re.sub(r"(?i)^(are|is|were|was) there\s*", "", rest)
    if _KEPT.match(rest):
        return _plain(head)
    preposition = bool(re.match(r"(?i)(in|on|of|by|at|from|with|for)\b", rest))
    return _plain(f"{head} {rest}" if preposition else f"{head} that {rest}")


def _predicate(tokens: tuple[Token, ...], start: int) -> int:
    """Return where the verb of "films star X" stands: a base form right behind a plural noun (0: there is none)."""
    for at in range(start + 1, len(tokens) - 1):
        before, token = tokens[at - 1], tokens[at]
        if token.kind != "word" or before.is_capitalized or before.lower in FUNCTION or token.lower in FUNCTION:
            return 0
        if token.lower == token.lemma and token.lemma in VERBS and before.lemma != before.lower:
            return at
    return 0


def _emphatic(text: str, tokens: tuple[Token, ...], auxiliary: int) -> str:
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
    name = text[_begin(tokens[verb + 1]) : tokens[end].start].strip()
    return f"{name} {tokens[verb].text} {text[tokens[end].start :]}"


def _begin(token: Token) -> int:
    """Return where a token begins, with the mark before it if it is quoted."""
    return token.start - (token.kind == "quoted")


def _plain(text: str) -> str:
    """Drop articles and "names of the" from the beginning."""
    words = text.strip(" ,").split(" ")
    while words and words[0].lower() in DETERMINER | {"of"}:
        words = words[1:]
    if len(words) > 2 and words[0].lower() in NAMING and words[1].lower() in ("of", "for"):
        return _plain(" ".join(words[2:]))
    return " ".join(words)


def _with_name(name: str, rest: str) -> str:
    """Return a question with a name in the place of its pronouns ("" where it has none)."""
    done, said = 0, ""
    tokens = tokenize(rest)
    for place, token in enumerate(tokens):
        following = tokens[place + 1 : place + 2]
        before = tokens[place - 1].lower if place else ""
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
