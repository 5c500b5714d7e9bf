# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of machine code: no other user can put anything into it, not even between a check and
the use.
"""

import os
import pickle
from types import SimpleNamespace

import pytest

from erosion_addon.base.kernels import private_folder
from tests.base.kernels.test_jit import double, load, sealed  # noqa: F401 - a fixture

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners, modes and links are POSIX's")
NOBODY = 65534
as_root = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="only root can give a folder away"
)


@pytest.fixture
def folder(tmp_path):
    """A private folder with a file, below two others."""
    folder = tmp_path / "outer" / "inner" / "private"
    private_folder.make(folder)
    private_folder.write(folder, "a.nbc", b"code")
    return folder


def refused(folder):
    with pytest.raises(
        OSError, match=r"somebody else|others may write|Not a directory|Too many levels"
    ):
        private_folder.read(folder, "a.nbc")
    with pytest.raises(
        OSError, match=r"somebody else|others may write|Not a directory|Too many levels"
    ):
        private_folder.write(folder, "b.nbc", b"code")
    return not (folder / "b.nbc").exists()


def test_what_was_written_is_read_and_nobody_else_sees_it(folder):
    assert private_folder.read(folder, "a.nbc") == b"code"
    places = (folder, folder.parent, folder.parent.parent, folder / "a.nbc")
    assert [path.stat().st_mode & 0o777 for path in places] == [0o700] * 3 + [0o600]
    private_folder.remove(folder, "a.nbc")
    private_folder.remove(folder, "a.nbc")
    assert not list(folder.iterdir())


@pytest.mark.parametrize("mode", [0o777, 0o757])
@pytest.mark.parametrize("levels", [0, 1, 2])
def test_nothing_is_read_below_a_folder_that_others_may_write_to(folder, mode, levels):
    (folder, *folder.parents)[levels].chmod(mode)
    assert refused(folder)


def test_others_may_write_to_a_sticky_folder_on_the_way_where_they_rename_nothing_of_the_users(
    folder,
):
    folder.parent.chmod(0o1777)
    assert private_folder.read(folder, "a.nbc") == b"code"
    folder.chmod(0o1777)
    assert refused(folder)


@as_root
@pytest.mark.parametrize("levels", [0, 1, 2])
def test_nothing_is_read_below_a_folder_of_somebody_else(folder, levels):
    os.chown((folder, *folder.parents)[levels], NOBODY, -1)
    assert refused(folder)


@pytest.mark.parametrize("levels", [0, 1])
def test_a_link_in_place_of_a_folder_is_not_followed(folder, levels):
    place = (folder, *folder.parents)[levels]
    place.rename(place.with_name("elsewhere"))
    place.symlink_to("elsewhere")
    assert refused(folder)


@pytest.mark.parametrize("what", ["a link", "a pipe", "a folder", "for others to write"])
def test_only_a_plain_file_of_the_users_is_read(folder, what):
    path = folder / "a.nbc"
    path.rename(folder / "other")
    if what == "a link":
        path.symlink_to("other")
    elif what == "a pipe":
        os.mkfifo(path)
    elif what == "a folder":
        path.mkdir()
    else:
        (folder / "other").rename(path)
        path.chmod(0o622)
    with pytest.raises(OSError, match=r"somebody else|Too many levels|Is a directory"):
        private_folder.read(folder, "a.nbc")


@as_root
def test_a_file_of_somebody_else_is_not_read(folder):
    os.chown(folder / "a.nbc", NOBODY, -1)
    with pytest.raises(PermissionError, match="somebody else"):
        private_folder.read(folder, "a.nbc")


@pytest.mark.parametrize(
    ("name", "members", "primary", "is_read"),
    [
        ("ann", [], 4711, True),
        ("ann", ["ann"], 4711, True),
        ("ann", ["ann", "bob"], 4711, False),
        ("staff", [], 4711, False),  # whose members have it as their first group
        ("ann", [], 100, False),
    ],
)
def test_the_users_own_group_may_write_and_no_other(
    folder, monkeypatch, name, members, primary, is_read
):
    """Where each user has a group of that name, its members may write to all folders that are
    made.
    """
    folder.parent.chmod(0o770)
    group = SimpleNamespace(gr_name=name, gr_mem=members)
    monkeypatch.setattr("grp.getgrgid", lambda _: group)
    monkeypatch.setattr("pwd.getpwuid", lambda _: SimpleNamespace(pw_name="ann", pw_gid=primary))
    monkeypatch.setattr(private_folder.os, "fstat", own_group(os.fstat))
    if is_read:
        assert private_folder.read(folder, "a.nbc") == b"code"
        monkeypatch.setattr(
            private_folder.os, "listxattr", lambda _: ["system.posix_acl_access"], raising=False
        )
    assert refused(folder)


def own_group(fstat):
    """`os.fstat` with 4711 for each group."""

    def changed(descriptor):
        status = fstat(descriptor)
        return os.stat_result((*status[:5], 4711, *status[6:]))

    return changed


class Evil:
    """What runs a command when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_cache_that_is_swapped_after_the_check_runs_no_code(tmp_path, load, swapped):  # noqa: F811
    """Who may write to the folder above puts another one in its place, with the same names."""
    above = tmp_path / "above"
    above.mkdir()
    assert load(above / "cache").kernel(double)(21) == 42
    kernel = load(above / "cache").kernel(double)
    (code,) = above.rglob("*.nbc")
    if swapped:
        above.chmod(0o777)
        (above / "cache").rename(above / "gone")
        code.parent.mkdir(parents=True)
    code.write_bytes(sealed(pickle.dumps(Evil(tmp_path / "owned"))))
    assert kernel(21) == 42
    assert (tmp_path / "owned").exists() != swapped  # a folder of the user's own is trusted
