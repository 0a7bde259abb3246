"""The JSON that Chatty-Gen publishes, read and written: one object per run, or in older files a list of dialogues.

A dialogue holds parallel lists: ``dialogue`` (turn 1 unchanged, later turns rewritten), ``original`` (standalone),
``queries``, and ``triples`` per question. Lists of different lengths and null fields are accepted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from chattyshared.dialogue import Dialogue, Seed, Triples, Turn
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats.reading import ParsedFile, drop_empty
from chattyshared.jsonlines import parse_json
from chattyshared.model import Usage
from chattyshared.questions import Question
from chattyshared.sparql.query_layout import CHATTY_GEN_PREFIXES
from chattyshared.terms import iri_to_words

_FILE_NAME_SIZES = re.compile(r"_(\d+)_(\d+)(?:_[A-Za-z-]+)?\.json$")
_TEXT_LISTS = ("dialogue", "original", "queries")
_COUNT_CALL = re.compile(r"\bcount\s*\(", re.IGNORECASE)
ERROR_COUNTERS: Mapping[str, str] = {
    "context length": "Context Length Error",
    "question": "Question Validation Error",
    "question JSON": "Question Json Error",
    "triples": "Triples Validation Error",
    "triples JSON": "Triples Json Error",
    "query": "Sparql Validation Error",
    "query JSON": "Sparql Json Error",
    "dialogue": "Dialogue Validation Error",
    "dialogue JSON": "Dialogue Json Error",
}
"""Chatty-Gen's name for each error class that it counts."""
_COUNTED_WITH = {"alignment": "dialogue"}
"""Our error classes without a counter in Chatty-Gen, and the class that they are counted with."""


@dataclass(frozen=True, slots=True)
class PublishedDialogue:
    """One published dialogue; its lists may have different lengths."""

    seed_iri: str
    seed_label: str
    dialogue: tuple[str, ...] = ()
    original: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    triples: tuple[Triples, ...] = ()
    usage: Usage = Usage()

    @property
    def is_aligned(self) -> bool:
        """Whether all lists that exist have the same length."""
        return (
            len({len(self.dialogue), len(self.original), len(self.queries)} | {len(self.triples or self.queries)}) == 1
        )


@dataclass(frozen=True, slots=True)
class ChattyGenRelease:
    """A published file: its dialogues, and its keys about the ``run`` (``seeds_used``, ``analysis``, counters ...).

    ``kg`` and ``turns`` (0: unknown) come from the file's name: ``KG_..._N_TURNS_....json``.
    """

    dialogues: tuple[PublishedDialogue, ...]
    kg: str = ""
    turns: int = 0
    run: Mapping[str, Any] = field(default_factory=dict)


def read_release(path: Path) -> ChattyGenRelease:
    """Read a published file.

    Raises:
        ConfigError: the file does not exist or cannot be read.
        BenchmarkInvalid: it is not JSON, or neither an object with ``data`` nor a list of dialogues.
    """
    value = _read_json(path)
    items = value.get("data") if isinstance(value, dict) else value
    if isinstance(value, dict) and "data" not in value or not isinstance(items, list | None):
        raise BenchmarkInvalid('no list of dialogues (an object with "data", or a bare list)', file=str(path))
    dialogues = []
    for index, item in enumerate(items or ()):
        if not isinstance(item, dict) or not any(key in item for key in _TEXT_LISTS):
            raise BenchmarkInvalid(
                'no dialogue (no "dialogue", "original", "queries")', file=str(path), path=f"$[{index}]"
            )
        dialogues.append(_parse_dialogue(item))
    sizes = _FILE_NAME_SIZES.search(path.name)
    run = {key: part for key, part in value.items() if key != "data"} if isinstance(value, dict) else {}
    return ChattyGenRelease(tuple(dialogues), path.name.split("_")[0], int(sizes[2]) if sizes else 0, run)


def to_dialogues(release: ChattyGenRelease) -> tuple[Dialogue, ...]:
    """Return the turns that exist in all lists as our dialogues, with ids from ``d0001``, without gold.

    The form of a turn is that of its query; every turn counts as answerable.
    """
    dialogues = []
    for number, published in enumerate(release.dialogues, 1):
        rows = zip(published.dialogue, published.original, published.queries, strict=False)
        turns = tuple(
            Turn(
                turn_number,
                question,
                standalone,
                detect_form(query),
                "opens" if turn_number == 1 else "topic",
                "",
                True,
                "easy",
                query,
                (),
                published.triples[turn_number - 1] if turn_number <= len(published.triples) else (),
            )
            for turn_number, (question, standalone, query) in enumerate(rows, 1)
        )
        dialogues.append(
            Dialogue(f"d{number:04d}", Seed(published.seed_iri, published.seed_label, ""), turns, published.usage)
        )
    return tuple(dialogues)


def to_parsed_file(release: ChattyGenRelease) -> ParsedFile:
    """Return the turns that exist in all lists as questions with queries and without answers, ids from ``d0001/1``.

    Elements beyond the shortest list are left out, with a note.
    """
    dialogues = to_dialogues(release)
    questions = tuple(
        Question(
            id=f"{dialogue.id}/{turn.turn}",
            question=turn.question,
            dialogue_id=dialogue.id,
            turn=turn.turn,
            lang="en",
            extra=drop_empty(sparql=turn.sparql, standalone=turn.standalone, seed_entity=dialogue.seed.iri),
        )
        for dialogue in dialogues
        for turn in dialogue.turns
        if turn.question.strip()
    )
    uneven_count = sum(
        1
        for published in release.dialogues
        if len({len(published.dialogue), len(published.original), len(published.queries)}) > 1
    )
    notes = (
        (f"dialogues with lists of unequal length, left out what has no partner: {uneven_count}",)
        if uneven_count
        else ()
    )
    return ParsedFile(questions, notes, CHATTY_GEN_PREFIXES)


def detect_form(query: str) -> str:
    """Return the question form that a query shows: ``boolean``, ``count`` or ``object``."""
    if re.match(r"(?:\s*(?:prefix|base)\b[^>]*>)*\s*ask\b", query, re.IGNORECASE):
        return "boolean"
    return "count" if _COUNT_CALL.search(query) else "object"


def _read_json(path: Path) -> Any:
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


def _parse_dialogue(item: Mapping[str, Any]) -> PublishedDialogue:
    iri, cost = str(item.get("seed_entity") or ""), item.get("cost")
    lists = {name: tuple(str(text or "") for text in _as_list(item.get(name))) for name in _TEXT_LISTS}
    return PublishedDialogue(
        seed_iri=iri,
        seed_label=str(item.get("seed_label") or (iri_to_words(iri) if iri else "")),
        triples=tuple(_parse_triples(triples) for triples in _as_list(item.get("triples"))),
        usage=_parse_usage(cost) if isinstance(cost, dict) else Usage(),
        **lists,
    )


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _parse_triples(value: Any) -> Triples:
    """Return the triples of one question; a single triple may come without a list around it."""
    rows = [value] if isinstance(value, list) and value and isinstance(value[0], str) else _as_list(value)
    complete = (row for row in rows if isinstance(row, list) and len(row) == 3)
    return tuple((str(s or ""), str(p or ""), str(o or "")) for s, p, o in complete)


def _parse_usage(cost: Mapping[str, Any]) -> Usage:
    def number(name: str) -> int:
        value = cost.get(name)
        return int(value) if isinstance(value, int | float) and 0 <= value < 10**15 else 0

    return Usage(prompt_tokens=number("prompt_tokens"), completion_tokens=number("completion_tokens"))


def to_chatty_gen(
    dialogues: Sequence[Dialogue], *, errors: Iterable[str] = (), seconds: float | None = None
) -> dict[str, Any]:
    """Return a file: ``data`` with parallel lists per dialogue, ``analysis``, ``cost``, time and error counters.

    ``errors`` are the error classes of the failed seeds. Classes that Chatty-Gen does not count are left out, also from
    ``seeds_used``, which is the sum of dialogues and counters. ``seconds`` is the duration of the run.
    """
    classes = (_COUNTED_WITH.get(error, error) for error in errors)
    failed = Counter(ERROR_COUNTERS[error] for error in classes if error in ERROR_COUNTERS)
    queries = sum(len(dialogue.turns) for dialogue in dialogues)
    return {
        "seeds_used": len(dialogues) + failed.total(),
        "data": [_format_dialogue(dialogue) for dialogue in dialogues],
        "analysis": {
            "types": _count_first_words(dialogues),
            "cost": _cost_statistics([dialogue.usage for dialogue in dialogues]),
            "execution": {"Correct": queries},
        },
        "cost": _token_counts(sum((dialogue.usage for dialogue in dialogues), Usage())),
        "total_time": seconds,
        "average_time": seconds / len(dialogues) if seconds is not None and dialogues else None,
        **{name: failed[name] for name in ERROR_COUNTERS.values()},
    }


def _format_dialogue(dialogue: Dialogue) -> dict[str, Any]:
    turns = dialogue.turns
    return {
        "seed_entity": dialogue.seed.iri,
        "seed_label": dialogue.seed.label,
        "dialogue": [turn.question for turn in turns],
        "original": [turn.standalone for turn in turns],
        "queries": [turn.sparql for turn in turns],
        "triples": [_format_triples(turn.triples) for turn in turns],
        "cost": _token_counts(dialogue.usage),
        "query_status": {"Correct": len(turns)},
    }


def _format_triples(triples: Triples) -> list[list[str]]:
    """Return triples as Chatty-Gen writes summarized ones: variables are empty."""
    return [["" if term.startswith("?") else term for term in triple] for triple in triples]


def _count_first_words(dialogues: Iterable[Dialogue]) -> dict[str, int]:
    words = (re.findall(r"\S+", turn.standalone)[:2] for dialogue in dialogues for turn in dialogue.turns)
    return dict(Counter(" ".join(pair).casefold() for pair in words).most_common())


def _token_counts(usage: Usage) -> dict[str, int]:
    return {
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
    }


def _cost_statistics(usages: Sequence[Usage]) -> dict[str, dict[str, float]]:
    token_counts = [_token_counts(usage) for usage in usages]
    columns = (
        {name: [counts[name] for counts in token_counts] for name in _token_counts(Usage())} if token_counts else {}
    )
    statistics: dict[str, Callable[[list[int]], float]] = {
        "Average": fmean,
        "Minimum": min,
        "Maximum": max,
        "Total": sum,
    }
    return {
        statistic: {name: function(column) for name, column in columns.items()}
        for statistic, function in statistics.items()
    }
