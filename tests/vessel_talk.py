"""A small benchmark over the graph of ships, written by hand: chained, ordered, false, and unanswerable turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chattyshared.benchmark import Benchmark, make_header, write_benchmark
from chattyshared.dialogue import Dialogue, Seed, Turn, Value
from chattyshared.model import Usage

S, V, XSD = "https://ships.example/", "https://ships.example/vocab/", "http://www.w3.org/2001/XMLSchema#"
MIX = [["lookup", 50.0], ["superlative", 12.5], ["count", 12.5], ["boolean", 12.5], ["unanswerable", 12.5]]


def ship(name: str) -> Value:
    return Value(S + name, "iri", label=name)


def pattern(*ends: str) -> tuple[tuple[str, str, str], ...]:
    return ((ends[0], ends[1], ends[2]),)


FLEET = f"?x <{V}commandedBy> <{S}Ada_Holt>"
TALK = Dialogue(
    "d0001",
    Seed(S + "Albatross", "Albatross", V + "Ship"),
    (
        Turn(
            1, "Who commanded the Albatross?", "Who commanded the Albatross?", "object", "opens", "captain", True,
            "easy", f"SELECT DISTINCT ?x WHERE {{ <{S}Albatross> <{V}commandedBy> ?x }}",
            (Value(S + "Ada_Holt", "iri", label="Ada Holt"),), pattern(S + "Albatross", V + "commandedBy", "?x"),
        ),
        Turn(
            2, "Was she born in Gullwick?", "Was Ada Holt born in Gullwick?", "boolean", "answer", "boolean", True,
            "medium", f"ASK {{ <{S}Ada_Holt> <{V}birthPlace> <{S}Gullwick> }}",
            (Value("false", "boolean", XSD + "boolean"),), pattern(S + "Ada_Holt", V + "birthPlace", S + "Gullwick"),
        ),
        Turn(
            3, "Which ships did she command, in order of their launch?",
            "Which ships did Ada Holt command, in order of their launch?", "list", "answer", "ship", True, "medium",
            f"SELECT ?x WHERE {{ {FLEET} . ?x <{V}launchDate> ?v }} ORDER BY ?v", (ship("Albatross"), ship("Fulmar")),
            (("?x", V + "commandedBy", S + "Ada_Holt"), ("?x", V + "launchDate", "?v")),
        ),
        Turn(
            4, "Which of them is the longest?", "Which of the ships that Ada Holt commanded is the longest?",
            "superlative", "among", "ship", True, "hard",
            f"SELECT ?x WHERE {{ {FLEET} . ?x a <{V}Ship> . ?x <{V}length_m> ?v }} ORDER BY DESC(?v) LIMIT 1",
            (ship("Fulmar"),),
            (("?x", V + "commandedBy", S + "Ada_Holt"),
             ("?x", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", V + "Ship"), ("?x", V + "length_m", "?v")),
        ),
    ),
    Usage(1, 300, 100, usd=0.02),
)  # fmt: skip
SHORT = Dialogue(
    "d0002",
    Seed(S + "Borealis", "Borealis", V + "Ship"),
    (
        Turn(
            1, "How many cargoes did the Borealis carry?", "How many cargoes did the Borealis carry?", "count", "opens",
            "integer", True, "medium",
            f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ <{S}Borealis> <{V}cargo> ?x }}",
            (Value("2", "number", XSD + "integer"),), pattern(S + "Borealis", V + "cargo", "?x"),
        ),
        Turn(
            2, "When was it launched?", "When was the Borealis launched?", "date", "topic", "date", True,
            "easy", f"SELECT DISTINCT ?x WHERE {{ <{S}Borealis> <{V}launchDate> ?x }}",
            (Value("1861-05-11", "literal", XSD + "date"),), pattern(S + "Borealis", V + "launchDate", "?x"),
        ),
        Turn(
            3, "And what is its motto?", "What is the motto of the Borealis?", "literal", "topic", "string", False,
            "easy", f"SELECT DISTINCT ?x WHERE {{ <{S}Borealis> <{V}motto> ?x }}", (),
            pattern(S + "Borealis", V + "motto", "?x"),
        ),
        Turn(
            4, "What did it carry?", "What did the Borealis carry?", "list", "topic", "string", True, "medium",
            f"SELECT DISTINCT ?x WHERE {{ <{S}Borealis> <{V}cargo> ?x }}",
            (Value("grain", "literal", lang="en"), Value("tea; coffee", "literal", lang="en")),
            pattern(S + "Borealis", V + "cargo", "?x"),
        ),
    ),
    Usage(1, 200, 100, usd=0.01),
)  # fmt: skip
DIALOGUES = (TALK, SHORT)


def header(**options: Any) -> dict[str, Any]:
    generate = {
        "options": {"approach": "planned", "mix": MIX} | options, "seed": 0, "model": "rules", "prompts": {},
        "versions": {},
    }  # fmt: skip
    return make_header("ships: 2 dialogues", sources=["ships.ttl"], fingerprint="f0", triples=99, generate=generate)


def vessels(folder: Path, name: str = "vessels.jsonl", dialogues: tuple[Dialogue, ...] = DIALOGUES) -> Path:
    """Write the benchmark into a folder."""
    write_benchmark(folder / name, Benchmark(header(), dialogues))
    return folder / name
