"""Answers that the service gave in conversations which only the client keeps, found again by what was said."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
import unicodedata
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from chattyshared.answers import parse_values
from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.jsonlines import parse_untrusted_json
from chattyshared.option_specs import SHOWN_ANSWERS

from chattykg.presentation.markdown import read_markdown
from chattykg.service.turns import to_exchange

MAX_STORED_BYTES = 64 << 20
"""Bytes of all answers, compressed; beyond them, those used longest ago are dropped."""
STORED_HOURS = 24.0
"""Hours after its last use for which an answer is kept."""
_MAX_READ_CHARACTERS = 1_000
"""Characters of each answer that is read from a text."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A turn as a client repeats it: the question, and the text of the reply ("": there was none)."""

    question: str
    reply: str


@dataclass(frozen=True, slots=True)
class RecalledHistory:
    """The exchanges of repeated turns, and the numbers (from 1) of the turns whose replies are only known as text."""

    exchanges: History
    read: tuple[int, ...]


class AnswerStore:
    """Keeps answers in memory under a digest of their conversation: all that was said up to and with the answer.

    Only words and numbers count, so Markdown that a client removes or renders changes nothing. It is thread-safe.
    """

    def __init__(self, *, max_bytes: int = MAX_STORED_BYTES, hours: float = STORED_HOURS) -> None:
        self._max_bytes, self._seconds = max_bytes, hours * 3600
        self._answers: OrderedDict[bytes, tuple[float, bytes]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def keep(self, dataset: str, turns: Sequence[SaidTurn], answer: Answer) -> None:
        """Keep the answer whose text is the reply of the last turn."""
        *_, key = _digests(dataset, turns)
        self._put(key, {"question": turns[-1].question, "answer": asdict(answer)})

    def keep_turns(self, name: str, turns: Sequence[SaidTurn]) -> None:
        """Keep the turns of a conversation under a name."""
        self._put(name.encode(), [(turn.question, turn.reply) for turn in turns])

    def recall_turns(self, name: str) -> tuple[SaidTurn, ...] | None:
        """Return the turns of a conversation by its name; None if there is none."""
        turns = self._find(name.encode())
        return None if turns is None else tuple(SaidTurn(*turn) for turn in turns)

    def recall(self, dataset: str, turns: Sequence[SaidTurn]) -> RecalledHistory:
        """Return the exchanges of a conversation; a reply that is not known is read as a text."""
        exchanges: list[Exchange] = []
        read: list[int] = []
        for number, (turn, key) in enumerate(zip(turns, _digests(dataset, turns), strict=True), 1):
            record = self._find(key)
            if record is not None:
                exchanges.append(to_exchange(record))
                continue
            texts = [text[:_MAX_READ_CHARACTERS] for text in islice(_read_reply(turn.reply), SHOWN_ANSWERS)]
            exchanges.append(Exchange(turn.question, Answer(parse_values(texts))))
            read += [number] if turn.reply else []
        return RecalledHistory(tuple(exchanges), tuple(read))

    def _put(self, key: bytes, record: Any) -> None:
        packed = zlib.compress(json.dumps(record).encode(), 1)
        with self._lock:
            self._drop(key)
            self._answers[key] = time.monotonic(), packed
            self._size += len(packed)
            self._drop_oldest()

    def _find(self, key: bytes) -> Any:
        with self._lock:
            self._drop_oldest()
            found = self._answers.get(key)
            if found is None:
                return None
            self._answers[key] = time.monotonic(), found[1]
            self._answers.move_to_end(key)
        return json.loads(zlib.decompress(found[1]))

    def _drop_oldest(self) -> None:
        while self._answers:
            key, (used, _) = next(iter(self._answers.items()))
            if self._size <= self._max_bytes and time.monotonic() - used <= self._seconds:
                break
            self._drop(key)

    def _drop(self, key: bytes) -> None:
        _, packed = self._answers.pop(key, (0.0, b""))
        self._size -= len(packed)


def _digests(dataset: str, turns: Iterable[SaidTurn]) -> Iterable[bytes]:
    """Yield the digest of the conversation up to each turn."""
    digest = hashlib.sha256(json.dumps(dataset).encode())
    for turn in turns:
        for text in (turn.question, turn.reply):
            digest.update(f"\n{_normalize(text)}".encode())
        yield digest.digest()


def _normalize(text: str) -> str:
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _read_reply(text: str) -> Iterable[str]:
    """Return the answers in the text of a reply: of ``{"answers": [...]}``, or of Markdown."""
    if text.startswith("{"):
        try:
            value = parse_untrusted_json(text)
        except ValueError:
            value = None
        answers = value.get("answers") if isinstance(value, dict) else None
        if isinstance(answers, list):
            return filter(lambda answer: isinstance(answer, str), answers)
    return read_markdown(text)
