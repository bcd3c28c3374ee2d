"""The cluster: joined or started, quiet, and without telemetry."""

from __future__ import annotations

import gc
import logging
import os
import pickle
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from adjudge.core.reason import Reason
from adjudge.datasets.files import DataFile
from adjudge.errors import AdjudgeError
from adjudge.extras import require
from adjudge.models import registry
from adjudge.settings import dotenv

_HERE = "127.0.0.1"
_OBJECTS = 256 * 1024 * 1024  # bytes that a cluster of our own keeps for blocks under way
_READING = 0.25  # of a processor per file that is read: much of it is waiting
_END = 120.0  # seconds that a thread of Ray Data may take to end, on a busy machine
# How names begin of what databases and object storage go by.
_VARIABLES = ("PG", "AWS_", "AZURE_STORAGE_", "GOOGLE_APPLICATION_")
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",  # no telemetry, whatever the machine says
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else every worker warns of a change to come
    "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # else it prints to stdout that a machine is gone
}
# Else Ray takes the machine's own address for 127.0.0.1, and listens there.
ON_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


def connect(address: str | None) -> bool:
    """Joins the cluster at the address, or starts one on this machine; True where this process is
    in a cluster already, which is then taken, and left as it is."""
    require("ray", "--engine ray")
    address = address or os.environ.get("RAY_ADDRESS")
    os.environ.update(SETTINGS)
    if address is None or address.startswith(_HERE):
        os.environ.update(ON_LOOPBACK)
    with warnings.catch_warnings(action="ignore"):
        import_module("ray.data")
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    joined: bool = ray().is_initialized()
    if not joined:
        _start(address)
    _be_quiet()
    return joined


def ray() -> Any:
    """The package, which is an extra; most of it has no types."""
    return import_module("ray")


def _start(address: str | None) -> None:
    quiet = {"log_to_driver": False, "configure_logging": False}
    own = {
        "include_dashboard": False,
        "_node_ip_address": _HERE,
        "object_store_memory": _OBJECTS,
    }
    try:
        with warnings.catch_warnings(action="ignore"), _silent():
            ray().init(address=address or "local", **quiet, **({} if address else own))
    except (OSError, RuntimeError, ValueError) as error:
        why = str(error).partition("\n")[0]
        raise AdjudgeError(
            Reason("options.no_cluster", address=address or "local", why=why)
        ) from None


@contextmanager
def _silent() -> Iterator[None]:
    """What Ray's own processes write to stderr goes nowhere."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _be_quiet() -> None:
    warnings.filterwarnings("ignore", module=r"ray\.")
    context = ray().data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    # What is yielded is passed on at once: each is a file's news, or a block for one worker.
    context.target_max_block_size = 1


def disconnect() -> None:
    """Once the threads of Ray Data have ended, and nothing of the cluster is left in memory: Ray
    ends the process at once, its result unsaid, where a thread still calls it, or where Python
    clears a reference away meanwhile."""
    for thread in threading.enumerate():
        if thread.name.startswith("StreamingExecutor"):
            thread.join(_END)
    gc.collect()
    ray().shutdown()


def here() -> dict[str, float]:
    """What an actor asks for that is to be on this machine: it has to go with the driver, not
    before."""
    return {f"node:{ray().util.get_node_ip_address()}": 0.001}


def processors() -> int:
    return max(1, int(ray().cluster_resources().get("CPU", 1)))


def machines() -> int:
    addresses = {node["NodeManagerAddress"] for node in ray().nodes() if node["Alive"]}
    return max(1, len(addresses))


def spread(
    function: Callable[[DataFile], Iterator[Any]], files: Sequence[DataFile]
) -> Iterator[Any]:
    """All that the function yields for the files, in their order: see `SpreadWork`."""
    for row in yielding(function, files).iter_rows():
        value = pickle.loads(row["content"])  # noqa: S301 - from our own workers
        if isinstance(value, AdjudgeError):
            raise value
        yield value


def yielding(function: Callable[[Any], Iterator[Any]], values: Sequence[Any]) -> Any:
    """A dataset with a row for everything that the function yields for the values, in order; an
    error of ours is the last of them."""
    rows = [{"content": pickle.dumps(value)} for value in values]
    made = ray().data.from_items(rows, override_num_blocks=len(rows))
    settings: dict[str, Any] = {"batch_size": 1, "batch_format": "pyarrow", "zero_copy_batch": True}
    lent = variables()

    def call(table: Any) -> Iterator[Any]:
        settle_in(lent)
        for content in table["content"].to_pylist():
            try:
                for value in function(pickle.loads(content)):  # noqa: S301 - from our own driver
                    yield pickled(value)
            except AdjudgeError as error:
                yield pickled(error)

    return made.map_batches(call, num_cpus=_READING, **settings)


def variables() -> dict[str, str]:
    """Keys of providers, and what stores and data go by. They go to the workers with their job and
    not as the environment of the cluster, which its pages and logs show."""
    known = registry.providers()
    return {
        name: value
        for name, value in os.environ.items()
        if dotenv.concerns(name, known) or name.startswith(_VARIABLES)
    }


def settle_in(lent: Mapping[str, str]) -> None:
    """What a machine has set for itself holds."""
    for name, value in lent.items():
        os.environ.setdefault(name, value)


def pickled(*values: Any) -> Any:
    """Rows for a dataset."""
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    return pa.table({"content": pa.array([pickle.dumps(value) for value in values], pa.binary())})
