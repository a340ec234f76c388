"""Gives each test a fresh connection to the system; `rig.py` says how it is reached."""

import pytest

import rig as reach


@pytest.fixture
def rig():
    connection = reach.connect()
    yield connection
    connection.close()
