"""Golden files: read and written, and what changed in them told as questions, prompts and values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

from golden.harness import FOLDER, Golden, GoldenFault

MAX_EXAMPLES, MAX_LINES, MAX_VALUES = 3, 6, 20
MAX_WIDTH = 160
"""Characters of a shown value."""
_ABSENT = object()


def golden_path(name: str, folder: Path = FOLDER) -> Path:
    return folder / f"{name}.json"


def read_golden(name: str, folder: Path = FOLDER) -> Golden:
    path = golden_path(name, folder)
    try:
        return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]
    except FileNotFoundError:
        raise GoldenFault(f"the golden file {path.name} is missing: make golden writes it") from None
    except ValueError as error:
        raise GoldenFault(f"the golden file {path.name} is no JSON: make golden writes it anew ({error})") from None


def write_golden(name: str, golden: Golden, folder: Path = FOLDER) -> None:
    path = golden_path(name, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{_render_value(golden, 0)}\n", encoding="utf-8")


def _render_value(value: object, depth: int) -> str:
    """Return JSON with a line for each part of the two outer levels."""
    if depth < 2 and value and isinstance(value, dict):
        parts = [
            f"{json.dumps(key, ensure_ascii=False)}: {_render_value(part, depth + 1)}" for key, part in value.items()
        ]
        return "{\n" + ",\n".join(parts) + "\n}"
    if depth < 2 and value and isinstance(value, list):
        return "[\n" + ",\n".join(_render_value(part, 2) for part in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def describe_changes(old: Golden, new: Golden) -> list[str]:
    """Return what differs between two states of a golden file, a line each; nothing if they are equal."""
    told = ("turns", "requests", "texts", "bytes")
    rest = [{key: value for key, value in golden.items() if key not in told} for golden in (old, new)]
    lines = [*_turn_changes(old, new), *_request_changes(old, new), *_value_changes(*rest)]
    if not lines and old != new:
        return ["other bytes for the same values"]
    return lines


def _turn_changes(old: Golden, new: Golden) -> Iterator[str]:
    before, after = ({turn["id"]: turn for turn in golden.get("turns", ())} for golden in (old, new))
    if before == after:
        return
    pairs = [(before[key], after[key]) for key in before if key in after and before[key] != after[key]]
    parts = Counter(name for was, now in pairs for name in now if was[name] != now[name])
    counted = ", ".join(f"{name} {number}" for name, number in parts.items())
    yield f"{len(before)} -> {len(after)} turns, {len(pairs)} differ ({counted or 'no part'})"
    pairs.sort(key=lambda pair: pair[0]["question"] == pair[1]["question"])  # other questions first
    for was, now in pairs[:MAX_EXAMPLES]:
        said = f'"{was["question"]}"'
        if was["question"] != now["question"]:
            said += f' -> "{now["question"]}"'
        others = [name for name in now if was[name] != now[name] and name != "question"]
        yield f"  {now['id']} ({now['form']}): {said}" + (f"; other {', '.join(others)}" if others else "")
    for turn in [turn for key, turn in after.items() if key not in before][: MAX_EXAMPLES - len(pairs)]:
        yield f'  {turn["id"]} ({turn["form"]}) is new: "{turn["question"]}"'


def _request_changes(old: Golden, new: Golden) -> Iterator[str]:
    before, after = old.get("requests", []), new.get("requests", [])
    if before == after:
        return
    pairs = [(index, *pair) for index, pair in enumerate(zip(before, after, strict=False), 1) if pair[0] != pair[1]]
    yield f"{len(before)} -> {len(after)} requests, {len(pairs)} differ"
    for index, was, now in pairs[:MAX_EXAMPLES]:
        agents = " -> ".join(dict.fromkeys((was["agent"], now["agent"])))
        yield f"  request {index} ({agents}): {was['characters']} -> {now['characters']} characters"
        if was["schema"] != now["schema"]:
            yield "    another reply schema or other tools"
        texts = ("\n".join(golden["texts"][key] for key in row["messages"]) for golden, row in ((old, was), (new, now)))
        changed = [line for line in unified_diff(*(text.splitlines() for text in texts), n=0, lineterm="")][2:]
        yield from (f"    {line[:MAX_WIDTH]}" for line in [line for line in changed if line[:2] != "@@"][:MAX_LINES])


def _value_changes(old: object, new: object) -> list[str]:
    before, after = dict(_flatten(old)), dict(_flatten(new))
    changed = [key for key in {**before, **after} if before.get(key, _ABSENT) != after.get(key, _ABSENT)]
    lines = [f"{key}: {_show(before.get(key, _ABSENT))} -> {_show(after.get(key, _ABSENT))}" for key in changed]
    return lines[:MAX_VALUES] + ([f"and {len(lines) - MAX_VALUES} more values"] if len(lines) > MAX_VALUES else [])


def _flatten(value: object, path: str = "$") -> Iterator[tuple[str, object]]:
    if value and isinstance(value, dict):
        for key, part in value.items():
            yield from _flatten(part, f"{path}.{key}")
    elif value and isinstance(value, list):
        for index, part in enumerate(value):
            yield from _flatten(part, f"{path}[{index}]")
    else:
        yield path, value


def _show(value: object) -> str:
    return "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)[:MAX_WIDTH]
