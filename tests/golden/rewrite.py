"""Write the golden files anew, and print what changed: ``make golden``, or ``make golden ONLY="generate/demo"``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from golden.comparison import describe_changes, golden_path, read_golden, write_golden  # noqa: E402
from golden.harness import FOLDER, GROUPS, GoldenFault  # noqa: E402


def rewrite(beginnings: list[str]) -> int:
    """Rewrite the files whose names begin so (none given: all); return the exit code."""
    groups = [name for name in GROUPS if not beginnings or name.startswith(tuple(beginnings))]
    if not groups:
        return _fail(f"no golden file begins with {' or '.join(beginnings)}; there are {', '.join(GROUPS)}")
    written, changed = set(), 0
    for group in groups:
        try:
            goldens = GROUPS[group]()
        except GoldenFault as fault:
            return _fail(str(fault))
        for name, golden in goldens.items():
            written.add(golden_path(name))
            try:
                lines = describe_changes(read_golden(name), golden)
            except GoldenFault as fault:
                lines = [str(fault)]
            if lines:
                write_golden(name, golden)
                changed += 1
                print("\n  ".join([name, *lines]))  # noqa: T201
    stale = [] if beginnings else sorted({*FOLDER.glob("*/*.json")} - written - {*FOLDER.glob("files/*")})
    for path in stale:
        path.unlink()
        print(f"{path.relative_to(FOLDER)}: no run makes it, removed")  # noqa: T201
    print(f"{changed} of {len(written)} golden files changed")  # noqa: T201
    return 0


def _fail(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)  # noqa: T201
    return 2


if __name__ == "__main__":
    sys.exit(rewrite(sys.argv[1:]))
