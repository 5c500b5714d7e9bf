# SPDX-License-Identifier: GPL-3.0-or-later
"""Output files: which existing files they may replace."""

import os
import signal
import socket
import stat
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from erosion_addon import InputError
from erosion_addon.base.atomic_files import Outputs

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="pipes and links as systems other than Windows have them"
)


def write(path, inputs=(), instead_of=None, goes_on=False):
    with Outputs(inputs) as outputs:
        target = outputs.plan(path, (".exr",), instead_of)
        with outputs.write(target) as temporary:
            temporary.write_bytes(b"new")
        outputs.publish(goes_on)


@pytest.fixture(params=["pipe", "socket", "device"])
def special(request, tmp_path, monkeypatch):
    """A path that is not a regular file."""
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
        with pytest.raises(
            InputError, match=r"cannot be written: (it is a (pipe|socket|device)|Permission denied)"
        ):
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
        file = tmp_path / "folder" / name
        link = tmp_path / f"link to {name}"
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
        with pytest.raises(InputError, match="it is an input"):
            write(tmp_path / name, [tmp_path / "in.exr", tmp_path / "missing.exr"])
    assert (tmp_path / "in.exr").read_bytes() == b"old"
    write(tmp_path / "in.exr", [tmp_path / "in.exr"], tmp_path / "link.exr")
    assert (tmp_path / "in.exr").read_bytes() == b"new"


def test_a_folder_that_does_not_exist_is_told_before_any_work(tmp_path):
    with (
        Outputs() as outputs,
        pytest.raises(InputError, match=r"the folder .*nowhere does not exist"),
    ):
        outputs.plan(tmp_path / "nowhere" / "a.exr", (".exr",))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("second", ["a.exr", "A.EXR"])
def test_two_files_of_one_name_are_not_planned_also_where_case_tells_them_apart(tmp_path, second):
    with Outputs() as outputs:
        outputs.plan(tmp_path / "a.exr", (".exr",))
        with pytest.raises(InputError, match="would be written twice"):
            outputs.plan(tmp_path / second, (".exr",))


def into_folder(folder, publishes):
    with Outputs() as outputs:
        outputs.plan_folder(folder)
        target = outputs.plan(folder / "wear.exr", (".exr",))
        with outputs.write(target) as temporary:
            temporary.write_bytes(b"new")
        if publishes:
            outputs.publish()


def test_a_planned_folder_is_made_for_the_files_and_is_gone_where_they_are_not_published(tmp_path):
    into_folder(tmp_path / "maps", publishes=False)
    assert list(tmp_path.iterdir()) == []
    into_folder(tmp_path / "maps", publishes=True)
    assert [path.name for path in (tmp_path / "maps").iterdir()] == ["wear.exr"]


def test_a_folder_that_was_there_stays_with_what_lies_in_it(tmp_path):
    (tmp_path / "maps").mkdir()
    into_folder(tmp_path / "maps", publishes=False)
    assert (tmp_path / "maps").is_dir()
    (tmp_path / "maps" / "mine.txt").write_text("mine", encoding="utf-8")
    into_folder(tmp_path / "maps", publishes=True)
    assert sorted(path.name for path in (tmp_path / "maps").iterdir()) == ["mine.txt", "wear.exr"]


def test_a_made_folder_with_files_of_somebody_else_is_not_deleted(tmp_path):
    with Outputs() as outputs:
        outputs.plan_folder(tmp_path / "maps")
        with outputs.write(outputs.plan(tmp_path / "maps" / "wear.exr", (".exr",))) as temporary:
            temporary.write_bytes(b"new")
        (tmp_path / "maps" / "mine.txt").write_text("mine", encoding="utf-8")
    assert [path.name for path in (tmp_path / "maps").iterdir()] == ["mine.txt"]


def test_a_folder_is_not_planned_where_a_file_is(tmp_path):
    (tmp_path / "maps").write_text("mine", encoding="utf-8")
    with Outputs() as outputs, pytest.raises(InputError, match="cannot be a folder: it is a file"):
        outputs.plan_folder(tmp_path / "maps")
    assert (tmp_path / "maps").read_text(encoding="utf-8") == "mine"


def test_a_folder_and_a_file_of_one_name_are_not_planned(tmp_path):
    with Outputs() as outputs:
        outputs.plan_folder(tmp_path / "maps.exr")
        with pytest.raises(InputError, match="would be written twice"):
            outputs.plan(tmp_path / "maps.exr", (".exr",))


def test_orders_to_end_are_heeded_again_after_files_were_published(tmp_path):
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        ours = signal.getsignal(signal.SIGTERM)
        write(tmp_path / "a.exr")
        assert signal.getsignal(signal.SIGTERM) is ours
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("knows_links", [True, False])
@pytest.mark.parametrize("there", [(), ("b.exr",), ("a.exr", "b.exr", "c.exr")])
def test_where_one_file_cannot_take_its_place_those_before_it_are_taken_back(
    tmp_path, monkeypatch, there, knows_links
):
    """Old files come back where the file system knows hard links; new ones go in any case."""
    for name in there:
        (tmp_path / name).write_bytes(b"old")

    def replace(path, target, move=Path.replace):
        if target.name == "b.exr" and path.read_bytes() == b"new":
            raise PermissionError(13, "Permission denied")
        return move(path, target)

    def refuse(*_):
        raise OSError(95, "Operation not supported")

    with Outputs() as outputs:
        for name in ("a.exr", "b.exr", "c.exr"):
            with outputs.write(outputs.plan(tmp_path / name, (".exr",))) as temporary:
                temporary.write_bytes(b"new")
        with (
            monkeypatch.context() as patch,
            pytest.raises(InputError, match=r"b\.exr cannot be written: Permission"),
        ):
            patch.setattr(Path, "replace", replace)
            if not knows_links:
                patch.setattr(Path, "hardlink_to", refuse)
            outputs.publish()
    found = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    stays = {"c.exr": b"new"} if "c.exr" in there and not knows_links else {}
    assert found == dict.fromkeys(there, b"old") | stays


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("goes_on", [False, True])
def test_an_order_to_end_while_files_are_moved_waits_for_them_and_counts_where_work_follows(
    tmp_path, monkeypatch, name, goes_on
):
    number = getattr(signal, name)
    heard = []
    before = signal.signal(number, lambda *_: heard.append(number))

    def replace(path, target, move=Path.replace):
        signal.raise_signal(number)
        return move(path, target)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", replace)
            write(tmp_path / "a.exr", goes_on=goes_on)
        assert len(heard) == goes_on and (tmp_path / "a.exr").read_bytes() == b"new"
        signal.raise_signal(number)
        assert len(heard) == 1 + goes_on
    finally:
        signal.signal(number, before)


def test_files_are_published_from_a_thread_too_which_signals_never_reach(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        pool.submit(write, tmp_path / "a.exr").result()
    assert (tmp_path / "a.exr").read_bytes() == b"new"


def test_a_name_that_no_system_can_write_is_refused_in_a_sentence(tmp_path):
    with Outputs() as outputs:
        with pytest.raises(InputError, match=r"is not a usable file name; choose another\.$"):
            outputs.plan(tmp_path / "\ud800.exr", (".exr",))
        with pytest.raises(InputError, match=r"cannot be written: .*null"):
            outputs.plan(tmp_path / "a\0.exr", (".exr",))


@pytest.mark.skipif(not hasattr(os, "geteuid") or not Path("/proc").is_dir(), reason="reads /proc")
@pytest.mark.parametrize("is_folder", [True, False])
def test_where_nothing_can_be_created_is_told_before_any_work(is_folder):
    """Not even root makes a file in /proc."""
    with (
        Outputs() as outputs,
        pytest.raises(InputError, match=r"^/proc/new.*cannot be written: .*\.$"),
    ):
        outputs.plan_folder("/proc/new") if is_folder else outputs.plan("/proc/new.exr", (".exr",))


@pytest.mark.parametrize(
    ("name", "is_device"),
    [("con.exr", True), ("LPT9.exr", True), ("com10.exr", False), ("console.exr", False)],
)
def test_names_of_devices_are_refused_on_windows_and_taken_elsewhere(
    tmp_path, monkeypatch, name, is_device
):
    write(tmp_path / name)
    monkeypatch.setattr(
        "erosion_addon.base.atomic_files.os", SimpleNamespace(name="nt", fsync=os.fsync)
    )
    with Outputs() as outputs:
        if is_device:
            with pytest.raises(InputError, match="the name of a device on Windows"):
                outputs.plan(tmp_path / name, (".exr",))
        else:
            outputs.plan(tmp_path / name, (".exr",))


def test_a_new_file_beside_those_that_are_read_is_written_and_theirs_only_where_that_is_meant(
    tmp_path,
):
    read = tmp_path / "dem.exr"
    read.write_bytes(b"old")
    write(tmp_path / "new.exr", [read, tmp_path / "gone.json"])
    with pytest.raises(InputError, match="it is an input"):
        write(read, [read])
    assert read.read_bytes() == b"old"
    write(read, [read], instead_of=read)
    assert read.read_bytes() == b"new"


def rights(path):
    """Mode, owner and group."""
    status = path.stat()
    return stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o666])
def test_a_file_that_is_replaced_keeps_its_mode_and_shows_its_new_content_to_nobody_else_before(
    tmp_path, mode
):
    path = tmp_path / "a.exr"
    path.write_bytes(b"old")
    path.chmod(mode)
    with Outputs() as outputs:
        with outputs.write(outputs.plan(path, (".exr",))) as temporary:
            assert rights(temporary)[0] == 0o600
            temporary.write_bytes(b"new")
            assert rights(temporary)[0] == 0o600
        assert rights(temporary)[0] == mode
        outputs.publish()
    assert path.read_bytes() == b"new" and rights(path)[0] == mode


def test_a_new_file_has_the_mode_that_the_user_gives_to_new_files(tmp_path):
    for mask, mode in ((0o022, 0o644), (0o077, 0o600), (0o002, 0o664)):
        before = os.umask(mask)
        try:
            write(tmp_path / f"{mode:o}.exr")
        finally:
            os.umask(before)
        assert rights(tmp_path / f"{mode:o}.exr")[0] == mode


def test_through_a_link_the_file_that_it_leads_to_keeps_its_mode(tmp_path):
    (tmp_path / "old.exr").write_bytes(b"old")
    (tmp_path / "old.exr").chmod(0o600)
    (tmp_path / "link.exr").symlink_to("old.exr")
    write(tmp_path / "link.exr")
    assert (tmp_path / "link.exr").is_symlink() and rights(tmp_path / "old.exr")[0] == 0o600
    assert (tmp_path / "old.exr").read_bytes() == b"new"


def test_another_name_of_a_file_that_is_replaced_keeps_the_old_content(tmp_path):
    (tmp_path / "a.exr").write_bytes(b"old")
    os.link(tmp_path / "a.exr", tmp_path / "b.exr")
    write(tmp_path / "a.exr")
    assert (tmp_path / "a.exr").read_bytes() == b"new" and (
        tmp_path / "b.exr"
    ).read_bytes() == b"old"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_root_leaves_a_file_to_its_owner_and_group(tmp_path):
    path = tmp_path / "a.exr"
    path.write_bytes(b"old")
    path.chmod(0o640)
    os.chown(path, 65534, 65533)
    write(path)
    assert path.read_bytes() == b"new" and rights(path) == (0o640, 65534, 65533)


@pytest.mark.parametrize(("mode", "left"), [(0o660, 0o600), (0o664, 0o644), (0o640, 0o600)])
def test_a_group_that_the_user_may_not_set_passes_no_rights_to_another(
    tmp_path, monkeypatch, mode, left
):
    path = tmp_path / "a.exr"
    path.write_bytes(b"old")
    path.chmod(mode)
    if os.geteuid() == 0:
        os.chown(path, -1, 65533)
    else:
        pytest.skip("only root can set a group that it is not in")

    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refuse)
    write(path)
    assert rights(path) == (left, os.getuid(), os.getgid())


def access_list(group, mask):
    """Access control list of Linux, version 2: of the owner, of user 1234, of the group, their
    mask, of others.
    """
    entries = ((0x01, 6, -1), (0x02, 4, 1234), (0x04, group, -1), (0x10, mask, -1), (0x20, 0, -1))
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="as Linux has them")
def test_a_file_that_is_replaced_keeps_its_access_control_list_or_the_group_sees_nothing(
    tmp_path, monkeypatch
):
    path = tmp_path / "a.exr"
    name = "system.posix_acl_access"
    entries = access_list(group=0, mask=4)
    path.write_bytes(b"old")
    try:
        os.setxattr(path, name, entries)
    except OSError:
        pytest.skip("this drive has none")
    assert rights(path)[0] == 0o640  # where the group has no rights, as 4 is the mask
    write(path)
    assert os.getxattr(path, name) == entries and rights(path)[0] == 0o640

    def refuse(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "setxattr", refuse)
    write(path)
    assert rights(path)[0] == 0o600


def test_a_writer_that_writes_nothing_replaces_nothing(tmp_path):
    path = tmp_path / "a.exr"
    path.write_bytes(b"old")
    with Outputs() as outputs:
        target = outputs.plan(path, (".exr",))
        with (
            pytest.raises(InputError, match=r"cannot be written: nothing was written\.$"),
            outputs.write(target),
        ):
            pass
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("a.exr", b"old")]


def test_a_link_in_place_of_the_new_file_changes_nothing_that_it_leads_to(tmp_path):
    path = tmp_path / "a.exr"
    elsewhere = tmp_path / "elsewhere"
    path.write_bytes(b"old")
    path.chmod(0o666)
    elsewhere.write_bytes(b"mine")
    elsewhere.chmod(0o600)
    with Outputs() as outputs:
        target = outputs.plan(path, (".exr",))
        with (
            pytest.raises(InputError, match="cannot be written"),
            outputs.write(target) as temporary,
        ):
            temporary.unlink()
            temporary.symlink_to(elsewhere)
    assert rights(elsewhere)[0] == 0o600 and path.read_bytes() == b"old"
