"""Tests of the lamp: `python3 -m unittest discover examples/smart-lamp/sut`."""

import os
import socket
import subprocess
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from fake_tron import FakeClock, FakeTron
from lamp import Lamp, MUTANTS, RealClock, Refused, Run, VirtualClock

LEVEL = 3  # the number of the channel, as the fake tester gives it


def play(script, until, mutant=0):
    """The levels that a lamp shows, with their instants, for a script of (instant, finger)."""
    lamp, shown = Lamp(mutant), []

    def come_to(now):
        while lamp.due is not None and lamp.due <= now:
            at = lamp.due
            lamp.wake(at)
            take(at)
        take(now)

    def take(now):
        shown.extend((now, level) for level in lamp.shown)
        lamp.shown.clear()

    for at, finger in script:
        come_to(at)
        getattr(lamp, finger)(at)
        take(at)
    come_to(until)
    return shown


def press(start, duration):
    return [(start, "grasp"), (start + duration, "release")]


class LampTest(unittest.TestCase):
    def test_a_short_touch_is_ignored(self):
        self.assertEqual(play(press(100, 15), 1000), [])

    def test_a_touch_switches(self):
        brighter = press(0, 300)
        script = brighter + press(500, 30) + press(700, 30) + press(900, 49)
        self.assertEqual(play(script, 2000),
                         [(52, 0), (154, 1), (256, 2), (530, 0), (730, 2), (949, 0)])

    def test_a_hold_goes_up_and_down(self):
        levels = [level for _, level in play(press(0, 52 + 25 * 102), 5000)]
        self.assertEqual(levels, [*range(11), *range(9, -1, -1), *range(1, 6)])

    def test_the_next_hold_goes_the_other_way(self):
        script = press(0, 52 + 350) + press(1000, 52 + 250) + press(2000, 52 + 150)
        # The third starts at what was remembered when the second started.
        self.assertEqual([level for _, level in play(script, 5000)], [0, 1, 2, 3, 2, 1, 3, 4])

    def test_nonsense_is_ignored(self):
        script = [(0, "release"), (10, "grasp"), (20, "grasp"), (40, "release"), (50, "release")]
        self.assertEqual(play(script, 1000), [(40, 0)])

    def test_every_mutant_is_different(self):
        script = press(0, 52 + 1200) + press(2000, 30) + press(3000, 30) + press(4000, 600)
        right = play(script, 10_000)
        for mutant in MUTANTS:
            self.assertEqual(play(script, 10_000, mutant) == right, mutant == 0, f"mutant {mutant}")

    def test_the_faults_are_those_that_are_told(self):
        self.assertEqual(play(press(0, 100), 500, 1), [(82, 0)])
        levels = [level for _, level in play(press(0, 52 + 12 * 102), 5000, 2)]
        self.assertEqual(levels, [*range(11), 0, 1])
        self.assertEqual(play(press(0, 30), 500, 3), [(30, 10)])
        self.assertEqual(play(press(0, 180), 500, 4), [(52, 0), (177, 1)])
        self.assertEqual(play(press(0, 100), 500, 5), [(52, 0), (154, 1)])


class Conversation(unittest.TestCase):
    """A lamp in a thread of this process, and the fake tester."""

    def start(self, clock=None, **settings):
        ours, theirs = socket.socketpair()
        # A pair has no Nagle to be switched off.
        ours = Quiet(ours)
        lamp_clock = VirtualClock("127.0.0.1", clock.port) if clock else RealClock()
        options = {"mutant": 0, "variable": "brightness", "timeout": 5000, **settings}
        run = Run(ours, lamp_clock, **options)
        self.failures = []

        def play_it():
            try:
                run.play()
            except Exception as error:
                self.failures.append(error)

        self.thread = threading.Thread(target=play_it, daemon=True)
        self.thread.start()
        return FakeTron(theirs, clock)

    def end(self, tron):
        tron.close()
        self.thread.join(30)
        self.assertFalse(self.thread.is_alive(), "the lamp does not end")


class Quiet:
    """A socket without options."""

    def __init__(self, connection):
        self.connection = connection

    def setsockopt(self, *_):
        pass

    def __getattr__(self, name):
        return getattr(self.connection, name)


class ConfigurationTest(Conversation):
    def test_channels_variables_unit_and_timeout_are_named(self):
        tron = self.start(variable="adapLevel")
        tron.configure()
        self.assertEqual(tron.variables, [(LEVEL, "adapLevel")])
        self.assertEqual((tron.unit, tron.timeout), (1000, 5000))
        self.end(tron)
        self.assertEqual(self.failures, [])

    def test_a_refusal_is_told(self):
        tron = self.start()
        tron.configure(refuse="not today")
        self.thread.join(30)
        self.assertIsInstance(self.failures[0], Refused)
        self.assertIn("not today", str(self.failures[0]))
        tron.close()

    def test_an_unknown_channel_is_told(self):
        tron = self.start()
        del tron.channels["release"]
        with self.assertRaises(EOFError):
            tron.configure()
        self.thread.join(30)
        self.assertIn("no such thing", str(self.failures[0]))
        tron.close()


class VirtualTest(Conversation):
    def run_script(self, script, until, **settings):
        clock = FakeClock()
        clock.join()
        tron = self.start(clock, **settings)
        tron.configure()
        for at, finger in script:
            clock.sleep_until(at)
            tron.send(finger)
        clock.sleep_until(until)
        heard = [(now, *values) for now, number, values in tron.heard if number == LEVEL]
        self.end(tron)
        clock.close()
        self.assertEqual(sorted(clock.names), ["lamp", "reader"])
        self.assertEqual(self.failures, [])
        return heard

    def test_virtual_time_is_exact(self):
        script = press(10, 52 + 1300) + press(2000, 30) + press(2200, 30) + press(3000, 700)
        for _ in range(5):
            self.assertEqual(self.run_script(script, 5000), play(script, 5000))

    def test_an_hour_takes_no_time(self):
        script = [event for i in range(60) for event in press(60_000 * i, 300 + i)]
        self.assertEqual(self.run_script(script, 3_600_000), play(script, 3_600_000))

    def test_mutants(self):
        script = press(0, 400) + press(1000, 30)
        for mutant in MUTANTS:
            self.assertEqual(self.run_script(script, 3000, mutant=mutant), play(script, 3000, mutant))


class RealTest(Conversation):
    def test_levels_come_in_real_time(self):
        tron = self.start()
        tron.configure()
        tron.send("grasp")
        deadline = time.monotonic() + 30
        while len(tron.heard) < 3:
            self.assertLess(time.monotonic(), deadline, "the lamp is silent")
            time.sleep(0.01)
        tron.send("release")
        self.end(tron)
        self.assertEqual([values for _, _, values in tron.heard][:3], [(0,), (1,), (2,)])
        self.assertEqual(self.failures, [])


class ProgramTest(unittest.TestCase):
    def lamp(self, *arguments):
        command = [sys.executable, os.path.join(HERE, "lamp.py"), *arguments]
        lamp = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lamp.stderr.close)
        self.addCleanup(lamp.wait)
        self.addCleanup(lamp.kill)
        return lamp

    def hold(self, connection):
        tron = FakeTron(connection)
        tron.configure()
        tron.send("grasp")
        deadline = time.monotonic() + 30
        while not tron.heard and time.monotonic() < deadline:
            time.sleep(0.01)
        tron.send("release")
        self.assertEqual(tron.heard[0], (None, LEVEL, (0,)))
        tron.close()

    def test_it_connects(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            lamp = self.lamp("--connect", str(server.getsockname()[1]))
            self.hold(server.accept()[0])
        self.assertEqual(lamp.wait(30), 0, lamp.stderr.read())

    def test_it_listens_for_one_after_the_other(self):
        lamp = self.lamp("--listen", "0", "--forever")
        port = int(lamp.stderr.readline().split()[-1])
        for _ in range(2):
            self.hold(socket.create_connection(("127.0.0.1", port)))

    def test_nobody_there_is_an_error(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            lamp = self.lamp("--connect", str(server.getsockname()[1]))
            server.accept()[0].close()
        self.assertEqual(lamp.wait(30), 1)
        self.assertIn("error", lamp.stderr.read())


if __name__ == "__main__":
    unittest.main()
