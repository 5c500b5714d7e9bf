# SPDX-License-Identifier: GPL-3.0-or-later
"""Dask cluster that does the tasks of a landscape: of this machine, or one that runs already. Needs
`distributed`.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from .. import VERSION
from ..base.data_files import is_there
from ..base.errors import InputError
from ..base.memory import available_memory
from ..base.regular_files import open_regular
from ..base.threads import processors
from .journal import Version, require_version, this_version
from .tasks import Task

LOCAL = "local"
"""Name of a cluster of this machine, made for one run."""

_PATIENCE = "30s"
"""Time that a cluster has to answer."""

_ADDRESS = r"((tcp|tls|wss?)://)?([\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}/?"

_LARGEST_FILE = 1 << 20
"""Bytes of a scheduler's file; it takes about a thousand."""

_SHARE = 0.9
"""Share of the free memory that the workers of this machine may use together."""

_WORKER = ("A worker has", "start all workers with the same version as this command")
"""Beginning and end of the sentence on a worker of another version."""

_FAILURES = 20
"""Workers that may be lost with the same task before it is given up."""


class Cluster:
    """Workers of a Dask cluster, see `erode.Workers`."""

    def __init__(self, client: Any, workers: int, threads: int, dashboard: str) -> None:
        """workers: of this machine, which share its processors; 0 for others. threads: for each
        task, 0: shared.

        dashboard: address of the page on which a browser shows the tasks at work; "" for none.
        """
        self._client = client
        self._workers = workers
        self._threads = threads
        self.dashboard = dashboard

    def work(
        self, folder: Path, tasks: Iterable[Task], finished: set[str]
    ) -> Iterator[dict[str, Any]]:
        """Do tasks as soon as their needs are done. A task lost with its worker is done again.
        InputError if the cluster is lost.
        """
        from distributed import as_completed

        waiting = [task for task in tasks if task.name not in finished]
        finished = set(finished)
        running = as_completed(with_results=True)
        try:
            waiting = self._send(running, folder, waiting, finished)
            for _, result in running:
                if "name" not in result:
                    require_version(result["version"], *_WORKER)
                finished.add(result["name"])
                waiting = self._send(running, folder, waiting, finished)
                yield result
        except (InputError, GeneratorExit, KeyboardInterrupt):
            raise
        except MemoryError:
            raise InputError(
                "A worker ran out of memory; use smaller tiles or fewer workers."
            ) from None
        except Exception as error:
            # the cluster is lost
            with suppress(OSError, RuntimeError, TimeoutError):
                self.require_version()  # a worker that came later
            raise InputError(
                f"The cluster was lost: {error or type(error).__name__}. What is done is kept; "
                "start the command again."
            ) from error

    def processes(self) -> list[int]:
        """Numbers of the workers' processes."""
        return self.ask(os.getpid)

    def require_version(self) -> None:
        """Raise InputError where a worker has another version. Those that come later are asked with
        their tasks.
        """
        for number in self._client.run(
            resolve_name, "erosion_addon:VERSION", on_error="return"
        ).values():
            if number != VERSION:
                require_version((number if isinstance(number, str) else "unknown", "?"), *_WORKER)
        for version in self._client.run(this_version, on_error="return").values():
            require_version((VERSION, "?") if isinstance(version, Exception) else version, *_WORKER)

    def ask(self, question: Callable[[], Any]) -> list[Any]:
        """Answer of each worker."""
        return list(self._client.run(question).values())

    def _send(
        self, running: Any, folder: Path, waiting: list[Task], finished: set[str]
    ) -> list[Task]:
        """Submit the tasks that can begin, in order; returns the waiting ones."""
        from distributed.protocol.pickle import dumps, loads

        ready = [task for task in waiting if finished.issuperset(task.needs)]
        threads = self._threads or self._share(running.count() + len(ready))
        for task in ready:
            order = dumps(_Order(this_version(), task, str(folder.resolve()), threads))
            running.add(self._client.submit(loads, order, pure=False))
        return [task for task in waiting if task not in ready]

    def _share(self, tasks: int) -> int:
        """Threads for each of the tasks at once."""
        return max(1, processors() // max(1, min(self._workers, tasks))) if self._workers else 1


class _Order:
    """Task for a worker, which does it when it reads it."""

    # Sent as bytes: a worker of an older version, without this module, then fails at the task. An
    # object would take down the worker's connection, again and again.

    def __init__(self, version: Version, task: Task, folder: str, threads: int) -> None:
        self._order = version, task, folder, threads

    def __reduce__(self) -> tuple[Any, ...]:
        return _do, self._order


def _do(version: Version, task: Task, folder: str, threads: int) -> dict[str, Any]:
    """Do a task on a worker, unless its version differs; without a name, return the version of the
    worker.

    version: of the process that asks.
    """
    return task.do(folder, threads) if version == this_version() else {"version": this_version()}


def worker_memory(workers: int) -> int:
    """Bytes of memory for each of the workers of this machine; 0 if nothing is known of it.

    Dask's own default is a share for each processor, however few workers there are.
    """
    return int(_SHARE * (available_memory() or 0) / workers)


@contextmanager
def cluster(
    where: str = LOCAL, workers: int = 0, threads: int = 0, memory: float = 0.0
) -> Iterator[Cluster]:
    """Context of a cluster: `local`, an address such as tcp://host:8786, or the scheduler's file.

    workers: processes of a local cluster, 0 for as many as processors. threads: the most that each
    task uses; 0 shares out the processors of this machine, and uses one elsewhere. memory: the most
    of each local worker, bytes; one that needs more is ended and its task done again. 0 shares out
    the free memory. InputError without the library or without an answer, or for workers of another
    version.
    """
    with ExitStack() as running:
        try:
            import dask
            from distributed import Client

            dask.config.set({"distributed.scheduler.allowed-failures": _FAILURES})
            if where == LOCAL:
                from .private_cluster import private_cluster

                workers = workers or processors()
                local = private_cluster(workers, int(memory or worker_memory(workers)))
                client = Client(running.enter_context(local))  # type: ignore[no-untyped-call]
            else:
                workers = 0
                address = _address_in(Path(where)) if is_there(Path(where)) else where
                if not re.fullmatch(_ADDRESS, address):
                    raise InputError(
                        f"{address!r:.80} is not the address of a Dask scheduler, as "
                        "tcp://host:8786 is."
                    )
                client = Client(address, timeout=_PATIENCE)  # type: ignore[no-untyped-call]
        except ImportError:
            raise InputError(
                "Clusters need the libraries distributed and cryptography: "
                'pip install "terrain-erosion[farm]", or leave out --cluster.'
            ) from None
        except InputError:
            raise
        except (OSError, ValueError) as error:
            raise InputError(
                f"The cluster {where} does not answer: {error or type(error).__name__}."
            ) from None
        running.callback(_closed, client)
        result = Cluster(
            client, workers, threads, "" if where == LOCAL else client.dashboard_link or ""
        )
        if where != LOCAL:
            result.require_version()
        yield result


def _address_in(file: Path) -> str:
    """Address in the file of a scheduler; InputError for another file."""
    with (
        suppress(OSError, ValueError, KeyError, TypeError, RecursionError),
        open_regular(file) as stream,
    ):
        address = json.loads(stream.read(_LARGEST_FILE))["address"]
        if isinstance(address, str) and "://" in address:
            return address
    raise InputError(f"{file} is not the file of a Dask scheduler, which holds its address.")


def _closed(client: Any) -> None:
    with suppress(Exception):
        client.close()
