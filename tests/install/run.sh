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
"$cmake" -S "$source_folder" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" -DCMAKE_BUILD_TYPE=Release
"$cmake" --build "$folder/build"
cd "$folder"
build/consumer
