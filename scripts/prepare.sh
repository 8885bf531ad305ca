#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that are missing, and says nothing if nothing is.
# Usage: scripts/prepare.sh GROUP...      groups: programs tests style browser
# Of "programs" is Vega, too, by which report pages draw: pip puts it into build/web; of "tests" are
# matrices and meshes of other programs, out of packages that are not installed: in build/data.
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

# Where tests look (tests/CMakeLists.txt).  To install the package of the matrices takes R; that of the
# meshes holds an archive.
data=$(realpath -m "$(dirname "${BASH_SOURCE[0]}")/../build/data")

# download PACKAGE  Into this folder, which takes no root: where the system's lists of packages are
# missing or old, by new ones that lie here, too.
download() {
  local options=(-o APT::Sandbox::User=root -o Acquire::Retries=0 -o Acquire::http::Timeout=20)
  apt-get "${options[@]}" download "$1" && return
  options+=(-o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD/cache")
  mkdir -p lists/partial cache/archives/partial && apt-get "${options[@]}" update &&
    apt-get "${options[@]}" download "$1"
}
unpack_matrices() {
  download r-cran-matrix && dpkg-deb -x r-cran-matrix_*.deb . &&
    mkdir matrices && mv usr/lib/R/library/Matrix/external/*.mtx matrices
}
unpack_meshes() {
  download libcgal-demo && dpkg-deb -x libcgal-demo_*.deb . &&
    tar -xzf usr/share/doc/libcgal-dev/data.tar.gz --strip-components=1 \
      data/meshes/{elephant,lion,lion-head,man,mannequin-devil,nefertiti,three_peaks}.off
}

# What is half done lies in a folder of its own, which goes with whatever else was unpacked.
unpack_data() {
  local what=$1 folder=$data/unpacking-$1 status=0
  rm -rf "$folder" && mkdir -p "$folder" || return
  (cd "$folder" && "unpack_$what" && mv "$what" "$data/$what") || status=$?
  rm -rf "$folder"
  return $status
}

# fetch_data WHAT FOLDER  Unless it is there, or in the folder where a package would have put it, or
# was not to be had in the last day.
fetch_data() {
  local failed=$data/$1.failed
  [[ ! -d $data/$1 && ! -d $2 && -z $(find "$failed" -mtime -1 2>/dev/null) ]] || return 0
  run_step "fetching $1 for tests" "build/log/$1.log" unpack_data "$1" 2>/dev/null && return
  touch "$failed"
  echo "No $1 of others (see build/log/$1.log): tests of them are skipped; to try again: rm ${failed#"$PWD"/}; scripts/prepare.sh tests" >&2
}

fetch_files() {
  fetch_web "$@"
  [[ " $* " == *" tests "* ]] && command -v apt-get >/dev/null || return 0
  source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
  fetch_data matrices /usr/lib/R/library/Matrix/external
  fetch_data meshes /usr/share/doc/libcgal-dev/data/meshes
}
trap '[[ $? -ne 0 ]] || fetch_files '"$(printf '%q ' "$@")" EXIT

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
