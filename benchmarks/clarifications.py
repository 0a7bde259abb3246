"""Measure clarifications: which ambiguous questions are asked back, and which replies are resolved.

    python benchmarks/clarifications.py [--verbose]

The questions are those of benchmarks/development/qualifiers/ambiguous.jsonl, answered by the rules in the mode ``ask``.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from chattyshared.dialogue import Answer, Exchange
from chattyshared.kg.factory import open_kg
from chattyshared.literals import parse_number
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK

FOLDER = Path(__file__).parent / "development" / "qualifiers"
SOURCES = {"demo": "demo", "transit": str(FOLDER / "transit.ttl"), "clinic": str(FOLDER / "clinic.ttl")}


def main() -> None:
    """Print the counts, and with ``--verbose`` each question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verbose", action="store_true")
    is_verbose = parser.parse_args().verbose
    settings = Settings(clarify="ask")
    engines = {
        name: ChattyEngine(open_kg([kg]), RuleModel(RULEBOOK), settings=settings) for name, kg in SOURCES.items()
    }
    counts: Counter[str] = Counter()
    for line in (FOLDER / "ambiguous.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        outcome = measure(entry, engines[entry["kg"]], counts)
        if is_verbose:
            print(f"{entry['id']:<12} {outcome:<10} {entry['question']}")
    print(
        f"asked back: {counts['asked']} of {counts['ambiguous']} ambiguous, {counts['control asked']} of "
        f"{counts['controls']} controls; replies resolved: {counts['resolved']} of {counts['replies']}"
    )


def measure(entry: dict[str, Any], engine: ChattyEngine, counts: Counter[str]) -> str:
    """Ask one question and, if it is asked back, reply; count the outcome and return it."""
    answer = engine.answer(entry["question"])
    is_asked = answer.status == "clarification"
    if entry.get("control"):
        counts.update({"controls": 1, "control asked": int(is_asked)})
        return "asked" if is_asked else "not asked"
    counts.update({"ambiguous": 1, "asked": int(is_asked)})
    if not is_asked or "next" not in entry:
        return "asked" if is_asked else "not asked"
    later = engine.answer(entry["next"], (Exchange(entry["question"], answer),))
    is_right = values_of(later) == {normalize(text) for text in entry["answers"]}
    counts.update({"replies": 1, "resolved": int(is_right)})
    return "resolved" if is_right else "wrong"


def values_of(answer: Answer) -> set[object]:
    """Return the values of an answer, numbers by value."""
    return {normalize(value.value) for value in answer.values}


def normalize(text: str) -> object:
    """Return a number for the text of one, else the text without case."""
    number = parse_number(text)
    return text.casefold() if number is None else number


if __name__ == "__main__":
    main()
