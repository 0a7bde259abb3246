"""The audit: run each gold query on the knowledge graph, and compare its result with what the file states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from chattyshared.errors import BudgetSpent, ChattyError, ModelUnavailable
from chattyshared.formats.gold import GoldFile
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.runs.runner import ThreadRunner

from chattygen.audit.certification import Certifier
from chattygen.audit.question_checks import GoldChecks
from chattygen.audit.report import AuditReport
from chattygen.audit.verdict import FINDING_KINDS, Check, Verdict


@dataclass(slots=True)
class _Checks:
    """The checks of a run, and those of certificates; ``stopped`` says why no more questions get one."""

    checks: Sequence[Check]
    certificate_checks: Sequence[Check] = ()
    stopped: ChattyError | None = None


def audit_gold(
    gold: GoldFile,
    kg: KnowledgeGraph,
    on_progress: Callable[[], None] = lambda: None,
    certifier: Certifier | None = None,
    *,
    workers: int = 1,
) -> AuditReport:
    """Audit a file of gold; ``on_progress`` is called after each question.

    With a ``certifier`` each verdict has a certificate; with a model, ``workers`` questions at a time. If the model or
    the budget ends, the others have none, and ``stopped`` says why.

    Raises:
        EndpointUnavailable: the endpoint does not answer.
    """
    checks = GoldChecks(gold, kg).checks
    if certifier is None:
        return run_checks(gold, checks, FINDING_KINDS, on_progress)
    report = run_checks(
        gold, checks, {**FINDING_KINDS, **certifier.kinds}, on_progress, certifier.checks(gold),
        workers=workers if certifier.translator else 1,
    )  # fmt: skip
    return replace(report, notes=certifier.second.notes if certifier.second else ())


def run_checks(  # noqa: PLR0913
    gold: GoldFile,
    checks: Sequence[Check],
    kinds: Mapping[str, str],
    on_progress: Callable[[], None],
    certificate_checks: Sequence[Check] = (),
    *,
    workers: int = 1,
) -> AuditReport:
    """Return the report of some checks of each question; raises what ``audit_gold`` raises."""
    run = _Checks(checks, certificate_checks)
    verdicts: dict[int, Verdict] = {}
    for index, verdict in ThreadRunner(workers).map_unordered(_judge, run, gold.questions):
        verdicts[index] = verdict
        on_progress()
    return AuditReport(gold, tuple(verdict for _, verdict in sorted(verdicts.items())), kinds, stopped=run.stopped)


def _judge(run: _Checks, question: Question) -> Verdict:
    verdict = Verdict(question)
    for check in run.checks:
        verdict.apply(check)
    if not run.certificate_checks or run.stopped is not None:
        return verdict
    try:
        for check in run.certificate_checks:
            verdict.apply(check)
        verdict.conclude()
    except (ModelUnavailable, BudgetSpent) as error:
        run.stopped, verdict.certificate = error, None
    return verdict
