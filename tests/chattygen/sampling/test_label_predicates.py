"""Which predicates name the entities of a type: never remarks."""

import pytest

from chattygen.sampling.label_predicates import find_label_candidates

S = "http://port.example/schema#"
CAUSES = ("Tide missed by", "Fine waived after", "Crane was late for")
VESSELS = ("Albatross", "Barnacle", "Cormorant", "Dunlin", "Eider", "Fulmar")


@pytest.fixture
def port(open_turtle):
    """Port calls with a remark and keys of a vessel, a berth and an agent, which have names."""
    lines = [f"@prefix s: <{S}> ."]
    for n, vessel in enumerate(VESSELS):
        lines.append(f'<v{n}> a s:VESSEL ; s:VESSEL.vessel_name "{vessel}" ; s:VESSEL.agent_ref <a{n % 2}> .')
    for n, name in enumerate(("Brook Shipping", "Marsh Shipping")):
        lines.append(f'<a{n}> a s:AGENT ; s:AGENT.agent_name "{name}" ; s:AGENT.note "old friend" .')
        lines.append(f'<b{n}> a s:BERTH ; s:BERTH.berth_name "Pier {"AB"[n]}" .')
    for n in range(12):
        lines.append(
            f'<c{n}> a s:PORT_CALL ; s:PORT_CALL.vessel_ref <v{n % 6}> ; s:PORT_CALL.berth_ref <b{n % 2}> ; '
            f's:PORT_CALL.ship_agent <a{n % 2}> ; s:PORT_CALL.remark "{CAUSES[n % 3]} {n + 2} minutes." .'
        )  # fmt: skip
    return open_turtle("\n".join(lines))


def test_remarks_name_nothing(port):
    assert find_label_candidates(port, f"{S}PORT_CALL") == ()
    assert f"{S}PORT_CALL" not in dict(port.profile.type_labels)
    assert port.hidden_class(f"{S}PORT_CALL").kind == "row"
