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

finished=yes
