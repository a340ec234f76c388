"""Tests of the device, its server and its adapter: `python3 -m unittest discover examples/cooling/sut`."""

import io
import json
import os
import random
import subprocess
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from adapter import Adapter, Database, punctual
from device import SECOND, Device, Refused
from server import Plant, Server


def play(device, script, until):
    """The changes of relays and display, in seconds, while a script of (second, name, value) is
    written."""
    for at, name, value in script:
        device.advance(int(at * SECOND))
        device.write(device.parameters.find(name), str(value))
    device.advance(int(until * SECOND))
    names = {number: row[1] for number, row in device.parameters.rows.items()}
    changes = [(now / SECOND, names[number], value) for now, number, value in device.parameters.changes]
    return [change for change in changes if change[1].startswith(("relay", "display"))]


def times(changes, name, value):
    return [now for now, changed, new in changes if (changed, new) == (name, value)]


class DeviceTest(unittest.TestCase):
    def within(self, now, start, tolerance=1):
        self.assertTrue(start <= now <= start + tolerance, f"{now} is not soon after {start}")

    def test_nothing_happens_at_the_set_temperature_but_defrost(self):
        changes = play(Device(), [(0, "sensor.room", 10)], 119)
        self.assertEqual(changes, [])

    def test_the_average_follows_slowly(self):
        device = Device()
        device.write(1, "20")
        averages = []
        for i in range(1, 7):
            device.advance(i * 10 * SECOND)
            averages.append(device.parameters["status.average"])
        self.assertEqual(averages, [12, 13, 14, 15, 16, 16])

    def test_the_compressor_has_hysteresis(self):
        # 12 at the sample of 10, but off for 35 at least.
        for seed in range(20):
            changes = play(Device(seed), [(0, "sensor.room", 20), (51, "sensor.room", 0)], 119)
            (on,), (off,) = (times(changes, "relay.compressor", value) for value in (1, 0))
            self.within(on, 40)
            # Averages: 12, 13, 14, 15, 16, then 12, 9, 7, 5; and on for 45 at least.
            self.within(off, 90)

    def test_the_compressor_stays_on_for_a_while(self):
        device = Device()
        device.write(33, "100")
        changes = play(device, [(0, "sensor.room", 20), (41, "sensor.room", 0)], 119)
        self.assertEqual(times(changes, "relay.compressor", 0), [])

    def test_alarms_come_after_their_delay_and_go(self):
        for room, start in ((20, 40), (0, 60)):
            changes = play(Device(), [(0, "sensor.room", room), (90, "sensor.room", 10)], 119)
            (on,), (off,) = (times(changes, "relay.alarm", value) for value in (1, 0))
            self.within(on, start + 25)
            self.assertGreater(off, 90)

    def test_no_alarm_if_it_was_short(self):
        changes = play(Device(), [(0, "sensor.room", 20), (41, "sensor.room", 10)], 119)
        self.assertEqual(times(changes, "relay.alarm", 1), [])

    def test_defrost_by_hand(self):
        for seed in range(20):
            script = [(0, "sensor.room", 20), (69.5, "key.defrost", 1)]
            changes = play(Device(seed), script, 150)
            (on,), (off,) = (times(changes, "relay.heater", value) for value in (1, 0))
            self.within(on, 69.5)
            self.within(off, 109.5)
            self.within(times(changes, "relay.compressor", 0)[0], 69.5)
            self.within(times(changes, "relay.alarm", 0)[0], 69.5)
            # Regulation goes on 20 after the end, with the next sample.
            self.within(times(changes, "relay.compressor", 1)[1], 130)

    def test_defrost_is_stopped_by_hand(self):
        changes = play(Device(), [(30, "key.defrost", 1), (45, "key.defrost", 0)], 119)
        self.within(times(changes, "relay.heater", 0)[0], 45)

    def test_a_command_that_is_taken_back_has_no_effect(self):
        class Slow(Device):
            def some_time(self):
                return SECOND

        changes = play(Slow(), [(30, "key.defrost", 1), (30.5, "key.defrost", 0)], 119)
        self.assertEqual([change for change in changes if "heater" in change[1]], [])

    def test_defrost_comes_by_itself(self):
        changes = play(Device(), [(25, "key.defrost", 1)], 400)
        for now, start in zip(times(changes, "relay.heater", 1), (25, 145, 265, 385), strict=True):
            self.within(now, start)

    def test_a_timer_of_low_resolution_is_too_early(self):
        def off(resolution, start):
            changes = play(Device(0, resolution), [(start, "key.defrost", 1)], 100)
            return times(changes, "relay.heater", 0)[0] - start

        for start in range(30, 40):
            self.within(off(0, start), 40)
            self.within(off(5, start), 40 - start % 5)

    def test_the_same_seed_gives_the_same_changes(self):
        script = [(5 * i, "sensor.room", random.Random(i).choice((0, 10, 20))) for i in range(100)]
        device = Device(7)
        first = play(device, script, 500)
        device.reset()
        self.assertEqual(first, play(device, script, 500))
        self.assertEqual(first, play(Device(7), script, 500))
        self.assertNotEqual(first, play(Device(8), script, 500))

    def test_the_database_permits_what_it_should(self):
        device = Device()
        for key, value in (("10", "1"), ("sensor.room", "101"), ("1", "warm"), ("99", "1"), ("nothing", "1")):
            with self.assertRaises(Refused, msg=f"{key} {value}"):
                device.write(device.parameters.find(key), value)
        self.assertEqual(device.parameters.changes, [])


class Served(unittest.TestCase):
    """With a server in this process."""

    virtual = True
    unit_ms = 1000

    def setUp(self):
        self.plant = Plant(Device(), self.virtual, self.unit_ms)
        self.server = Server(self.plant)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.database = Database("127.0.0.1", self.server.port)

    def tearDown(self):
        self.database.close()
        self.plant.ended = True
        self.server.shutdown()
        self.server.server_close()


class ServerTest(Served):
    def test_list_read_write(self):
        lines, rest = self.database.ask("list")
        self.assertEqual([str(len(lines))], rest)
        self.assertIn("1 sensor.room int -100 100 rw 10\n", lines)
        self.assertEqual(self.database.ask("write sensor.room 12"), ([], []))
        self.assertEqual(self.database.ask("read 1"), ([], ["12"]))

    def test_time_passes_to_the_first_change(self):
        self.database.ask("write 1 20")
        self.assertEqual(self.database.ask("time 9999999999")[1], ["9999999999", "1"])
        self.assertEqual(self.database.ask("time 100000000000")[1], ["10000000000", "2"])
        changes = list(self.database.changes())
        self.assertEqual(changes, [(0, "sensor.room", 20), (10 * SECOND, "status.average", 12)])
        self.database.reset()
        self.assertEqual(self.database.ask("time")[1], ["0", "0"])

    def test_nonsense_is_refused(self):
        self.database.ask("time 5")
        for command in ("", "write 1", "write 10 1", "read", "poll 7", "poll x", "time x", "time 4", "dance", "reset x"):
            with self.assertRaises(punctual.ProtocolError, msg=command):
                self.database.ask(command)
        self.assertEqual(self.database.ask("clock")[1], ["virtual"])

    def test_two_clients_see_the_same(self):
        other = Database("127.0.0.1", self.server.port)
        other.ask("write 1 3")
        self.assertEqual(self.database.ask("read 1")[1], ["3"])
        other.close()


class RealServerTest(Served):
    virtual = False
    unit_ms = 2

    def test_the_device_runs_by_itself(self):
        with self.assertRaises(punctual.ProtocolError):
            self.database.ask("time 100")
        self.database.ask("write key.defrost 1")
        deadline = time.monotonic() + 30
        while self.database.ask("read relay.heater")[1] != ["1"]:
            self.assertLess(time.monotonic(), deadline)
        while self.database.ask("read relay.heater")[1] != ["0"]:
            self.assertLess(time.monotonic(), deadline)
        names = [name for _, name, _ in self.database.changes()]
        self.assertEqual(names.count("relay.heater"), 2)


def converse(messages, connect):
    """What an adapter says to some messages."""
    reader = io.BytesIO("".join(json.dumps(message) + "\n" for message in messages).encode())
    writer = io.BytesIO()
    adapter = Adapter(connect)
    try:
        punctual.serve_on(adapter, reader.read, writer.write)
    except punctual.ProtocolError:
        pass
    finally:
        adapter.close()
    return [json.loads(line) for line in writer.getvalue().splitlines()]


class AdapterTest(Served):
    def test_parameters_become_events(self):
        said = converse(
            [{"hello": {"protocol": 1, "clock": "virtual"}}, {"reset": 1}, {"wait": 5 * SECOND},
             {"input": "startDefrost", "values": [], "at": 5 * SECOND}, {"wait": 20 * SECOND},
             {"wait": 20 * SECOND}, {"input": "stopDefrost", "at": 20 * SECOND}, {"wait": 30 * SECOND},
             {"input": "temperature", "values": [20], "at": 22 * SECOND}, {"wait": 32 * SECOND}],
            lambda *_: Database("127.0.0.1", self.server.port))
        names = [message.get("output", next(iter(message))) for message in said]
        self.assertEqual(names, ["ready", "ready", "quiet", "done", "heaterOn", "quiet", "done",
                                 "heaterOff", "done", "display"])
        self.assertEqual(said[-1]["values"], [6])

    def test_a_unit_may_be_shorter_than_a_second(self):
        hello = {"protocol": 1, "clock": "virtual", "unit_ns": 7}
        said = converse(
            [{"hello": hello}, {"reset": 1}, {"input": "temperature", "values": [20], "at": 0},
             {"wait": 80}, {"wait": 80}, {"wait": 700}, {"wait": 700}],
            lambda *_: Database("127.0.0.1", self.server.port))
        outputs = [message["at"] for message in said if "output" in message]
        self.assertEqual(outputs, sorted(outputs))
        self.assertTrue(all(70 <= at <= 700 for at in outputs) and len(outputs) == 3, said)

    def test_variables_can_be_read(self):
        hello = {"protocol": 1, "protocols": [1, 2], "clock": "virtual"}
        said = converse(
            [{"hello": hello}, {"reset": 1}, {"input": "temperature", "values": [20], "at": 0}, {"wait": 15 * SECOND},
             {"read": ["sensor", "average"], "at": 15 * SECOND}, {"read": ["weather"], "at": 15 * SECOND}],
            lambda *_: Database("127.0.0.1", self.server.port))
        self.assertEqual(said[0]["can"], ["read"])
        self.assertEqual(said[-2]["values"], {"sensor": 20, "average": 12})
        self.assertEqual(said[-1], {"error": "there is no variable weather"})

    def test_the_wrong_clock_or_input_is_an_error(self):
        connect = lambda *_: Database("127.0.0.1", self.server.port)
        self.assertIn("error", converse([{"hello": {"protocol": 1, "clock": "real"}}], connect)[-1])
        hello = {"hello": {"protocol": 1, "clock": "virtual"}}
        self.assertIn("error", converse([hello, {"reset": 1}, {"input": "kick", "at": 0}], connect)[-1])


class ProgramTest(unittest.TestCase):
    def test_the_adapter_starts_a_server(self):
        for clock in ("virtual", "real"):
            hello = {"hello": {"protocol": 1, "clock": clock, "unit_ns": 1000000}}
            wait = [{"wait": 1000}] if clock == "virtual" else []
            messages = [hello, {"reset": 1}, *wait, {"stop": True}]
            text = "".join(json.dumps(message) + "\n" for message in messages)
            done = subprocess.run([sys.executable, os.path.join(HERE, "adapter.py"), "--timer-resolution", "5"],
                                  input=text, capture_output=True, text=True, timeout=60, check=True)
            self.assertIn('{"ready":1}', done.stdout)


if __name__ == "__main__":
    unittest.main()
