#!/usr/bin/env python3
"""Makes events of parameters: between a tester (JSON lines on stdin and stdout) and the database.

Inputs are written as parameters. Changes of relays and display, which are found by polling, become
outputs. Without `--server` it starts a server of its own, on the clock that the tester chose.
"""

import argparse
import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from server import options

# How often the database is polled on the real clock.
POLL_S = 0.002

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


class Database:
    """A connection to the server."""

    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.names = {}
        for line in self.ask("list")[0]:
            number, name = line.split()[:2]
            self.names[int(number)] = name
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
                raise ValueError(f"{command}: {' '.join(rest)}")
            lines.append(line)

    def reset(self):
        self.ask("reset")
        self.n_seen = 0

    def poll(self):
        """The outputs since the last poll: instant, name, values."""
        lines, (n_changes,) = self.ask(f"poll {self.n_seen}")
        self.n_seen = int(n_changes)
        for line in lines:
            now, number, value = map(int, line.split())
            event = OUTPUTS.get(self.names[number])
            if event:
                yield now, *event(value)

    def close(self):
        self.socket.close()


class Adapter:
    """The system's side of the protocol."""

    def __init__(self, connect, lines, send):
        self.connect = connect
        self.lines = lines
        self.send = send
        self.database = None
        self.pending = []

    def run(self):
        """Serves the tester until it says stop or is gone."""
        hello = self.read()
        if hello is None or "hello" not in hello:
            return self.send({"error": "the first message must be hello"})
        if hello["hello"].get("protocol") != 1:
            return self.send({"error": "only protocol 1 is known here"})
        virtual = hello["hello"].get("clock") == "virtual"
        self.database = self.connect(virtual)
        if self.database.ask("clock")[1] != ["virtual" if virtual else "real"]:
            return self.send({"error": "the server is on the other clock"})
        self.send({"ready": 0})
        return self.on_virtual_clock() if virtual else self.on_real_clock()

    def read(self):
        line = self.lines.readline()
        return json.loads(line) if line else None

    def reset(self, number):
        self.database.reset()
        self.pending = []
        self.send({"ready": number})

    def input(self, message):
        """Writes what an input stands for; whether it is known."""
        event = INPUTS.get(message["input"])
        if event is None:
            self.send({"error": f"there is no input {message['input']}"})
            return False
        self.database.ask("write {} {}".format(*event(message.get("values", []))))
        return True

    def on_virtual_clock(self):
        while (message := self.read()) is not None and "stop" not in message:
            if "reset" in message:
                self.reset(message["reset"])
            elif "input" in message:
                if not self.input(message):
                    return
                self.send({"done": message["at"]})
            elif "wait" in message:
                self.wait(message["wait"])
            else:
                return self.send({"error": "a message that is not known"})

    def wait(self, until):
        """Lets time pass to an instant or to the first output."""
        while not self.pending:
            now, n_changes = map(int, self.database.ask(f"time {until}")[1])
            if n_changes > self.database.n_seen:
                self.pending += self.database.poll()
            elif now >= until:
                return self.send({"quiet": until})
        now, name, values = self.pending.pop(0)
        self.send({"output": name, "values": values, "at": now})

    def on_real_clock(self):
        messages = queue.Queue()

        def listen():
            try:
                while (message := self.read()) is not None:
                    messages.put(message)
            finally:
                messages.put({"stop": True})

        threading.Thread(target=listen, daemon=True).start()
        while True:
            try:
                message = messages.get(timeout=POLL_S)
            except queue.Empty:
                message = {}
            if "stop" in message:
                return
            if "reset" in message:
                self.reset(message["reset"])
            elif "input" in message and not self.input(message):
                return
            for _, name, values in self.database.poll():
                self.send({"output": name, "values": values})


def start_server(arguments, virtual):
    """A server as a process of its own."""
    command = [
        sys.executable, os.path.join(HERE, "server.py"),
        "--clock", "virtual" if virtual else "real",
        "--seed", str(arguments.seed), "--unit-ms", str(arguments.unit_ms),
        "--timer-resolution", str(arguments.timer_resolution),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    word, port = (process.stdout.readline() or "port 0").split()
    if word != "port" or port == "0":
        raise ConnectionError("the server did not start")
    return process, int(port)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], parents=[options()])
    parser.add_argument("--server", metavar="HOST:PORT", help="a server that runs already")
    arguments = parser.parse_args()
    started = []

    def connect(virtual):
        if arguments.server:
            host, _, port = arguments.server.rpartition(":")
            return Database(host, int(port))
        process, port = start_server(arguments, virtual)
        started.append(process)
        return Database("127.0.0.1", port)

    def send(message):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    try:
        Adapter(connect, sys.stdin, send).run()
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    except (ConnectionError, ValueError) as error:
        send({"error": str(error)})
        sys.exit(1)
    finally:
        for process in started:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
