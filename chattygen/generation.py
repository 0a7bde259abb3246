"""Makes and loads benchmarks from Python, as the command ``chattygen generate`` does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Unpack

from chattyshared.benchmark import Benchmark, read_benchmark
from chattyshared.kg.factory import KGSource
from chattyshared.resources import ModelSource, check_output, open_kg, open_model, warn_of_failures
from chattyshared.runs.containment import summarize_failures
from chattyshared.trace import Trace, open_run_trace, trace_path_of

from chattygen.option_parsing import make_options
from chattygen.options import OptionFields
from chattygen.rulebook import RULEBOOK
from chattygen.runs.accounting import GenerationCounts
from chattygen.runs.recording import record_run


def generate(  # noqa: PLR0913
    kg: KGSource | Iterable[KGSource],
    dialogues: int | None = None,
    *,
    model: ModelSource = "rules",
    base_url: str | None = None,
    path: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    trace: Trace | None = None,
    on_progress: Callable[[int], object] = lambda _: None,
    **options: Unpack[OptionFields],
) -> Benchmark:
    """Make a benchmark of dialogues about the entities of a knowledge graph, each question with its query and gold.

    ``kg`` is "demo", files, a URL, a graph in memory or a ``KnowledgeGraph``. ``dialogues`` is 20 unless said, or the
    number of ``seeds``. ``model`` is "rules" (embedded, free), a spec such as "openai:NAME" with its key in the
    environment, a function of messages that returns text, or a ``LanguageModel``. ``options`` are fields of
    ``Options``, such as ``turns=3``, ``seed=7``, ``types=["Film"]``, ``mix={"count": 20}`` or ``workers=4``.

    With ``path`` each dialogue is on disk as soon as it is made, and the same call goes on with an interrupted run; a
    file of another run is replaced with ``overwrite`` alone. If the graph cannot give all dialogues, a warning says how
    many are missing and why. ``trace`` records every call and query (default: ``PATH.trace.jsonl``, if there is a
    path). ``on_progress`` is called with 1 for each dialogue.

    Raises:
        ConfigError: an option is unknown or has no such value, the graph or the model cannot be opened, or the file
        belongs to another run.
        EndpointError, ModelError: the endpoint or the model fails; what is finished is in the file of ``path``.
    """
    run_options = make_options(dialogues, options)
    output = check_output(path, kg)
    opened_model, opened_kg = open_model(model, RULEBOOK, base_url=base_url), open_kg(kg)
    with TemporaryDirectory(prefix="chattygen-", ignore_cleanup_errors=True) as folder:
        file, known = output or Path(folder) / "benchmark.jsonl", GenerationCounts()

        def report(counts: GenerationCounts) -> None:
            run_trace.commit()
            if made := counts.dialogues - known.dialogues:
                known.dialogues = counts.dialogues
                on_progress(made)

        beside = partial(open_run_trace, is_named=False, overwrite=overwrite, secrets=())
        with trace or (beside(trace_path_of(output)) if output else Trace()) as run_trace:
            counts = record_run(
                opened_kg, opened_model, run_options, file, overwrite=overwrite, trace=run_trace, on_progress=report
            )
            run_trace.commit()
        failed = {"seed": counts.unexpected}, run_trace.path, "with a path, a trace has the tracebacks"
        warn_of_failures(summarize_failures(*failed), opened_model)
        return read_benchmark(file)


def load_benchmark(path: str | os.PathLike[str]) -> Benchmark:
    """Read a benchmark that ``generate`` or the command of this name made.

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: a line is not valid; names file, line and JSON path.
    """
    return read_benchmark(Path(path))
