#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn datasets: sets of graphs to play with.
. "$(dirname "$0")/support.sh"

passes datasets make motif --out motif.jsonl --graphs 60 --nodes 12 --seed 7
check 'the set was written' test -s motif.jsonl
check 'one graph per line' test "$(wc -l <motif.jsonl)" = 60
passes datasets make motif --out again.jsonl --graphs 60 --nodes 12 --seed 7 --quiet
check 'quiet is silent' test ! -s stdout -a ! -s stderr
check 'same seed, same set' cmp motif.jsonl again.jsonl
passes datasets make motif --out other.jsonl --graphs 10 --json
check 'JSON of datasets' is_json
check 'the ring is the known answer of class 1' test "$(grep -c '"truth"' motif.jsonl)" = "$(grep -c '"target": 1' motif.jsonl)"
passes datasets make house --out house.jsonl --graphs 60 --nodes 12 --seed 7
check 'houses' grep -q 'Class 1 has a house' stdout
passes info house.jsonl
check 'and who lives there is known' grep -q '30 graphs say which nodes matter' stdout
check 'without labels' grep -q 'node labels  *none' stdout
passes datasets make house --out other.jsonl --graphs 10 --json
check 'JSON of houses' grep -q '"command": "datasets make house"' stdout
refuses 2 'a house set needs at least one graph' datasets make house --out never.jsonl --graphs 0

refuses 2 '--out is required (see gckn datasets make motif --help)' datasets make motif
refuses 2 'a motif set needs at least 3 labels, not 2' datasets make motif --out never.jsonl --labels 2
refuses 3 'cannot write no/such/folder/m.jsonl: the folder no/such/folder does not exist' \
  datasets make motif --out no/such/folder/m.jsonl
mkdir folder.jsonl
refuses 3 'cannot write folder.jsonl: it is a folder' datasets make motif --out folder.jsonl
interrupt datasets make motif --out never.jsonl --graphs 20000000

finished=yes
