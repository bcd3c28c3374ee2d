"""A Ray cluster of our own: a head and two nodes on loopback, one for all tests of a process."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from adjudge.running.engines.ray.cluster import ON_LOOPBACK, SETTINGS, connect

_MEMORY = 100 * 1024 * 1024  # bytes of each node for blocks under way


class RayCluster:
    """`add_node` and `kill` are what a test does to it."""

    def __init__(self) -> None:
        with warnings.catch_warnings(action="ignore"):
            os.environ.update(SETTINGS | ON_LOOPBACK)
            from ray.cluster_utils import Cluster

            self._cluster: Any = Cluster(
                initialize_head=True,
                head_node_args={"num_cpus": 2, "include_dashboard": False, **_node()},
            )
            self.address: str = self._cluster.address
            self.add_node()

    def add_node(self, address: str = "127.0.0.1") -> Any:
        """With an address of its own it counts as another machine, which no driver is on."""
        return self._cluster.add_node(num_cpus=2, **_node(address))

    def kill(self, node: Any) -> None:
        """As a machine goes whose power is cut."""
        self._cluster.remove_node(node, allow_graceful=False)

    def close(self) -> None:
        import ray

        ray.shutdown()  # no node goes that this process is connected to
        self._cluster.shutdown()


def _node(address: str = "127.0.0.1") -> dict[str, object]:
    return {"node_ip_address": address, "object_store_memory": _MEMORY}


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[RayCluster]:
    cluster = RayCluster()
    yield cluster
    cluster.close()


@pytest.fixture
def joined(ray_cluster: RayCluster) -> RayCluster:
    """This process is in the cluster, so that a run need not join it, which takes seconds."""
    import ray

    if not ray.is_initialized():
        connect(ray_cluster.address)
    return ray_cluster
