"""Tests of the kit for Python: `python3 -m unittest discover sdk/python`."""

import contextlib
import decimal
import enum
import fractions
import json
import os
import socket
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import punctual  # noqa: E402

MS = 1_000_000
REAL = {"type": "real"}


def hello(clock="virtual", **more):
    return {"hello": {"protocol": 1, "protocols": [1, 2], "clock": clock, **more}}


class Tester:
    """The other end of a conversation, which a thread serves."""

    def __init__(self, system):
        self.socket, served = socket.socketpair()
        self.socket.settimeout(10)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.end = None
        self.thread = threading.Thread(target=self.serve, args=(system, served), daemon=True)
        self.thread.start()

    def serve(self, system, served):
        try:
            punctual.serve_on(system, served.recv, served.sendall)
        except Exception as error:
            self.end = error
        finally:
            # Also for the thread of the kit that reads.
            with served, contextlib.suppress(OSError):
                served.shutdown(socket.SHUT_RDWR)

    def say(self, **message):
        self.socket.sendall((json.dumps(message) + "\n").encode())

    def hear(self):
        line = self.lines.readline()
        return json.loads(line) if line else None

    def ask(self, **message):
        self.say(**message)
        return self.hear()

    def close(self):
        self.lines.close()
        self.socket.close()
        self.thread.join(10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Mode(enum.Enum):
    Idle = 0
    On = 1


class Echo(punctual.System):
    """Says after 5 ns what it was told, or some values."""

    def __init__(self, *values):
        self.values = values

    def reset(self):
        self.due = None

    def input(self, at_ns, name, values):
        if name == "break":
            raise punctual.Failure("no beans")
        if name == "mumble":
            self.log("hm")
        self.heard = values
        self.due = (at_ns + 5, "pong", self.values or values)

    def advance(self, until_ns):
        if self.due is None or self.due[0] > until_ns:
            return None
        due, self.due = self.due, None
        return due

    def next_ns(self):
        return self.due[0] if self.due else None

    def read(self, at_ns, name):
        if name != "heard":
            raise punctual.ProtocolError("`%s` can not be read" % name)
        return repr(self.heard)


class Sum(punctual.Stepwise):
    inputs = {"x": 0, "on": True}

    def reset(self):
        self.sum = 0

    def step(self, inputs):
        if inputs["on"]:
            self.sum += inputs["x"]
        return {"sum": self.sum, "at": self.at_ns}

    def read(self, name):
        return self.sum / 2 if name == "half" else super().read(name)


class Lamp(punctual.Device):
    """Lights up by a thread of its own, and goes out by a timer."""

    def reset(self):
        assert self.now_ns() == 0
        self.level = 0
        self.n_blinks = 0
        # A thread of the run before would emit now.
        old = threading.Thread(target=self.emit, args=("old",))
        old.start()
        old.join()
        self.emit("hello", [Mode.Idle])

    def input(self, name, values):
        if name == "press":
            threading.Thread(target=self.emit, args=("on", values)).start()
            self.timer = self.after(200 * MS, lambda: self.emit("off"))
        elif name == "hold":
            self.timer.cancel()
        elif name == "blink":
            self.blinking = self.every(5 * MS, self.blink)
        elif name == "nan":
            threading.Thread(target=self.emit, args=("on", [float("nan")])).start()
        elif name == "fail":
            threading.Thread(target=self.fail, args=("no beans",)).start()
        else:
            super().input(name, values)

    def blink(self):
        self.n_blinks += 1
        self.emit("blink", [self.n_blinks])
        if self.n_blinks == 3:
            self.blinking.cancel()
            self.stepped({"level": self.level}, {"x": Mode.On})
            self.log("blinked")

    def set(self, name, value):
        self.level = value

    def step(self):
        return {"light": self.level * 2}


class SystemTest(unittest.TestCase):
    def test_version_1(self):
        with Tester(Echo()) as tester:
            self.assertEqual(tester.ask(hello={"protocol": 1, "clock": "virtual"}), {"ready": 0})
            self.assertEqual(tester.ask(reset=4), {"ready": 4})
            self.assertEqual(tester.ask(input="ping", values=[3], at=2), {"done": 2})
            self.assertEqual(tester.ask(wait=6), {"quiet": 6})
            self.assertEqual(tester.ask(wait=9), {"output": "pong", "values": [3], "at": 7})
            error = {"error": "version 1 of the protocol has no message `read`"}
            self.assertEqual(tester.ask(read=["heard"], at=9), error)
            self.assertIsNone(tester.hear())
        self.assertIsInstance(tester.end, punctual.ProtocolError)

    def test_version_2(self):
        ports = [{"name": "x", "role": "input", "type": REAL}]
        inputs = [{"name": "ping", "values": ["a", "b"], "types": [REAL, {"type": "enum", "names": ["1/3"]}]}]
        with Tester(Echo()) as tester:
            ready = {"ready": 0, "protocol": 2, "can": ["read"]}
            self.assertEqual(tester.ask(**hello(inputs=inputs, ports=ports)), ready)
            self.assertEqual(tester.ask(reset=1), {"ready": 1})
            self.assertEqual(tester.ask(input="mumble", values=["1/3", "1/3"], at=2), {"log": "hm"})
            self.assertEqual(tester.hear(), {"done": 2})
            tester.ask(input="ping", values=["1/3", "1/3"], at=2)
            heard = {"values": {"heard": "[Fraction(1, 3), '1/3']"}, "at": 3}
            self.assertEqual(tester.ask(read=["heard"], at=3), heard)
            output = {"output": "pong", "values": ["1/3", "1/3"], "at": 7}
            self.assertEqual(tester.ask(wait=9), output)
            tester.say(stop="enough")
            self.assertIsNone(tester.hear())
        self.assertIsNone(tester.end)

    def test_values_that_can_be_sent(self):
        values = [True, 2**40, 0.5, fractions.Fraction(1, 3), decimal.Decimal("0.10"), "A", Mode.On]
        with Tester(Echo(*values)) as tester:
            tester.ask(**hello())
            tester.ask(reset=1)
            tester.ask(input="ping", at=0)
            said = [True, 2**40, 0.5, "1/3", "0.10", "A", "On"]
            self.assertEqual(tester.ask(wait=9)["values"], said)
        for version, values, said in [
            (1, [True, 2.0, fractions.Fraction(4, 2)], [1, 2, 2]),
            (1, [0.5], "`pong` has the value 0.5, and version 1 of the protocol has only integers of 32 bits"),
            (1, [2**31], "`pong` has the value 2147483648, and version 1"),
            (1, [float("inf")], "`pong` has the value inf, and version 1"),
            (1, [Mode.On], "`pong` has the value On, and version 1"),
            (2, [float("nan")], "`pong` has the value nan, which can not be sent"),
            (2, [None], "`pong` has the value None, which can not be sent"),
        ]:
            with Tester(Echo(*values)) as tester:
                tester.ask(hello={"protocol": version, "clock": "virtual"})
                tester.ask(reset=1)
                tester.ask(input="ping", at=0)
                answer = tester.ask(wait=9)
                if isinstance(said, str):
                    self.assertIn(said, answer["error"])
                else:
                    self.assertEqual(answer["values"], said)

    def test_the_real_clock(self):
        for version in (1, 2):
            with Tester(Echo()) as tester:
                tester.ask(hello={"protocol": version, "clock": "real"})
                tester.ask(reset=1)
                pong = tester.ask(input="ping", values=[3])
                self.assertEqual(pong["output"], "pong")
                self.assertEqual("at" in pong, version == 2)
                if version == 2:
                    self.assertGreater(tester.ask(read=["heard"])["at"], pong["at"])
                error = {"error": "nobody waits by message on the real clock"}
                self.assertEqual(tester.ask(wait=9), error)

    def test_a_system_may_step_by_itself(self):
        class Clocked(Echo):
            def advance(self, until_ns):
                return punctual.Stepped(until_ns, {"y": 1}, {"x": 2})

        with Tester(Clocked()) as tester:
            tester.ask(**hello())
            tester.ask(reset=1)
            stepped = {"stepped": {"y": 1}, "inputs": {"x": 2}, "at": 7}
            self.assertEqual(tester.ask(wait=7), stepped)

    def test_testers_that_break_the_rules_are_told(self):
        after_reset = [hello(), {"reset": 1}]
        known = "only the versions 1 and 2 of the protocol are known here"
        for messages, text in [
            ([{"reset": 1}], "the first message must be hello"),
            ([{"hello": {"protocol": 3, "clock": "real"}}], known),
            ([hello("sun")], "`clock` must be `real` or `virtual`"),
            ([hello(), {"wait": 1}], "a reset must come first"),
            ([hello(), {"reset": -1}], "`reset` must be a whole number, not -1"),
            (after_reset + [hello()], "hello came twice"),
            (after_reset + [{"dance": 1}], "a message that is not known"),
            (after_reset + [{"input": 7, "at": 0}], "`input` must be a name, not 7"),
            (after_reset + [{"input": "x", "values": 3, "at": 0}], "`values` must be a list, not 3"),
            (
                after_reset + [{"input": "x", "values": [[]], "at": 0}],
                "`values` must be a number, a truth value or a text, not []",
            ),
            (after_reset + [{"input": "x"}], "`at` is missing, the instant of the virtual clock"),
            (after_reset + [{"input": "x", "at": True}], "`at` must be a whole number, not true"),
            (after_reset + [{"input": "break", "at": 0}], "no beans"),
            (after_reset + [{"step": "x", "at": 0}], '`step` must be a whole number, not "x"'),
            (after_reset + [{"step": 1, "at": 0}], "this system takes no steps"),
            (after_reset + [{"set": [], "at": 0}], "`set` must be an object of ports, not []"),
            (after_reset + [{"set": {"x": 1}, "at": 0}], "there is no input port `x`"),
            (after_reset + [{"read": "x", "at": 0}], '`read` must be a list of names, not "x"'),
            (after_reset + [{"read": ["x"], "at": 0}], "`x` can not be read"),
        ]:
            with Tester(Echo()) as tester:
                for message in messages[:-1]:
                    tester.ask(**message)
                self.assertEqual(tester.ask(**messages[-1]), {"error": text})
                self.assertIsNone(tester.hear())

    def test_a_line_that_is_no_json(self):
        for line, text in [(b"{\n", "a line is no JSON"), (b"[1]\n", "a message must be a JSON object")]:
            with Tester(Echo()) as tester:
                tester.socket.sendall(line)
                self.assertIn(text, tester.hear()["error"])


class StepwiseTest(unittest.TestCase):
    def test_steps(self):
        with Tester(Sum()) as tester:
            ready = {"ready": 0, "protocol": 2, "can": ["step", "set", "read"]}
            ports = [{"name": "x", "role": "input", "type": REAL}]
            self.assertEqual(tester.ask(**hello(ports=ports)), ready)
            for number in (1, 2):
                self.assertEqual(tester.ask(reset=number), {"ready": number})
                stepped = {"stepped": {"sum": 1.5, "at": 0}, "step": 1, "at": 0}
                self.assertEqual(tester.ask(step=1, set={"x": 1.5}, at=0), stepped)
                self.assertEqual(tester.ask(set={"x": "1/2", "on": True}, at=4), {"done": 4})
                self.assertEqual(tester.ask(wait=9), {"quiet": 9})
                stepped = {"stepped": {"sum": 2.0, "at": 9}, "step": 2, "at": 9}
                self.assertEqual(tester.ask(step=2, at=9), stepped)
                self.assertEqual(tester.ask(step=3, set={"on": False}, at=10)["stepped"]["sum"], 2.0)
                values = {"sum": 2.0, "x": "1/2", "half": 1.0}
                self.assertEqual(tester.ask(read=["sum", "x", "half"], at=10)["values"], values)
        for message, text in [
            ({"step": 1, "set": {"y": 1}, "at": 0}, "there is no input port `y`"),
            ({"step": 1, "set": {"x": "a"}, "at": 0}, "`x` must be a number, not 'a'"),
            ({"input": "go", "at": 0}, "there is no input signal `go`"),
            ({"read": ["y"], "at": 0}, "`y` can not be read"),
        ]:
            with Tester(Sum()) as tester:
                tester.ask(**hello(ports=ports))
                tester.ask(reset=1)
                self.assertEqual(tester.ask(**message), {"error": text})

    def test_the_real_clock(self):
        with Tester(Sum()) as tester:
            tester.ask(**hello("real"))
            tester.ask(reset=1)
            tester.say(set={"x": 2})
            stepped = tester.ask(step=1)
            self.assertEqual(stepped["stepped"]["sum"], 2)
            self.assertEqual(stepped["stepped"]["at"], stepped["at"])


class DeviceTest(unittest.TestCase):
    def hear(self, tester, kind, what):
        """The next message without its time stamp, and the stamp."""
        message = tester.hear()
        self.assertEqual(message.get(kind), what, message)
        return message, message["at"]

    def test_a_conversation(self):
        with Tester(Lamp()) as tester:
            ready = {"ready": 0, "protocol": 2, "can": ["step", "set"]}
            self.assertEqual(tester.ask(**hello("real")), ready)
            for number in (1, 2):
                self.assertEqual(tester.ask(reset=number), {"ready": number})
                self.assertEqual(self.hear(tester, "output", "hello")[0]["values"], ["Idle"])
                tester.say(input="press", values=[3])
                on, on_ns = self.hear(tester, "output", "on")
                self.assertEqual(on["values"], [3])
                _, off_ns = self.hear(tester, "output", "off")
                self.assertTrue(50 * MS < off_ns - on_ns < 5000 * MS, off_ns - on_ns)
                tester.say(input="press")
                self.hear(tester, "output", "on")
                tester.say(input="hold")
                tester.say(step=1, set={"level": 7}, at=5)
                stepped, at_ns = self.hear(tester, "stepped", {"light": 14})
                self.assertEqual(stepped["step"], 1)
                tester.say(input="blink")
                for count in (1, 2, 3):
                    blink, blink_ns = self.hear(tester, "output", "blink")
                    self.assertEqual(blink["values"], [count])
                    self.assertGreater(blink_ns, at_ns)
                    at_ns = blink_ns
                stepped, _ = self.hear(tester, "stepped", {"level": 7})
                self.assertEqual(stepped["inputs"], {"x": "On"})
                self.assertEqual(tester.hear(), {"log": "blinked"})
                # A lamp that is on while it is reset does not go out in the next run.
                tester.say(input="press")
                self.hear(tester, "output", "on")
            tester.say(stop="enough")
            self.assertIsNone(tester.hear())
        self.assertIsNone(tester.end)

    def test_what_it_refuses(self):
        with Tester(Lamp()) as tester:
            error = {"error": "this is a device, which knows the real clock only"}
            self.assertEqual(tester.ask(**hello()), error)
        for message, text in [
            ({"input": "nan"}, "`on` has the value nan, which can not be sent"),
            ({"input": "fail"}, "no beans"),
            ({"input": "kick"}, "there is no input signal `kick`"),
            ({"read": ["level"]}, "`level` can not be read"),
            ({"wait": 4}, "nobody waits by message on the real clock"),
        ]:
            with Tester(Lamp()) as tester:
                tester.ask(**hello("real"))
                tester.ask(reset=1)
                tester.hear()
                self.assertEqual(tester.ask(**message), {"error": text})
                self.assertIsNone(tester.hear())
            self.assertIsNotNone(tester.end)

    def test_a_reset_ends_timers(self):
        class Clock(punctual.Device):
            run = 0

            def reset(self):
                self.run += 1
                run = self.run
                self.every(MS, lambda: self.emit("tick", [run]))

        with Tester(Clock()) as tester:
            tester.ask(**hello("real"))
            for run in range(1, 5):
                tester.say(reset=run)
                while tester.hear() != {"ready": run}:
                    pass
                # Longer than the run before: the instants at which its timer was to go off come, too.
                for _ in range(20 * run):
                    self.assertEqual(tester.hear()["values"], [run])

    def test_without_a_tester_nothing_is_sent(self):
        lamp = Lamp()
        with Tester(lamp) as tester:
            lamp.emit("early")
            tester.ask(**hello("real"))
            lamp.emit("early")
            self.assertEqual(tester.ask(reset=1), {"ready": 1})
        lamp.emit("on")
        lamp.after(1, lamp.reset).cancel()
        self.assertEqual(lamp.now_ns(), 0)


class ProgramTest(unittest.TestCase):
    def test_what_is_printed_does_not_disturb(self):
        text = (
            "import os, punctual\n"
            "class Loud(punctual.Stepwise):\n"
            "    def step(self, inputs):\n"
            "        print('printed'); os.system('echo child'); self.log('logged')\n"
            "        return {}\n"
            "punctual.serve(Loud())\n"
            "print('over')\n"
        )
        for clock in ("virtual", "real"):
            messages = [hello(clock), {"reset": 1}, {"step": 1, "at": 0}, {"stop": "enough"}]
            done = subprocess.run(
                [sys.executable, "-c", text],
                input="".join(json.dumps(message) + "\n" for message in messages),
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=60,
                env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.abspath(__file__))},
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = done.stdout.splitlines()
            self.assertEqual(len(lines), 5, lines)
            self.assertEqual(lines[2:], ['{"log":"logged"}', lines[3], "over"])
            self.assertEqual(sorted(done.stderr.splitlines()), ["child", "printed"])


class TcpTest(unittest.TestCase):
    def converse(self, connection, stop):
        connection.settimeout(10)
        with connection, connection.makefile("rw", encoding="utf-8") as lines:
            for message in [hello("real"), {"reset": 1}, {"step": 1, "set": {"x": 3}}]:
                lines.write(json.dumps(message) + "\n")
                lines.flush()
                answer = json.loads(lines.readline())
            self.assertEqual(answer["stepped"]["sum"], 3)
            if stop:
                lines.write('{"stop":"this run is over"}\n')

    def start(self, *arguments, **options):
        thread = threading.Thread(target=punctual.serve_tcp, args=arguments, kwargs=options, daemon=True)
        thread.start()
        return thread

    def test_a_system_connects_again(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            thread = self.start(Sum(), "127.0.0.1", server.getsockname()[1], patience=0.3)
            for stop in (True, False, True):
                self.converse(server.accept()[0], stop)
        thread.join(10)
        self.assertFalse(thread.is_alive())

    def test_once(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            thread = self.start(Sum(), "127.0.0.1", server.getsockname()[1], once=True)
            self.converse(server.accept()[0], True)
            thread.join(10)
            self.assertFalse(thread.is_alive())

    def test_a_tester_that_never_listened_is_an_error(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        start = time.monotonic()
        with self.assertRaises(OSError):
            punctual.serve_tcp(Sum(), "127.0.0.1", port, patience=0.2)
        self.assertGreater(time.monotonic() - start, 0.2)

    def test_a_system_that_listens_serves_one_after_the_other(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        self.start(Sum(), "127.0.0.1", port, listen=True)
        for stop in (False, True):
            deadline = time.monotonic() + 10
            while True:
                try:
                    self.converse(socket.create_connection(("127.0.0.1", port)), stop)
                    break
                except ConnectionRefusedError:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.01)


if __name__ == "__main__":
    unittest.main()
