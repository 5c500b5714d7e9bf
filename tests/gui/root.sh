#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# root.sh FOLDER   Make a Debian folder with a real Blender, a virtual X screen, a mouse (xdotool, Xlib) and a camera (ImageMagick).
# Runs as root on Debian or Ubuntu; 300 MB of downloads, 1.2 GB of disk. A folder that is complete is left as it is, an
# incomplete one is completed. SUITE and MIRROR may be set.
set -euo pipefail
FOLDER=${1:?usage: root.sh FOLDER}
SUITE=${SUITE:-sid}
HERE=$(cd "$(dirname "$0")" && pwd)
READY="$FOLDER/.ready-$SUITE-$(md5sum < "$HERE/root.sh" | cut -c1-8)"    # another list of packages completes it anew
[ -e "$READY" ] && exit 0

# The Debian mirror that this machine uses already, where it is one.
MIRROR=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
    | grep '/debian/$' | head -n 1 || true)}
MIRROR=${MIRROR:-http://deb.debian.org/debian/}
mkdir -p "$FOLDER"
trap '[ $? = 0 ] || tail -n 20 "$FOLDER.log"' EXIT

if [ ! -x "$FOLDER/usr/bin/apt-get" ]; then
    command -v debootstrap >/dev/null \
        || { apt-get update -qq; apt-get install -y -qq --no-install-recommends debootstrap; } >"$FOLDER.log" 2>&1
    rm -rf "$FOLDER.new"    # debootstrap cannot go on where it was interrupted
    unshare --mount --propagation private \
        debootstrap --variant=minbase "$SUITE" "$FOLDER.new" "$MIRROR" >"$FOLDER.log" 2>&1
    mv -T "$FOLDER.new" "$FOLDER"
fi

cat >"$FOLDER/etc/apt/apt.conf.d/99terrain-erosion" <<'END'
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
Acquire::Retries "5";
APT::Install-Recommends "false";
DPkg::Options { "--force-unsafe-io"; };
END
printf 'path-exclude=/usr/share/%s/*\n' doc man locale >"$FOLDER/etc/dpkg/dpkg.cfg.d/99terrain-erosion"
printf '#!/bin/sh\nexit 101\n' >"$FOLDER/usr/sbin/policy-rc.d"     # no service is started in there
chmod +x "$FOLDER/usr/sbin/policy-rc.d"
cp /etc/resolv.conf "$FOLDER/etc/resolv.conf"
ln -sf /proc/self/mounts "$FOLDER/etc/mtab"                         # or Blender warns about file systems

# Debian's blender package does not ask for numpy, cattrs and requests, which its extension manager imports.
"$HERE/enter.sh" "$FOLDER" sh -euc '
dpkg --configure -a
apt-get update -q
apt-get install -y -q blender python3-numpy python3-cattr python3-requests imagemagick xvfb xdotool python3-xlib \
    libgl1-mesa-dri libegl1 libegl-mesa0 libglx-mesa0
apt-get clean' >"$FOLDER.log" 2>&1
touch "$READY"
