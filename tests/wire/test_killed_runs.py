"""A round trip that is killed goes on to the same files, and pays for nothing twice (the whole drill: benchmarks)."""

import json
import subprocess
import sys
from pathlib import Path

DRILL = Path(__file__).resolve().parents[2] / "benchmarks" / "killing.py"


def test_a_run_that_is_killed_three_times_ends_as_one_that_is_not():
    command = [
        sys.executable,
        str(DRILL),
        "--kg",
        "demo",
        "--dialogues",
        "20",
        "--turns",
        "2",
        "--kills",
        "3",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False)
    assert done.stdout, done.stderr[-600:]
    found = json.loads(done.stdout)
    assert (found["held"], found["dialogues"], len(found["kills"])) == (True, 20, 3), found
    assert all(found["same"].values())
    assert max(kill["repeated"] for kill in found["kills"]) <= 4
    assert [kill["paid_twice"] for kill in found["kills"]] == [0, 0, 0]
    assert found["served"] - found["calls"] == sum(kill["repeated"] for kill in found["kills"])
