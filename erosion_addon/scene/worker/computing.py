# SPDX-License-Identifier: GPL-3.0-or-later
"""Computations of the worker for the scene beside runs: compiled code never runs in Blender's own
process.

`compute` waits for the worker. A task that knows its requests sends them ahead, see `Task`, and
caches the answers here.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ...base.errors import InputError, printable_lines
from ...worker.messages import Message, Request
from ..session import session
from ..terrain.lattice import Array
from . import worker_process

Answer = dict[str, Array] | InputError


class NoAnswerError(InputError):
    """A request whose worker ended or failed: another attempt may succeed."""


def compute(request: Request) -> dict[str, Array]:
    """Answer to a request; InputError if there is none."""
    stored = _known(request)
    answer = _wait(request) if stored is None else stored
    if isinstance(answer, InputError):
        raise answer
    return answer


def is_known(request: Request) -> bool:
    """Whether the answer to a request is cached."""
    return _known(request) is not None


def _known(request: Request) -> Answer | None:
    return next(
        (answer for asked, answer in session.worker.answers if asked.asks_the_same_as(request)),
        None,
    )


@contextmanager
def ahead(requests: Iterable[Request]) -> Iterator[None]:
    """Context with the answers to all requests computed; InputError if impossible."""
    before = len(session.worker.answers)
    try:
        for request in requests:
            keep(request, compute(request))
        yield
    finally:
        del session.worker.answers[before:]


def keep(request: Request, answer: Answer) -> None:
    """Cache an answer."""
    session.worker.answers.append((request, answer))


def forget_refusals() -> None:
    """Keep the results alone, for another attempt."""
    session.worker.answers[:] = [
        (request, answer)
        for request, answer in session.worker.answers
        if not isinstance(answer, InputError)
    ]


def forget() -> None:
    """Empty the cache."""
    session.worker.answers.clear()


def answer_in(message: Message) -> Answer | None:
    """Answer in a worker's message; None if it is not the answer yet."""
    if message.kind == "computed":
        return message.arrays
    if message.kind == "refused":
        return InputError(message.values["reason"])
    if message.kind in ("broken", "ended"):
        return NoAnswerError(message.values["reason"])
    if message.kind == "failed":
        print(printable_lines(message.values["reason"]))
        return NoAnswerError(
            "it could not be computed because of an internal error; see the system console."
        )
    return None


def _wait(request: Request) -> Answer:
    runner = worker_process.ready()
    runner.compute(request, session.worker.threads())
    try:
        while True:
            for message in runner.poll(0.1):
                if (answer := answer_in(message)) is not None:
                    return answer
    except BaseException:  # as by Ctrl-C: the worker would go on
        worker_process.stop()
        raise
