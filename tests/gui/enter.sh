#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# enter.sh FOLDER [--bind OUTSIDE INSIDE]... COMMAND...   Run a command inside a folder that root.sh made.
# It has its own mount and process namespaces: nothing stays mounted (deleting the folder is safe) and every process that
# was started inside ends with the command.
set -eu
export FOLDER=$1; shift
exec unshare --mount --pid --fork --kill-child --propagation private /bin/bash -euc '
mount -t proc proc "$FOLDER/proc"
mount --rbind /dev "$FOLDER/dev"
mount -t tmpfs -o size=2g,mode=1777 tmpfs "$FOLDER/tmp"
while [ "$1" = --bind ]; do
    mkdir -p "$FOLDER/$3"
    mount --bind "$2" "$FOLDER/$3"
    shift 3
done
exec chroot "$FOLDER" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
' _ "$@"
