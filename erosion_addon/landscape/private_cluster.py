# SPDX-License-Identifier: GPL-3.0-or-later
"""Dask cluster of this machine that no other user can reach. Needs `distributed` and
`cryptography`.

Whoever may send a message to a scheduler, worker or nanny of Dask runs code there. All of them talk
over TLS and ask for the certificate of their run. Dask's pages for browsers ask for no password:
they stay off.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory
from typing import Any

from distributed import Nanny, Scheduler, Security, SpecCluster, Worker

_HOST = "127.0.0.1"


class _Scheduler(Scheduler):  # type: ignore[misc]
    def start_http_server(self, *args: Any, **options: Any) -> None:
        """Start none. Dask has no option for that."""


class _Worker(Worker):  # type: ignore[misc]
    def start_http_server(self, *args: Any, **options: Any) -> None:
        """Start none."""


@contextmanager
def private_cluster(workers: int, memory: int) -> Iterator[SpecCluster]:
    """Context of a scheduler in this process and workers in others.

    memory: limit of each worker in bytes, 0 for a share of the machine's. ImportError without
    `cryptography`.
    """
    # Workers get the key through a pipe.
    security = Security.temporary()  # type: ignore[no-untyped-call]
    shared = {"host": _HOST, "protocol": "tls://", "security": security}
    # Workers spill data to their folder as pickles, so the folder is the user's alone.
    with TemporaryDirectory(prefix="terrain-erosion-", ignore_cleanup_errors=True) as folder:
        options = {
            **shared,
            "nthreads": 1,
            "memory_limit": memory or "auto",
            "local_directory": folder,
            "silence_logs": logging.CRITICAL,
            "worker_class": _Worker,
        }
        worker = {"cls": Nanny, "options": options}
        cluster = SpecCluster(  # type: ignore[no-untyped-call]
            scheduler={"cls": _Scheduler, "options": {**shared, "port": 0, "dashboard": False}},
            workers=dict.fromkeys(range(workers), worker),
            worker=worker,
            security=security,
            silence_logs=logging.CRITICAL,
        )
        try:
            yield cluster
        finally:
            with suppress(Exception):
                cluster.close()  # type: ignore[no-untyped-call]
