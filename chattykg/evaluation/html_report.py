"""An evaluation as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from chattyshared.pages.frame import document, legend, meanings, plots, style, tiles

from chattykg.evaluation.charts import charts
from chattykg.evaluation.comparison import Contest
from chattykg.evaluation.evaluate import Bench
from chattykg.evaluation.metrics import TurnScore
from chattykg.evaluation.report import as_text
from chattykg.evaluation.scorecard import Sheet
from chattykg.evaluation.text_report import contest_line, effect_line, interval, table

MOST = 40
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


def page(bench: Bench) -> str:
    """Return the page for one or more systems on one file of gold."""
    first = bench.sheets[0]
    several = len(bench.sheets) > 1
    title = f"{bench.gold.stem}: {first.name}" if not several else f"{bench.gold.stem}: {len(bench.sheets)} systems"
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
            meanings(_NOTES),
        )
    )
    return document(title, body)


def _glance(bench: Bench) -> Iterator[str]:
    for place, one in enumerate(bench.sheets):
        system = one.system
        made = (system.model, system.history and f"{system.history} history", system.wording and f"{system.wording}s")
        if system.wording == "standalone":
            made = (*made[:2], "standalone questions")
        yield (
            f'<div class="file"><span class="swatch {style(place)}"></span><h3>{escape(one.name)}</h3>'
            f'<span class="soft">{escape(" · ".join(filter(None, made)))}</span></div>'
        )
        yield tiles(_tiles(one))


def _tiles(one: Sheet) -> Iterator[tuple[str, str]]:
    yield f"F1 ({interval(one, 'f1')})", f"{one.scores.f1:.3f}"
    yield "F1, QALD macro", f"{one.scores.f1_qald_macro:.3f}"
    yield "exactly right", f"{one.headline.exact:.1%}"
    yield "P@1", f"{one.scores.p_at_1:.3f}"
    yield "answered", f"{one.scores.answered:.1%}"
    if one.scores.unanswerable:
        yield "false answers to unanswerable turns", f"{one.scores.false_answers:.1%}"
    yield "trustworthiness (-1 to 1)", f"{one.whole.trust:.2f}"
    yield "seconds per question, median", f"{one.scores.seconds_p50:.2f}"
    yield "queries per question", f"{one.scores.queries_per_question:.1f}"
    if one.scores.candidate_queries_per_question is not None:
        yield "candidate queries among them", f"{one.scores.candidate_queries_per_question:.1f}"
    if one.costs.usage.usd is not None:
        yield "US dollars in all", f"{one.costs.usage.usd:,.2f}"


def _compared(bench: Bench) -> Iterator[str]:
    if bench.effects:
        yield "<h2>What conditions cost</h2>"
        yield "".join(f"<p>{escape(effect_line(effect))}</p>" for effect in bench.effects)
    if bench.contests:
        yield f"<h2>Against {escape(bench.contests[0].first)}</h2>"
    for contest in bench.contests:
        yield f"<p>{escape(contest_line(contest))}</p>"
        yield _pairs(contest)


def _pairs(contest: Contest) -> str:
    rows = "".join(
        f'<tr><td>{said}</td><td class="n">{one.f1:.2f}</td><td class="n">{other.f1:.2f}</td>'
        f"<th>{escape(one.gold.id)}</th><td>{escape(one.gold.question)}</td></tr>"
        for said, pairs in (("won", contest.won), ("lost", contest.lost))
        for one, other in pairs[:MOST]
    )
    if not rows:
        return ""
    hidden = sum(max(0, len(pairs) - MOST) for pairs in (contest.won, contest.lost))
    more = f'<p class="note">{hidden} more are not shown.</p>' if hidden else ""
    head = f'<tr><th></th><th class="n">{escape(contest.first)}</th><th class="n">{escape(contest.second)}</th></tr>'
    return f"<details><summary>questions won and lost</summary><table>{head}{rows}</table>{more}</details>"


def _sections(bench: Bench) -> Iterator[str]:
    marks = legend([one.name for one in bench.sheets]) if len(bench.sheets) > 1 else ""
    for heading, drawn in charts(bench.sheets):
        yield f"<h2>{escape(heading)}</h2>\n{marks}"
        yield plots(drawn)


def _wrong(one: Sheet) -> Iterator[str]:
    wrong = sorted((turn for turn in one.head if not turn.exact), key=lambda turn: turn.f1)
    if not wrong:
        return
    yield "<h2>Questions that are not wholly right</h2>"
    rows = "".join(map(_turn, wrong[:MOST]))
    head = '<tr><th class="n">F1</th><th></th><th>question</th><th>gold</th><th>said</th></tr>'
    yield f"<details><summary>{len(wrong)} of {len(one.head)}</summary><table>{head}{rows}</table></details>"


def _turn(turn: TurnScore) -> str:
    gold = [element.text for element in turn.gold.elements]
    said = [element.text for element in turn.said.elements] if turn.said else []
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


def _all(bench: Bench) -> Iterator[str]:
    text = table(bench)
    if len(bench.sheets) == 1:
        text = f"{as_text(bench.sheets[0].scores)}\n\n{text}"
    yield "<h2>All figures</h2>"
    yield f'<details><summary>the table</summary><pre class="table">{escape(text)}</pre></details>'
