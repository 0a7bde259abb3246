from rdflib import URIRef

from chattygen.context.names import Naming
from chattygen.options import Options
from chattygen.runs.preparation import TypeSelection
from chattygen.runs.slots import SlotSchedule
from chattygen.sampling.node_types import NodeType, assign_quotas
from chattygen.sampling.seeds import SeedPool


def test_a_type_whose_seeds_all_fail_leaves_its_dialogues_to_the_others():
    options = Options(dialogues=6)
    types = assign_quotas((NodeType("a", "A", 30), NodeType("b", "B", 30)), options)
    pool = SeedPool({name: tuple(URIRef(f"https://x.example/{name}{n}") for n in range(30)) for name in "ab"})
    schedule = SlotSchedule(TypeSelection(types, options, 5, Naming({}, (), ()), frozenset()), pool)
    rounds = []
    while schedule.is_open:
        slots = schedule.next_slots()
        rounds.append("".join(sorted(slot.type for slot in slots)))
        for slot in slots:
            schedule.record(slot, str(slot.candidates[0]) if slot.type == "a" else "", ())
        schedule.end_round()
    assert rounds == ["aaabbb", "aaa"]
    assert schedule.dialogues == 6
