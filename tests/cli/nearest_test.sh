#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn nearest: the most similar graphs.
. "$(dirname "$0")/support.sh"
make_motif_set
"$gckn" embed motif.jsonl --filters 8 --path-length 2 --save-network network.gckn --out motif.npy --quiet ||
  fail 'no network to test with'
"$gckn" embed motif.jsonl --model network.gckn --out motif.csv --quiet
head -n 3 motif.jsonl | sed 's/^{/{"id": "=q", /' >query.jsonl

passes nearest network.gckn motif.jsonl query.jsonl --k 4
check 'header' test "$(head -n 1 stdout)" = 'query,rank,graph,similarity'
check 'k lines for each query' test "$(wc -l <stdout)" = 13
check 'ranks' test "$(tail -n +2 stdout | cut -d, -f2 | tr -d '\n')" = 123412341234
check 'ids, which are no formulas' test "$(grep -c "^'=q,[1-4],[0-9]*,[0-9.]*$" stdout)" = 12
cp stdout found.csv
# By awk, from the vectors as CSV.
tail -n +2 motif.csv | cut -d, -f2- >vectors.csv
awk -F, '{ s = 0; for (j = 1; j <= NF; j++) { v[NR, j] = $j; s += $j * $j }; n[NR] = sqrt(s) }
  END { for (q = 1; q <= 3; q++) for (i = 1; i <= NR; i++) {
    s = 0; for (j = 1; j <= NF; j++) s += v[q, j] * v[i, j]; printf "%d %.6f %d\n", q, s / n[q] / n[i], i } }' vectors.csv |
  sort -k1,1n -k2,2nr -k3,3n | awk '++seen[$1] <= 4 { printf "%.4f\n", $2 }' >expected
check 'what comparing one by one finds' cmp expected <(tail -n +2 found.csv | awk -F, '{ printf "%.4f\n", $4 }')

passes nearest network.gckn motif.npy query.jsonl --k 4 --out again.csv --json
check 'JSON of nearest' is_json
check 'the same from vectors' cmp found.csv again.csv
passes nearest network.gckn motif.npy query.jsonl --k 4 --threads 1
check 'and on one thread' cmp found.csv stdout
"$gckn" nearest network.gckn - query.jsonl --k 4 --quiet <motif.jsonl >stdout 2>stderr
check 'and from standard input' cmp found.csv stdout
check 'quiet' test ! -s stderr
head -n 3 motif.jsonl >plain_query.jsonl
"$gckn" embed plain_query.jsonl --model network.gckn --out query.npy --quiet
passes nearest network.gckn motif.npy query.npy --k 4
check 'queries as vectors' cmp <(sed "s/^'=q,//" found.csv | tail -n +2) <(tail -n +2 stdout | cut -d, -f2-)
sed 's/^{/{"id": "a, b", /' motif.jsonl >named.jsonl
passes embed named.jsonl --model network.gckn --out named.npy --ids named.txt
passes nearest network.gckn named.npy query.jsonl --ids named.txt --k 1
check 'ids are lines' test "$(head -1 named.txt)" = 'a, b'
check 'ids beside vectors' grep -q "^'=q,1,\"a, b\",1$" stdout
printf '{"id": "=1\\n\\\\ x ", "num_nodes": 1, "edges": [], "node_labels": [0]}\n' >odd.jsonl
passes embed odd.jsonl --model network.gckn --out odd.npy --ids odd.txt
check 'one line for any id' test "$(wc -l <odd.txt)" = 1
passes nearest network.gckn odd.npy query.jsonl --ids odd.txt --k 1 --out odd.csv
passes nearest network.gckn odd.jsonl query.jsonl --k 1 --out whole.csv
check 'and the same id again' cmp odd.csv whole.csv
sed 's/"node_labels": \[0/"node_labels": [77/' query.jsonl >strange.jsonl
passes nearest network.gckn motif.npy strange.jsonl --k 1
check 'labels that the model has not seen are told' grep -q 'nodes have labels that the model has not seen (77)' stderr
head -n 5 named.txt >few.txt
refuses 3 'few.txt: has 5 lines, and DATA has 60 vectors' nearest network.gckn named.npy query.jsonl --ids few.txt
refuses 2 '--ids goes with vectors, DATA.npy: graphs have their own' nearest network.gckn named.jsonl query.jsonl --ids few.txt
passes nearest network.gckn motif.npy query.jsonl --k 1 --inner-product
check 'inner products are not of unit vectors' test "$(tail -n 1 stdout | cut -d, -f4 | cut -d. -f1)" -gt 1
printf '{"num_nodes": 0, "edges": []}\n' >nothing.jsonl
passes nearest network.gckn motif.jsonl nothing.jsonl --k 100
check 'a graph without nodes is like nothing' test "$(grep -c '^0,[0-9]*,[0-9]*,0$' stdout)" = 60
check 'and no more than there are' test "$(wc -l <stdout)" = 61

refuses 2 'k is 0; at least one vector must be looked for' nearest network.gckn motif.jsonl query.jsonl --k 0
refuses 2 'DATA and QUERY both want the standard input' nearest network.gckn - -
refuses 2 'QUERY is required (see gckn nearest --help)' nearest network.gckn motif.jsonl
refuses 2 '--out - and --json both want the standard output' nearest network.gckn motif.jsonl query.jsonl --json
refuses 3 'motif.jsonl: is no gckn model: it looks like JSON lines; the order is: gckn nearest MODEL DATA QUERY' \
  nearest motif.jsonl network.gckn query.jsonl
"$gckn" embed motif.jsonl --filters 4 --path-length 2 --out other.npy --quiet
refuses 3 'other.npy: has vectors of length 12, and those of the model have 24: they are of another one' \
  nearest network.gckn other.npy query.jsonl --out never.csv
refuses 3 'missing.npy: no such file' nearest network.gckn missing.npy query.jsonl --out never.csv
refuses 2 'would overwrite motif.npy, which is read as DATA' nearest network.gckn motif.npy query.jsonl --out motif.npy
nothing_is_left 'of failed searches'

finished=yes
