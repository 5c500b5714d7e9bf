# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender window on a virtual screen, driven from outside: mouse, keys, questions (agent.py
answers them), pictures.

Needs Xvfb, ImageMagick's `import`, and xdotool for real X events. Positions are pixels of Blender's
window, (0, 0) at the bottom left. Simulated events go through Blender's own event_simulate, which
makes it ignore the X server's.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AGENT = Path(__file__).resolve().with_name("agent.py")
WIDTH = 1280
HEIGHT = 800
# seconds until what does not come is given up: a worker that compiles steps back behind all else
PATIENCE = 600.0
KERNELS = Path("extensions", ".user", "user_default", "terrain_erosion", "kernels")
X_KEYS = {"ESC": "Escape", "DEL": "Delete", "TAB": "Tab", "RET": "Return"}


class Screen:
    """An X server without a monitor, as a context manager; `.display` is its name."""

    def __enter__(self):
        reading, writing = os.pipe()
        command = [
            "Xvfb",
            "-displayfd",
            str(writing),
            "-screen",
            "0",
            f"{WIDTH}x{HEIGHT}x24",
            "-nolisten",
            "tcp",
        ]
        self.process = subprocess.Popen(
            [*command, "-noreset"], pass_fds=[writing], stderr=subprocess.DEVNULL
        )
        os.close(writing)
        with os.fdopen(reading) as answer:
            self.display = ":" + answer.readline().strip()
        if self.display == ":":
            raise RuntimeError("Xvfb did not start")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def parent_of(pid):
    """Process id of the parent; None where `pid` has ended."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return None if state == "Z" else int(parent)


def is_alive(pid):
    return parent_of(pid) is not None


def compiles(pid):
    """Whether it is the process that compiles in the background, with which no run has to do."""
    try:
        return b"run.precompile_all" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def workers_of(pid):
    """Process ids of the living children of `pid` that erode."""
    entries = (entry.name for entry in Path("/proc").iterdir())
    return [
        int(name)
        for name in entries
        if name.isdigit() and parent_of(name) == pid and not compiles(name)
    ]


class Window:
    """One running Blender; `shots` is the folder for pictures, `real_events` sends them through the
    X server.
    """

    def __init__(self, blender, screen, shots, real_events=False):
        self.display = screen.display
        self.shots = Path(shots)
        self.real_events = real_events
        self.folder = tempfile.TemporaryDirectory()
        self.socket = Path(self.folder.name) / "agent"
        self.mouse = (WIDTH // 2, HEIGHT // 2)
        self.shot_count = 0
        self.buttons = {}  # what a button does, as Python -> where it was seen
        command = [
            blender,
            "--gpu-backend",
            "opengl",
            "--window-geometry",
            "0",
            "0",
            str(WIDTH),
            str(HEIGHT),
        ]
        command += [] if real_events else ["--enable-event-simulate"]
        command += ["--python-exit-code", "1", "--python", str(AGENT), "--", str(self.socket)]
        self.shots.mkdir(parents=True, exist_ok=True)
        self.log = self.shots / "blender.log"
        # its own: a session may switch the extension off or save preferences
        self.profile = self.shots / "profile"
        shutil.copytree(os.environ["BLENDER_USER_RESOURCES"], self.profile, symlinks=True)
        kernels = self.profile / KERNELS  # compiled by one session for all
        kernels.parent.mkdir(parents=True, exist_ok=True)
        (shared := self.shots.parent / "kernels").mkdir(exist_ok=True)
        kernels.symlink_to(shared)
        environment = os.environ | {
            "DISPLAY": self.display,
            "BLENDER_USER_RESOURCES": str(self.profile),
        }
        environment["TMPDIR"] = self.folder.name  # quit.blend goes there
        self._without_window = blender, environment
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment
            )
        self.wait("the window", self.is_open)
        self.ask(
            "with bpy.context.temp_override(window=window()): "
            "bpy.ops.wm.redraw_timer(type='DRAW', iterations=1)"
        )

    def is_open(self):
        """Whether Blender answers and has a window yet."""
        try:
            return self.ask("len(bpy.context.window_manager.windows) == 1")
        except (FileNotFoundError, ConnectionRefusedError):
            return False

    # Asking

    def ask(self, question):
        """The value of the last expression of `question` in Blender; RuntimeError with Blender's
        traceback.
        """
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(120.0)
            connection.connect(str(self.socket))
            connection.sendall(question.encode())
            connection.shutdown(socket.SHUT_WR)
            reply = json.loads(
                b"".join(iter(lambda: connection.recv(65536), b""))
                or b'{"error": "Blender is gone"}'
            )
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply["value"]

    def wait(self, what, condition):
        """Ask until `condition` (a question or a function) is true; returns the seconds that took,
        or TimeoutError.
        """
        started = time.perf_counter()
        pause = 0.01
        while not (self.ask(condition) if isinstance(condition, str) else condition()):
            if self.process.poll() is not None:
                raise RuntimeError(
                    f"Blender ended with {self.process.returncode} before {what}; see {self.log}"
                )
            if time.perf_counter() - started > PATIENCE:
                raise TimeoutError(f"{what} did not come in {PATIENCE} s")
            time.sleep(pause)
            pause = min(1.2 * pause, 0.2)  # a question may take as long as a picture
        return time.perf_counter() - started

    def command(self, *words):
        """Run a command of another Blender of the same profile, without a window;
        CalledProcessError if it fails.
        """
        self.without_window("--command", *words)

    def without_window(self, *words):
        """Run another Blender of the same profile, without a window; CalledProcessError if it
        fails.
        """
        blender, environment = self._without_window
        subprocess.run(
            [blender, "--python-exit-code", "1", *words],
            check=True,
            env=environment,
            capture_output=True,
            text=True,
        )

    def workers(self):
        return workers_of(self.process.pid)

    # Mouse and keys

    def xdotool(self, *words):
        subprocess.run(
            ["xdotool", *map(str, words)], check=True, env=os.environ | {"DISPLAY": self.display}
        )
        time.sleep(0.15)  # on its way through the X server; nothing tells when it has arrived

    def send(self, kind, values=("PRESS", "RELEASE"), **modifiers):
        for value in values:
            self.ask(f"simulate({kind!r}, {value!r}, *{self.mouse}, **{modifiers})")

    def drawn(self):
        """Wait until the viewport is drawn, with all shaders compiled; returns the seconds."""
        self.ask("clock.draw()")
        return self.wait("the viewport", "clock.rest() > 2.0")

    def settle(self):
        """Two turns of the main loop: events sent before have been handled."""
        self.ask("None")
        self.ask("None")

    def hover(self, x, y):
        """Move the mouse; the next question finds it there."""
        self.mouse = int(x), int(y)
        if self.real_events:
            self.xdotool("mousemove", self.mouse[0], HEIGHT - 1 - self.mouse[1])
        else:
            self.send("MOUSEMOVE", ["NOTHING"])

    def move(self, x, y):
        self.hover(x, y)
        self.settle()

    def click(self, x, y):
        self.move(x, y)
        if self.real_events:
            self.xdotool("click", 1)
        else:
            self.send("LEFTMOUSE")
        self.settle()

    def drag(self, x, y, right, steps):
        """Press the mouse, move it so many pixels to the right in some steps, and let go."""
        self.move(x, y)
        self.send("LEFTMOUSE", ["PRESS"])
        for step in range(1, steps + 1):
            self.move(x + right * step // steps, y)
            time.sleep(0.05)
        self.send("LEFTMOUSE", ["RELEASE"])
        self.settle()

    def key(self, kind, ctrl=False):
        if self.real_events:
            self.xdotool("key", ("ctrl+" if ctrl else "") + X_KEYS.get(kind, kind.lower()))
        else:
            self.send(kind, ctrl=ctrl)
        self.settle()

    def press_run(self, operator="erosion.run"):
        """Press a button that starts a run, which may be over when this returns."""
        before = self.ask("id(clock.last_job)")
        self.press(operator)
        self.wait("the start of the run", f"id(clock.last_job) != {before}")

    def escape(self):
        """Cancel a run: with Esc, and with another one where it asks, as often as a slow screen
        misses it.
        """
        run = "job().object_name if running() else None"
        name = self.ask(run)
        self.key("ESC")
        for _ in range(5 if name else 0):
            deadline = time.perf_counter() + 30.0
            while time.perf_counter() < deadline and not self.ask("running() and asking()"):
                if self.ask(run) != name:
                    return
                time.sleep(0.1)
            self.key("ESC")

    def drop_file(self, path):
        """Drop a file where the mouse is, as from a file manager; takes real events."""
        x, y = self.mouse
        command = [
            sys.executable,
            Path(__file__).with_name("file_drop.py"),
            x,
            HEIGHT - 1 - y,
            path,
        ]
        subprocess.run([*map(str, command)], check=True, env=os.environ | {"DISPLAY": self.display})
        self.settle()

    def over_viewport(self):
        left, bottom, width, height = self.ask("rectangle('WINDOW')")
        self.move(left + width // 3, bottom + height // 2)

    # Finding one's way

    def open_tab(self, name):
        """Open the sidebar (N) and click down its strip of tabs until `name` is in front."""
        if self.ask("rectangle('UI')")[2] <= 1:
            self.over_viewport()
            self.key("N")
            self.wait("the sidebar", "rectangle('UI')[2] > 50")
            time.sleep(0.6)  # it slides in, and nothing tells when it stands
        left, bottom, width, height = self.ask("rectangle('UI')")
        for y in range(bottom + height - 20, bottom + 20, -25):
            if self.ask("region('UI').active_panel_category") == name:
                return
            self.click(left + width - 10, y)
        raise LookupError(f"the sidebar has no tab {name}")

    def find_button(self, does):
        """Position of the button of the sidebar whose Python holds `does`: where it was seen, else
        move down over the sidebar and ask each button; in the part that is seen, then at the
        sidebar's end and at its beginning.
        """
        for known in [known for known in self.buttons if does in known]:
            self.move(*self.buttons[known])
            if does in (self.ask("hovered('UI')") or ""):
                return self.mouse
        self.buttons.clear()
        for wheel in ("", "WHEELDOWNMOUSE", "WHEELUPMOUSE"):
            if wheel:
                self.scroll(wheel)
            if place := self._seen_button(does):
                return place
        raise LookupError(f"no button does {does}; there are {sorted(self.buttons)}")

    def _seen_button(self, does):
        left, bottom, width, height = self.ask("rectangle('UI')")
        for x in (int(left + width * 0.4), int(left + width * 0.7)):  # there may be two in a row
            for y in range(bottom + height - 6, bottom + 6, -9):
                self.hover(x, y)
                if found := self.ask("hovered('UI')"):
                    self.buttons.setdefault(found, (x, y - 4))
                    if does in found:
                        return x, y - 4
        return None

    def scroll(self, wheel):
        """Turn the mouse wheel over the sidebar until it stands at one end."""
        left, bottom, width, height = self.ask("rectangle('UI')")
        self.move(left + width // 2, bottom + height // 2)
        for _ in range(30):
            if self.real_events:
                self.xdotool("click", 5 if wheel == "WHEELDOWNMOUSE" else 4)
            else:
                self.send(wheel, ["PRESS"])
        self.settle()

    def press(self, does):
        """Click the button of the sidebar whose Python holds `does`; look for it again where a
        redraw has moved it.
        """
        deadline = time.perf_counter() + PATIENCE
        while True:
            place = self.find_button(does)
            self.move(*place)
            time.sleep(0.3)  # a redraw that was due has come, and nothing tells of it
            if does in (self.ask("hovered('UI')") or ""):
                return self.click(*place)
            if time.perf_counter() > deadline:
                raise LookupError(f"the button that does {does} does not stand still")

    def picture(self, name):
        """What is on the screen, as PNG; Blender's own screenshot is black with software OpenGL."""
        self.shot_count += 1
        path = self.shots / f"{self.shot_count:02}_{name}.png"
        subprocess.run(
            ["import", "-window", "root", str(path)],
            check=True,
            env=os.environ | {"DISPLAY": self.display},
        )
        return path

    def quit(self):
        """Quit without asking to save; returns exit code and seconds."""
        started = time.perf_counter()
        self.ask(
            "bpy.app.timers.register(lambda: bpy.ops.wm.quit_blender() and None, "
            "first_interval=0.0)"
        )
        code = self.process.wait(PATIENCE)
        return code, time.perf_counter() - started

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
        self.folder.cleanup()
