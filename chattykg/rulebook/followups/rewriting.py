"""Contextual question rewriting: a follow-up with names in the place of its references and of what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import dropwhile, takewhile

from chattyshared.dialogue import History
from chattyshared.language.inflection import is_plural
from chattyshared.language.languages import language_of
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import (
    AUXILIARY,
    BE,
    COUNTRIES_BY_DEMONYM,
    DO,
    FUNCTION,
    IRREGULAR,
    NAMING,
    PREPOSITION,
    VERBS,
    label_stems_of,
    lemma_of,
    parse_degree,
    split_label,
)
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.language.wordnet import is_verb
from chattyshared.text import join_texts, quote_text

from chattykg.conversation.context import DialogueWords
from chattykg.conversation.referents import Referent
from chattykg.rulebook.followups.idioms import NAME, Row, Utterance, load_idioms, read_utterance
from chattykg.rulebook.followups.salience import (
    MIN_FIT,
    asked_stems,
    bearing,
    find_antecedent,
    find_bearer,
    find_parallel_turns,
    fits_noun,
    infer_genders,
    property_fit,
    select_able,
)

MAX_NAMED = 12
"""Members of a set that are named; a longer one is said as it was asked for."""
_MAX_UNQUOTED_WORDS = 7
_RECENT_TURNS = 3
_SENSELESS = ("not-stated", "missing-referent", "not-a-question")
"""Reasons of refusals of questions that give no words to what follows, unless they name a thing."""
_SAID = "said:"
"""Begins the IRI of what the question itself names first: "What about Ann? Where was she born?"."""
_OF = frozenset(("of", "for", "about"))
"""Prepositions before a name that takes the place of another one, whatever stands before that."""
_AMBIGUOUS = re.compile(r"""[?!,;:"]|^\W|['’](?:s\b|(?!\w))""")
"""What makes a label ambiguous in a question: punctuation, a mark at its start, a possessive."""
_DATA_NOUNS = word_set("followups", "data_nouns")
_OPENERS = word_set("followups", "openers") | {"same"}
_RESTRICTORS = word_set("followups", "noun_restrictors") | NAMING
_LOOSE_PREPOSITIONS = word_set("prepositions", "time", "time_spans") - {"until"} | {"as", "to"}
_RELATIVES = frozenset(("that", "which", "whom", "where"))
_BARE_POSSESSIVE = re.compile(r"['’](?=\s)")


def is_follow_up(question: str, history: History, known: DialogueWords) -> bool:
    """Tell whether a question with a history before it holds a reference, or leaves something out."""
    return Rewriter(question, history, (), known).depends_on_context()


def rewrite_follow_up(question: str, history: History, referents: Sequence[Referent], known: DialogueWords) -> str:
    """Return the question with names instead of references; unchanged if it has none that can be resolved."""
    return Rewriter(question, history, tuple(referents), known).rewrite()


class Rewriter:
    """A question in its conversation."""

    def __init__(self, question: str, history: History, referents: tuple[Referent, ...], known: DialogueWords) -> None:
        """Take a question, the turns before it, and what they named."""
        self.question = question
        self.language = language_of(question)
        self.idioms = load_idioms(self.language)
        self.prepositions = self.language.words("closed_classes", "prepositions")
        self.standalone = [each.answer.standalone or each.question for each in history]
        self.asked = [each.question for each in history]
        self.referents = infer_genders(referents, tuple(zip(self.asked, self.standalone, strict=True)))
        last = history[-1].answer.reason if history else None
        is_named = any(r.turn == len(history) for r in referents)
        has_name = any(token.is_capitalized for text in self.asked[-1:] for token in tokenize(text)[1:])
        self.is_about_unknown = last is not None and last.code == "unknown-name" and has_name and not is_named
        named = {r.turn for r in referents}
        codes = [each.answer.reason.code if each.answer.reason else "" for each in history]
        told = [turn in named or code not in _SENSELESS for turn, code in enumerate(codes, 1)]
        self.earlier = [text for text, is_told in zip(self.standalone, told, strict=True) if is_told][::-1]
        self.parallel_turns = frozenset(find_parallel_turns(history))
        self.relations = {m.text.lower() for m in known.card.mentions if m.kind == "predicate"}
        self.classes = {m.text.lower() for m in known.card.mentions if m.kind == "class"}
        asked = {label_stems_of(linked.label) for each in history for linked in each.answer.relations}
        self.roles = {split_label(text) for text in self.relations if label_stems_of(text) in asked}
        self.mentions = {
            (turn, linked.iri): linked.mention or linked.label
            for turn, each in enumerate(history, 1)
            for linked in each.answer.entities
        }
        entities = [linked for each in history for linked in each.answer.entities]
        self.types = {split_label(label) for r in referents for label in r.types}
        self.types |= {split_label(name) for name in (*self.classes, *(linked.type for linked in entities))}
        names = {name for linked in entities for name in (linked.label, linked.mention)} | {r.label for r in referents}
        terms = {*self.classes, *self.relations}
        found = [m.text for m in known.card.mentions if m.kind in ("vertex", "value") and m.text.lower() not in terms]
        names |= {text for text in found if text.split()[0].lower() not in self.language.function_words}
        self.names = [name for name in names if name and (" " in name or name != name.lower())]
        self.small_names = [name for name in names if name]

    def read(self, text: str) -> Utterance:
        """Mark the names in a text."""
        return read_utterance(text, self.language, self.names)

    def depends_on_context(self) -> bool:
        """Tell whether a row of the idioms fits the question, whatever its antecedent is."""
        said = self.read(self.question)
        whole = [row for table in ("openings", "additions", "wholes") for row in self.idioms.tables[table]]
        return bool(
            any(self._matches_whole(row, said) for row in whole)
            or self._fragment(said)
            or any(
                self._is_reference(row, match, said)
                for row in self.idioms.tables["references"]
                for match in row.find.finditer(said.masked)
            )
        )

    def outer_references(self) -> Iterator[tuple[int, int, bool]]:
        """Yield where words stand that refer to something outside the question, and whether they stand for several."""
        said = self.read(self.question)
        for pattern in self.idioms.outer:
            yield from ((*match.span(), False) for match in pattern.finditer(said.masked))
        for row in (row for row in self.idioms.tables["references"] if row.traits.get("outer")):
            for match in row.find.finditer(said.masked):
                if self._is_reference(row, match, said):
                    yield *match.span(), row.kind == "set" or row.traits["who"] == "any"

    def definite_nouns(self) -> Iterator[str]:
        """Yield the nouns behind "the", "this" or "that" that no other words of the question restrict."""
        said = self.read(self.question)
        for row in (row for row in self.idioms.tables["references"] if row.kind == "noun"):
            for match in row.find.finditer(said.masked):
                if self._is_reference(row, match, said):
                    yield said.text[match.start("noun") : self._end_of(row, match, said)].lower()

    def rewrite(self) -> str:
        """Return the question as one that stands alone."""
        text = original = self.question
        for row in self.idioms.tables["openings"]:
            said = self.read(text)
            match = row.find.fullmatch(said.whole())
            if match and "topic" in row.find.groupindex:
                name = said.groups(match)["topic"]
                self.referents += (Referent(name, f"{_SAID}{name}", len(self.asked) + 1, "topic"),)
                self.names.append(name)
            text = self._say(row, said) or text
        self.question = text
        text = self._substitute(self.read(text))
        for row in self.idioms.tables["additions"]:
            text = self._say(row, self.read(text)) or text
        text = self._complete(self.read(self._grade(self.read(text))))
        return original if text.casefold() == original.casefold() else text[:1].upper() + text[1:]

    # Whole questions -------------------------------------------------------------------------------------------------

    def _matches_whole(self, row: Row, said: Utterance) -> re.Match[str] | None:
        match = row.find.fullmatch(said.whole())
        graded = match.groupdict().get("graded") if match else None
        is_graded = graded is None or bool(self._degree(graded)) or graded in self.idioms.superlatives.values()
        return match if is_graded else None

    def _degree(self, word: str) -> str:
        return "er" if word in self.idioms.superlatives else self.language.morphology.parse_degree(word)[1]

    def _say(self, row: Row, said: Utterance) -> str:
        """Return what a row makes of a question; "" if it does not fit."""
        match = self._matches_whole(row, said)
        if match is None:
            return ""
        fields = said.groups(match)
        if row.before:
            previous = self.read(next(iter(self.earlier), ""))
            before = row.before.fullmatch(previous.whole())
            if before is None:
                return ""
            fields = {**previous.groups(before), **fields}
        answers = [r for r in self._last_answers() if r.iri and r.turn == len(self.asked)]
        answer = self.name(answers[0]) if len(answers) == 1 else ""
        found: dict[str, Callable[[], str]] = {
            "set": lambda: self.set_text() if self.find_set() else "",
            "described": self._description,
            "answer": lambda: answer,
        }
        for name in (each for each in found if f"{{{each}}}" in row.say):
            if not fields.setdefault(name, found[name]()):
                return ""
        if "{}" not in row.say:
            return row.say.format(**fields)
        finders = {"known": self._known, "compared": self._compared, "owner": self._owner}
        text = finders[row.kind](said, fields)
        return row.say.format(text, **fields) if text else ""

    def _known(self, said: Utterance, fields: dict[str, str]) -> str:
        """Return what "other" and "else" leave out: what was spoken of that is of the asked kind, or lately."""
        noun, text = fields.get("noun", ""), said.text.casefold()
        known = [r for r in self.referents if r.iri and r.label.casefold() not in text]
        recent = [r for r in known if r.turn > len(self.asked) - _RECENT_TURNS]
        left_out = {r.iri: r for r in known if noun and fits_noun(r, noun)} or {r.iri: r for r in recent}
        return self.join(tuple(left_out.values())) if len(left_out) <= MAX_NAMED else ""

    def _compared(self, said: Utterance, _: dict[str, str]) -> str:
        """Return the latest other thing of the kind of the only one that a question names ("Is Ann older?")."""
        named = {r.iri: r for r in self.referents if r.iri and r.label.casefold() in said.text.casefold()}
        kinds = [r.types[:1] for r in named.values()]
        alike = [r for r in self.referents if r.iri and r.iri not in named and [r.types[:1]] == kinds]
        return self.name(max(alike, key=lambda r: r.turn)) if alike else ""

    def _owner(self, _: Utterance, fields: dict[str, str]) -> str:
        """Return whose property a noun names: the latest topic's, or that of the last answers if only they have it."""
        stems = asked_stems(fields["x"])
        topics = [r for r in self.referents if r.role == "topic"]
        answers = [r for r in self._last_answers() if r.iri]
        holders = (*[r for r in topics if r.turn == topics[-1].turn][:1], *answers[:1])
        is_known = bool(self.relations & {fields["x"].lower(), *split_label(fields["x"])})
        able = [r for r in holders if is_known or not r.properties or property_fit(r, stems) >= MIN_FIT]
        chosen = next(iter(select_able(able, stems)), None)
        if chosen is None:
            return ""
        return self.set_text() if chosen.role == "answer" and len(answers) > 1 else self.name(chosen)

    def _grade(self, said: Utterance) -> str:
        """Return "which of A and B is the cheapest" for "which of A and B is cheaper"."""
        words = [t for t in said.tokens if t.kind == "word" and said.masked[t.start] != NAME]
        graded = [t for t in words if self._degree(t.lower) == "er"]
        if not graded or not self.idioms.patterns["choosing"].fullmatch(said.whole()):
            return said.text
        start, end, word = graded[-1].start, graded[-1].end, graded[-1].lower
        article = "" if said.text[:start].endswith("the ") else "the "
        best = self.idioms.superlatives.get(word, f"{word[:-2]}est")
        return f"{said.text[:start]}{article}{best}{said.text[end:]}"

    # References ------------------------------------------------------------------------------------------------------

    def _substitute(self, said: Utterance) -> str:
        """Replace the references of a question by names."""
        edits: list[tuple[int, int, str]] = []
        for row in self.idioms.tables["references"]:
            for match in row.find.finditer(said.masked):
                begin, end = match.start("it" if "it" in match.groupdict() else 0), self._end_of(row, match, said)
                is_free = all(end <= first or last <= begin for first, last, _ in edits)
                if is_free and self._is_reference(row, match, said):
                    text = self._resolve(row, match, said, end)
                    edits += [(begin, end, text)] if text else []
        text = said.text
        for start, end, name in sorted(edits, reverse=True):
            text = text[:start] + name + text[end:]
        return text

    def _end_of(self, row: Row, match: re.Match[str], said: Utterance, further: Iterable[str] = ()) -> int:
        """Return where a reference ends: its noun may be a label of several words ("football club")."""
        noun = match.groupdict().get("noun")
        if not noun:
            return match.end()
        words = [t for t in said.tokens if t.start >= match.start("noun")]
        terms = self.relations if "that" in match.groupdict() else further
        known = self.types | self.roles | set(map(split_label, terms))
        sizes = [len(label) for label in known if label == tuple(t.lemma for t in words[: len(label)])]
        sizes += [len(label) for label in known if label == tuple(t.lower for t in words[: len(label)])]
        last = words[max(1, *sizes, 1) - 1]
        is_other = (row.kind == "set" or match.groupdict().get("number")) and not is_plural(
            last.lower
        )  # "which of them started first"
        return match.start("noun") - 1 if is_other else max(match.end(), last.end)

    def _is_reference(self, row: Row, match: re.Match[str], said: Utterance) -> bool:
        """Tell whether the words around let a row's words refer to something outside the question."""
        tokens = list(said.tokens)
        at = said.token_at(match.start())
        if row.traits.get("if") == "free":
            probe = f"{said.masked[: match.start()]}_{tokens[at].lower}_{said.masked[tokens[at].end :]}"
            return not any(pattern.search(probe) for pattern in self.idioms.bound)
        if row.traits.get("if") == "demonstrative":
            return tokens[at].lower == "this" or _is_demonstrative(tokens, at)
        if row.traits.get("if") == "definite":
            ends = (self._end_of(row, match, said), self._end_of(row, match, said, self.relations))
            last = [next(i for i, t in enumerate(tokens) if t.end >= end) for end in ends]
            before = tokens[at - 1].lower if at else ""
            noun = match["noun"]
            is_other = noun in _DATA_NOUNS or bool(self._degree(noun))
            ends_open = said.whole().split()[-1].lower() in PREPOSITION - {"of"}  # "is the player under contract with"
            is_subject = before in _RELATIVES or before in AUXILIARY and ends_open  # "that the player scored in"
            return not is_other and (is_subject or not any(is_restricted(tokens, at + 1) for at in last))
        return True

    def _resolve(self, row: Row, match: re.Match[str], said: Utterance, end: int) -> str:
        """Return what is said for a reference; "" if nothing fits it."""
        groups = said.groups(match)
        noun = said.text[match.start("noun") : end].lower() if groups.get("noun") else ""
        if row.kind == "pronoun":
            found = self._pronoun(row, match, said)
            text = self.name(found) if found else ""
        elif row.kind == "noun":
            text = self._noun(noun, is_pointed_at="that" in groups)
        elif row.kind == "set":
            is_single = row.traits.get("if") == "free" and not self._is_plural_reference()
            text = "" if is_single else self.set_text(noun, self._size(groups), self._join(row, match, said))
        else:
            finders = {"member": self._member, "other": self._other}
            text = self.join(finders[row.kind](noun, groups), self._join(row, match, said))
        return row.say.format(text, **groups) if text else ""

    def _join(self, row: Row, match: re.Match[str], said: Utterance) -> str:
        """Return how a row joins names where any may be asked for ("Who made them?"), else "and" ("Are they new?")."""
        before = said.masked[: match.start()].split()
        is_object = row.kind != "set" or len(before) > 1 and before[-1] not in AUXILIARY
        is_any = is_object and before[:1] and before[0] not in AUXILIARY | DO
        return row.traits.get("join", "and") if is_any else "and"

    def _unnamed(self) -> list[Referent]:
        """Return the referents that the question does not name, which a pronoun in it may stand for."""
        said = self.question.casefold()
        made_up = [r for r in self.referents if r.iri.startswith(_SAID)]
        return made_up or [r for r in self.referents if r.label.casefold() not in said] or list(self.referents)

    def _pronoun(self, row: Row, match: re.Match[str], said: Utterance) -> Referent | None:
        candidates = self._unnamed()
        if self.is_about_unknown and not any(r.iri.startswith(_SAID) for r in candidates):
            return None  # "it" may be what the question before named and the graph does not know
        is_chosen = said.masked[: match.start()].endswith(" of ") and not match.groupdict().get("np")
        if is_chosen and self.idioms.patterns["choosing"].fullmatch(said.whole()):
            return None  # "which of them" is no single thing
        start, end = match.span("it" if "it" in match.groupdict() else 0)
        possessed, asked, words = match.groupdict().get("np", ""), match.groupdict().get("asked"), self.question
        at = said.token_at(start)
        if at > 1 and said.tokens[at - 1].lower in _RELATIVES:  # "the products that it supplies are deeper"
            asked = asked or said.tokens[at - 2].lower
            clause = dropwhile(lambda token: token.lower in AUXILIARY, said.tokens[at + 1 :])
            words = " ".join(token.text for token in takewhile(lambda token: token.lower not in AUXILIARY, clause))
        stems = asked_stems(words)
        if noun := possessed or asked:  # "its owner" is no owner's; "which boats does it own" asks no boat if it can
            candidates = [r for r in candidates if bearing(r, possessed) >= MIN_FIT] or candidates
            others = [r for r in candidates if not fits_noun(r, noun)]
            able = candidates if possessed else select_able(candidates, stems)
            candidates = others if any(r in others for r in able) else candidates
        probe = f"{said.masked[:start]}_{said.masked[end:]}"
        return find_antecedent(
            candidates,
            stems,
            kind=row.traits["who"],
            gender=row.traits.get("gender", ""),
            is_inward=bool(self.idioms.patterns["inward"].search(probe)),
            prefers_answer=row.traits.get("prefers_answer", False),
        )

    def _noun(self, noun: str, *, is_pointed_at: bool = False) -> str:
        """Return what "the film", "that company" stands for."""
        if is_plural(noun):
            members = self.find_set(noun)
            return self.set_text(noun) if members and fits_noun(members[0], noun) else ""
        found = find_antecedent(self.referents, asked_stems(self.question, noun), noun=noun)
        found = found or find_bearer(noun, self.referents)
        if found is None and is_pointed_at and (owner := find_bearer(noun, self.referents, is_owner=True)):
            return f"{self.name(owner)}'s {noun}"
        return self.name(found) if found and found.label.casefold() not in self.question.casefold() else ""

    # Sets ------------------------------------------------------------------------------------------------------------

    def name(self, referent: Referent) -> str:
        """Return a referent's label, in quotes if it could be read as more than a name."""
        label = referent.label
        is_open = self.language.has_capital_nouns or len(label.split()) > _MAX_UNQUOTED_WORDS
        return quote_text(label) if is_open or _AMBIGUOUS.search(label) else label

    def join(self, members: Sequence[Referent], conjunction: str = "and") -> str:
        """Return the names of several things, or of one."""
        if len(members) == 1:
            return self.name(members[0])
        return join_texts([quote_text(each.label) for each in members], self.idioms.joining[conjunction])

    def _last_answers(self) -> tuple[Referent, ...]:
        answers = [r for r in self.referents if r.role == "answer"]
        last = max((r.turn for r in answers), default=0)
        return tuple(sorted((r for r in answers if r.turn == last), key=lambda r: r.position))

    def find_set(self, noun: str = "", number: int = 0) -> tuple[Referent, ...]:
        """Return the members of the latest list (of a kind, of a size), or as many alike things spoken of last."""
        lists = [members for members in (*self._parallel(), *self._lists()) if number in (0, len(members))]
        said = {r.iri: r for r in self.referents if r.iri and r.role == "topic" and (not noun or fits_noun(r, noun))}
        topics = list(said.values())[-number:]
        if number and number == len(topics) and len({r.types[:1] for r in topics}) == 1:
            lists.append(tuple(topics))
        fitting = [members for members in lists if noun and fits_noun(members[0], noun)]
        members = next(iter(fitting or sorted(lists, key=lambda members: not members[0].iri)), ())
        since = members[-1].turn if members else 0
        return members if fitting or since >= self._counted_turn() else ()

    def _parallel(self) -> Iterator[tuple[Referent, ...]]:
        """Yield the things of which the last turns ask the same ("The price of A?", "B?"), unless they list some."""
        here = [r for r in self.referents if r.iri and r.role == "topic" and r.turn in self.parallel_turns]
        is_each = len({r.turn for r in here}) == len(here) and len({r.types[:1] for r in here}) == 1
        if is_each and len({r.iri for r in here}) > 1 and len(self._last_answers()) < 2:
            yield tuple({r.iri: r for r in here}.values())

    def _counted_turn(self) -> int:
        """Return the latest turn that counted a set of its own (0: none did)."""
        said = ((turn, self.read(text).masked) for turn, text in enumerate(self.standalone, 1))
        return max((turn for turn, text in said if self.idioms.patterns["counting"].match(text)), default=0)

    def set_text(self, noun: str = "", number: int = 0, conjunction: str = "and") -> str:
        """Return the last set in words: by names if they are few, else as it was asked for; "" if there is none."""
        members = self.find_set(noun, number) or self._last_answers()
        if number not in (0, len(members)):
            return ""
        is_listed = len(members) > 1 or bool(members and members[0].iri)
        size = max((len(members), *(r.answer_count for r in members if r.role == "answer")))
        if not is_listed or size > MAX_NAMED or not all(r.iri for r in members):
            described = self._description((members[0].turn if is_listed else self._counted_turn()) or len(self.asked))
            if described or not is_listed:
                return f"the {described}" if described else ""
        return self.join(members, conjunction) if len(members) > 1 else quote_text(members[0].label)

    def _is_plural_reference(self) -> bool:
        """Tell whether "they" stands for several things: the last answers, or what was counted."""
        is_counted = self._counted_turn() == len(self.asked) and not any(r.role == "topic" for r in self.referents)
        is_said = any(r.iri.startswith(_SAID) for r in self.referents)  # "What about Ann? Were they late?"
        return not is_said and (len(self._last_answers()) > 1 or is_counted)

    def _description(self, turn: int = 0) -> str:
        """Return what an earlier question asks for as a noun group; "" if it is not of that kind."""
        said = self.read(self.standalone[turn - 1])
        for row in self.idioms.tables["descriptions"]:
            match = row.find.fullmatch(said.whole())
            if match:
                return row.say.format(**said.groups(match))
        return ""

    def _lists(self, *, with_pairs: bool = False) -> list[tuple[Referent, ...]]:
        """Return what was listed, latest first: several answers of a turn, or the two things that it compares."""
        found = []
        for turn in range(len(self.asked), 0, -1):
            text = self.standalone[turn - 1].casefold()
            here = [r for r in self.referents if r.turn == turn]
            answers = tuple(r for r in here if r.role == "answer")
            places = {r: text.find(self.mentions.get((turn, r.iri), r.label).casefold()) for r in here if r.iri}
            named = {r.iri: r for r in sorted(places, key=lambda r: places[r]) if places[r] >= 0}
            is_choice = with_pairs and len(named) == 2 and all(r.iri in named for r in answers)
            found += [tuple(named.values())] if is_choice else [answers] if len(answers) > 1 else []
        return found

    def _things(self) -> tuple[Referent, ...]:
        """Return the latest list of things, or of values if there is none."""
        return next(iter(sorted(self._lists(with_pairs=True), key=lambda members: not members[0].iri)), ())

    def _member(self, noun: str, groups: dict[str, str]) -> Sequence[Referent]:
        """Read "the second one", "the former", "the last two"."""
        members, place = self._things(), self.idioms.positions[groups["ordinal"].lower()]
        size = self._size(groups) or 1
        if max(abs(place), size) > len(members) or not self._are_of_kind(members, noun):
            return ()
        return members[-size:] if place < 0 else members[place - 1 :][:size]

    def _size(self, groups: dict[str, str]) -> int:
        number = groups.get("number", "0").lower()
        return int(number) if number.isdecimal() else self.language.numbers.get(number, 2)

    def _are_of_kind(self, members: Sequence[Referent], noun: str) -> bool:
        return not noun or lemma_of(noun) == "one" or any(fits_noun(r, noun) for r in members[:1])

    def _other(self, noun: str, groups: dict[str, str]) -> Sequence[Referent]:
        """Read "the other one", "the rest": of the last list what was not spoken of since, of two not last."""
        members = self._things()
        turn = members[0].turn if members else 0
        spoken: set[str] = set()
        for later, text in reversed(list(enumerate((*self.standalone, self.question), 1))[max(turn - 1, 0) :]):
            here = {r.iri for r in self.referents if r.turn == later and (later > turn or r.role == "answer")}
            said = text.casefold() if later > turn else ""
            said_here = {r.label for r in members if r.label.casefold() in said}
            for named in ({r.label for r in members if r.iri in here}, said_here):
                if len(named) < len(members) and not (spoken and len(members) == 2):
                    spoken |= named
        rest = [r for r in members if r.label not in spoken and self._are_of_kind([r], noun)]
        return rest if len(rest) < len(members) and (len(rest) == 1 or "rest" in groups) else ()

    # Ellipsis --------------------------------------------------------------------------------------------------------

    def _fragment(self, said: Utterance) -> Utterance | None:
        """Return what a question without verb says, without the words that open it; None if it is a whole one."""
        opening = self.idioms.patterns["fragment_opening"].match(said.masked)
        start = opening.end() if opening else 0
        text = said.text[start:].rstrip(" ?!.")
        is_led = text.split(" ")[0].lower() in self.prepositions
        rest = self.read(text[:1].lower() + text[1:] if is_led else text)
        pattern = self.idioms.patterns["fragment" if start else "bare_fragment"]
        return rest if rest.text and pattern.fullmatch(rest.masked) else None

    def _complete(self, said: Utterance) -> str:
        """Return a question with what it leaves out taken from the one before."""
        for row in self.idioms.tables["wholes"]:
            if text := self._say(row, said):
                return text
        rest = self._fragment(said)
        if rest is None:
            opening = self.idioms.patterns["fragment_opening"].match(said.masked)
            return said.text[opening.end() if opening else 0 :] or said.text
        for row in self.idioms.tables["completions"]:
            if text := self._rename(rest) if row.kind == "name" else self._say(row, rest):
                return text
        return said.text

    def _follows_answer(self, text: str) -> bool:
        """Tell whether a question speaks of the answer of another one about the same thing: "since when" of a mayor."""
        turn = self.standalone.index(text) + 1
        before = [r for r in self.referents if r.turn == turn - 1 and r.label in text]
        about = {r.iri for r in before if r.role == "topic"}
        asked = self.asked[turn - 1]
        is_answered = any(r.role == "answer" and r.iri not in about for r in before)
        return is_answered and bool(about) and not any(r.label in asked for r in before)

    def _rename(self, rest: Utterance) -> str:
        """Return the latest question that names a thing with another one in its place."""
        rest = read_utterance(rest.text.removesuffix("'s"), self.language, self.small_names)
        named = rest.masked.find(NAME)
        is_known = any(r.label in rest.text for r in self.referents)
        for text in self.earlier if named >= 0 else ():
            if self._follows_answer(text):
                continue
            previous = read_utterance(text, self.language, self.small_names)
            joined = "|".join(self.idioms.joining.values())
            runs = [match.span() for match in re.finditer(rf'"[^"]*"(?:(?:,| (?:{joined})) "[^"]*")+', text)]
            names = [match.span() for match in re.finditer(f"{NAME}+", previous.masked)]
            spans = sorted((*runs, *(s for s in names if not any(start <= s[0] < end for start, end in runs))))
            spans = [
                each for each in spans if each in runs or text[slice(*each)].strip('"') in self.small_names
            ] or spans
            first = rest.masked.split(" ")[0]
            is_led = first in self.prepositions
            led = [span for span in spans if previous.masked[: span[0]].split()[-1:] == [first]]
            start, end = next(iter((led or spans)[-1:]), (0, 0))
            is_choice = self.idioms.patterns["choosing"].fullmatch(previous.whole())  # of one thing there is none
            is_unlike = (start, end) in runs and (
                is_choice or not is_known
            )  # "And Ann?" after what was asked of several films
            if not end or is_unlike or is_led and not led and first not in _OF:
                continue
            said = rest.text[named:] if is_led else rest.text
            if text[:start].split()[-1:] == said.split()[:1]:  # an article that both have
                said = said.partition(" ")[2]
            tail = _BARE_POSSESSIVE.sub("'s", text[end:], count=1) if text[end:].startswith(("'", "’")) else text[end:]
            return text[:start] + said + tail
        return ""


def _is_demonstrative(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether "that" is a demonstrative and does not begin a clause."""
    following = tokens[at + 1].lower if at + 1 < len(tokens) else "."
    if not at or not following.isalnum():
        return not following.isalnum() or following in AUXILIARY
    before = tokens[at - 1]
    is_main = at == 3 and is_verb(before.lemma) and before.lemma != before.lower  # "which employee manages that part"
    is_led = before.lower in AUXILIARY | PREPOSITION | {"and", "or"} or is_main
    return following not in AUXILIARY and (is_led or _is_verb_at(tokens, at - 1))


def _is_verb_at(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a token is a verb behind its auxiliary or its question word."""
    before = [token.lower for token in tokens[:at]]
    return tokens[at].lemma in VERBS and (not AUXILIARY.isdisjoint(before) or before[-1:] in (["who"], ["what"]))


def is_restricted(tokens: Sequence[Token], end: int) -> bool:
    """Tell whether the words behind "the film" restrict it ("the film with Ann"), or make another noun of it."""
    rest = list(takewhile(lambda token: token.kind != "mark", tokens[end:]))
    opening, second = [token.lower for token in tokens if token.lower not in _OPENERS][:2]
    if not rest or rest[0].kind == "possessive" or rest[0].lower in COUNTRIES_BY_DEMONYM:
        return False
    word, is_last = rest[0].lower, all(token.kind == "mark" for token in tokens[end + 1 :])
    is_led = len(rest) > 1 and rest[1].lower in PREPOSITION
    if is_led and len(rest) > 2 and opening not in AUXILIARY and (word.endswith(("ed", "ing")) or word in IRREGULAR):
        return True  # "the films directed by Ann"
    if rest[0].is_capitalized or rest[0].kind == "quoted" or word in _RESTRICTORS:
        return not (is_last and opening in BE and not rest[0].is_capitalized)
    if word in PREPOSITION:
        is_stranded = is_last and word != "of"  # "is the pier at", but "is it the owner of"
        rest = rest[1 + (len(rest) > 2 and rest[2].lower in PREPOSITION) :]  # "under contract with Lund"
        named = (token.is_capitalized or token.kind != "word" for token in rest if token.lower not in FUNCTION)
        is_predicate = opening in BE and second == "the" and all(named)  # "Is the site in North Oslo?"
        is_relative = rest[:1] and rest[0].lower in _RELATIVES  # "the novel on which the film is based"
        return bool(is_relative) or not (is_stranded or word in _LOOSE_PREPOSITIONS or is_predicate)
    is_verb_form = rest[0].lemma in VERBS or word.endswith(("ed", "ly")) or bool(parse_degree(word)[1])
    is_subject = opening in BE and second == "the" and is_led and rest[1].lower != "of"  # "Is the apple prone to scab?"
    is_asked_of = is_led and len(rest) == 2 or is_subject  # "what is the department responsible for?"
    return word not in FUNCTION and not (is_verb_form or is_asked_of or is_last and opening in BE)
