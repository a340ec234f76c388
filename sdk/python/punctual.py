"""What a system under test that is written in Python needs: Punctual's protocol, in one file.

Derive from `System`, then call `serve` (stdin and stdout) or `serve_tcp`. Both clocks work: on the
virtual one the tester says how far time goes, on the real one outputs are sent when they are due.
Nothing else may be written to stdout; use stderr, or `log`.

Needs Python 3.8 or newer, and only its standard library. Instants are integers, in nanoseconds
since the last reset.
"""

import json
import queue
import socket
import sys
import threading
import time

PROTOCOL = 1

# How often a system is asked that does not know when something happens.
_POLL_NS = 500_000


class System:
    """A system to which the tester says how far time goes."""

    def hello(self, hello):
        """What the tester says first: `clock`, `unit_ns`, `inputs`, `outputs`."""

    def reset(self):
        """Starts anew, at instant 0."""
        raise NotImplementedError

    def input(self, at_ns, name, values):
        """Takes an input. What comes of it at the same instant is for the next `advance`."""
        raise NotImplementedError

    def advance(self, until_ns):
        """Lets time pass to `until_ns` at most. Returns the first output on the way, as a tuple
        `(at_ns, name, values)`, or None. Time then stands at that output."""
        raise NotImplementedError

    def next_ns(self):
        """An instant before which nothing happens unless an input comes, None if nothing ever
        does, 0 if not known. Only the real clock asks."""
        return 0


class ProtocolError(Exception):
    """The tester broke the rules of the protocol."""


class _Closed(Exception):
    pass


class _Service:
    def __init__(self, system, reader, writer):
        self.system = system
        self.reader = reader
        self.writer = writer
        self.start_ns = None

    def send(self, **message):
        self.writer.write((json.dumps(message, separators=(",", ":")) + "\n").encode())
        self.writer.flush()

    def parse(self, line):
        if not line:
            raise _Closed
        try:
            message = json.loads(line)
        except ValueError as error:
            raise ProtocolError(str(error))
        if not isinstance(message, dict):
            raise ProtocolError("a message must be an object")
        return message

    def run(self):
        try:
            self.converse()
        except _Closed:
            pass
        except ProtocolError as error:
            self.send(error=str(error))
            raise

    def converse(self):
        message = self.parse(self.reader.readline())
        if "stop" in message:
            return
        hello = message.get("hello")
        if not isinstance(hello, dict):
            raise ProtocolError("the first message must be hello")
        if hello.get("protocol") != PROTOCOL:
            raise ProtocolError("only protocol %d is known here" % PROTOCOL)
        self.system.hello(hello)
        self.send(ready=0)
        if hello.get("clock") == "virtual":
            self.on_virtual_clock()
        elif hello.get("clock") == "real":
            self.on_real_clock()
        else:
            raise ProtocolError("`clock` must be `real` or `virtual`")

    def on_virtual_clock(self):
        is_reset = False
        while True:
            message = self.parse(self.reader.readline())
            if "stop" in message:
                return
            if "reset" in message:
                self.system.reset()
                is_reset = True
                self.send(ready=message["reset"])
            elif not is_reset:
                raise ProtocolError("a reset must come first")
            elif "input" in message:
                at_ns = message["at"]
                self.system.input(at_ns, message["input"], message.get("values", []))
                self.send(done=at_ns)
            elif "wait" in message:
                output = self.system.advance(message["wait"])
                if output is None:
                    self.send(quiet=message["wait"])
                else:
                    at_ns, name, values = output
                    self.send(output=name, values=list(values), at=at_ns)
            else:
                raise ProtocolError("a message that is not known")

    def on_real_clock(self):
        lines = queue.Queue()
        threading.Thread(target=self.listen, args=(lines,), daemon=True).start()
        while True:
            now_ns, patience = self.send_due_outputs()
            try:
                line = lines.get(timeout=patience)
            except queue.Empty:
                continue
            message = self.parse(line)
            if "stop" in message:
                return
            if "reset" in message:
                self.system.reset()
                self.start_ns = time.monotonic_ns()
                self.send(ready=message["reset"])
            elif self.start_ns is None:
                raise ProtocolError("a reset must come first")
            elif "input" in message:
                now_ns, _ = self.send_due_outputs()
                self.system.input(now_ns, message["input"], message.get("values", []))
            else:
                raise ProtocolError("a message that is not known on the real clock")

    def listen(self, lines):
        while True:
            try:
                line = self.reader.readline()
            except (OSError, ValueError):
                line = b""
            lines.put(line)
            if not line:
                return

    def send_due_outputs(self):
        """Lets the system come to the present. Returns that instant, and how many seconds nothing
        will happen by itself."""
        if self.start_ns is None:
            return 0, None
        while True:
            now_ns = time.monotonic_ns() - self.start_ns
            output = self.system.advance(now_ns)
            if output is None:
                break
            _, name, values = output
            self.send(output=name, values=list(values))
        due_ns = self.system.next_ns()
        if due_ns is None:
            return now_ns, None
        if due_ns == 0:
            due_ns = now_ns + _POLL_NS
        return now_ns, max(due_ns - (time.monotonic_ns() - self.start_ns), 0) / 1e9


def log(text):
    """Says something for people."""
    print(text, file=sys.stderr, flush=True)


def serve(system):
    """Serves a tester on stdin and stdout, until it says stop or is gone."""
    _Service(system, sys.stdin.buffer, sys.stdout.buffer).run()


def serve_tcp(system, host, port, listen=False):
    """Serves a tester over TCP: connects to it, or listens for it and serves one after the other."""
    if not listen:
        with socket.create_connection((host, port)) as connection:
            _serve_connection(system, connection)
        return
    with socket.create_server((host, port)) as server:
        log("listening on port %d" % server.getsockname()[1])
        while True:
            connection, _ = server.accept()
            with connection:
                _serve_connection(system, connection)


def _serve_connection(system, connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection.makefile("rb") as reader, connection.makefile("wb") as writer:
        try:
            _Service(system, reader, writer).run()
        except OSError as error:
            log("the tester is gone: %s" % error)
