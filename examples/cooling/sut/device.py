"""A simulated cooling controller: what the device does by itself, and its parameters.

The device knows nothing of testers. It reads its sensor and its settings from a database of
parameters, and shows what it does by writing its relays and its display there. It is told how far
time goes (`advance`), in nanoseconds since it was started; `server.py` runs it on a clock.

Always holds: for the same seed and the same writes at the same instants, the same changes.
"""

import random

SECOND = 1_000_000_000

# Temperatures are in half degrees, times in seconds.
TABLE = [
    # id, name, type, least, greatest, access, value at the start
    (1, "sensor.room", "int", -100, 100, "rw", 10),
    (2, "key.defrost", "bool", 0, 1, "rw", 0),
    (10, "relay.compressor", "bool", 0, 1, "r", 0),
    (11, "relay.heater", "bool", 0, 1, "r", 0),
    (12, "relay.alarm", "bool", 0, 1, "r", 0),
    (13, "display.temperature", "int", -50, 50, "r", 5),
    (20, "status.average", "int", -100, 100, "r", 10),
    (21, "status.defrosting", "bool", 0, 1, "r", 0),
    (30, "set.point", "int", -100, 100, "rw", 6),
    (31, "set.differential", "int", 1, 40, "rw", 6),
    (32, "set.period", "int", 1, 600, "rw", 10),
    (33, "set.min_on", "int", 0, 900, "rw", 45),
    (34, "set.min_off", "int", 0, 900, "rw", 35),
    (35, "set.high_limit", "int", -100, 100, "rw", 14),
    (36, "set.low_limit", "int", -100, 100, "rw", 2),
    (37, "set.alarm_delay", "int", 0, 14400, "rw", 25),
    (38, "set.defrost_time", "int", 0, 14400, "rw", 40),
    (39, "set.after_defrost", "int", 0, 3600, "rw", 20),
    (40, "set.interval", "int", 60, 172800, "rw", 120),
]


class Refused(Exception):
    """A read or write that the database does not permit."""


class Parameters:
    """A table of values with types and permitted ranges, and the list of what changed."""

    def __init__(self):
        self.rows = {row[0]: row for row in TABLE}
        self.ids = {row[1]: row[0] for row in TABLE}
        self.reset()

    def reset(self):
        """Back to the values at the start; nothing has changed."""
        self.values = {row[0]: row[6] for row in TABLE}
        # Each change is (instant in nanoseconds, id, value).
        self.changes = []

    def find(self, key):
        """The id of a parameter that is given by id or name."""
        number = self.ids.get(key)
        if number is None and key.isdecimal():
            number = int(key)
        if number not in self.rows:
            raise Refused(f"there is no parameter {key}")
        return number

    def __getitem__(self, name):
        return self.values[self.ids[name]]

    def put(self, name, value, now):
        """A change by the device."""
        number = self.ids[name]
        if self.values[number] != value:
            self.values[number] = value
            self.changes.append((now, number, value))

    def write(self, number, text, now):
        """A change from outside."""
        _, name, _, least, greatest, access, _ = self.rows[number]
        if access != "rw":
            raise Refused(f"{name} can only be read")
        try:
            value = int(text)
        except ValueError:
            raise Refused(f"{text} is not a number") from None
        if not least <= value <= greatest:
            raise Refused(f"{name} must be from {least} to {greatest}")
        self.put(name, value, now)
        return name, value


class Relay:
    """A contact that follows its command some time later. A command that is taken back in time
    has no effect."""

    def __init__(self, name):
        self.name = name
        self.command = 0
        self.due = None


class Device:
    """The controller. `resolution` is that of its defrost timer in seconds; 0 is exact."""

    # How long a relay or the display takes at most, in tenths of a second.
    SLOWEST = 10

    def __init__(self, seed=0, resolution=0):
        self.seed = seed
        self.resolution = resolution
        self.parameters = Parameters()
        self.reset()

    def reset(self):
        """Power off and on: instant 0, and the settings of the factory."""
        self.parameters.reset()
        self.chance = random.Random(self.seed)
        self.now = 0
        self.average = self.parameters["status.average"]
        self.sample_due = self.seconds("set.period")
        self.display_due = None
        self.relays = {name: Relay("relay." + name) for name in ("compressor", "heater", "alarm")}
        self.commanded = 0  # when the compressor was
        self.enabled = True  # whether compressor and alarm are at work
        self.alarm = "quiet"  # or counting, or sounding
        self.alarm_due = None
        self.phase = "ready"  # or heating, or dripping
        self.phase_due = None
        self.defrost_due = self.timer("set.interval")

    def seconds(self, name):
        """A setting as nanoseconds."""
        return self.parameters[name] * SECOND

    def some_time(self):
        """How long a contact takes."""
        return self.chance.randint(0, self.SLOWEST) * SECOND // 10

    def timer(self, name):
        """When the defrost timer, started now, has run for a setting.

        A timer of low resolution counts ticks, which come at their own times: the first one may
        come at once, and the time is too short by up to a tick.
        """
        if not self.resolution:
            return self.now + self.seconds(name)
        tick = self.resolution * SECOND
        n_ticks = -(-self.seconds(name) // tick)
        return (self.now // tick + n_ticks) * tick

    def write(self, number, text):
        """Somebody writes a parameter: a sensor, a key, or a setting."""
        name, value = self.parameters.write(number, text, self.now)
        if name == "key.defrost":
            if value and self.phase == "ready":
                self.start_defrost()
            elif not value and self.phase == "heating":
                self.stop_heating()

    def next_due(self):
        """The next instant at which the device does something by itself, and what."""
        tasks = [
            (self.sample_due, self.sample),
            (self.display_due, self.show),
            (self.alarm_due, self.sound),
            (self.phase_due, self.next_phase),
            (self.defrost_due, self.start_defrost),
        ]
        tasks += [(relay.due, lambda relay=relay: self.switch(relay)) for relay in self.relays.values()]
        return min((task for task in tasks if task[0] is not None), key=lambda task: task[0])

    def advance(self, until, stop_at_change=False):
        """Lets time pass to an instant, or to the first change of a parameter."""
        n_changes = len(self.parameters.changes)
        while True:
            due, task = self.next_due()
            if due > until:
                self.now = max(self.now, until)
                return
            self.now = max(self.now, due)
            task()
            if stop_at_change and len(self.parameters.changes) > n_changes:
                return

    # What the device does by itself.

    def sample(self):
        """Reads the sensor, and regulates by the average."""
        self.sample_due = self.now + self.seconds("set.period")
        self.average = (self.average * 4 + self.parameters["sensor.room"]) // 5
        self.parameters.put("status.average", self.average, self.now)
        if self.average // 2 != self.parameters["display.temperature"]:
            self.display_due = self.now + self.some_time()
        if self.enabled:
            self.regulate()
            self.watch()

    def regulate(self):
        """The compressor, with hysteresis and its least times on and off."""
        point, since = self.parameters["set.point"], self.now - self.commanded
        if self.relays["compressor"].command:
            if self.average <= point and since >= self.seconds("set.min_on"):
                self.command("compressor", 0)
        elif self.average >= point + self.parameters["set.differential"]:
            if since >= self.seconds("set.min_off"):
                self.command("compressor", 1)

    def watch(self):
        """The alarm: is the average outside of its limits?"""
        low, high = self.parameters["set.low_limit"], self.parameters["set.high_limit"]
        outside = not low <= self.average <= high
        if outside and self.alarm == "quiet":
            self.alarm, self.alarm_due = "counting", self.now + self.seconds("set.alarm_delay")
        elif not outside and self.alarm != "quiet":
            self.silence()

    def sound(self):
        """The average has been outside for too long."""
        self.alarm, self.alarm_due = "sounding", None
        self.command("alarm", 1)

    def silence(self):
        """No alarm, and no count."""
        if self.alarm == "sounding":
            self.command("alarm", 0)
        self.alarm, self.alarm_due = "quiet", None

    def start_defrost(self):
        """The heater, and nothing else."""
        self.phase, self.phase_due = "heating", self.timer("set.defrost_time")
        self.defrost_due = self.timer("set.interval")
        self.enabled = False
        self.parameters.put("status.defrosting", 1, self.now)
        if self.relays["compressor"].command:
            self.command("compressor", 0)
        self.silence()
        self.command("heater", 1)

    def stop_heating(self):
        """Heated enough; the rest waits until the water is gone."""
        self.phase, self.phase_due = "dripping", self.timer("set.after_defrost")
        self.command("heater", 0)

    def next_phase(self):
        """The defrost timer has run out."""
        if self.phase == "heating":
            self.stop_heating()
        else:
            self.phase, self.phase_due = "ready", None
            self.enabled = True
            self.parameters.put("status.defrosting", 0, self.now)

    def command(self, name, value):
        """Commands a relay, which follows some time later."""
        relay = self.relays[name]
        relay.command = value
        same = self.parameters[relay.name] == value
        relay.due = None if same else self.now + self.some_time()
        if name == "compressor":
            self.commanded = self.now

    def switch(self, relay):
        """A contact opens or closes."""
        relay.due = None
        self.parameters.put(relay.name, relay.command, self.now)

    def show(self):
        """The display."""
        self.display_due = None
        self.parameters.put("display.temperature", self.average // 2, self.now)
