# SPDX-License-Identifier: GPL-3.0-or-later
"""Output files: what they may take the place of."""

import os
import socket
import stat

import pytest

from erosion_addon.base.atomic_files import Outputs
from erosion_addon.model import InputError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and links as systems other than Windows have them")


def write(path, inputs=(), instead_of=None):
    with Outputs(inputs) as outputs:
        target = outputs.plan(path, (".exr",), instead_of)
        with outputs.write(target) as temporary:
            temporary.write_bytes(b"new")
        outputs.publish()


@pytest.fixture(params=["pipe", "socket", "device"])
def special(request, tmp_path, monkeypatch):
    """Something that is no ordinary file."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.exr"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "socket":
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("a.exr")
    else:
        path.symlink_to("/dev/null")  # what only root could replace
    return path


def test_nothing_but_an_ordinary_file_is_replaced(special, tmp_path):
    link = tmp_path / "link.exr"
    link.symlink_to(special)
    before = special.stat(), special.lstat().st_mode
    for path in (special, link):
        # Who may not write beside the device, as all but root, is told of that.
        with pytest.raises(InputError, match=r"cannot be written: (it is a (pipe|socket|device)|Permission denied)"):
            write(path)
    assert (special.stat(), special.lstat().st_mode) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.exr", "link.exr"]


def test_what_becomes_a_pipe_during_a_run_is_not_replaced_either(tmp_path):
    path = tmp_path / "a.exr"
    with Outputs() as outputs:
        target = outputs.plan(path, (".exr",))
        with outputs.write(target) as temporary:
            temporary.write_bytes(b"new")
        os.mkfifo(path)
        with pytest.raises(InputError, match="it is a pipe"):
            outputs.publish()
    assert stat.S_ISFIFO(path.stat().st_mode) and list(tmp_path.iterdir()) == [path]


def test_through_a_link_the_file_it_leads_to_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    for name, content in (("old.exr", b"old"), ("none.exr", None)):
        file, link = tmp_path / "folder" / name, tmp_path / f"link to {name}"
        if content:
            file.write_bytes(content)
        link.symlink_to(file)
        write(link)
        assert link.is_symlink() and file.read_bytes() == b"new"


def test_no_output_takes_the_place_of_an_input_by_whatever_name(tmp_path):
    (tmp_path / "in.exr").write_bytes(b"old")
    (tmp_path / "link.exr").symlink_to("in.exr")
    os.link(tmp_path / "in.exr", tmp_path / "same.exr")
    (tmp_path / "folder").symlink_to(".")
    for name in ("in.exr", "link.exr", "same.exr", "folder/in.exr"):
        with pytest.raises(InputError, match="it is read here"):
            write(tmp_path / name, [tmp_path / "in.exr", tmp_path / "missing.exr"])
    assert (tmp_path / "in.exr").read_bytes() == b"old"
    write(tmp_path / "in.exr", [tmp_path / "in.exr"], tmp_path / "link.exr")
    assert (tmp_path / "in.exr").read_bytes() == b"new"
