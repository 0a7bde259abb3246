"""A model server that says what the embedded rules have said to the same messages, as their trace has it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wire.model_server import Fault, ModelServer, completion, error


def digest(messages: Iterable[Any]) -> str:
    """Return what stands for the messages of a request, each a mapping with role and content."""
    said = [[message["role"], message["content"]] for message in messages]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


class RecordedServer(ModelServer):
    """``order`` are the digests of what was asked, one a request; ``attempts`` the attempts at which the rules were
    asked the same: several, where they gave one unusable reply again; ``missing`` how many requests no trace holds;
    ``usage`` is what it reports of each call in place of the usual."""

    def __init__(self, traces: Iterable[Path], *, slow: float = 0.0) -> None:
        super().__init__(slow=slow)
        self.replies: dict[str, str] = {}
        self.attempts: defaultdict[str, set[int]] = defaultdict(set)
        self.order: list[str] = []
        self.missing = 0
        self.usage: Mapping[str, Any] | None = None
        for trace in traces:
            for line in trace.read_text(encoding="utf-8").splitlines():
                event = json.loads(line)
                if event["kind"] == "model" and "text" in event["data"]:
                    key = digest(event["data"]["messages"])
                    self.replies[key] = event["data"]["text"]
                    self.attempts[key].add(event["data"]["attempt"])
        self.says = self._recorded

    def count_needed(self) -> int:
        """Return how many of the requests so far had to come: all that were not asked again."""
        return sum(min(times, len(self.attempts[key])) for key, times in Counter(self.order).items())

    def _recorded(self, asked: dict[str, Any]) -> Fault:
        key = digest(asked["messages"])
        self.asked.clear()
        self.order.append(key)
        if key in self.replies:
            return Fault(body=completion(self.replies[key]) | ({"usage": self.usage} if self.usage else {}))
        self.missing += 1
        return Fault(400, error("the rules were never asked this"))
