"""The figures of a benchmark, each a statement in one list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chattyshared.dialogue import Turn
from chattyshared.figures import (
    Counts,
    Figure,
    Section,
    SummaryStatistics,
    Values,
    compute_values,
    format_percent,
    format_precisely,
    format_spread,
    share,
)
from chattyshared.kg import KnowledgeGraph
from chattyshared.question_forms import ANSWER_LINKS
from chattyshared.sparql.pattern_groups import query_shape
from chattyshared.terms import iri_to_words

from chattygen.stats.kg_coverage import measure_coverage, type_name
from chattygen.stats.measurement import MeasuredFile
from chattygen.stats.sources import BenchmarkSource


def as_shares(counts: Counts) -> Counts:
    """Return counts, which a table shows as shares."""
    return counts


def _count(read: Callable[[Turn], str]) -> Callable[[MeasuredFile], Counts]:
    """Return what counts a property of the turns that the file states."""
    return lambda file: Counts.of(map(read, file.stated))


def _cells(template: str, name: str = "") -> Callable[[Any], dict[str, str]]:
    """Return what makes a cell of each row by a template: of rows by the value at ``name``, else of rows by name."""

    def cells(rows: Any) -> dict[str, str]:
        named = {row[name]: row for row in rows} if name else rows
        return {key: template.format(**row) for key, row in named.items()}

    return cells


_PROVENANCE = (
    Figure("file", compute=lambda file: str(file.source.path)),
    Figure("name", compute=lambda file: file.source.name),
    Figure("model", "model", str, lambda file: file.source.model),
    Figure("approach", "approach", str, lambda file: str(file.source.options.get("approach", ""))),
    Figure("context", "facts in prompts", str, lambda file: str(file.source.options.get("context", ""))),
    Figure("kg", "graph", str, lambda file: ", ".join(map(str, file.source.header.get("kg", {}).get("sources", ())))),
)
_TALK = (
    Figure("dialogues", "dialogues", compute=lambda file: len(file.source.dialogues), is_headline=True),
    Figure("turns", "turns", compute=lambda file: len(file.turns), is_headline=True),
    Figure("turns_per_dialogue", "turns per dialogue", as_shares,
           lambda file: Counts.of(str(len(dialogue.turns)) for dialogue in file.source.dialogues)),
    Figure("forms", "forms", as_shares, lambda file: Counts.of(map(file.form, file.turns)),
           "the operation that a question asks for; a two-hop question passes an entity that it does not name"),
    Figure("mix", "mix (came out / wanted)", _cells("{got:.1%} / {wanted:.1%}", "name"), MeasuredFile.mix),
    Figure("links", "links", as_shares, _count(lambda turn: turn.link),
           "how a turn depends on earlier turns: topic refers to the dialogue's entity, answer to an earlier answer, "
           "among selects from one, position takes one element of it, shift asks the same about another entity"),
    Figure("on_answer", "later turns that hang on an answer", format_percent,
           lambda file: share(sum(turn.link in ANSWER_LINKS for turn in file.later), len(file.later)),
           is_headline=True),
    Figure("answer_types", "answer types", as_shares, _count(lambda turn: turn.answer_type)),
    Figure("answer_kinds", "", as_shares, _count(lambda turn: turn.answers[0].kind if turn.answers else "none")),
    Figure("answers", "elements of a gold answer", format_spread,
           lambda file: SummaryStatistics.of(len(turn.answers) for turn in file.stated if turn.answerable)),
    Figure("answerable", "answerable", format_percent,
           lambda file: share(sum(turn.answerable for turn in file.stated), len(file.stated)), is_headline=True),
    Figure("asks_true", "yes-no turns with a yes", compute=lambda file: file.asks["true"]),
    Figure("asks_false", "yes-no turns with a no", compute=lambda file: file.asks["false"]),
    Figure("false_asks", "", format_percent, lambda file: share(file.asks["false"], file.asks.total())),
    Figure("difficulty", "difficulty", as_shares, _count(lambda turn: turn.difficulty)),
    Figure("unanswerable", "unanswerable questions", as_shares,
           _count(lambda turn: "" if turn.answerable else turn.unanswerable or "not told")),
)  # fmt: skip
_WORDING = (
    Figure("words", "words per question", format_spread,
           lambda file: SummaryStatistics.of(map(len, file.questions)), is_headline=True),
    Figure("lengths", compute=lambda file: Counts.of(str(len(words)) for words in file.questions)),
    Figure("standalone_words", "words per standalone question", format_spread,
           lambda file: SummaryStatistics.of(map(len, file.standalone))),
    Figure("first_words", "first words", as_shares, lambda file: file.first_words,
           "the first two words of the questions as they stand in the dialogue"),
    Figure("entropy", "entropy of the first two words, bits", compute=lambda file: file.first_words.entropy(),
           help="0 if all begin alike, log2 n if n beginnings are equally frequent", is_headline=True),
    Figure("standalone_entropy", "the same, standalone, bits",
           compute=lambda file: Counts.of(" ".join(words[:2]) for words in file.standalone).entropy()),
    Figure("distinct_1", "distinct-1", format_precisely, lambda file: share(len({*file.words}), len(file.words)),
           "distinct words as a share of all (Li et al. 2016); it falls as a file grows"),
    Figure("distinct_2", "distinct-2", format_precisely,
           lambda file: share(len({*file.word_pairs}), len(file.word_pairs)), "the same of pairs of words"),
    Figure("repeated", "asked in another dialogue, too", format_percent, MeasuredFile.repeated),
    Figure("reworded", "turns worded in place of the model", format_percent,
           lambda file: share(sum(bool(turn.reworded_by) for turn in file.turns), len(file.turns)),
           "turns whose words by the model did not pass the checks, worded by the embedded rules (rewording)"),
)  # fmt: skip
_QUERIES = (
    Figure("read", "queries", compute=lambda file: len(file.parsed)),
    Figure("unread", "no SPARQL 1.1 (in no other row)", compute=lambda file: len(file.shapes) - len(file.parsed)),
    Figure("triples", "", as_shares, lambda file: Counts.of(str(shape.triples) for _, shape in file.parsed)),
    Figure("triples_per_query", "triple patterns per query", format_spread,
           lambda file: SummaryStatistics.of(shape.triples for _, shape in file.parsed), is_headline=True),
    Figure("features", "SPARQL features", as_shares,
           lambda file: Counts.of((name for _, shape in file.parsed for name in shape.features), len(file.parsed))),
    Figure("predicates", "predicates", lambda counts: counts.renamed(iri_to_words), lambda file: file.predicates),
    Figure("shapes", "shapes", as_shares,
           lambda file: Counts.of(query_shape(turn.sparql) or "none" for turn, _ in file.parsed)),
    Figure("complexity", "complexity (Maestro)", format_spread,
           lambda file: SummaryStatistics.of(file.complexities), "as Maestro measures it: words of the standalone "
           "question x triple patterns x SPARQL keywords / 300, at most 1", is_headline=True),
    Figure("complexities", "", as_shares,
           lambda file: Counts.of(f"{min(9, int(10 * value)) / 10:.1f}" for value in file.complexities)),
)  # fmt: skip
_SEEDS = (
    Figure("seed_types", "seed types", lambda counts: counts.renamed(type_name),
           lambda file: Counts.of(dialogue.seed.type for dialogue in file.source.dialogues)),
)  # fmt: skip
_GROUND = (
    Figure("kg"),
    Figure("is_same"),
    Figure("types", "seed types (benchmark / graph)", _cells("{benchmark:.1%} / {kg:.1%}", "label")),
    Figure("divergence", "divergence of the seed types, bits", format_precisely, help="Jensen-Shannon divergence "
           "between the types of the seeds and the types of the graph's entities: 0 equal, 1 nothing in common; only "
           "types that can carry dialogues", is_headline=True),
    Figure("askable", "askable predicates", help="all of the graph's but types, names, codes and metadata"),
    Figure("used", "askable predicates that are asked"),
    Figure("predicates", "share of the askable predicates", format_percent, is_headline=True),
    Figure("triples", "share of the triples with such a predicate", format_percent),
    Figure("missing"),
    Figure("usable", "usable classes"),
    Figure("asked", "usable classes with a seed"),
    Figure("seed_bands", "seeds by their triples", as_shares, help="head, torso and tail: entities of a class, or "
           "predicates, by their number of triples: each band holds a third of the triples"),
    Figure("turn_bands", "turns by their rarest predicate", as_shares),
    Figure("band_predicates", "predicates asked", lambda bands: {
        band: f"{used} of {all}" for band, (used, all) in bands.items()}),
)  # fmt: skip
_COSTS = (
    Figure("calls", "model calls", compute=lambda file: file.usage.calls),
    Figure("prompt_tokens", "prompt tokens", compute=lambda file: file.usage.prompt_tokens),
    Figure("completion_tokens", "completion tokens", compute=lambda file: file.usage.completion_tokens),
    Figure("usd", "price, US dollars", lambda usd: f"{usd:,.4f}", lambda file: file.usage.usd, is_headline=True),
    Figure("estimated", "tokens are estimated: characters / 4", lambda is_estimated: "yes" if is_estimated else "no",
           lambda file: file.usage.estimated),
    Figure("tokens_per_dialogue", "tokens per dialogue", format_spread, lambda file: SummaryStatistics.of(
        each.usage.prompt_tokens + each.usage.completion_tokens for each in file.source.dialogues), is_headline=True),
    Figure("calls_per_dialogue", "model calls per dialogue", format_spread,
           lambda file: SummaryStatistics.of(dialogue.usage.calls for dialogue in file.source.dialogues)),
)  # fmt: skip
_OUTCOMES = (
    Figure("used", "seeds tried", help="those that did not meet the conditions do not count"),
    Figure("success", "seeds that became dialogues", format_percent, is_headline=True),
    Figure("errors", "failures", as_shares),
    Figure("untried", "seeds that did not meet the conditions"),
)
_TIMING = (
    Figure("seconds", "seconds of model and endpoint", help="overlaps count once", is_headline=True),
    Figure("model_seconds", "seconds waited for the model"),
    Figure("query_seconds", "seconds waited for the endpoint"),
    Figure("model_calls"),
    Figure("queries", "queries"),
    Figure("queries_per_dialogue", "queries per dialogue"),
    Figure(
        "stages",
        "stages (seconds of work / model calls / tokens / queries)",
        _cells("{seconds:.1f} / {calls:,} / {tokens:,} / {queries:,}"),
    ),
    Figure("first_queries", "SPARQL that a model wrote at first"),
    Figure("right_first_queries", "SPARQL that was right at once"),
)
SECTIONS = (
    Section("", "", lambda file: file, _PROVENANCE),
    Section("talk", "dialogues", lambda file: file, _TALK),
    Section("wording", "wording", lambda file: file, _WORDING),
    Section("queries", "queries", lambda file: file, _QUERIES),
    Section("", "", lambda file: file, _SEEDS),
    Section("ground", "against the knowledge graph", measure_coverage, _GROUND),
    Section("costs", "costs", lambda file: file, _COSTS),
    Section("costs.seeds", "outcome of the seeds", lambda file: file.source.seeds, _OUTCOMES),
    Section("costs.timing", "times and queries of the run", lambda file: file.source.timing, _TIMING),
)
"""All figures of a file: ``ground`` needs a knowledge graph, the last two the files of a run."""


def compute_figures(source: BenchmarkSource, kg: KnowledgeGraph | None = None) -> Values:
    """Compute all figures of a file by their keys; with a KG also the coverage of the KG.

    Raises:
        EndpointError: the KG's endpoint does not answer.
    """
    return compute_values(SECTIONS, MeasuredFile(source, kg))
