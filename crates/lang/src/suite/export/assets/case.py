import fractions
import sys

try:
    import pytest

    Inconclusive = pytest.skip.Exception
except ImportError:

    class Inconclusive(Exception):
        """The system is not wrong, but the case did not go where it should."""


def same(a, b):
    """Whether two values are equal; 0.5, "0.5" and "1/2" are."""
    if a == b:
        return True
    if isinstance(a, bool) or isinstance(b, bool):
        return str(a).lower() == str(b).lower()
    try:
        return fractions.Fraction(str(a)) == fractions.Fraction(str(b))
    except (ValueError, ZeroDivisionError):
        return str(a) == str(b)


class Case:
    """One case. Instants are seconds since its start, so nothing drifts however long a step takes."""

    # How long outputs are waited for after the last window has closed: they are on their way to us.
    MARGIN = 0.02

    def __init__(self, rig):
        self.rig = rig
        self.lag = 0.0  # how much later than it should the last input was handed over
        self.awaited = []
        self.n_checks = 0
        self.wrong = []
        self.doubts = []
        rig.reset()

    def send(self, at, name, values=()):
        self.rig.wait_until(at)
        self.rig.send(name, list(values))
        now = getattr(self.rig, "now", None)
        self.lag = max(0.0, now() - at) if now else 0.0

    def expect(self, first, last, name, values=(), requirement=None):
        """An output should be seen between two instants; what follows does not wait for it."""
        self.awaited.append((first, last + self.lag, name, list(values), requirement))

    def check(self, at, ports, expected, allowed, requirement=None):
        """Reads ports: they must be as one of `allowed`, and should be as expected."""
        self.rig.wait_until(at)
        seen = self.rig.read(list(ports))
        shows = lambda wanted: all(name in seen and same(seen[name], value) for name, value in wanted.items())
        what = "check %d%s at %g s" % (self.n_checks, self._about(requirement), at)
        self.n_checks += 1
        if not any(shows(wanted) for wanted in allowed):
            self.wrong.append("%s: one of %s was expected, %s was seen" % (what, list(allowed), seen))
        elif not shows(expected):
            self.doubts.append("%s: %s was expected; %s is allowed" % (what, expected, seen))

    def step(self, at, number, inputs, outputs):
        """A step of a synchronous system; `outputs` are expected, or none if it is empty."""
        self.rig.wait_until(at)
        seen = self.rig.step(dict(inputs))
        for name, value in outputs.items():
            if name not in seen or not same(seen[name], value):
                self.wrong.append("step %d: %s = %r was expected, %r was seen" % (number, name, value, seen.get(name)))

    def end(self, at):
        """All is done; what was seen is judged."""
        closes = [last + self.MARGIN for _, last, *_ in self.awaited]
        self.rig.wait_until(max([at] + closes))
        came = [(when, name, list(values)) for when, name, values in self.rig.outputs()] if self.awaited else []
        taken = set()
        for when, name, values in sorted(came, key=lambda it: it[0]):
            # Of those that it can be, the one whose window closes first: no other choice satisfies more.
            fitting = [
                (it[1], i)
                for i, it in enumerate(self.awaited)
                if i not in taken and it[0] <= when <= it[1] and it[2] == name and self._equal(it[3], values)
            ]
            if fitting:
                taken.add(min(fitting)[1])
        for i, (first, last, name, values, requirement) in enumerate(self.awaited):
            if i not in taken:
                near = ["%s%s at %.3f s" % (n, v or "", t) for t, n, v in came if n == name]
                self.wrong.append(
                    "output %d%s: %s%s was expected from %g to %g s, and did not come%s"
                    % (i, self._about(requirement), name, values or "", first, last, "; " + ", ".join(near) if near else "")
                )
        if self.wrong:
            raise AssertionError("; ".join(self.wrong))
        if self.doubts:
            raise Inconclusive("; ".join(self.doubts))

    @staticmethod
    def _equal(expected, seen):
        return len(expected) == len(seen) and all(same(a, b) for a, b in zip(expected, seen))

    @staticmethod
    def _about(requirement):
        return " (%s)" % requirement if requirement else ""
