#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# install_dependencies_test.sh SCRIPT: scripts/install-dependencies with stand-ins for dpkg, apt-get and sudo.
set -u
script=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
check() {
  local name=$1
  shift
  "$@" >/dev/null 2>&1 && return
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$name"
  sed 's/^/  /' output
}

# A system with what the script calls and nothing else; stand_in NAME: adds a command, which standard input is the text of.
mkdir bin
for command in bash env cat grep mktemp rm id sleep; do ln -s "$(command -v $command)" bin/$command; done
stand_in() {
  { echo '#!/usr/bin/env bash'; cat; } >"bin/$1"
  chmod +x "bin/$1"
}
run() {
  env -i PATH="$folder/bin" "$folder/bin/bash" "$script" "$@" >output 2>&1
  code=$?
}

run
check 'without dpkg it does not stop the build' test $code = 0
check 'and names what is needed' grep -q 'libfmt-dev  *fmt: text formatting' output
check 'and claims nothing of it' test -z "$(grep -E 'does not have yet|Everything that' output)"
run check
check 'what ./check needs as well' grep -q 'libgtest-dev  *GoogleTest' output
run quickstart
check 'what ./quickstart needs as well' grep -q 'rdkit-data  *molecules' output

stand_in dpkg-query <<<'echo "ii "'
run
check 'with everything there is nothing to do' test $code = 0
check 'which it says' grep -qx 'Everything that gckn needs is installed.' output

stand_in dpkg-query <<<'case $* in *npm*) echo "un ";; *) echo "ii ";; esac'
run check
check 'npm is needed for ./check' grep -qE '^  npm  *Node.js, for layout and checks of that page \(Biome\)$' output
stand_in npx <<<''
run check
check 'but not where its command came from elsewhere' grep -qx 'Everything that gckn needs is installed.' output
rm bin/npx

stand_in dpkg-query <<<'case $* in *libfmt-dev*) echo "un ";; *) echo "ii ";; esac'
run
check 'without apt-get it cannot install' test $code = 1
stand_in sudo <<<'exec "$@"'
# Another apt-get holds the lock of the package lists twice, then is done.
stand_in apt-get <<'END'
echo "$*" >>calls
case $* in
  *update*) [ "$(grep -c update calls)" -gt 2 ] || { echo 'E: Could not get lock /var/lib/apt/lists/lock.' >&2; exit 100; } ;;
esac
END
run
check 'it waits for another apt-get' test $code = 0
check 'says so once' test "$(grep -c 'waiting for it' output)" = 1
check 'tries again' test "$(grep -c update calls)" = 3
check 'and installs what is missing only' grep -qE 'install .*--no-install-recommends libfmt-dev$' calls
check 'waiting for the lock of dpkg, too' grep -q 'DPkg::Lock::Timeout=600 install' calls
stand_in apt-get <<<'echo "E: no network" >&2; exit 100'
run
check 'another error is one' test $code = 1
check 'and is shown' grep -q 'E: no network' output

[ $failures = 0 ]
