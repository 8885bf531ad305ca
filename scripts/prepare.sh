#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that are missing; silent if none is.
# Usage: scripts/prepare.sh GROUP...      groups: programs tests style browser
# Of "programs" is Vega, too, by which report pages draw: pip puts it into build/web.
set -euo pipefail

# Vega is no package of Debian's that pages could hold; pages are drawn without it, too.
web=$(dirname "${BASH_SOURCE[0]}")/../build/web
fetch_web() {
  [[ " $* " == *" programs "* && ! -d $web/altair_viewer ]] || return 0
  source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
  mkdir -p "$web"
  unpack() {
    python3 -m pip download --quiet --no-deps --only-binary :all: --require-hashes --dest "$web" \
      --requirement "$(dirname "${BASH_SOURCE[0]}")/web_libraries.txt" &&
      python3 -m zipfile -e "$web"/altair_viewer-*.whl "$web"
  }
  run_step "fetching Vega" build/log/web.log unpack ||
    echo "Report pages will have tables and still pictures; to try again: scripts/prepare.sh programs" >&2
}
trap '[[ $? -ne 0 ]] || fetch_web '"$(printf '%q ' "$@")" EXIT

# One entry per package; PACKAGE=COMMAND if having the command, from wherever, is enough.
programs=(g++=g++ cmake=cmake ninja-build=ninja git=git gnuplot-nox=gnuplot libfmt-dev
          libmuparser-dev libtomlplusplus-dev libcli11-dev nlohmann-json3-dev libvtk9-dev libopenblas-dev
          libjs-jquery libjs-jquery-tablesorter python3-pip=pip3 zlib1g-dev libopenmpi-dev
          openmpi-bin=mpirun)
tests=(python3=python3 pkg-config=pkg-config catch2 libboost-dev libdeal.ii-dev)
style=(clang-format=clang-format valgrind=valgrind)
browser=()  # Ubuntu has none as a package of its own
if grep -qs '^ID=debian' /etc/os-release; then
  browser=(chromium=chromium chromium-driver=chromedriver fonts-dejavu-core)
fi

needed=()
for group in "$@"; do
  case $group in
    programs) needed+=("${programs[@]}") ;;
    tests) needed+=("${tests[@]}") ;;
    style) needed+=("${style[@]}") ;;
    browser) needed+=(${browser[@]+"${browser[@]}"}) ;;
    *) echo "prepare.sh: unknown group '$group' (programs, tests, style, browser)" >&2; exit 2 ;;
  esac
done

if ! command -v apt-get >/dev/null; then
  # Whether libraries are there, CMake will find out; tools are asked for here.
  for entry in "${needed[@]}"; do
    if [[ $entry == *=* ]] && ! command -v "${entry#*=}" >/dev/null; then
      echo "Packages are installed on Debian and Ubuntu only; here, please install what these" >&2
      echo "Debian packages hold: ${needed[*]%=*}" >&2
      echo "Missing at least: ${entry#*=}" >&2
      exit 1
    fi
  done
  exit 0
fi

missing=()
for entry in "${needed[@]}"; do
  package=${entry%=*}
  if [[ $entry == *=* ]] && command -v "${entry#*=}" >/dev/null; then continue; fi
  # "ii": asked to be installed, and is
  [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] ||
    missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $EUID -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing, and there is no sudo to install them. As root, run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing packages: ${missing[*]}"
${as_root[@]+"${as_root[@]}"} true  # sudo asks for its password here, not behind a progress line

source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
run_step "fetching package lists" build/log/packages.log \
  ${as_root[@]+"${as_root[@]}"} apt-get update
run_step "installing packages" build/log/packages.log ${as_root[@]+"${as_root[@]}"} \
  env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
