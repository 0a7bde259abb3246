"""How well the language of a question is identified: a confusion table over 20 questions in each known language.

    python benchmarks/language_identification.py [--errors]

"none": no language was identified, so that the question is taken for one in the language of the graph.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from chattyshared.language.identification import detect_language
from chattyshared.text import Column, render_rows

SENTENCES = Path(__file__).parent / "development" / "languages.txt"


def read_sentences(path: Path = SENTENCES) -> dict[str, tuple[str, ...]]:
    """Return the sentences by the tag of their language."""
    sentences: dict[str, list[str]] = {}
    tag = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            tag = line.strip("[]")
            sentences[tag] = []
        elif line and not line.startswith("#"):
            sentences[tag].append(line)
    return {tag: tuple(lines) for tag, lines in sentences.items()}


def count_identified(sentences: Mapping[str, tuple[str, ...]]) -> dict[str, Counter[str]]:
    """Return, by true language, how often each language was identified ("": none)."""
    return {tag: Counter(map(detect_language, lines)) for tag, lines in sentences.items()}


def main() -> None:
    """Print the table, and with ``--errors`` the sentences that were taken for another language or none."""
    sentences = read_sentences()
    counts = count_identified(sentences)
    columns = (Column("language"), Column("right", right=True), Column("none", right=True), Column("taken for"))
    rows = [
        (
            tag,
            f"{found[tag]}/{found.total()}",
            str(found[""]),
            ", ".join(f"{other} {number}" for other, number in found.most_common() if other not in ("", tag)),
        )
        for tag, found in counts.items()
    ]
    print("\n".join(render_rows(columns, rows)))
    right, total = sum(found[tag] for tag, found in counts.items()), sum(found.total() for found in counts.values())
    print(f"\n{right} of {total} right")
    if "--errors" in sys.argv:
        for tag, lines in sentences.items():
            for line in lines:
                if (other := detect_language(line)) != tag:
                    print(f"{tag} -> {other or 'none'}: {line}")


if __name__ == "__main__":
    main()
