"""Answer every development turn, and show turn by turn what a change wins and loses.

    python benchmarks/replay.py run FILE [--only PREFIX...]
    python benchmarks/replay.py compare OLD NEW [--all]

``run`` answers the development sets, the paraphrases, the fixed benchmark files, and dialogues that the generator made
of the same graphs (once, into ``.gate/replay``: remove the folder after a change of the generator), and writes a JSON
line a turn. ``compare`` prints the turns whose score changed (won, LOST) and the new false answers, with both queries;
with --all also those whose query changed. Held-out sets are not answered: nobody reads them to mend rules.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chattyshared.benchmark import Benchmark
from chattyshared.formats.gold import read_gold
from gate_figures import FIXED, FIXED_GRAPHS, GRAPHS, run_command
from question_sets import FOLDER, find_sets, open_engine, read_answer_lines

import chattygen.cli
from chattykg.evaluation.gold import gold_of_file
from chattykg.evaluation.metrics import score_turn
from chattykg.runs.batch import answer_conversation
from chattykg.runs.question_sets import conversations_from_dialogues, conversations_from_questions

MADE = FOLDER.parent / ".gate" / "replay"
MADE_OPTIONS = ("--dialogues", "30", "--turns", "5", "--seed", "5")
Turn = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """The turns of one file over one graph; ``kg`` names the graph among the file's (empty: all its turns)."""

    name: str
    path: Path
    sources: tuple[str, ...]
    kg: str = ""


def find_parts() -> Iterator[Part]:
    """Yield the parts; dialogues that are missing are generated."""
    for name in FIXED_GRAPHS:
        yield Part(f"fixed/{name}", FIXED / f"{name}.jsonl", (GRAPHS[name],))
    names: dict[tuple[str, ...], str] = {}
    for question_set in find_sets():
        if question_set.name.startswith(("held_out", "small_model")) or question_set.is_ambiguous:
            continue
        for kg, sources in question_set.sources.items():
            yield Part(question_set.name, question_set.path, sources, kg)
            names.setdefault(sources, Path(sources[-1]).parent.name + "-" + Path(sources[-1]).stem)
    for sources, name in names.items():
        path = MADE / f"{name}.jsonl"
        if not path.is_file():
            MADE.mkdir(parents=True, exist_ok=True)
            graphs = [part for source in sources for part in ("--kg", source)]
            run_command(chattygen.cli.main, "generate", *graphs, *MADE_OPTIONS, "-o", str(path))
        yield Part(f"made/{name}", path, sources)


def answer_part(part: Part) -> Sequence[Turn]:
    """Answer the turns of a part, each dialogue with the engine's own history."""
    file = read_gold(part.path)
    if isinstance(file.content, Benchmark):
        conversations = conversations_from_dialogues(file.content.dialogues)
    else:
        questions = [question for question in file.content if question.kg == part.kg]
        conversations = conversations_from_questions(questions)
    engine = open_engine(part.sources)
    lines = [
        dict(outcome.line) for conversation in conversations for outcome in answer_conversation(engine, conversation)
    ]
    answers, by_id = read_answer_lines(lines), {str(line["id"]): line for line in lines}
    turns: list[Turn] = []
    for gold in gold_of_file(file):
        if gold.is_scored and str(gold.id) in by_id:
            score, line = score_turn(gold, answers.answer_to(gold.id)), by_id[str(gold.id)]
            turns.append(
                {"set": part.name, "id": str(gold.id), "f1": round(score.f1, 3), "gold": score.is_answerable}
                | {"said": score.is_answered, "question": line["question"], "standalone": line.get("standalone", "")}
                | {"sparql": line.get("sparql", ""), "confidence": line.get("confidence")}
                | {"problem": (line.get("problem") or {}).get("code") or line.get("error", "")}
            )
    return turns


def run(file: Path, prefixes: Sequence[str]) -> None:
    """Write a line for each turn, and print the mean of each set."""
    parts = [part for part in find_parts() if not prefixes or part.name.startswith(tuple(prefixes))]
    with ProcessPoolExecutor(2) as pool:
        turns = [turn for each in pool.map(answer_part, parts) for turn in each]
    file.write_text("".join(json.dumps(turn, ensure_ascii=False) + "\n" for turn in turns), encoding="utf-8")
    for name in dict.fromkeys(turn["set"] for turn in turns):
        print(f"{name:40} {_mean(turn for turn in turns if turn['set'] == name)}")
    print(f"{'all':40} {_mean(turns)}")


def compare(old: Path, new: Path, *, with_queries: bool) -> None:
    """Print the turns that differ, and their numbers."""
    before, after = (
        {(turn["set"], turn["id"]): turn for turn in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
        for path in (old, new)
    )
    counts = dict.fromkeys(("won", "LOST", "FALSE", "query"), 0)
    for key in sorted(before.keys() & after.keys()):
        kind = _change(before[key], after[key])
        if kind:
            counts[kind] += 1
        if kind and (with_queries or kind != "query"):
            print(f"{kind} {key[0]} {key[1]}: {after[key]['question']}")
            for turn in (before[key], after[key]):
                said = turn["standalone"] if turn["standalone"] != turn["question"] else ""
                query = " ".join(turn["sparql"].split()) or turn["problem"] or "-"
                print(f"    {turn['f1']:.2f} [{turn['confidence']}] {said} {query}")
    print(", ".join(f"{kind} {count}" for kind, count in counts.items()))


def _change(before: Turn, after: Turn) -> str:
    """Name the change of a turn."""
    if not after["gold"] and after["said"] and not before["said"]:
        return "FALSE"
    if after["f1"] != before["f1"]:
        return "won" if after["f1"] > before["f1"] else "LOST"
    return "query" if after["sparql"] != before["sparql"] else ""


def _mean(turns: Iterable[Turn]) -> str:
    counted = list(turns)
    f1 = sum(turn["f1"] for turn in counted) / len(counted)
    false = sum(turn["said"] for turn in counted if not turn["gold"])
    return f"F1 {f1:.3f} of {len(counted)}, false answers {false}"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    running = commands.add_parser("run")
    running.add_argument("file", type=Path)
    running.add_argument("--only", nargs="*", default=[], metavar="PREFIX")
    comparing = commands.add_parser("compare")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--all", action="store_true", dest="with_queries")
    options = parser.parse_args()
    if options.command == "run":
        run(options.file, options.only)
    else:
        compare(options.old, options.new, with_queries=options.with_queries)


if __name__ == "__main__":
    main()
