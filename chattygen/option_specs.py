"""The options of the generator as a user gives them: names, bounds, help. ``choices`` says what they come to.

Nothing heavy is imported here: the help shall not wait for it.
"""

from __future__ import annotations

from chattyshared.option_specs import Setting

from chattygen.options import MIX, Options

TYPES, SEEDS, FACTS, TURNS, RUN = (
    "Which types of entities", "Which entities (seeds)", "Which facts", "Which questions", "How it runs",
)  # fmt: skip
own = Options()

SETTINGS: tuple[Setting, ...] = (
    Setting("dialogues", "How many dialogues to make.", "integer", None, "N", least=1,
            shown=f"{own.dialogues}, or all of --seeds"),
    Setting("turns", "How many questions each dialogue has.", "integer", own.turns, "N", least=1),
    Setting("approach", "How a dialogue is made: a plan first, whose words a model finds; the paper's three stages; "
            "the same with triples found afterwards; or one prompt.", "choice", own.approach,
            choices=("planned", "multi-stage", "simplified", "single-shot")),
    Setting("lang", "The language of names and texts.", metavar="TAG", shown="the graph's first"),
    Setting("seed", "Another seed draws other entities and questions; the same seed gives the same bytes.", "integer",
            own.seed, "N"),
    Setting("domain", "Only classes whose IRIs begin so; may be given again.", metavar="PREFIX", many=True,
            section=TYPES),
    Setting("type", "Only this class, by IRI or label; may be given again.", metavar="CLASS", many=True, section=TYPES),
    Setting("no_type", "Not this class; may be given again.", metavar="CLASS", many=True, section=TYPES),
    Setting("rare", "Drop types with a smaller share of the entities.", "number", own.rare, "R", TYPES, least=0,
            most=1),
    Setting("shadow", "Drop a class of whose entities a greater share are another class's as well.", "number",
            own.shadow, "S", TYPES, least=0, most=1),
    Setting("shadow_by", "What is compared with S: shared entities / the class's, or subclass / superclass.", "choice",
            own.shadow_by, section=TYPES, choices=("overlap", "child")),
    Setting("seeds", "Dialogues about the entities of this file: a line holds an IRI, or JSON with it.", "file",
            metavar="FILE", section=SEEDS),
    Setting("popularity", "Shares by number of triples, such as head=20,torso=30,tail=50: each a third of all triples.",
            metavar="SHARES", section=SEEDS, shown="uniform"),
    Setting("min_triples", "The fewest usable triples of a seed.", "integer", own.min_triples, "N", SEEDS, least=1),
    Setting("max_triples", "The most triples of a seed.", "integer", own.max_triples, "N", SEEDS, least=1),
    Setting("min_predicates", "The fewest distinct usable predicates.", "integer", own.min_predicates, "N", SEEDS,
            least=1),
    Setting("max_label_words", "The most words of a seed's name.", "integer", own.max_label_words, "N", SEEDS, least=1),
    Setting("context_tokens", "The most tokens (characters / 4) of the facts that a prompt shows.", "integer",
            own.context_tokens, "N", SEEDS, least=1),
    Setting("hops", "How far facts may lead from a seed.", "integer", own.hops, "N", FACTS, least=1, most=2),
    Setting("direction", "Whether the seed is their subject, their object, or either.", "choice", own.direction,
            section=FACTS, choices=("out", "in", "both")),
    Setting("shape", "Facts of the seed alone; preferably through its neighbors; or as it comes.", "choice", own.shape,
            section=FACTS, choices=("star", "chain", "both")),
    Setting("block", "Never ask about this predicate, by IRI or label; may be given again.", metavar="PREDICATE",
            many=True, section=FACTS),
    Setting("context", "What a prompt shows: a line per predicate with its objects hidden, or all triples.", "choice",
            own.context, section=FACTS, choices=("summarized", "full")),
    Setting("list_limit", "More answers are counted, not listed.", "integer", own.list_limit, "N", FACTS, least=1),
    Setting("mix", "A form's share of the turns in percent, such as count=20; the others keep their proportions; may "
            "be given again. Forms: those of the default, and object, subject, list, literal, date, number alone.",
            metavar="FORM=SHARE", many=True, section=TURNS,
            shown=", ".join(f"{form} {share:g}" for form, share in MIX)),
    Setting("chain", "Share of the later turns that hang on an earlier answer.", "number", own.chain, "SHARE", TURNS,
            least=0, most=1),
    Setting("queries", "Who writes the SPARQL: compiled from the facts, or a model, checked.", "choice", own.queries,
            section=TURNS, choices=("compiled", "llm")),
    Setting("theta", "Attempts that a model has at each reply.", "integer", own.theta, "N", RUN, least=1),
    Setting("max_seeds", "Try no more seeds.", "integer", None, "N", RUN, least=1, shown="10 a dialogue and 50"),
)  # fmt: skip
"""What stands for the fields of ``Options``, but for the workers."""
