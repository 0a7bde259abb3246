"""Ellipsis resolution: complete a follow-up that leaves words out from the question before it.

Examples: "And in 2010?", "What about Oslo?", "The director?", "Who directed the most?".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from chattyshared.language.inflection import is_plural
from chattyshared.language.lexicon import alternation, word_list, word_set
from chattyshared.language.morphology import (
    AUXILIARY,
    COMMAND,
    FUNCTION,
    HAVE,
    IRREGULAR,
    NAMING,
    PREPOSITION,
    VERBS,
    WH,
    lemma_of,
    parse_degree,
)
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.conversation.context import ConversationContext
from chattykg.rulebook.followups.detection import TIME_QUESTION, is_bare_name, lacks_counted_noun
from chattykg.rulebook.followups.dialogue_state import (
    DiscourseContext,
    describe_target,
    render_answer_set,
    render_referent,
)
from chattykg.rulebook.followups.resolution import asked_stems, property_fit, select_holders

_NAME_LIST = re.compile(r'(?<!", )"[^"]+"(?:, "[^"]+")*+,? (?:and|or) "[^"]+"')
"""Several names, as ``render_referents`` writes them."""
_ELLIPTIC_OPENING = re.compile(
    rf"(?i)^\s*((?:{alternation(word_set('followups', 'openers', 'polite_openers'))})\b[,\s]*)*"
    r"((what|how)\s+(is|was|about|of)\s+(?=about)|(what|how)\s+about\b|same\s+for\b|the same for\b)?\s*"
)
_ABOUT = re.compile(r"(?i)\b(what|how)\s+about\b|^\s*(and\s+)?(the\s+)?same\s+(for|question for)\b")
_MIN_HELD_FIT = 0.4
_JOINED = re.compile(r"(?i)^\s*(and|or|but|also)\b")
_LIST_WORDS = alternation(word_list("followups", "list_words"))
_HOW_MANY_IN = re.compile(
    r"(?i)^\s*(and\s+)?how\s+many\s+(were\s+there\s+|are\s+there\s+)?(just\s+)?"
    rf"(?P<rest>(in|for|from|at|by|with|on|of(?!\s+({_LIST_WORDS})\b|.*'s))\s+.+)$"
)
_DAY = r"[12]\d{3}(?:-\d\d(?:-\d\d)?)?"
_SPAN = (
    rf"(?:between\s+{_DAY}\s+and\s+{_DAY}|from\s+{_DAY}\s+(?:to|until|till)\s+{_DAY}"
    rf"|(?:{alternation(word_set('prepositions', 'time', 'time_spans'))})\s+(?:the\s+year\s+)?{_DAY})"
)
_TIME = re.compile(rf"(?i)\b{_SPAN}(?!\d)")
_YEAR = re.compile(rf"\b{_DAY}(?!\d)")
_SIDE = re.compile(r"(?i)\b(before|after)\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_COUNTED = re.compile(
    r"(?i)\b(?:how\s+many|no|at\s+(?:least|most)\s+\w+|(?:more|fewer|less)\s+than\s+\w+|the\s+(?:most|fewest|least))"
    r"\s+(?P<noun>.+)$"
)
_COUNT_WITHOUT_NOUN = re.compile(
    r"(?i)\b(?:have|has|had|with)\s+(?:at\s+(?:least|most)|(?:more|fewer|less)\s+than|exactly|only)\s+\w+\s*[?.!]*$"
)
_WHO_HAS = re.compile(r"(?i)^((?:and\s+)?(?:who|which(?:\s+one)?))\s+(?:has|have|had)\s+")
_COUNTED_ACTION = re.compile(
    r"(?i)^\s*(?:and\s+)?how\s+many\s.+?\s(?:did|does|do|has|have)\s.+\s(?P<verb>[a-z]+)\s*[?.!]*\s*$"
)
_WITH_AUXILIARY = re.compile(
    rf"(?i)^(?:whom?|what|which)\b.*?\s?\b(?P<auxiliary>{alternation(AUXILIARY)})\s+(?P<rest>.+?)\s*[?.!]*$"
)
_SUBJECT_ASKED = re.compile(r"(?i)^who\s+(?P<verb>[a-z]+)\s+(?P<rest>.+?)\s*[?.!]*$")
_QUOTES = ('"', "\u201c", "\u2018", "'")
_BARE_POSSESSIVE = re.compile(r"^['’](?=\s)")
"""The possessive mark of "the Beatles' songs"; another name may need "'s"."""
_ARTICLES = frozenset("the a an".split())
_DETERMINER = re.compile(rf"(?i)^(?:the|{alternation(word_set('followups', 'possessives'))})\s+")
_CALLED = frozenset("named called titled".split())


def complete_ellipsis(question: str, context: ConversationContext, discourse: DiscourseContext) -> str:
    """Return the question completed from the question before ("" if it has no ellipsis)."""
    previous = discourse.previous_question
    timed = _ask_time(question.strip(), discourse)
    if timed:
        return timed
    many = _HOW_MANY_IN.match(question)
    if many and previous.lower().startswith("how many"):
        return _complete_fragment(many["rest"], context, discourse)
    if _ABOUT.search(question) or _JOINED.match(question) or _is_fragment(question):
        return _complete_fragment(question, context, discourse)
    return restore_counted_noun(question, previous) or _add_holder(question, discourse)


def _ask_time(question: str, discourse: DiscourseContext) -> str:
    """Return the question for the time of the last answer: "since when is Ann the mayor?" for "since when?"."""
    asked, turn = TIME_QUESTION.match(question), next(_main_turns(discourse), 0)
    answers = [
        r for r in discourse.referents if r.turn == turn and r.role == "answer" and r.iri and r.answer_count == 1
    ]
    standalone = discourse.standalone_questions[turn - 1] if turn else ""
    previous = _WITH_AUXILIARY.match(standalone) or _SUBJECT_ASKED.match(standalone)
    if asked is None or previous is None or not answers:
        return ""
    name, said = render_referent(answers[0]), previous.groupdict()
    if "verb" in said:
        return f"{asked['asking']} did {name} {lemma_of(said['verb'])} {said['rest']}?"
    words = tokenize(said["rest"])
    start = len(words[0].text.split()) if words else 0
    if words and (words[0].lower in _ARTICLES or not (words[0].is_capitalized or words[0].kind == "quoted")):
        return f"{asked['asking']} {said['auxiliary']} {name} {said['rest']}?"
    gap = next(
        (t.start for t in words[start + 1 :] if t.lower in PREPOSITION and t is not words[-1]), len(said["rest"])
    )
    before, behind = said["rest"][:gap].strip(), said["rest"][gap:].strip()
    return " ".join(filter(None, (asked["asking"], said["auxiliary"], before, name, behind))) + "?"


def _main_turns(discourse: DiscourseContext) -> Iterator[int]:
    """Yield the turns, latest first, without those that only asked for the time of another one."""
    turns = reversed(tuple(enumerate(discourse.original_questions, 1)))
    yield from (turn for turn, original in turns if not TIME_QUESTION.match(original.strip()))


def substitute_time(fragment: str, previous: str) -> str:
    """Return the question before with another year, span of years or side of a year ("" if the fragment has none)."""
    tokens, phrase, known = tokenize(fragment), _TIME.fullmatch(fragment), _TIME.search(previous)
    if phrase:
        if known:
            return previous[: known.start()] + fragment + previous[known.end() :]
        year = _YEAR.search(previous)
        if year:
            return previous[: year.start()] + fragment + previous[year.end() :]
        return f"{previous.rstrip('?!. ')} {fragment}?"
    year = _YEAR.search(fragment)
    is_name = any(token.is_capitalized and token.lower not in PREPOSITION for token in tokens)
    if year and len(tokens) <= 4 and not is_name:
        old = _YEAR.search(previous)
        if old:
            return previous[: old.start()] + year[0] + previous[old.end() :]
        return f"{previous.rstrip('?!. ')} {fragment if tokens[0].lower in PREPOSITION else 'in ' + year[0]}?"
    side = _SIDE.search(previous)
    if len(tokens) == 1 and tokens[0].lower in ("before", "after") and side:
        return previous[: side.start()] + tokens[0].lower + previous[side.end() :]
    return ""


def _substitute_number(fragment: str, previous: str) -> str:
    old_number = _NUMBER.search(previous)
    if not _NUMBER.fullmatch(fragment) or not old_number:
        return ""
    return previous[: old_number.start()] + fragment + previous[old_number.end() :]


def restore_counted_noun(question: str, previous: str) -> str:
    """Return a question that leaves out what it counts, with the noun from the one before ("" where none is left out).

    "Who directed the most?" after "How many films ...?" counts films, and so does "Which ones have at least two?".
    """
    bare = lacks_counted_noun(tokenize(question))
    counted = next(iter(reversed(tuple(_counted_nouns(previous)))), "")
    if not counted or not (bare or _COUNT_WITHOUT_NOUN.search(question)):
        return ""
    phrase = question.rstrip("?!. ")
    verb = _verb_of(previous) if bare else ""
    phrase = _WHO_HAS.sub(rf"\1 {verb} ", phrase) if verb else phrase
    phrase = re.sub(r"(?i)(?<!\bthe)(?<!\s)\s++(most|fewest|least)$", r" the \1", phrase) if bare else phrase
    return f"{phrase} {counted}?"


def restore_list_description(discourse: DiscourseContext) -> tuple[str, int]:
    """Return the question before with the list in it said as it was described, and the turn that did so.

    "And Ann?" after "How many of them were late?" asks anew for all that Ann did.
    """
    match = _NAME_LIST.search(discourse.previous_question)
    listed = discourse.latest_list()
    if match is None or not listed:
        return discourse.previous_question, 0
    described = (
        describe_target(discourse.standalone_questions[listed[0].turn - 1]) if discourse.standalone_questions else ""
    )
    if not described or _NAME_LIST.search(described):
        return discourse.previous_question, 0
    return (
        f"{discourse.previous_question[: match.start()]}the {described}{discourse.previous_question[match.end() :]}",
        listed[0].turn,
    )


def substitute_name(fragment: str, tokens: tuple[Token, ...], previous: str, name_span: tuple[int, int]) -> str:
    """Return the question before with the name in it replaced by the fragment.

    A noun before the name ("the town of", "the concert named") takes the place of the noun before that name.
    """
    start, end = name_span
    quoted = previous[start - 1 : start] in _QUOTES
    if not quoted:
        previous = previous[:end] + _BARE_POSSESSIVE.sub("'s", previous[end:])
    phrase, kind = _split_name(fragment, tokens)
    before = tokenize(previous[: start - quoted])
    if not kind and before and before[-1].lower in _ARTICLES and tokens[0].lower in _ARTICLES:
        return previous[: before[-1].start] + fragment + previous[end:]
    if not kind:
        return (
            previous[:start] + (tokens[0].text if quoted and tokens[0].kind == "quoted" else fragment) + previous[end:]
        )
    run = len(before)
    while run and before[run - 1].kind == "word" and not _is_function_or_name(before[run - 1]):
        run -= 1
    if not before[run:]:
        return previous[:start] + (phrase if quoted else fragment) + previous[end:]
    article = run and before[run - 1].lower in _ARTICLES
    beginning = before[run - 1].start if article else before[run].start
    return previous[:beginning] + fragment + previous[end + quoted :]


def _is_fragment(question: str) -> bool:
    """Tell whether a question has neither verb nor question word nor command: "In Germany?", "The director?"."""
    tokens = [t for t in tokenize(question) if t.kind != "mark"]
    if not tokens or len(tokens) > 6:
        return False
    words = [t.lower for t in tokens]
    if any(word in WH or word in AUXILIARY for word in words):
        return False
    proper = any(t.is_capitalized and t.lower not in FUNCTION for t in tokens[1:])
    short = len(tokens) <= 3 and not proper and words[0] not in COMMAND
    return words[0] in PREPOSITION or short or is_bare_name(tokens)


def _complete_fragment(question: str, context: ConversationContext, discourse: DiscourseContext) -> str:
    rest = _ELLIPTIC_OPENING.sub("", question.strip().rstrip("?!. "), count=1).strip()
    tokens = tokenize(rest)
    if not tokens:
        return ""
    if tokens[0].lower in WH or tokens[0].lower in AUXILIARY:
        whole = rest[0].upper() + rest[1:] + "?" if len(tokens) > 2 else ""
        return restore_counted_noun(whole, discourse.previous_question) or _add_holder(whole, discourse) or whole
    is_verbal = tokens[0].lower in COMMAND or any(t.lower in AUXILIARY for t in tokens)
    if is_verbal and not tokens[0].is_capitalized:
        return ""
    previous = discourse.previous_question
    changed = substitute_time(rest, previous) or _substitute_number(rest, previous)
    return (
        changed
        or _substitute_preposition_object(rest, tokens, context, discourse)
        or _substitute_thing(rest, tokens, context, discourse)
    )


def _substitute_preposition_object(
    rest: str, tokens: tuple[Token, ...], context: ConversationContext, discourse: DiscourseContext
) -> str:
    """ "in Germany", "by Nolan", "from Spain": the same preposition with another name, or one more condition."""
    previous = discourse.previous_question
    if tokens[0].lower not in PREPOSITION or len(tokens) < 2:
        return ""
    name = _find_entity_span(previous, context, after=tokens[0].lower)
    if name:
        start, end = name
        return previous[:start] + rest[tokens[1].start :] + previous[end:]
    any_name = _find_entity_span(previous, context)
    phrase = _capital_spans(f"x {rest}")
    if any_name and len(phrase) == 1 and len(_capital_spans(previous)) == 1:
        return previous[: any_name[0]] + f"x {rest}"[slice(*phrase[0])] + previous[any_name[1] :]
    if tokens[0].lower in ("for", "of", "about") and any_name:
        return previous[: any_name[0]] + rest[tokens[1].start :] + previous[any_name[1] :]
    return f"{previous.rstrip('?!. ')} {rest}?"


def _substitute_thing(
    rest: str, tokens: tuple[Token, ...], context: ConversationContext, discourse: DiscourseContext
) -> str:
    """ "Oslo", "the town Oslo": the same question about another thing; "the mayor": the same thing, asked for that."""
    proper = tokens[0].kind == "quoted" or any(t.is_capitalized for t in tokens if t.lower not in FUNCTION)
    if not proper and _names_other_thing(rest, tokens, discourse):
        rest = re.sub(r"(?i)^(the|a|an)\s+", "", rest)
        proper, tokens = True, tokenize(rest)
    followed = zip(tokens, (*tokens[1:], None), strict=True)  # "Weavers' Row" is a name
    possessive = any(t.kind == "possessive" and not (after and after.is_capitalized) for t, after in followed)
    if not proper or possessive or len(tokens) > 9:
        return _ask_other_relation(rest, tokens, discourse)
    context, discourse = _last_with_a_name(context, discourse)
    name = _find_entity_span(discourse.previous_question, context)
    previous, exchange = restore_list_description(discourse)
    if exchange:
        name = _find_entity_span(previous, replace(context, history=context.history[:exchange]))
    return substitute_name(rest, tokens, previous, name) if name else _ask_other_relation(rest, tokens, discourse)


def _last_with_a_name(
    context: ConversationContext, discourse: DiscourseContext
) -> tuple[ConversationContext, DiscourseContext]:
    """Return the conversation up to the latest question that names a thing, whose place another one may take."""
    for size in _main_turns(discourse):
        shorter = replace(context, history=context.history[:size])
        previous = discourse.standalone_questions[size - 1]
        if _find_entity_span(previous, shorter):
            return shorter, replace(discourse, previous_question=previous)
    return context, discourse


def _names_other_thing(rest: str, tokens: tuple[Token, ...], discourse: DiscourseContext) -> bool:
    """Tell whether plain words name another thing: what was asked about is a literal, or has no property so called."""
    topics = [r for r in discourse.referents if r.role == "topic"]
    plain = all(t.kind == "word" and (t.lower not in FUNCTION or t.lower in ("the", "a", "an")) for t in tokens)
    if not topics or not plain or parse_degree(tokens[-1].lower)[1]:
        return False
    latest = max(topics, key=lambda referent: referent.turn)
    known = [r for r in (latest, *discourse.answers[:1]) if r.properties]
    return not latest.iri or bool(known) and max(property_fit(r, asked_stems(rest)) for r in known) < _MIN_HELD_FIT


def _ask_other_relation(rest: str, tokens: tuple[Token, ...], discourse: DiscourseContext) -> str:
    """ "its director", "the writer", "birth date": the same thing, asked for something else."""
    if any(t.kind == "possessive" for t in tokens) or " of " in rest:
        return f"What is {rest}?" if tokens[0].lower not in PREPOSITION else ""
    if tokens[0].lower in PREPOSITION or any(t.lower in PREPOSITION for t in tokens) or len(tokens) > 5:
        return ""
    other_kind = _ask_of_other_kind(rest, discourse)
    if other_kind:
        return other_kind
    holder = _property_holder(rest, discourse)
    return f"What is the {_DETERMINER.sub('', rest)} of {holder}?" if holder else ""


def _ask_of_other_kind(rest: str, discourse: DiscourseContext) -> str:
    """Return the question before, asked of things of another kind: "And ferries?" after "How many trams are there?"."""
    described = describe_target(discourse.previous_question)
    is_held = any(property_fit(r, asked_stems(rest)) >= _MIN_HELD_FIT for r in discourse.answers[:1])
    if not is_plural(rest) or is_held or any(r.role == "topic" for r in discourse.referents):
        return ""
    is_other = bool(described) and is_plural(described)
    return discourse.previous_question.replace(described, rest, 1) if is_other else ""


def _find_entity_span(previous: str, context: ConversationContext, after: str = "") -> tuple[int, int] | None:
    """Return the span of the last entity name in the last question (after a preposition, if one is given)."""
    mentions = [linked.mention for linked in context.history[-1].answer.entities]
    mentions += [linked.label for linked in context.history[-1].answer.entities]
    matches = []
    for mention in mentions:
        for match in re.finditer(re.escape(mention), previous, flags=re.IGNORECASE) if mention else ():
            before = previous[: match.start()].rstrip(' "“').rsplit(" ", 1)[-1].lower()
            if not after or before == after:
                matches.append(match.span())
    if not matches:
        matches = [
            span for span in _capital_spans(previous) if not after or _preceding_word(previous, span[0]) == after
        ]
    return max(matches, key=lambda span: (span[1] - span[0] > 0, span[0], span[1] - span[0])) if matches else None


def _preceding_word(text: str, start: int) -> str:
    return text[:start].rstrip(' "“').rsplit(" ", 1)[-1].lower()


def _capital_spans(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for token in tokenize(text)[1:]:
        if token.kind == "quoted":
            spans.append((token.start, token.end))
        elif token.kind == "word" and token.is_capitalized and token.lower not in FUNCTION:
            if spans and text[spans[-1][1] : token.start].strip() == "":
                spans[-1] = (spans[-1][0], token.end)
            else:
                spans.append((token.start, token.end))
    return spans


def _property_holder(noun: str, discourse: DiscourseContext) -> str:
    """Return the holder of "the price": the latest topic, or the last answer if only that can have a price."""
    topics = [r for r in discourse.referents if r.role == "topic"]
    last = max((r.turn for r in topics), default=0)
    topic = next((r for r in topics if r.turn == last), None)
    answers = tuple(r for r in discourse.answers if r.iri)
    if topic is None:
        return answers[0].label if len(answers) == 1 else render_answer_set(discourse) if len(answers) > 1 else ""
    if answers and select_holders((topic, answers[0]), asked_stems(noun)) == (answers[0],):
        return answers[0].label if len(answers) == 1 else render_answer_set(discourse)
    return topic.label


def _add_holder(question: str, discourse: DiscourseContext) -> str:
    """Add the holder to "What is the population?", "Who is the director?"."""
    match = re.match(
        r"(?i)^\s*(?P<lead>(what|who|when|where)(\s+(is|was|are|were)|['’]s)|(show|give|tell|list)(\s+me)?)\s+(the\s+)(?P<noun>[\w\s,]+?)\s*\?*$",
        question,
    )
    if not match:
        return ""
    words = [t.lower for t in tokenize(match["noun"])]
    if not words or len(words) > 4 or any(w in FUNCTION - {"and"} for w in words) or words[-1] in NAMING:
        return ""
    topic = _property_holder(match["noun"], discourse)
    verbal = words[-1] in IRREGULAR or words[-1].endswith("ed")
    if not topic or topic.lower() in question.lower() or parse_degree(words[0])[1] or verbal:
        return ""
    return f"{match['lead']} the {match['noun'].strip()} of {topic}?"


def _verb_of(previous: str) -> str:
    """Return the verb of "How many films did Ann direct?" ("" if it is no more than an auxiliary)."""
    match = _COUNTED_ACTION.match(previous)
    return "" if match is None or match["verb"].lower() in HAVE | AUXILIARY | PREPOSITION else match["verb"]


def _counted_nouns(previous: str) -> Iterator[str]:
    """Yield the nouns that a question counts."""
    for match in _COUNTED.finditer(previous):
        run: list[str] = []
        for token in tokenize(match["noun"]):
            if token.kind != "word" or token.lower in FUNCTION or token.is_capitalized or run and token.lower in VERBS:
                break
            run.append(token.text)
        if run:
            yield " ".join(run)


def _is_function_or_name(token: Token) -> bool:
    return token.lower in FUNCTION or token.is_capitalized


def _split_name(rest: str, tokens: tuple[Token, ...]) -> tuple[str, str]:
    """Return the name of "the concert named Ebb Tide", and what stands before it ("" where nothing does)."""
    at = next(
        (i for i, t in enumerate(tokens) if t.kind == "quoted" or t.is_capitalized and t.lower not in FUNCTION), 0
    )
    kind = [t for t in tokens[:at] if t.lower not in FUNCTION | _CALLED]
    name = tokens[at].text if tokens[at].kind == "quoted" else rest[tokens[at].start :]
    plain = all(t.kind == "word" for t in tokens[:at])
    return (name, re.sub(r"\s+", " ", rest[: tokens[at].start]).strip()) if kind and plain else (rest, "")
