"""All figures of one system on one file of gold: a list of statements, from which tables, JSON and pages are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from statistics import fmean
from typing import Any

from chattyshared.answers import AnswerLine
from chattyshared.dialogue import StageSeconds
from chattyshared.figures import (
    Counts,
    Estimate,
    Figure,
    Section,
    Values,
    compute_values,
    format_estimate,
    format_number,
    format_percent,
    format_precisely,
)
from chattyshared.model import Usage
from chattyshared.sparql.analysis import parse_query_terms
from chattyshared.terms import iri_to_words

from chattykg.evaluation import external_metrics as external
from chattykg.evaluation.candidate_metrics import CandidateRuns, measure_candidates
from chattykg.evaluation.error_analysis import failure_stage_of, measure_linking
from chattykg.evaluation.metrics import (
    MEASURES,
    FalseAnswerRate,
    Gold,
    GroupScore,
    SystemAnswer,
    TurnScore,
    false_answers_by_kind,
    mean,
    mean_f1,
    micro_f1,
    percentile,
    qald_macro,
    score_groups,
    score_remembered,
    score_turn,
)
from chattykg.evaluation.reliability import SURE_CONFIDENCE, measure_reliability, measure_risk
from chattykg.evaluation.significance import ConfidenceInterval, bootstrap_intervals
from chattykg.evaluation.system_runs import Answers
from chattykg.evaluation.table_matching import RowScore, score_rows
from chattykg.experience.query_kinds import kinds_of_question

GROUPINGS: Mapping[str, tuple[str, Callable[[TurnScore], str | int]]] = {
    "form": ("form", lambda turn: turn.gold.form),
    "link": ("link", lambda turn: turn.gold.link),
    "turn": ("place in the dialogue", lambda turn: turn.gold.position),
    "lang": ("language", lambda turn: turn.gold.lang),
    "answer_type": ("kind of answer", lambda turn: turn.gold.answer_type),
    "question_type": ("type of question", lambda turn: _question_type(turn.gold)),
    "length": ("length of question", lambda turn: _length_group(turn.gold.question)),
    "triples": ("triple patterns of the gold query", lambda turn: _triple_group(turn.gold)),
    "kg": ("graph", lambda turn: turn.gold.kg),
    "seed_class": ("class of the seed", lambda turn: iri_to_words(turn.gold.seed_class)),
    "seed_band": ("triples of the seed", lambda turn: turn.gold.seed_band),
    "predicate_band": ("the rarest predicate of the gold query", lambda turn: turn.gold.predicate_band),
}
"""The groupings of turns: what each is by, and a function that names a turn's group (empty: in no group)."""

MAX_SHORT_WORDS, MAX_MEDIUM_WORDS = 6, 11
"""The most words of a short and of a medium question; the means in Chatty-KG's Table 8 are from 7 to 12 words."""

DIGITS = 6
"""The decimal places of figures in JSON."""


@dataclass(frozen=True)
class Scorecard:
    """One system on one file of gold.

    ``pairs`` are all turns that were asked, in the order of the file, with the answers (None: no answer line). ``seed``
    is that of the resampling, ``runs`` are those of its candidate queries.
    """

    name: str
    system: Answers
    pairs: tuple[tuple[Gold, SystemAnswer | None], ...]
    seed: int = 0
    runs: CandidateRuns | None = None

    @cached_property
    def turns(self) -> tuple[TurnScore, ...]:
        """The scored turns."""
        return tuple(score_turn(gold, answer) for gold, answer in self.pairs if gold.is_scored)

    @cached_property
    def answerable(self) -> tuple[TurnScore, ...]:
        """The turns of the headline: those with gold."""
        return tuple(turn for turn in self.turns if turn.is_answerable)

    @property
    def unanswerable(self) -> list[TurnScore]:
        """The turns with empty gold."""
        return [turn for turn in self.turns if not turn.is_answerable]

    @cached_property
    def lines(self) -> tuple[AnswerLine, ...]:
        """The lines of the answers to all turns, whose costs count."""
        return tuple(answer.line for _, answer in self.pairs if answer is not None)

    @cached_property
    def usage(self) -> Usage:
        """The model usage of all answers."""
        return sum((line.usage for line in self.lines), Usage())

    @cached_property
    def states_costs(self) -> bool:
        """Whether the answers state what they cost."""
        return any(line.seconds or line.queries or line.usage.calls or line.candidate_queries for line in self.lines)

    @cached_property
    def intervals(self) -> dict[str, ConfidenceInterval]:
        """The intervals of the means over the turns with gold."""
        return bootstrap_intervals(self.answerable, seed=self.seed)

    @cached_property
    def headline(self) -> Values:
        """The figures of a round trip."""
        return compute_values(HEADLINE, self)

    @cached_property
    def values(self) -> Values:
        """All figures."""
        return compute_values(SECTIONS, self)

    @property
    def unknown_ids(self) -> tuple[str, ...]:
        """The ids of answer lines without a question."""
        question_ids = {gold.id for gold, _ in self.pairs}
        return tuple(id for id in self.system.lines if id not in question_ids)

    @property
    def failed_ids(self) -> tuple[str, ...]:
        """The ids of answer lines with an error."""
        question_ids = {gold.id for gold, _ in self.pairs}
        return tuple(id for id, line in self.system.lines.items() if id in question_ids and line.error)

    def groups(self, grouping: str) -> dict[str, GroupScore]:
        """Return the scores of the groups of turns with gold."""
        return score_groups(self.answerable, GROUPINGS[grouping][1])


def _question_type(gold: Gold) -> str:
    """Return factoid, count or boolean, as Table 8 of Chatty-KG's paper tells questions apart.

    Without a gold query, a number is a count if the question asks for one in English.
    """
    if gold.answer_type == "boolean":
        return "boolean"
    terms = parse_query_terms(gold.sparql)
    asks_number = gold.answer_type == "number" and "count" in kinds_of_question(gold.question)
    is_count = terms.result_kind == "count" if terms else asks_number
    return "count" if is_count or gold.form == "count" else "factoid"


def _length_group(question: str) -> str:
    words = len(question.split())
    return "short" if words <= MAX_SHORT_WORDS else "medium" if words <= MAX_MEDIUM_WORDS else "long"


def _triple_group(gold: Gold) -> str:
    """Return the number of triple patterns of the gold query; four and more are one group."""
    terms = parse_query_terms(gold.sparql)
    if terms is None or not terms.triple_count:
        return ""
    return str(terms.triple_count) if terms.triple_count < 4 else "4+"


def estimate(values: Iterable[float], interval: ConfidenceInterval | None = None) -> Estimate:
    """Return the mean of some values as an estimate."""
    all_values = list(values)
    return Estimate(mean(all_values), len(all_values), interval)


_as_percent = partial(format_estimate, write=format_percent)


def _rate(key: str, name: str, help: str = "", **more: Any) -> Figure:
    """Return the figure of a measure's mean over the turns with gold, with its interval."""
    measure = MEASURES[key]
    return Figure(
        key, name, compute=lambda card: estimate(map(measure, card.answerable), card.intervals.get(key)), help=help,
        **{"format": format_estimate, **more},
    )  # fmt: skip


def _over(
    key: str, name: str, score: Callable[[Sequence[TurnScore]], float],
    of: Callable[[Scorecard], Sequence[TurnScore]] = lambda card: card.turns, help: str = "",
) -> Figure:  # fmt: skip
    """Return the figure of a score of some turns."""
    return Figure(key, name, format_estimate, lambda card: Estimate(score(of(card)), len(of(card))), help)


def _table_metrics(card: Scorecard) -> dict[str, Any]:
    """Score rows; gold with one column has one row per element."""
    flat: list[RowScore] = []
    tables: list[RowScore] = []
    for gold, answer in card.pairs:
        gold_rows = gold.rows or tuple((element,) for element in gold.elements if gold.is_scored)
        if gold_rows:
            rows = (answer.rows or tuple((element,) for element in answer.elements)) if answer else ()
            (tables if gold.rows else flat).append(score_rows(gold_rows, rows))
    return {
        "assigned": estimate(score.assigned for score in flat + tables),
        "tables": len(tables),
        "tables_exact": estimate(score.exact for score in tables) if tables else None,
        "tables_assigned": estimate(score.assigned for score in tables) if tables else None,
    }


def _text2sparql(card: Scorecard) -> dict[str, Any]:
    """Return the official and the corrected scores by key; None where they measure nothing of their own."""
    official, corrected = external.score_text2sparql(card.turns), external.score_text2sparql_corrected(card.turns)
    without = external.score_text2sparql(card.turns, with_empty_gold=False)
    found: dict[str, Any] = {
        "official.f": Estimate(official.f, official.n),
        "official_without_empty_gold.f": Estimate(without.f, without.n) if without.n != official.n else None,
        "corrected.f": Estimate(corrected.f, corrected.n),
    }
    for name, score in (("official", official), ("corrected", corrected)):
        for key in ("f_ndcg", "ndcg"):
            found[f"{name}.{key}"] = Estimate(getattr(score, key), score.n) if score.ordered else None
    return found


def _failures(card: Scorecard) -> Counts:
    failed = set(card.failed_ids)
    wrong = (turn for turn in card.answerable if not turn.is_exact)
    return Counts.of((failure_stage_of(turn, has_error=turn.gold.id in failed) for turn in wrong), len(card.answerable))


def _stage_seconds(card: Scorecard) -> StageSeconds:
    stages = ("understanding", "linking", "selection", "execution")
    return StageSeconds(
        **{stage: mean(getattr(line.stages, stage) for line in card.lines) for stage in stages}
    )  # fmt: skip


def _candidates(card: Scorecard) -> Mapping[str, Any] | None:
    if card.runs is None:
        return None
    return measure_candidates([gold for gold, _ in card.pairs], card.system.lines, card.runs)


def _candidate_cells(groups: Mapping[str, Mapping[str, Mapping[str, float | None]]]) -> dict[str, str]:
    """Return the figures of lists before and after a filter, of all lists and by language."""
    names = {"n": "lists", "p_at_1": "P@1", "p_at_5": "P@5", "ndcg_at_5": "NDCG@5", "trust": "trust"}
    return {
        name if group == "all" else f"{name}, {group}": " -> ".join(
            "-" if (value := score[key]) is None else f"{value:.{0 if key == 'n' else 3}f}" for score in scores.values()
        )
        for group, scores in groups.items()
        for key, name in names.items()
    }


def _of_judge(key: str, name: str) -> Figure:
    """Return the figure of a rate over the candidates that were judged."""
    return Figure(key, name, format_estimate, lambda found: Estimate(found[key], found["judged"]))


def _group_estimates(groups: Mapping[str, GroupScore]) -> dict[str, Estimate]:
    """Return the groups as estimates; one group is the same as all turns."""
    return {name: Estimate(group.f1, group.n) for name, group in groups.items()} if len(groups) > 1 else {}


def _by(grouping: str) -> Figure:
    title = f"F1 by {GROUPINGS[grouping][0]} (turns)"
    return Figure(f"by_{grouping}", title, _group_estimates, lambda card: card.groups(grouping), is_counted=False)


def _false_kinds(kinds: Mapping[str, FalseAnswerRate]) -> dict[str, Estimate]:
    return {kind: Estimate(rate.false_answers, rate.n) for kind, rate in kinds.items()}


def _seconds(percent: float) -> Callable[[Scorecard], float]:
    return lambda card: percentile([line.seconds for line in card.lines], percent)


def _candidate_queries(card: Scorecard) -> float | None:
    stated = [line.candidate_queries for line in card.lines if line.candidate_queries is not None]
    return fmean(stated) if stated else None


_HEADLINE_RATES = (
    _rate("f1", "F1", "the mean of the F1 of single turns, over sets of answers; turns without gold are left out",
          is_headline=True),
    Figure(
        "f1_qald_macro", "F1, QALD macro", format_estimate,
        lambda card: Estimate(
            qald_macro(card.answerable), len(card.answerable), card.intervals.get("f1_qald_macro")
        ),
        "the harmonic mean of mean precision and mean recall, where silence has precision 1: GERBIL's figure, which "
        "the tables of QALD, KGQAn and Chatty-KG show as F1; a system that rarely answers looks better in it",
        is_headline=True,
    ),
    _rate("precision", "precision"),
    _rate("recall", "recall"),
    _rate("p_at_1", "P@1", "the first answer is right", is_headline=True),
    _rate("answered", "answered", "share of the turns with gold that got an answer", format=_as_percent,
          is_headline=True),
)  # fmt: skip
_COUNTS = (
    Figure("false_answers", "false answers to unanswerable turns", _as_percent,
           lambda card: estimate(turn.is_answered for turn in card.unanswerable), is_headline=True),
    Figure("questions", "questions", compute=lambda card: len(card.turns)),
    Figure("unanswerable", "unanswerable", compute=lambda card: len(card.unanswerable)),
    Figure("missing", "without an answer line: wrong", compute=lambda card: sum(t.answer is None for t in card.turns)),
    Figure("from_memory", "F1 of answers from memory, apart (their number)",
           lambda group: f"{group.f1:.3f} ({group.n})", lambda card: score_remembered(card.turns),
           "answers from a model's memory: not of the graph, so no answers in the rates", is_headline=True),
    Figure("false_answers_by_kind", "false answers by kind (turns)", _false_kinds,
           lambda card: false_answers_by_kind(card.unanswerable), is_counted=False),
)  # fmt: skip


def _cost(
    key: str, name: str, compute: Callable[[Scorecard], Any], format: Callable[[Any], str] = format_number, **more: Any
) -> Figure:
    """Return the figure of a cost, which few formats of others state."""
    return Figure(key, name, format, lambda card: compute(card) if card.states_costs else None, **more)


_COSTS = (
    _cost("seconds_per_question", "seconds per question", lambda card: mean(line.seconds for line in card.lines),
          format_precisely),
    _cost("seconds_p50", "seconds per question, median", _seconds(50), format_precisely, is_headline=True),
    _cost("seconds_p95", "seconds per question, 95th percentile", _seconds(95), format_precisely),
    _cost("queries_per_question", "queries per question", lambda card: mean(line.queries for line in card.lines),
          is_headline=True),
    _cost("queries_p50", "queries per question, median",
          lambda card: percentile([line.queries for line in card.lines], 50)),
    _cost("candidate_queries_per_question", "candidate queries among them", _candidate_queries),
    _cost("model_calls", "model calls", lambda card: card.usage.calls),
    _cost("prompt_tokens", "prompt tokens", lambda card: card.usage.prompt_tokens),
    _cost("completion_tokens", "completion tokens", lambda card: card.usage.completion_tokens),
    _cost("tokens_estimated", "tokens are estimated: characters / 4", lambda card: card.usage.estimated,
          lambda value: "yes" if value else "no"),
    _cost("usd", "price, US dollars", lambda card: card.usage.usd, "{:,.4f}".format, is_headline=True),
)  # fmt: skip
HEADLINE = tuple(
    Section("", "", lambda card: card, figures)
    for figures in (_HEADLINE_RATES, _COUNTS, _COSTS, tuple(map(_by, ("form", "link", "turn", "lang"))))
)
"""The figures of a round trip, by the keys of the contract."""

_MANIFEST = (
    Figure("name", compute=lambda card: card.name),
    Figure("file", compute=lambda card: str(card.system.path)),
    Figure("model", "model", str, lambda card: card.system.model),
    Figure("history", "history", str, lambda card: card.system.history),
    Figure("wording", "wording", str, lambda card: card.system.wording),
    Figure("switches", "switches", str, lambda card: card.system.switches),
    Figure("experience", "experience", str, lambda card: card.system.experience),
)
SECTIONS = (
    Section("", "", lambda card: card, _MANIFEST),
    Section("", "how much is right", lambda card: card, (
        *_HEADLINE_RATES,
        _rate("exact", "exactly right", "gold's set and nothing else", is_headline=True),
        Figure("intervals", compute=lambda card: card.intervals),
    ), "over the turns with gold; the strokes are 95 % bootstrap intervals over dialogues"),
    Section("", "numbers of turns", lambda card: card, _COUNTS),
    Section("", "F1, by who counts", lambda card: card, (
        _over("f1_micro", "micro F1", micro_f1, lambda card: card.answerable,
              "all elements of all answers together; long lists weigh most"),
        _over("answered_only.f1", "F1, answered turns only", mean_f1,
              lambda card: [turn for turn in card.answerable if turn.is_answered],
              "as Chatty-KG's in-run score counts; not comparable between systems"),
        _over("follow_ups_only.f1", "F1, follow-ups only", mean_f1,
              lambda card: [turn for turn in card.answerable if turn.gold.position > 1], "as ConvQuestions counts"),
        _over("with_empty_gold.f1", "F1, empty gold too", mean_f1,
              help="over all turns: silence is right where gold is empty"),
        _over("with_empty_gold.f1_qald_macro", "QALD macro, empty gold too", qald_macro),
        _over("triad.f1", "F1 as Triad counts", external.triad_f1),
    ), "one set of answers under the F1 of the field's scorers: what to compare with which paper"),
    Section("text2sparql", "TEXT2SPARQL", _text2sparql, (
        Figure("official.f", "F, official", format_estimate, help="as the challenge's program counts: a right no is 0, "
               "empty gold is 0, missing questions drop out; the order is not measured"),
        Figure("official_without_empty_gold.f", "F, official, empty gold out", format_estimate),
        Figure("corrected.f", "F, corrected", format_estimate, help="booleans and empty gold count, a missing question "
               "is wrong, nDCG sees the order"),
        Figure("official.f_ndcg", "F with nDCG, official", format_estimate),
        Figure("corrected.f_ndcg", "F with nDCG, corrected", format_estimate),
        Figure("official.ndcg", "nDCG, official", format_estimate),
        Figure("corrected.ndcg", "nDCG, corrected", format_estimate),
    ), "over all turns, those with empty gold as well"),
    Section("rows", "rows of tables", _table_metrics, (
        Figure("assigned", "rows assigned", format_estimate,
               help="each row of gold gets one row of the answer; columns beyond gold's are forgiven, rows are not"),
        Figure("tables", "tables"),
        Figure("tables_assigned", "rows assigned, tables only", format_estimate),
        Figure("tables_exact", "rows identical, tables only", format_estimate),
    )),
    Section("", "rank and trust", lambda card: card, (
        _rate("p_at_1_tied", "P@1, ties share a rank", "any right one among the first answers of equal score counts"),
        _rate("mrr", "MRR, ties share a rank"),
        _rate("hit_at_5", "Hit@5, ties share a rank"),
        Figure("trust", "trustworthiness (-1 to 1)", format_estimate,
               lambda card: estimate(map(MEASURES["trust"], card.turns)),
               "the mean of +1 for a right answer, 0 for none, -1 for a wrong one, over all turns", is_headline=True),
    )),
    Section("", "", lambda card: card, tuple(map(_by, GROUPINGS))),
    Section("candidates", "", _candidates, (
        Figure("groups", "candidate queries, before -> after the filter", _candidate_cells, is_counted=False),
        Figure("judged", "judged"),
        Figure("unread", "neither yes nor no"),
        _of_judge("accuracy", "accuracy of the judge"),
        _of_judge("precision", "precision of its yes"),
        _of_judge("recall", "recall of its yes"),
    )),
    Section("linking", "recall of linking",
            lambda card: measure_linking(card.turns, card.system.candidates), (
        Figure("vertices_n", compute=lambda shares: len(shares["vertices"])),
        Figure("candidates", "vertices proposed", format_estimate, lambda shares: _if_any(shares["candidates"])),
        Figure("vertices", "vertices chosen", format_estimate, lambda shares: _if_any(shares["vertices"])),
        Figure("predicates_n", compute=lambda shares: len(shares["predicates"])),
        Figure("predicate_candidates", "predicates proposed", format_estimate,
               lambda shares: _if_any(shares["predicate_candidates"])),
        Figure("predicates", "predicates chosen", format_estimate, lambda shares: _if_any(shares["predicates"])),
    ), "share of what the gold queries name"),
    Section("", "", lambda card: card, (
        Figure("failures", "turns not wholly right, by the first stage that failed", lambda counts: counts, _failures,
               "of the turns with gold"),
    )),
    Section("risk_coverage", "", lambda card: measure_risk(card.turns), (
        Figure("at", "answers at least so sure: coverage / risk", lambda levels: {
            level: f"{point['coverage']:.1%} / {'-' if point['risk'] is None else format_percent(point['risk'])}"
            for level, point in levels.items()
        }, help="coverage: their share of all turns; risk: the share of them that is wrong", is_counted=False),
        Figure("area", "area under the curve (0 best)", format_precisely),
    )),
    Section("reliability", "", lambda card: measure_reliability(card.turns), (
        Figure("bins", "reliability: answers right / mean confidence (answers)", lambda bins: {
            f"from {part['low']:.1f}": f"{part['right']:.3f} / {part['confidence']:.3f} ({part['n']})" for part in bins
        }, is_counted=False),
        Figure("n"),
        Figure("ece", "ECE, expected calibration error (0 best)", format_precisely,
               help="the mean distance of confidence and share of right answers, weighted by the number of answers"),
        Figure("auroc", "AUROC, right answers before wrong ones", format_precisely,
               help="the probability that a right answer has more confidence than a wrong one (0.5: chance)"),
        Figure("sure_n"),
        Figure("sure_precision", f"precision at a confidence of {SURE_CONFIDENCE} and more", format_precisely),
    )),
    Section("", "costs", lambda card: card, (
        *_COSTS,
        _cost("queries", "queries", lambda card: sum(line.queries for line in card.lines)),
        _cost("seconds", "seconds", lambda card: sum(line.seconds for line in card.lines), "{:,.1f}".format),
        Figure("seconds_per_stage", "milliseconds per question, by stage", lambda stages: {
            name: f"{1000 * seconds:.1f}" for name, seconds in asdict(stages).items()
        }, lambda card: _stage_seconds(card) if card.states_costs else None, is_counted=False),
    )),
)  # fmt: skip
"""All figures of a system; ``candidates`` are there if its candidate queries were run."""


def _if_any(values: Sequence[float]) -> Estimate | None:
    return estimate(values) if values else None
