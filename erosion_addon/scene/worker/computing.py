# SPDX-License-Identifier: GPL-3.0-or-later
"""What the worker computes for the scene beside runs: nothing compiled ever runs in Blender's own process.

`compute` waits for the worker. Work that can know ahead what will be computed has it asked for before, see `Task`, and
keeps it here, so that nobody waits.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ...base.errors import InputError
from ...worker.messages import Message, Request
from .. import session
from ..terrain.lattice import Array
from . import worker_process

Answer = dict[str, Array] | InputError


def all_processors() -> int:
    """What `threads` is where nobody prefers anything."""
    return 0


@dataclass(eq=False, repr=False)
class _Now:
    """What the user prefers, and what is known already."""

    threads: Callable[[], int] = all_processors
    """Tells the most threads to use; 0 for as many as there are processors."""

    ahead: list[tuple[Request, Answer]] = field(default_factory=list)


now = session.remember(_Now)


def compute(request: Request) -> dict[str, Array]:
    """The answer to a request; InputError where there is none."""
    known = _known(request)
    answer = _wait(request) if known is None else known
    if isinstance(answer, InputError):
        raise answer
    return answer


def is_known(request: Request) -> bool:
    """Whether the answer to a request came ahead."""
    return _known(request) is not None


def _known(request: Request) -> Answer | None:
    return next((answer for asked, answer in now.ahead if asked.asks_the_same_as(request)), None)


@contextmanager
def ahead(requests: Iterable[Request]) -> Iterator[None]:
    """Compute all of them before the block, which will ask for them; InputError where that cannot be."""
    before = len(now.ahead)
    try:
        for request in requests:
            keep(request, compute(request))
        yield
    finally:
        del now.ahead[before:]


def keep(request: Request, answer: Answer) -> None:
    """Keep an answer that came ahead."""
    now.ahead.append((request, answer))


def forget() -> None:
    """Keep nothing any longer."""
    now.ahead.clear()


def answer_in(message: Message) -> Answer | None:
    """What the worker says to a request; None where that is not yet the answer."""
    if message.kind == "computed":
        return message.arrays
    if message.kind in ("refused", "broken", "ended"):
        return InputError(message.values["reason"])
    if message.kind == "failed":
        print(message.values["reason"])
        return InputError("it could not be computed because of an internal error, and the console says more.")
    return None


def _wait(request: Request) -> Answer:
    runner = worker_process.ready()
    runner.compute(request, now.threads())
    try:
        while True:
            for message in runner.poll(0.1):
                if (answer := answer_in(message)) is not None:
                    return answer
    except BaseException:  # as by Ctrl-C: the worker would go on
        worker_process.stop()
        raise
