"""Servers that die and slots that move under load: nothing answered is lost, nothing is twice."""

from __future__ import annotations

import os
import signal
from random import Random

import pytest
from redis.crc import key_slot

from anaphora.stm.stores.redis.keys import KeySpace
from tests.support.real_server import wait_until

pytestmark = pytest.mark.cluster


def test_a_master_that_is_killed(cluster, load_on, rounds, capsys):
    load, faults, random = load_on(cluster.url), rounds(1, 25), Random(3)
    with load.running():
        for _ in range(faults):
            load.go_on(200)
            cluster.fail_over(random.choice(cluster.masters))
        load.go_on(200)
    load.check(faults, "a master killed, a replica promoted", capsys)


def test_slots_that_move(cluster, load_on, rounds, capsys, request):
    load, faults, random = load_on(cluster.url), rounds(10, 200), Random(5)
    names = KeySpace(request.node.name.removeprefix("test_"))
    with load.running():
        for _ in range(faults):
            load.go_on(20)
            slot = key_slot(names.record_key(random.choice(load.keys)))
            with cluster.moving(slot):
                load.go_on(20)
    cluster.wait_until_replicated()
    load.check(faults, "a slot moved to another master", capsys)


def test_a_master_that_is_suspended_and_comes_back(cluster, load_on, rounds, capsys):
    """As when the network is cut between it and the others, and it does not know yet."""
    load, faults, random = load_on(cluster.url), rounds(1, 15), Random(7)
    with load.running():
        for _ in range(faults):
            load.go_on(200)
            master = random.choice(cluster.masters)
            replica = cluster.replica_of(master)
            os.kill(master.process.pid, signal.SIGSTOP)
            wait_until(lambda replica=replica: replica.is_master)
            os.kill(master.process.pid, signal.SIGCONT)
            cluster.wait_until_replicated()
    load.check(faults, "a master suspended, a replica promoted", capsys)


def test_a_primary_that_is_killed_behind_sentinel(sentinels, load_on, rounds, capsys):
    load, faults = load_on(sentinels.url), rounds(1, 15)
    with load.running():
        for _ in range(faults):
            load.go_on(200)
            sentinels.fail_over()
        load.go_on(200)
    load.check(faults, "a primary killed behind Sentinel", capsys)
