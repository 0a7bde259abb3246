"""Kill a round trip many times, and check that it resumes to the same files and pays for nothing twice.

    python benchmarks/killing.py [--kg KG] [--dialogues 200] [--kills 20] [--workers 4]

A model server on the loopback says what the embedded rules say. One round trip runs unbroken; another is killed
(SIGKILL) at random points, evenly spread over its calls of the model, and started again by the same command each time.
Then the files of both are compared byte by byte (of the answers all but the seconds that they took), and the server
tells which requests came again: none whose reply was in the cache when the run was killed. The exit code is 1 where
something differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HOME / "tests"))

from chattyshared.model import Completion, Request  # noqa: E402
from chattyshared.model.reply_store import FILE_NAME, ReplyStore  # noqa: E402
from chattyshared.model.rules import RuleModel  # noqa: E402
from scholarly_graph import graph  # noqa: E402
from wire.recorded_server import RecordedServer, digest  # noqa: E402

import chattygen  # noqa: E402

RUN = "import sys; from chattykg.cli import main; main(sys.argv[1:], prog_name='chattykg')"
MAX_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill: calls of the model served before it, replies in the cache, finished dialogues and answers on disk,
    and how many of the calls that were made after it had been made before."""

    calls: int
    stored: int
    dialogues: int
    answers: int
    repeated: int = 0
    paid_twice: int = 0


class Hosted:
    """The embedded rules under the name of a hosted model: what it is asked does not depend on what rules can say."""

    name = "openai:m"

    def complete(self, request: Request) -> Completion:
        """Complete a request by the rules."""
        return RuleModel(chattygen.RULEBOOK).complete(request)


@dataclass(frozen=True, slots=True)
class Setup:
    """What is run: the graph, the dialogues, the workers, and where everything lies."""

    folder: Path
    kg: str
    dialogues: int
    turns: int
    workers: int

    def command(self, name: str, *more: str) -> list[str]:
        """Return the command of one round trip into a folder of its own."""
        return [
            sys.executable, "-c", RUN, "roundtrip", "--kg", self.kg, "--dialogues", str(self.dialogues), "--turns",
            str(self.turns), "--strategy", "staged", "-o", str(self.folder / name), *more,
        ]  # fmt: skip

    def hosted(self, name: str, server: RecordedServer) -> list[str]:
        """Return the command of one round trip with the model behind the server, its replies kept."""
        return self.command(
            name, "--model", "openai:m", "--base-url", server.url, "--workers", str(self.workers), "--cache-dir",
            str(self.folder / f"{name}.cache"),
        )  # fmt: skip

    def lines(self, name: str, file: str) -> int:
        """Return how many dialogues or answers the journal, or the finished file, of one half holds."""
        whole, journal = self.folder / name / file, self.folder / name / f"{file}.journal.jsonl"
        if journal.exists():
            # A slot of a rejected seed has no line; the last line may have lost its end.
            entries = [
                json.loads(line) for line in journal.read_bytes().splitlines(keepends=True) if line[-1:] == b"\n"
            ]
            return sum(len(entry["lines"].get("", ())) for entry in entries)
        header = file == "benchmark.jsonl"
        return whole.read_bytes().count(b"\n") - header if whole.exists() else 0

    def counted(self, name: str) -> int:
        """Return how many calls of the model a run, with all that it was resumed from, has counted as spent."""
        lines = (self.folder / name / "roundtrip.spent.jsonl").read_text(encoding="utf-8").splitlines()
        return sum(int(json.loads(line)["calls"]) for line in lines)


def record_rules(setup: Setup) -> list[Path]:
    """Let the embedded rules make and answer the plans of a hosted model; return the traces of both halves."""
    folder = setup.folder / "rules"
    folder.mkdir()
    benchmark = folder / "benchmark.jsonl"
    chattygen.generate(
        setup.kg, setup.dialogues, model=Hosted(), turns=setup.turns, workers=setup.workers, path=benchmark
    )
    answering = ["--strategy", "staged", "--benchmark", str(benchmark), "-o", str(folder / "answers.jsonl")]
    run_to_end([sys.executable, "-c", RUN, "answer", "--kg", setup.kg, *answering])
    return [folder / f"{half}.jsonl.trace.jsonl" for half in ("benchmark", "answers")]


def run_environment() -> dict[str, str]:
    """Return this process's environment, without what would name other models, with the rooms to import from."""
    return {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")} | {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)
    }


def run_to_end(command: Sequence[str]) -> float:
    """Run a command to its end; return the seconds that it took."""
    started = time.monotonic()
    done = subprocess.run(
        command, env=run_environment(), capture_output=True, text=True, timeout=MAX_SECONDS, check=False
    )
    if done.returncode:
        raise SystemExit(f"the run ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return time.monotonic() - started


def run_until_killed(command: Sequence[str], server: RecordedServer, calls: int, pause: float) -> bool:
    """Start a run, and kill it once the server has seen so many different requests; tell whether it was alive."""
    running = subprocess.Popen(command, env=run_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + MAX_SECONDS
    while running.poll() is None and server.count_needed() < calls and time.monotonic() < end:
        time.sleep(0.005)
    time.sleep(pause)
    alive = running.poll() is None
    running.send_signal(signal.SIGKILL)
    running.wait()
    return alive


def stored_digests(setup: Setup, name: str) -> Counter[str]:
    """Return what the cache holds replies to, and to how many attempts of the same words."""
    path = setup.folder / f"{name}.cache" / FILE_NAME
    if not path.exists():
        return Counter()
    replies = ReplyStore(path)
    found = Counter(
        digest({"role": role, "content": content} for role, content in one.request["messages"])
        for one in replies.find_replies(limit=1_000_000)
    )
    replies.close()
    return found


def kill_repeatedly(setup: Setup, server: RecordedServer, kills: int, rng: random.Random, calls: int) -> list[Kill]:
    """Kill a run so often, at points spread over its calls, and let it finish; return what each kill cost."""
    server.order.clear()
    command, points = setup.hosted("broken", server), sorted(rng.sample(range(1, calls), kills))
    done: list[tuple[Kill, Counter[str]]] = []
    for point in points:
        if not run_until_killed(command, server, point, rng.uniform(0, 0.1)):
            raise SystemExit(f"the run ended before its kill at {point} calls")
        stored_keys = stored_digests(setup, "broken")
        on_disk = (setup.lines("broken", "benchmark.jsonl"), setup.lines("broken", "answers.jsonl"))
        done.append((Kill(len(server.order), stored_keys.total(), *on_disk), stored_keys))
    run_to_end(command)
    ends = [kill.calls for kill, _ in done[1:]] + [len(server.order)]
    return [_with_repeats(kill, stored_keys, server, end) for (kill, stored_keys), end in zip(done, ends, strict=True)]


def _with_repeats(kill: Kill, kept: Counter[str], server: RecordedServer, end: int) -> Kill:
    """Say what a kill cost: what was asked again between it and the next one, and what of that was kept."""
    before, after = Counter(server.order[: kill.calls]), Counter(server.order[kill.calls : end])
    due = {key: len(server.attempts[key]) for key in after}
    repeated = sum(max(0, times - max(0, due[key] - before[key])) for key, times in after.items())
    paid_twice = sum(max(0, times - max(0, due[key] - kept[key])) for key, times in after.items())
    return replace(kill, repeated=repeated, paid_twice=paid_twice)


def compare_files(setup: Setup) -> dict[str, bool]:
    """Compare the files of the broken run with those of the unbroken one."""

    def lines(name: str) -> list[dict[str, object]]:
        found = (setup.folder / name / "answers.jsonl").read_text(encoding="utf-8").splitlines()
        return [{k: v for k, v in json.loads(line).items() if k not in ("seconds", "stages")} for line in found]

    def raw(name: str, file: str) -> bytes:
        return (setup.folder / name / file).read_bytes()

    files = ("benchmark.jsonl", "benchmark.jsonl.rejected.jsonl", "benchmark.jsonl.run.json", "answers.jsonl.run.json")
    found = {file: raw("whole", file) == raw("broken", file) for file in files}
    return found | {"answers.jsonl": lines("whole") == lines("broken")}


def main() -> int:
    """Print the table; return 0 where everything held."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kg", default="", help="a graph; a synthetic one of 20,000 triples unless said")
    parser.add_argument("--dialogues", type=int, default=200)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--slow", type=float, default=0.02, help="seconds that one reply of the model takes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="killing-") as folder:
        setup = Setup(
            Path(folder), options.kg or _synthetic(Path(folder)), options.dialogues, options.turns, options.workers
        )
        traces = record_rules(setup)
        server = RecordedServer(traces, slow=options.slow)
        server.start()
        try:
            seconds = run_to_end(setup.hosted("whole", server))
            calls = len(server.order)
            asked_again = calls - server.count_needed()
            kills = kill_repeatedly(setup, server, options.kills, random.Random(options.seed), calls)
            missing = server.missing
        finally:
            server.stop()
        equal = compare_files(setup)
        dialogues, spent = setup.lines("whole", "benchmark.jsonl"), setup.counted("broken")
    served = len(server.order)
    is_ok = (
        all(equal.values())
        and not asked_again
        and not missing
        and served - options.kills * options.workers <= spent <= served
    )
    is_ok = is_ok and all(kill.repeated <= options.workers and not kill.paid_twice for kill in kills)
    figures = {
        "held": is_ok, "dialogues": dialogues, "calls": calls, "served": served, "counted": spent,
        "seconds": round(seconds, 1), "unknown requests": missing,
        "same": equal, "kills": [asdict(kill) for kill in kills],
    }  # fmt: skip
    _print(figures, as_json=options.json)
    return 0 if is_ok else 1


def _synthetic(folder: Path) -> str:
    path = folder / "scholarly.nt"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(graph(20_000))
    return str(path)


def _print(figures: dict[str, object], *, as_json: bool) -> None:
    out = sys.stdout
    if as_json:
        out.write(json.dumps(figures) + "\n")
        return
    kills = figures.pop("kills")
    assert isinstance(kills, list)
    out.write("kill  calls  kept replies  dialogues  answers  asked again  paid twice\n")
    for number, kill in enumerate(kills, 1):
        out.write(
            f"{number:>4}{kill['calls']:>7}{kill['stored']:>14}{kill['dialogues']:>11}{kill['answers']:>9}"
            f"{kill['repeated']:>13}{kill['paid_twice']:>12}\n"
        )
    for name, value in figures.items():
        out.write(f"{name}: {value}\n")


if __name__ == "__main__":
    sys.exit(main())
