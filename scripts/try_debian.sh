#!/usr/bin/env bash
# Tries the README's two commands on a bare release: debootstrap makes its root folder, HEAD is cloned
# into that, and the commands run there, by chroot.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/try_debian.sh [--again] RELEASE [COMMAND...]

RELEASE is 12 or 13 (Debian), ubuntu-22.04 or ubuntu-24.04.  Makes build/try/RELEASE anew, clones HEAD
to /ninefold in it, and runs there ./reproduce and ./check, or COMMAND.  Needs root, debootstrap and
some 10 GB; packages are kept in build/try/packages.  The last line says how far it came.

  --again           go on in what the last run left, with HEAD as it is now
  --help            this text

DEBIAN_MIRROR and UBUNTU_MIRROR replace the servers that packages come from.
Status: 0 all went well, 1 something failed there, 2 bad usage, 77 it cannot be tried here.
END
}
refuse() { echo "try_debian.sh: $1; see scripts/try_debian.sh --help" >&2; exit 2; }
cannot() { echo "try_debian.sh: cannot be tried here: $1" >&2; exit 77; }

given=("$@") again=
while [[ ${1:-} == -* ]]; do
  case $1 in
    --again) again=yes ;;
    --help | -h) usage; exit 0 ;;
    *) refuse "unknown option '$1'" ;;
  esac
  shift
done
(($# > 0)) || refuse "no release"
release=$1
shift
case $release in
  12) name="Debian 12" suite=bookworm ;;
  13) name="Debian 13" suite=trixie ;;
  ubuntu-22.04) name="Ubuntu 22.04" suite=jammy ;;
  ubuntu-24.04) name="Ubuntu 24.04" suite=noble ;;
  *) refuse "no release '$release', but 12, 13, ubuntu-22.04, ubuntu-24.04" ;;
esac
# How debootstrap makes it, also of a release that it does not know yet.
if [[ $release == ubuntu-* ]]; then
  recipe=gutsy
  mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu} components=main,universe
  keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg keys_package=ubuntu-archive-keyring
else
  recipe=sid
  mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian} components=main
  keys=/usr/share/keyrings/debian-archive-keyring.gpg keys_package=debian-archive-keyring
fi

((EUID == 0)) || cannot "debootstrap, mount and chroot need root"
for tool in debootstrap chroot unshare git; do
  command -v $tool >/dev/null || cannot "$tool is missing"
done
[[ -r $keys ]] || cannot "$keys is missing (package $keys_package)"
chroot / true 2>/dev/null || cannot "chroot is not permitted"
# In a namespace of its own, so that no mount outlives this script, however it ends.
if [[ -z ${NINEFOLD_TRY_INSIDE:-} ]]; then
  unshare --mount true 2>/dev/null || cannot "mounts of its own (unshare --mount) are not permitted"
  NINEFOLD_TRY_INSIDE=yes exec unshare --mount "scripts/$(basename "${BASH_SOURCE[0]}")" "${given[@]}"
fi

source scripts/steps.sh
root=$PWD/build/try/$release packages=$PWD/build/try/packages/$release log=build/try/$release.log
mkdir -p "$packages"

came=() at=
say_how_far() {
  local status=$? before="nothing"
  ((${#came[@]} == 0)) || printf -v before '%s, ' "${came[@]}"
  before=${before%, }
  if [[ -z $at ]]; then
    echo "$name: all went well: $before"
  else
    echo "$name: FAILED (status $status): $at; done before: $before" >&2
  fi
}
trap say_how_far EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# attempt WHAT COMMAND...  Runs the command as the step that a failure is told of.
attempt() {
  at=$1
  shift
  "$@" || exit 1
  came+=("$at") at=
}

make_root() {
  [[ -z $again ]] || { [[ -d $root/ninefold ]] && return; }
  rm -rf --one-file-system "$root"
  run_step "making the root folder of $name" "$log" \
    debootstrap --variant=minbase --force-check-gpg --keyring="$keys" --components=$components \
      --cache-dir="$packages" $suite "$root" "$mirror" $recipe
}

mount_all() {
  mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
    mount --bind "$packages" "$root/var/cache/apt/archives"
}

clone() {
  local there=$root/ninefold head
  head=$(git rev-parse HEAD)
  [[ -d $there ]] || git clone --quiet --no-checkout --no-hardlinks . "$there"
  git -C "$there" fetch --quiet "$PWD" HEAD && git -C "$there" checkout --quiet --force --detach "$head"
}

inside() {
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM="${TERM:-dumb}" \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    chroot "$root" sh -c 'cd /ninefold && exec "$@"' sh "$@"
}

attempt "root folder" make_root
attempt "mounts" mount_all
attempt "clone of $(git rev-parse --short HEAD)" clone
if (($# > 0)); then
  attempt "$*" inside "$@"
else
  attempt ./reproduce inside ./reproduce
  attempt ./check inside ./check
fi
