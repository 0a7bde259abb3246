"""Reading the JSON that Chatty-Gen publishes: one object a run, or (older files) a bare list of dialogues.

A dialogue holds parallel lists: ``dialogue`` (turn 1 as it is, later turns rewritten), ``original`` (standalone),
``queries``, and ``triples`` per question. They may differ in length, and fields may be null: both is read as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chattyshared.dialogue import Dialogue, FormName, Seed, Triples, Turn
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats.records import ParsedFile, drop_empty
from chattyshared.jsonlines import parse_json
from chattyshared.model import Usage
from chattyshared.questions import Question
from chattyshared.sparql.prefixes import CHATTY_GEN_PREFIXES
from chattyshared.terms import iri_to_words

_SIZES = re.compile(r"_(\d+)_(\d+)(?:_[A-Za-z-]+)?\.json$")
_TEXTS = ("dialogue", "original", "queries")
_COUNT = re.compile(r"\bcount\s*\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PublishedDialogue:
    """One published dialogue, its lists as long as the file has them."""

    seed_iri: str
    seed_label: str
    dialogue: tuple[str, ...] = ()
    original: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    triples: tuple[Triples, ...] = ()
    usage: Usage = Usage()

    @property
    def is_aligned(self) -> bool:
        """Whether all lists that are there have one length."""
        return (
            len({len(self.dialogue), len(self.original), len(self.queries)} | {len(self.triples or self.queries)}) == 1
        )


@dataclass(frozen=True, slots=True)
class ChattyGenRelease:
    """A published file: its dialogues, and what it says of the run (``seeds_used``, ``analysis``, error counters ...).

    ``kg`` and ``turns`` (0: not said) are what the file's name says: ``KG_..._N_TURNS_....json``.
    """

    dialogues: tuple[PublishedDialogue, ...]
    kg: str = ""
    turns: int = 0
    run: Mapping[str, Any] = field(default_factory=dict)


def read_release(path: Path) -> ChattyGenRelease:
    """Read a published file.

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: it is not JSON, or neither an object with ``data`` nor a list of dialogues.
    """
    value = _parsed(path)
    items = value.get("data") if isinstance(value, dict) else value
    if isinstance(value, dict) and "data" not in value or not isinstance(items, list | None):
        raise BenchmarkInvalid('no list of dialogues (an object with "data", or a bare list)', file=str(path))
    dialogues = []
    for place, item in enumerate(items or ()):
        if not isinstance(item, dict) or not any(key in item for key in _TEXTS):
            raise BenchmarkInvalid(
                'no dialogue (no "dialogue", "original", "queries")', file=str(path), path=f"$[{place}]"
            )
        dialogues.append(_published(item))
    sizes = _SIZES.search(path.name)
    run = {key: part for key, part in value.items() if key != "data"} if isinstance(value, dict) else {}
    return ChattyGenRelease(tuple(dialogues), path.name.split("_")[0], int(sizes[2]) if sizes else 0, run)


def to_dialogues(release: ChattyGenRelease) -> tuple[Dialogue, ...]:
    """Return the turns that are whole in all lists as dialogues of ours, with ids ``d0001`` on, without gold.

    Form and answer type are those of the query's own form, as far as it shows; every turn counts as answerable.
    """
    made = []
    for number, one in enumerate(release.dialogues, 1):
        rows = zip(one.dialogue, one.original, one.queries, strict=False)
        turns = tuple(
            Turn(
                place,
                asked,
                standalone,
                detect_form(query),
                "opens" if place == 1 else "topic",
                "",
                True,
                "easy",
                query,
                (),
                one.triples[place - 1] if place <= len(one.triples) else (),
            )
            for place, (asked, standalone, query) in enumerate(rows, 1)
        )
        made.append(Dialogue(f"d{number:04d}", Seed(one.seed_iri, one.seed_label, ""), turns, one.usage))
    return tuple(made)


def to_parsed_file(release: ChattyGenRelease) -> ParsedFile:
    """Return the turns that are whole in all lists as questions with queries and without answers, ``d0001/1`` on.

    What the lists hold beyond the shortest of them is left out, and said.
    """
    made = to_dialogues(release)
    asked = tuple(
        Question(
            id=f"{talk.id}/{turn.turn}",
            question=turn.question,
            dialogue_id=talk.id,
            turn=turn.turn,
            lang="en",
            extra=drop_empty(sparql=turn.sparql, standalone=turn.standalone, seed_entity=talk.seed.iri),
        )
        for talk in made
        for turn in talk.turns
        if turn.question.strip()
    )
    uneven = sum(1 for one in release.dialogues if len({len(one.dialogue), len(one.original), len(one.queries)}) > 1)
    said = (f"dialogues with lists of unequal length, left out what has no partner: {uneven}",) if uneven else ()
    return ParsedFile(asked, said, CHATTY_GEN_PREFIXES)


def detect_form(query: str) -> FormName:
    """Return the form that a query shows by itself."""
    if re.match(r"(?:\s*(?:prefix|base)\b[^>]*>)*\s*ask\b", query, re.IGNORECASE):
        return "boolean"
    return "count" if _COUNT.search(query) else "object"


def _parsed(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
        if not text.strip():
            raise BenchmarkInvalid("the file is empty", file=str(path))
        return parse_json(text)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BenchmarkInvalid(f"not UTF-8 (byte {error.start + 1})", file=str(path)) from error
    except ValueError as error:
        raise BenchmarkInvalid(f"not JSON: {error}", file=str(path)) from error


def _published(item: Mapping[str, Any]) -> PublishedDialogue:
    iri, cost = str(item.get("seed_entity") or ""), item.get("cost")
    lists = {name: tuple(str(text or "") for text in _listed(item.get(name))) for name in _TEXTS}
    return PublishedDialogue(
        seed_iri=iri,
        seed_label=str(item.get("seed_label") or (iri_to_words(iri) if iri else "")),
        triples=tuple(_triples(some) for some in _listed(item.get("triples"))),
        usage=_usage(cost) if isinstance(cost, dict) else Usage(),
        **lists,
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _triples(value: Any) -> Triples:
    """Return the triples of one question; a single one may stand without a list of its own."""
    rows = [value] if isinstance(value, list) and value and isinstance(value[0], str) else _listed(value)
    whole = (row for row in rows if isinstance(row, list) and len(row) == 3)
    return tuple((str(s or ""), str(p or ""), str(o or "")) for s, p, o in whole)


def _usage(cost: Mapping[str, Any]) -> Usage:
    def number(name: str) -> int:
        given = cost.get(name)
        return int(given) if isinstance(given, int | float) and 0 <= given < 10**15 else 0

    return Usage(prompt_tokens=number("prompt_tokens"), completion_tokens=number("completion_tokens"))
