"""The options of the generator for the user: names, bounds, help. ``option_parsing`` makes ``Options`` of them.

No heavy import here, so that the help is fast.
"""

from __future__ import annotations

from chattyshared.option_specs import OptionSpec

from chattygen.options import DEFAULT_MIX, QUOTA_RULES, Options

TYPES, SEEDS, FACTS, TURNS, RUN = (
    "Which types of entities",
    "Which entities (seeds)",
    "Which facts",
    "Which questions",
    "How it runs",
)
DEFAULTS = Options()

OPTION_SPECS: tuple[OptionSpec, ...] = (
    OptionSpec("dialogues", "How many dialogues to make.", "integer", None, "N", minimum=1,
               shown_default=f"{DEFAULTS.dialogues}, or all of --seeds"),
    OptionSpec("turns", "How many questions each dialogue has.", "integer", DEFAULTS.turns, "N", minimum=1),
    OptionSpec("approach",
               "How a dialogue is made: a plan first, whose words a model finds; the paper's three stages; "
               "the same with triples found afterwards; or one prompt.",
               "choice", DEFAULTS.approach, choices=("planned", "multi-stage", "simplified", "single-shot")),
    OptionSpec("lang",
               "The language in which a hosted model writes the questions; names are the graph's labels, in this "
               "language where it has them. Several times: the same plans, each in every language.",
               metavar="TAG", is_repeatable=True, shown_default="English; names in the graph's first language"),
    OptionSpec("seed", "Another seed draws other entities and questions; the same seed gives the same bytes.",
               "integer", DEFAULTS.seed, "N"),
    OptionSpec("domain", "Only classes whose IRIs begin so; may be given again.", metavar="PREFIX", is_repeatable=True,
               section=TYPES),
    OptionSpec("type", "Only this class, by IRI or label; may be given again.", metavar="CLASS", is_repeatable=True,
               section=TYPES),
    OptionSpec("no_type", "Not this class; may be given again.", metavar="CLASS", is_repeatable=True, section=TYPES),
    OptionSpec("quota",
               "How many dialogues a class gets: by the square root of its entities, every usable class at least once; "
               "or in proportion to its entities, without rare classes, as in the paper.",
               "choice", DEFAULTS.quota, section=TYPES, choices=QUOTA_RULES),
    OptionSpec("rare", "With proportional quotas: drop types with a smaller share of the entities.", "number", None,
               "R", TYPES, minimum=0, maximum=1, shown_default=f"{DEFAULTS.rare:g}"),
    OptionSpec("shadow", "Drop a class of whose entities a greater share are another class's as well.", "number",
               DEFAULTS.shadow, "S", TYPES, minimum=0, maximum=1),
    OptionSpec("shadow_by", "What is compared with S: shared entities / the class's, or subclass / superclass.",
               "choice", DEFAULTS.shadow_by, section=TYPES, choices=("overlap", "child")),
    OptionSpec("seeds", "Dialogues about the entities of this file: a line holds an IRI, or JSON with it.", "file",
               metavar="FILE", section=SEEDS),
    OptionSpec("popularity",
               "Shares by number of triples, such as head=20,torso=30,tail=50: each a third of all triples.",
               metavar="SHARES", section=SEEDS, shown_default="uniform"),
    OptionSpec("min_triples", "The fewest usable triples of a seed.", "integer", DEFAULTS.min_triples, "N", SEEDS,
               minimum=1),
    OptionSpec("max_triples", "The most triples of a seed.", "integer", DEFAULTS.max_triples, "N", SEEDS, minimum=1),
    OptionSpec("min_predicates",
               "The fewest distinct usable predicates. Where paths of two steps count (planned, --hops 2), a class "
               "whose entities have fewer takes part with what they have.",
               "integer", DEFAULTS.min_predicates, "N", SEEDS, minimum=1),
    OptionSpec("max_label_words", "The most words of a seed's name.", "integer", DEFAULTS.max_label_words, "N", SEEDS,
               minimum=1),
    OptionSpec("context_tokens", "The most tokens (characters / 4) of the facts that a prompt shows.", "integer",
               DEFAULTS.context_tokens, "N", SEEDS, minimum=1),
    OptionSpec("hops", "How far facts may lead from a seed.", "integer", DEFAULTS.hops, "N", FACTS, minimum=1,
               maximum=2),
    OptionSpec("direction", "Whether the seed is their subject, their object, or either.", "choice", DEFAULTS.direction,
               section=FACTS, choices=("out", "in", "both")),
    OptionSpec("shape", "Facts of the seed alone; preferably through its neighbors; or as it comes.", "choice",
               DEFAULTS.shape, section=FACTS, choices=("star", "chain", "both")),
    OptionSpec("block", "Never ask about this predicate, by IRI or label; may be given again.", metavar="PREDICATE",
               is_repeatable=True, section=FACTS),
    OptionSpec("context", "What a prompt shows: a line per predicate with its objects hidden, or all triples.",
               "choice", DEFAULTS.context, section=FACTS, choices=("summarized", "full")),
    OptionSpec("list_limit", "More answers are counted, not listed.", "integer", DEFAULTS.list_limit, "N", FACTS,
               minimum=1),
    OptionSpec("mix",
               "A form's share of the turns in percent, such as count=20; the others keep their proportions; may "
               "be given again. Forms: of the default; sum, average; object, subject, list, literal, date, number.",
               metavar="FORM=SHARE", is_repeatable=True, section=TURNS,
               shown_default=", ".join(f"{form} {share:g}" for form, share in DEFAULT_MIX)),
    OptionSpec("chain", "Share of the later turns that hang on an earlier answer.", "number", DEFAULTS.chain, "SHARE",
               TURNS, minimum=0, maximum=1),
    OptionSpec("queries", "Who writes the SPARQL: compiled from the facts, or a model, checked.", "choice",
               DEFAULTS.queries, section=TURNS, choices=("compiled", "llm")),
    OptionSpec("theta", "Attempts that a model has at each reply.", "integer", DEFAULTS.theta, "N", RUN, minimum=1),
    OptionSpec("max_seeds", "Try no more seeds.", "integer", None, "N", RUN, minimum=1,
               shown_default="10 a dialogue and 50"),
)  # fmt: skip
"""The command-line options of all fields of ``Options`` but ``workers`` and ``class_bounds``."""
