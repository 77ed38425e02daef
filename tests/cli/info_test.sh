#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn info: what is in a graph set.
. "$(dirname "$0")/support.sh"
make_motif_set

passes info motif.jsonl
check 'info shows graphs' grep -q '60 graphs' stdout
check 'info shows classes' grep -q '0 (30 graphs), 1 (30 graphs)' stdout
check 'info is silent on standard error' test ! -s stderr
passes info motif.jsonl --json
check 'JSON of info' is_json
check 'JSON has the number of graphs' grep -q '"graphs": 60' stdout
passes info motif.jsonl --quiet
check 'quiet info is silent' test ! -s stdout -a ! -s stderr

refuses 3 'missing.jsonl: no such file or folder' info missing.jsonl
printf '{"num_nodes": 2, "edges": [[0, 5]]}\n' >bad.jsonl
refuses 3 'bad.jsonl:1: edges[0][1]: node 5 is out of range' info bad.jsonl
printf '{\n  "num_nodes": 1,\n  "edges": []\n}\n' >pretty.jsonl
refuses 3 'pretty.jsonl:1: not valid JSON: the line ends too early, at column 2 (one graph per line)' info pretty.jsonl
printf '{"num_nodes": 1, "edges": [], "target": "a\\u001b[31mb\\u0085c"}\n' >escape.jsonl
passes info escape.jsonl
check 'control characters are shown, not sent' grep -qF 'a\x1b[31mb\x85c (1 graph)' stdout

printf '{"num_nodes": 2, "edges": [], "node_attributes": [[1e300, 1e-200, 0.1], [-1e300, -1e-200, 0.1]]}\n' >extreme.jsonl
passes info extreme.jsonl
check 'deviation of large numbers' grep -q '1: -1e+300 to 1e+300, mean 0, deviation 1e+300$' stdout
check 'deviation of tiny numbers' grep -q '2: -1e-200 to 1e-200, mean 0, deviation 1e-200$' stdout
check 'a constant column has no deviation' grep -q '3: 0.1 to 0.1, mean 0.1, deviation 0$' stdout

finished=yes
