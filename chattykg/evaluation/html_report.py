"""An evaluation as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from chattyshared.pages.frame import (
    render_document,
    render_glossary,
    render_legend,
    render_plots,
    render_tiles,
    series_style,
)

from chattykg.evaluation.charts import render_charts
from chattykg.evaluation.comparison import PairedComparison
from chattykg.evaluation.evaluate import EvaluationSet
from chattykg.evaluation.metrics import TurnScore
from chattykg.evaluation.report import render_scores
from chattykg.evaluation.scorecard import Scorecard
from chattykg.evaluation.text_report import render_comparison, render_effect, render_interval, render_table

LISTED_QUESTIONS = 40
"""How many questions a list shows."""
_NOTES = (
    ("F1", "the mean of the F1 of single turns, over sets of answers; turns without gold are left out"),
    (
        "QALD macro",
        "the harmonic mean of mean precision and mean recall, where silence has precision 1: GERBIL's figure, which "
        "the tables of QALD, KGQAn and Chatty-KG show as F1; a system that rarely answers looks better in it",
    ),
    ("micro", "all elements of all answers together; long lists weigh most"),
    ("answered only", "the mean over the turns to which something was said; not comparable between systems"),
    ("P@1, MRR, Hit@5", "P@1 looks at the first answer; where ties share a rank, any right one among them counts"),
    ("trustworthiness", "the mean of +1 for a right answer, 0 for none, -1 for a wrong one"),
    (
        "TEXT2SPARQL",
        "official: as the challenge's program counts: a right no is 0, empty gold is 0, missing questions drop out; "
        "corrected: booleans and empty gold count, a missing question is wrong, nDCG sees the order",
    ),
    ("rows assigned", "each row of gold gets one row of the answer; columns beyond gold's are forgiven, rows are not"),
    ("interval, p", "2,000 samples of whole dialogues; p of the paired permutation test, two-sided, not corrected"),
    ("risk, coverage", "of the answers at least so sure: the share that is wrong, and their share of all turns"),
    ("retention", "100 x F1 of follow-ups / F1 of the same questions asked standalone"),
)


def render_html_report(bench: EvaluationSet) -> str:
    """Return the page for one or more systems on one file of gold."""
    first = bench.scorecards[0]
    several = len(bench.scorecards) > 1
    title = f"{bench.gold.stem}: {first.name}" if not several else f"{bench.gold.stem}: {len(bench.scorecards)} systems"
    counts = f"{first.scores.questions:,} questions, {first.scores.unanswerable:,} of them unanswerable"
    body = "\n".join(
        (
            f"<h1>{escape(title)}</h1>",
            f'<p class="soft">{escape(counts)}</p>',
            *_glance(bench),
            *_compared(bench),
            *_sections(bench),
            *(_wrong(first) if not several else ()),
            *_all(bench),
            "<h2>What the figures mean</h2>",
            render_glossary(_NOTES),
        )
    )
    return render_document(title, body)


def _glance(bench: EvaluationSet) -> Iterator[str]:
    for place, one in enumerate(bench.scorecards):
        system = one.system
        made = (system.model, system.history and f"{system.history} history", system.wording and f"{system.wording}s")
        if system.wording == "standalone":
            made = (*made[:2], "standalone questions")
        yield (
            f'<div class="file"><span class="swatch {series_style(place)}"></span><h3>{escape(one.name)}</h3>'
            f'<span class="soft">{escape(" · ".join(filter(None, made)))}</span></div>'
        )
        yield render_tiles(_tiles(one))


def _tiles(one: Scorecard) -> Iterator[tuple[str, str]]:
    yield f"F1 ({render_interval(one, 'f1')})", f"{one.scores.f1:.3f}"
    yield "F1, QALD macro", f"{one.scores.f1_qald_macro:.3f}"
    yield "exactly right", f"{one.headline.exact:.1%}"
    yield "P@1", f"{one.scores.p_at_1:.3f}"
    yield "answered", f"{one.scores.answered:.1%}"
    if one.scores.unanswerable:
        yield "false answers to unanswerable turns", f"{one.scores.false_answers:.1%}"
    yield "trustworthiness (-1 to 1)", f"{one.with_empty_gold.trust:.2f}"
    yield "seconds per question, median", f"{one.scores.seconds_p50:.2f}"
    yield "queries per question", f"{one.scores.queries_per_question:.1f}"
    if one.scores.candidate_queries_per_question is not None:
        yield "candidate queries among them", f"{one.scores.candidate_queries_per_question:.1f}"
    if one.costs.usage.usd is not None:
        yield "US dollars in all", f"{one.costs.usage.usd:,.2f}"


def _compared(bench: EvaluationSet) -> Iterator[str]:
    if bench.effects:
        yield "<h2>What conditions cost</h2>"
        yield "".join(f"<p>{escape(render_effect(effect))}</p>" for effect in bench.effects)
    if bench.comparisons:
        yield f"<h2>Against {escape(bench.comparisons[0].first)}</h2>"
    for contest in bench.comparisons:
        yield f"<p>{escape(render_comparison(contest))}</p>"
        yield _pairs(contest)


def _pairs(contest: PairedComparison) -> str:
    rows = "".join(
        f'<tr><td>{said}</td><td class="n">{one.f1:.2f}</td><td class="n">{other.f1:.2f}</td>'
        f"<th>{escape(one.gold.id)}</th><td>{escape(one.gold.question)}</td></tr>"
        for said, pairs in (("won", contest.wins), ("lost", contest.losses))
        for one, other in pairs[:LISTED_QUESTIONS]
    )
    if not rows:
        return ""
    hidden = sum(max(0, len(pairs) - LISTED_QUESTIONS) for pairs in (contest.wins, contest.losses))
    more = f'<p class="note">{hidden} more are not shown.</p>' if hidden else ""
    head = f'<tr><th></th><th class="n">{escape(contest.first)}</th><th class="n">{escape(contest.second)}</th></tr>'
    return f"<details><summary>questions won and lost</summary><table>{head}{rows}</table>{more}</details>"


def _sections(bench: EvaluationSet) -> Iterator[str]:
    marks = render_legend([one.name for one in bench.scorecards]) if len(bench.scorecards) > 1 else ""
    for heading, drawn in render_charts(bench.scorecards):
        yield f"<h2>{escape(heading)}</h2>\n{marks}"
        yield render_plots(drawn)


def _wrong(one: Scorecard) -> Iterator[str]:
    wrong = sorted((turn for turn in one.headline_turns if not turn.is_exact), key=lambda turn: turn.f1)
    if not wrong:
        return
    yield "<h2>Questions that are not wholly right</h2>"
    rows = "".join(map(_turn, wrong[:LISTED_QUESTIONS]))
    head = '<tr><th class="n">F1</th><th></th><th>question</th><th>gold</th><th>said</th></tr>'
    yield f"<details><summary>{len(wrong)} of {len(one.headline_turns)}</summary><table>{head}{rows}</table></details>"


def _turn(turn: TurnScore) -> str:
    gold = [element.text for element in turn.gold.elements]
    said = [element.text for element in turn.answer.elements] if turn.answer else []
    return (
        f'<tr><td class="n">{turn.f1:.2f}</td><th>{escape(turn.gold.id)}</th><td>{escape(turn.gold.question)}</td>'
        f"{_cell(gold)}{_cell(said)}</tr>"
    )


def _cell(texts: list[str]) -> str:
    """Return a cell with the ends of a few IRIs, and the whole of them in its tooltip."""
    return f'<td title="{escape(", ".join(texts[:20]), quote=True)}">{escape(_few(texts))}</td>'


def _few(texts: list[str]) -> str:
    names = [text.rstrip("/").replace("#", "/").rpartition("/")[2] if "://" in text else text for text in texts[:3]]
    return ", ".join(names) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "") if texts else "-"


def _all(bench: EvaluationSet) -> Iterator[str]:
    text = render_table(bench)
    if len(bench.scorecards) == 1:
        text = f"{render_scores(bench.scorecards[0].scores)}\n\n{text}"
    yield "<h2>All figures</h2>"
    yield f'<details><summary>the table</summary><pre class="table">{escape(text)}</pre></details>'
