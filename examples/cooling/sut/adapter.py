#!/usr/bin/env python3
"""Makes events of parameters: between a tester and the database of the device.

Inputs are written as parameters. Changes of relays and display, which are found by polling, become
outputs. Without `--server` it starts a server of its own, on the clock that the tester chose. A
second of the device takes as long as a time unit of the tester.
"""

import argparse
import os
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SDK = os.path.join(HERE, "..", "..", "..", "sdk", "python")
sys.path[:0] = [HERE, SDK]

import punctual
from device import SECOND
from server import options

INPUTS = {
    "temperature": lambda values: ("sensor.room", values[0]),
    "startDefrost": lambda values: ("key.defrost", 1),
    "stopDefrost": lambda values: ("key.defrost", 0),
}

OUTPUTS = {
    "relay.compressor": lambda value: ("compressorOn" if value else "compressorOff", []),
    "relay.heater": lambda value: ("heaterOn" if value else "heaterOff", []),
    "relay.alarm": lambda value: ("alarmOn" if value else "alarmOff", []),
    "display.temperature": lambda value: ("display", [value]),
}

# Variables of the model that can be read.
READINGS = {"sensor": "sensor.room", "average": "status.average"}


class Database:
    """A connection to the server."""

    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        rows = [line.split() for line in self.ask("list")[0]]
        self.names = {int(row[0]): row[1] for row in rows}
        self.n_seen = 0

    def ask(self, command):
        """The lines of an answer, and the words after its `ok`."""
        self.socket.sendall((command + "\n").encode())
        lines = []
        while True:
            line = self.lines.readline()
            if not line:
                raise ConnectionError("the server has gone")
            word, *rest = line.split()
            if word == "ok":
                return lines, rest
            if word == "error":
                raise punctual.ProtocolError(f"{command}: {' '.join(rest)}")
            lines.append(line)

    def reset(self):
        """Power off and on."""
        self.ask("reset")
        self.n_seen = 0

    def changes(self):
        """The changes since the last poll: instant, name, value."""
        lines, (n_changes,) = self.ask(f"poll {self.n_seen}")
        self.n_seen = int(n_changes)
        for line in lines:
            now, number, value = map(int, line.split())
            yield now, self.names[number], value

    def close(self):
        """Leaves the server alone."""
        self.lines.close()
        self.socket.close()


class Adapter(punctual.System):
    """The device as a system under test. `connect(virtual, unit_ns)` gives a `Database`."""

    def __init__(self, connect):
        self.connect = connect
        self.database = None
        self.virtual = True
        self.unit_ns = SECOND
        self.outputs = []

    def hello(self, hello):
        self.virtual = hello.get("clock") == "virtual"
        self.unit_ns = hello.get("unit_ns", SECOND)
        self.close()
        self.database = self.connect(self.virtual, self.unit_ns)
        clock = "virtual" if self.virtual else "real"
        if self.database.ask("clock")[1] != [clock]:
            raise punctual.ProtocolError(f"the server is not on the {clock} clock")

    def close(self):
        """Leaves the database."""
        if self.database:
            self.database.close()

    def reset(self):
        self.database.reset()
        self.outputs = []

    def input(self, at_ns, name, values):
        if name not in INPUTS:
            raise punctual.ProtocolError(f"there is no input {name}")
        self.database.ask("write {} {}".format(*INPUTS[name](values)))

    def read(self, at_ns, name):
        if name not in READINGS:
            raise punctual.ProtocolError(f"there is no variable {name}")
        return int(self.database.ask("read " + READINGS[name])[1][0])

    def advance(self, until_ns):
        until = until_ns * SECOND // self.unit_ns
        while not self.outputs:
            if not self.virtual:
                self.poll()
                break
            now, n_changes = map(int, self.database.ask(f"time {until}")[1])
            if n_changes > self.database.n_seen:
                self.poll()
            elif now >= until:
                break
        return self.outputs.pop(0) if self.outputs else None

    def poll(self):
        """Asks the database what has changed."""
        for now, name, value in self.database.changes():
            if name in OUTPUTS:
                # Rounded up, so that it is not before the instant of the device.
                at_ns = -(-now * self.unit_ns // SECOND)
                self.outputs.append((at_ns, *OUTPUTS[name](value)))


def start_server(arguments, virtual, unit_ns):
    """A server as a process of its own, and its port."""
    command = [
        sys.executable, os.path.join(HERE, "server.py"),
        "--clock", "virtual" if virtual else "real",
        "--seed", str(arguments.seed), "--unit-ms", str(unit_ns / 1e6),
        "--timer-resolution", str(arguments.timer_resolution),
    ]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    word, _, port = process.stdout.readline().partition(" ")
    if word != "port":
        raise ConnectionError("the server did not start")
    return process, int(port)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], parents=[options()])
    parser.add_argument("--server", metavar="HOST:PORT",
                        help="a server that runs already; the options of the device are its own")
    arguments = parser.parse_args()
    started = []

    def connect(virtual, unit_ns):
        if arguments.server:
            host, _, port = arguments.server.rpartition(":")
            return Database(host, int(port))
        process, port = start_server(arguments, virtual, unit_ns)
        started.append(process)
        return Database("127.0.0.1", port)

    adapter = Adapter(connect)
    try:
        punctual.serve(adapter)
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    except (ConnectionError, punctual.ProtocolError) as error:
        punctual.log(f"error: {error}")
        sys.exit(1)
    finally:
        adapter.close()
        for process in started:
            process.terminate()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    main()
