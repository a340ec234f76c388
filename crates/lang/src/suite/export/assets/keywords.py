

# The keywords of the cases. Values are JSON.

import json

import rig as reach

ROBOT_LIBRARY_SCOPE = "TEST"

_case = None


def start_case():
    global _case
    _case = Case(reach.connect())


def send(at, name, values="[]"):
    _case.send(float(at), name, json.loads(values))


def expect_output(first, last, name, values="[]", requirement=None):
    _case.expect(float(first), float(last), name, json.loads(values), requirement)


def check_ports(at, expected, allowed, requirement=None):
    allowed, expected = json.loads(allowed), json.loads(expected)
    ports = sorted({name for wanted in allowed + [expected] for name in wanted})
    _case.check(float(at), ports, expected, allowed, requirement)


def take_step(at, number, inputs, outputs="{}"):
    _case.step(float(at), int(number), json.loads(inputs), json.loads(outputs))


def end_case(at):
    try:
        _case.end(float(at))
    except Inconclusive as doubt:
        from robot.api import SkipExecution

        raise SkipExecution("inconclusive: %s" % doubt)


def close_rig():
    if _case is not None:
        _case.rig.close()
