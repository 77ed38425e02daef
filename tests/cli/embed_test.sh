#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn embed: one vector per graph.
. "$(dirname "$0")/support.sh"
make_motif_set

# columns FILE: of the first row of a CSV file.
columns() { head -1 "$1" | tr ',' '\n' | wc -l; }

passes embed motif.jsonl --out v.npy --filters 16
check 'vectors were written' test -s v.npy
check 'they are NumPy' grep -qa NUMPY v.npy
passes embed motif.jsonl --out v.csv --filters 16 --path-length 2 --arch path --save-network m.gckn
check 'one row per graph, and a header' test "$(wc -l <v.csv)" = 61
check 'the graph, and three lengths of 16' test "$(columns v.csv)" = 49
passes embed motif.jsonl --filters 16 --path-length 2 --arch path --save-model old-name.gckn --json
check 'the header' grep -q '^graph,v1,v2,.*,v48$' <(head -1 v.csv)
check 'graphs by number' test "$(cut -d, -f1 v.csv | tail -n +2 | tr '\n' ' ')" = "$(seq -s ' ' 0 59) "
check 'the old name of --save-network goes on working' cmp m.gckn old-name.gckn
check 'JSON of embed names the network' grep -q '"save_network": "old-name.gckn"' stdout
passes embed motif.jsonl --out loaded.csv --model m.gckn
check 'the saved network gives the same vectors' cmp v.csv loaded.csv
passes embed motif.jsonl --out - --model m.gckn
check 'standard output has the vectors only' cmp stdout v.csv
check 'the summary went to standard error' grep -q 'standard output' stderr
for threads in 1 2 4; do
  passes embed motif.jsonl --out "t$threads.npy" --filters 16 --threads $threads --seed 3 --quiet
  check 'no progress bar off a terminal' test ! -s stderr
done
check 'same bits for 1 and 2 threads' cmp t1.npy t2.npy
check 'same bits for 1 and 4 threads' cmp t1.npy t4.npy

# Ids, and vectors of nodes.
awk '{ sub(/^{/, NR % 2 ? "{\"id\": \"graph, " NR "\", " : "{"); print }' motif.jsonl >named.jsonl
passes embed named.jsonl --out named.csv --model m.gckn --ids named.txt
check 'ids and numbers' test "$(head -3 named.txt | tr '\n' ';')" = 'graph, 1;1;graph, 3;'
check 'the same in CSV' grep -q '^"graph, 3",[0-9.e-]*,' named.csv
passes embed named.jsonl --out named.npy --model m.gckn --ids again.txt
check 'the same beside .npy' cmp named.txt again.txt
passes embed named.jsonl --out nodes.csv --nodes --model m.gckn
check 'the header of nodes' grep -q '^graph,node,v1,' <(head -1 nodes.csv)
nodes=$(grep -o '"num_nodes": [0-9]*' motif.jsonl | awk '{ s += $2 } END { print s }')
check 'one row per node' test "$(wc -l <nodes.csv)" = $((nodes + 1))
check 'numbers of nodes begin anew in every graph' grep -q '^1,0,' nodes.csv
# With sum pooling a graph's vector is the sum of its nodes'.
check 'nodes add up to graphs' test "$(tail -n +2 nodes.csv | sed 's/"graph, \([0-9]*\)"/id\1/' |
  awk -F, '$1 == "id1" { s += $3 } END { printf "%.3f", s }')" = "$(sed -n 's/^"graph, 1",\([^,]*\),.*/\1/p' named.csv |
  awk '{ printf "%.3f", $1 }')"
passes embed named.jsonl --out fitted.csv --nodes --filters 16 --path-length 2 --arch path
check 'nodes of a network fitted here' cmp nodes.csv fitted.csv
passes embed named.jsonl --out nodes.npy --nodes --ids nodes.txt --model m.gckn
check 'graph and node, line by line' cmp <(tr '\t' ';' <nodes.txt) \
  <(tail -n +2 nodes.csv | sed 's/^"\([^"]*\)",\([0-9]*\),.*/\1;\2/; s/^\([0-9]*\),\([0-9]*\),.*/\1;\2/')
refuses 2 '--nodes goes with --out' embed motif.jsonl --nodes --save-network never.gckn
refuses 2 '--ids goes with --out' embed motif.jsonl --ids never.txt --save-network never.gckn

# Networks.
for architecture in walk path subtree three-layer; do
  passes embed motif.jsonl --out a.npy --arch $architecture --filters 8 --path-length 1
done
for pooling in sum mean max gmp; do
  passes embed motif.jsonl --out a.npy --filters 8 --path-length 1 --pooling $pooling --global-pooling $pooling
done
passes embed motif.jsonl --out a.csv --filters 8 --one-length --arch path --features degree --concat-layers
check 'one length of 8' test "$(columns a.csv)" -le 9
passes embed motif.jsonl --out a.csv --filters 16 --json
check 'JSON of embed' is_json
printf '{"layers": [{"kind": "walk", "path_length": 2, "filters": 4}], "global_pooling": "mean"}' >config.json
passes embed motif.jsonl --config config.json --out a.csv
check 'the configuration was used' test "$(columns a.csv)" = 13
make_plain_set
passes embed plain.jsonl --out a.csv --path-length 1
refuses 2 'one network is needed and the options describe 2: give one value of each' \
  embed motif.jsonl --out never.csv --filters 16,32
printf '{"layers": [{"sigmas": 1}]}' >bad.json
refuses 2 'bad.json: the configuration is wrong: the key "layers[0].sigmas" is not known' \
  embed motif.jsonl --config bad.json --out never.csv
refuses 3 'missing.json: cannot be read' embed motif.jsonl --config missing.json --out never.csv
refuses 2 '--filters excludes --config' embed motif.jsonl --config config.json --filters 3 --out never.csv
refuses 2 '--model excludes --filters' embed motif.jsonl --model m.gckn --filters 3 --out never.csv
refuses 2 '--model excludes --config' embed motif.jsonl --model m.gckn --config config.json --out never.csv
refuses 2 '--model excludes --save-network' embed motif.jsonl --model m.gckn --save-network never.gckn
refuses 2 '--save-network excludes --save-model' embed motif.jsonl --save-network never.gckn --save-model never.gckn
refuses 2 '--model excludes --save-model' embed motif.jsonl --model m.gckn --save-model never.gckn
refuses 2 "--arch triangle: it must be walk, path, subtree or three-layer" \
  embed motif.jsonl --out never.csv --arch triangle
refuses 2 "pooling 'median' is unknown: choose one of sum, mean, max, gmp" \
  embed motif.jsonl --out never.csv --pooling median
refuses 2 'layer 1: sigma 0 is not between 0.01 and 1000' embed motif.jsonl --out never.csv --sigma 0
refuses 2 'layer 1: 0 filters: must be between 1 and 16384' embed motif.jsonl --out never.csv --filters 0
refuses 2 'layer 1: path length 64 is not between 0 and 63' embed motif.jsonl --out never.csv --path-length 64

# Data and models.
refuses 3 'missing.jsonl: no such file or folder' embed missing.jsonl --out never.npy
refuses 3 "motif has no node attributes, which the features 'attributes' need" \
  embed motif.jsonl --out never.npy --features attributes
refuses 3 'more than 10 paths of 3 edges: shorten them or raise the limit of paths to visit' \
  embed motif.jsonl --out never.npy --max-paths 10
refuses 3 'missing.gckn: no such file or folder' embed motif.jsonl --out never.npy --model missing.gckn
head -c 100 m.gckn >truncated.gckn
refuses 3 'truncated.gckn: is truncated or no model file' embed motif.jsonl --out never.npy --model truncated.gckn
refuses 3 'motif.jsonl: is no gckn model: it looks like JSON lines' embed motif.jsonl --out never.npy --model motif.jsonl

# Files that are written.
refuses 2 'there is nothing to do with the vectors: give --out or --save-network' embed motif.jsonl
refuses 2 '--out vectors.txt: the name must end in .npy or .csv' embed motif.jsonl --out vectors.txt
refuses 2 '--out - and --json both want the standard output' embed motif.jsonl --out - --json
refuses 3 'cannot write no/such/folder/a.csv: the folder no/such/folder does not exist' \
  embed motif.jsonl --out no/such/folder/a.csv
# Before the data are read: the missing file is not what is complained about.
mkdir folder.csv
refuses 3 'cannot write folder.csv: it is a folder' embed missing.jsonl --out folder.csv
refuses 3 'cannot write folder.csv: it is a folder' embed missing.jsonl --save-network folder.csv
refuses 3 'cannot write /proc/never.csv: No such file or directory' embed missing.jsonl --out /proc/never.csv
nothing_is_left 'of failed commands'
(
  ulimit -f 1
  run embed motif.jsonl --out never.csv --filters 16 --quiet
  echo $code >code
)
check 'a file that may not grow is an error' test "$(cat code)" = 1
check 'and says so' grep -q 'cannot write .*never.csv: File too large' stderr
nothing_is_left 'of a failed write'
cp v.csv kept.csv
refuses 3 'motif has no node attributes' embed motif.jsonl --out kept.csv --features attributes
check 'an old file survives a failure' cmp v.csv kept.csv

"$gckn" datasets make motif --out large.jsonl --graphs 3000 --nodes 60 --quiet
interrupt embed large.jsonl --out never.npy --arch three-layer --path-length 6 --filters 512 --threads 1

# What the anchors are: every pattern, every vector where several patterns have one, or what k-means found.
printf '%s\n' '{"num_nodes": 4, "node_labels": [0, 0, 0, 0], "edges": [[0, 1], [0, 2], [0, 3]]}' \
  '{"num_nodes": 3, "node_labels": [0, 0, 0], "edges": [[0, 1], [1, 2], [2, 0]]}' >stars.jsonl
passes embed stars.jsonl --out a.csv --path-length 1 --filters 16 --pooling sum
check 'all patterns are anchors' grep -q 'layer 1: paths of 1 edge, 1 anchor: all of 1 pattern$' stdout
check 'equal vectors share an anchor' grep -q 'layer 2: single nodes, 1 anchor: all different vectors of 4 patterns$' stdout
passes embed motif.jsonl --out a.csv --path-length 2 --filters 2 --arch path
check 'k-means found some' grep -q '2 anchors: k-means on [0-9,]* patterns, [0-9]* iteration' stdout

# The order of the graphs in the file changes no byte of what is learnt, with attributes neither.
awk 'BEGIN { srand(5); for (g = 0; g < 60; g++) { n = 6; a = ""; e = "";
  for (u = 0; u < n; u++) { a = a sprintf("%s[%.6f, %.6f]", u ? ", " : "", rand(), rand() * 100);
    if (u) e = e sprintf("%s[%d, %d]", u > 1 ? ", " : "", int(rand() * u), u); }
  printf "{\"num_nodes\": %d, \"edges\": [%s], \"node_attributes\": [%s]}\n", n, e, a } }' >in_order.jsonl
mkdir shuffled
awk '{ print NR * 37 % 61 "\t" $0 }' in_order.jsonl | sort -n | cut -f 2- >shuffled/in_order.jsonl
for arch in path three-layer; do
  passes embed in_order.jsonl --save-network in_order.gckn --filters 8 --path-length 2 --arch $arch
  passes embed shuffled/in_order.jsonl --save-network shuffled.gckn --filters 8 --path-length 2 --arch $arch
  check "the order of the file changes no byte ($arch)" cmp in_order.gckn shuffled.gckn
done

# Attributes of any size; what is saved can be loaded.
printf '%s\n' '{"num_nodes": 2, "edges": [[0, 1]], "node_attributes": [[1e155, 1e20, -1e300], [-2e155, 1e20, 1e300]]}' \
  '{"num_nodes": 2, "edges": [[0, 1]], "node_attributes": [[3e155, 1e20, 1e-200], [1e155, 1e20, 5e299]]}' >huge.jsonl
passes embed huge.jsonl --out huge.csv --save-network huge.gckn --path-length 1
passes embed huge.jsonl --out again.csv --model huge.gckn
check 'huge attributes survive saving' cmp huge.csv again.csv

finished=yes
