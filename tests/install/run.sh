#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh SOURCE BUILD CMAKE: installs the build into a fresh folder and builds and runs the consumer against it.
set -eu
source_folder=$1
build_folder=$2
cmake=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" --install "$build_folder" --prefix "$folder/prefix" >/dev/null
test -x "$folder/prefix/bin/gckn"
for file in man/man1/gckn.1 bash-completion/completions/gckn zsh/site-functions/_gckn doc/gckn/formats.md \
  doc/gckn/README.md; do
  test -s "$folder/prefix/share/$file" || { echo "share/$file is not installed"; exit 1; }
done
"$cmake" -S "$source_folder" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" -DCMAKE_BUILD_TYPE=Release
"$cmake" --build "$folder/build"
cd "$folder"
build/consumer
