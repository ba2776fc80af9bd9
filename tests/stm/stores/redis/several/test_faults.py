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


def test_a_master_that_is_killed(redis_cluster, load_on, rounds, capsys):
    load, faults, random = load_on(redis_cluster.url), rounds(1, 25), Random(3)
    with load.running():
        for _ in range(faults):
            load.go_on(rounds(50, 200))
            redis_cluster.fail_over(random.choice(redis_cluster.masters))
        load.go_on(rounds(50, 200))
    load.check(faults, "a master killed, a replica promoted", capsys)


def test_slots_that_move(redis_cluster, load_on, rounds, capsys, request):
    load, faults, random = load_on(redis_cluster.url), rounds(10, 200), Random(5)
    names = KeySpace(request.node.name.removeprefix("test_"))
    with load.running():
        for _ in range(faults):
            load.go_on(20)
            slot = key_slot(names.record_key(random.choice(load.keys)))
            with redis_cluster.moving(slot):
                load.go_on(20)
    redis_cluster.wait_until_replicated()
    load.check(faults, "a slot moved to another master", capsys)


def test_a_master_that_is_suspended_and_comes_back(redis_cluster, load_on, rounds, capsys):
    """As when the network is cut between it and the others, and it does not know yet."""
    load, faults, random = load_on(redis_cluster.url), rounds(1, 15), Random(7)
    with load.running():
        for _ in range(faults):
            load.go_on(rounds(50, 200))
            master = random.choice(redis_cluster.masters)
            replica = redis_cluster.replica_of(master)
            os.kill(master.process.pid, signal.SIGSTOP)
            wait_until(lambda replica=replica: replica.is_master)
            os.kill(master.process.pid, signal.SIGCONT)
            redis_cluster.wait_until_replicated()
    load.check(faults, "a master suspended, a replica promoted", capsys)


def test_a_replica_that_has_not_got_everything_takes_over(
    redis_cluster, load_on, rounds, capsys, request
):
    """What it lacks was refused. Without min_replicas, this loses dozens of answers."""
    options = "min_replicas=1&replica_timeout=0.2"
    load, faults = load_on(redis_cluster.url, options), rounds(1, 15)
    names = KeySpace(request.node.name.removeprefix("test_"))
    # One that has conversations: other tests move the slots.
    master = redis_cluster.master_of(names.record_key(load.keys[0]))
    with load.running():
        for _ in range(faults):
            load.go_on(rounds(50, 200))
            replica = redis_cluster.replica_of(master)
            os.kill(replica.process.pid, signal.SIGSTOP)
            master.ask("CLIENT KILL", "TYPE", "replica")
            load.go_on(30)
            master.kill()
            os.kill(replica.process.pid, signal.SIGCONT)
            wait_until(lambda replica=replica: replica.is_master)
            master.start()
            redis_cluster.wait_until_replicated()
            master = replica
    assert any("0 of the 1 replicas" in str(error) for error in load.refusals)
    load.check(faults, "a replica that lags promoted", capsys)


def test_a_primary_that_is_killed_behind_sentinel(redis_sentinels, load_on, rounds, capsys):
    load, faults = load_on(redis_sentinels.url), rounds(1, 15)
    with load.running():
        for _ in range(faults):
            load.go_on(rounds(50, 200))
            redis_sentinels.fail_over()
        load.go_on(rounds(50, 200))
    load.check(faults, "a primary killed behind Sentinel", capsys)
