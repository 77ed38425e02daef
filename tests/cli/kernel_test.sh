#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn kernel: exact kernels as matrices.
. "$(dirname "$0")/support.sh"
make_motif_set

for kernel in path walk wl-subtree path-oa wl-oa gaussian-path gaussian-walk; do
  passes kernel motif.jsonl --kernel $kernel --path-length 2 --out k.csv
  check 'a square matrix' test "$(wc -l <k.csv)" = 60
done
passes kernel motif.jsonl --kernel wl-subtree --rounds 2 --normalise --out k.csv
check 'normalised to 1' test "$(head -1 k.csv | cut -d, -f1)" = 1
passes kernel motif.jsonl --kernel path-oa --normalise --out square.csv
head -5 motif.jsonl >few.jsonl
passes kernel few.jsonl --against motif.jsonl --kernel path-oa --normalise --out k.csv --json
check 'JSON of a rectangular kernel' is_json
check 'rows of the square matrix' cmp <(head -5 square.csv) k.csv
passes kernel motif.jsonl --kernel path --summed --out k.npy
check 'the matrix was written' grep -qa NUMPY k.npy
passes kernel motif.jsonl --kernel walk --out - --quiet
check 'the matrix on standard output' test "$(wc -l <stdout)" = 60
passes kernel motif.jsonl --kernel gaussian-path --sigma 1 --path-length 1 --out k.csv --json
check 'JSON of kernel' is_json

refuses 2 '--kernel is required (see gckn kernel --help)' kernel motif.jsonl --out never.csv
refuses 2 '--out is required (see gckn kernel --help)' kernel motif.jsonl --kernel path
refuses 2 '--kernel none: choose one of path, walk, wl-subtree, path-oa, wl-oa, gaussian-path, gaussian-walk' \
  kernel motif.jsonl --kernel none --out never.csv
refuses 2 '--sigma goes with the Gaussian kernels only' kernel motif.jsonl --kernel path --sigma 1 --out never.csv
sed 's/, "node_labels": \[[^]]*\]//' few.jsonl >bare.jsonl
passes kernel few.jsonl --against bare.jsonl --kernel path-oa --features degree --out degrees.csv
passes kernel bare.jsonl --against bare.jsonl --kernel path-oa --out bare.csv
check 'degrees need no labels' cmp degrees.csv bare.csv
refuses 3 'bare has no node labels, and few has' kernel few.jsonl --against bare.jsonl --kernel path-oa --out never.csv
refuses 2 '--against goes with --kernel path-oa or wl-oa only' \
  kernel motif.jsonl --kernel path --against motif.jsonl --out never.csv
refuses 2 '--summed goes with --kernel path or walk only' kernel motif.jsonl --kernel wl-subtree --summed --out never.csv
refuses 2 'path length 64 is not between 0 and 63' kernel motif.jsonl --kernel path --path-length 64 --out never.csv
refuses 2 '--out - and --json both want the standard output' kernel motif.jsonl --kernel path --out - --json
refuses 3 'missing.jsonl: no such file or folder' kernel missing.jsonl --kernel path --out never.csv
refuses 3 "motif has no node attributes, which the features 'attributes' need" \
  kernel motif.jsonl --kernel path --features attributes --out never.csv
# Before the data are read: the missing file is not what is complained about.
mkdir folder.csv
refuses 3 'cannot write folder.csv: it is a folder' kernel missing.jsonl --kernel path --out folder.csv
nothing_is_left 'of failed kernels'

"$gckn" datasets make motif --out large.jsonl --graphs 3000 --nodes 60 --quiet
"$gckn" datasets make motif --out many.jsonl --graphs 5000 --nodes 80 --quiet
after=0.4 interrupt kernel many.jsonl --kernel wl-subtree --rounds 63 --threads 1 --out never.npy
interrupt kernel large.jsonl --kernel gaussian-path --path-length 6 --out never.npy

finished=yes
