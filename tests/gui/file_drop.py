# SPDX-License-Identifier: GPL-3.0-or-later
"""A file manager's half of a drag and drop on an X server: the XDND protocol, version 5.

    file_drop.py X Y FILE      drops the file on the window below that point of the screen; the
    display is DISPLAY

https://freedesktop.org/wiki/Specifications/XDND
"""

import sys
import time
from pathlib import Path

from Xlib import X, Xatom, display
from Xlib.protocol import event

VERSION = 5
PATIENCE = 30.0  # seconds


class FileDrop:
    """One drag from nowhere to a window."""

    def __init__(self, path):
        self.display = display.Display()
        self.root = self.display.screen().root
        self.window = self.root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        self.data = Path(path).resolve().as_uri().encode() + b"\r\n"
        self.kind = self.atom("text/uri-list")
        self.window.set_selection_owner(self.atom("XdndSelection"), X.CurrentTime)

    def atom(self, name):
        return self.display.intern_atom(name)

    def target(self, window=None):
        """The window that takes drops."""
        window = window or self.root
        if window.get_full_property(self.atom("XdndAware"), Xatom.ATOM):
            return window
        return next(filter(None, map(self.target, window.query_tree().children)), None)

    def send(self, target, kind, *values):
        data = (32, [self.window.id, *values, *[0] * (4 - len(values))])
        message = event.ClientMessage(window=target, client_type=self.atom(kind), data=data)
        target.send_event(message, event_mask=0)
        self.display.flush()

    def answer(self, asked):
        """Hand over the file's address to the program that asks for it."""
        asked.requestor.change_property(asked.property, self.kind, 8, self.data)
        asked.requestor.send_event(
            event.SelectionNotify(
                time=asked.time,
                requestor=asked.requestor,
                selection=asked.selection,
                target=asked.target,
                property=asked.property,
            )
        )
        self.display.flush()

    def wait(self, kind):
        """Serve what is asked until a message of this kind comes."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if not self.display.pending_events():
                time.sleep(0.01)
                continue
            came = self.display.next_event()
            if came.type == X.SelectionRequest:
                self.answer(came)
            elif came.type == X.ClientMessage and came.client_type == self.atom(kind):
                return came
        raise TimeoutError(f"the program below the mouse sent no {kind}")

    def drop(self, x, y):
        target = self.target()
        if target is None:
            raise LookupError("no window takes drops")
        self.send(target, "XdndEnter", VERSION << 24, self.kind)
        self.send(
            target, "XdndPosition", 0, x << 16 | y, X.CurrentTime, self.atom("XdndActionCopy")
        )
        self.wait("XdndStatus")
        self.send(target, "XdndDrop", 0, X.CurrentTime)
        self.wait("XdndFinished")


if __name__ == "__main__":
    FileDrop(sys.argv[3]).drop(int(sys.argv[1]), int(sys.argv[2]))
