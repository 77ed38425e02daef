#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn predict: label, score and probability of other graphs.
. "$(dirname "$0")/support.sh"
make_motif_set
"$gckn" train motif.jsonl --filters 8 --path-length 2 --out model.gckn --quiet || fail 'no model to test with'

passes predict model.gckn motif.jsonl --out predicted.csv
check 'header' grep -qx 'graph,label,score,probability,truth' predicted.csv
check 'one line per graph, in order' cmp <(tail -n +2 predicted.csv | cut -d, -f1) <(seq 0 59)
check 'label, score and probability on every line' \
  test "$(grep -Ec '^[0-9]+,[01],-?[0-9.e-]+,[0-9.e-]+,[01]$' predicted.csv)" = 60
passes predict model.gckn motif.jsonl
check 'nothing but the table on standard output' cmp predicted.csv stdout
"$gckn" predict model.gckn - --quiet <motif.jsonl >stdout 2>stderr
check 'from standard input' cmp predicted.csv stdout
check 'quiet' test ! -s stderr
passes predict model.gckn motif.jsonl --out all.csv --all-classes --json
check 'JSON of predict' is_json
check 'a column for every class' grep -q ',probability of 0,probability of 1,truth$' all.csv

# Odd graphs.
printf '{"num_nodes": 0, "edges": []}\n{"num_nodes": 2, "edges": [[0, 1]], "node_labels": [99, 0]}\n' >odd.jsonl
passes predict model.gckn odd.jsonl
check 'odd graphs get a line, too' test "$(wc -l <stdout)" = 3
sed 's/"num_nodes": 2/"id": "an \\"odd\\", one", "num_nodes": 2/' odd.jsonl >named.jsonl
passes predict model.gckn named.jsonl
check 'the number of a graph' grep -q '^0,' <(sed -n 2p stdout)
check 'or its id' test "$(sed -n 3p stdout | cut -c 1-18)" = '"an ""odd"", one",'
check 'a line each' test "$(wc -l <stdout)" = 3
passes predict model.gckn motif.jsonl --max-paths 1 --all-classes
check 'graphs of too many paths get a line, too' test "$(grep -Ec '^[0-9]+,,,,,,[01]$' stdout)" = 60
check 'and the command says how many' grep -q '60 graphs without a prediction. Graph 0: more than 1 paths' stderr
check 'and does not count them as predicted' grep -q 'Predicted 0 graphs' stderr

# Numbers.
make_numbers_set
"$gckn" train numbers.jsonl --filters 8 --path-length 2 --out numbers.gckn --quiet || fail 'no numbers to test with'
passes predict numbers.gckn numbers.jsonl
check 'several numbers' grep -qx 'graph,value:target 1,truth:target 1,value:target 2,truth:target 2' stdout
check 'a line per graph with numbers' test "$(grep -Ec '^[0-9]+,-?[0-9.e-]+,[0-9.]+,-?[0-9.e-]+,[0-9.]*$' stdout)" = 40
check 'and no other line' test "$(wc -l <stdout)" = 41
passes predict numbers.gckn numbers.jsonl --max-paths 0
check 'a line per graph without any' test "$(grep -Ec '^[0-9]+,,[0-9.]+,,[0-9.]*$' stdout)" = 40

# States that no training graph has.
"$gckn" train motif.jsonl --compare states --path-length 2 --out states.gckn --quiet || fail 'no states to test with'
passes predict states.gckn motif.jsonl
check 'all states are known' test -z "$(grep 'states of nodes' stderr)"
printf '{"num_nodes": 3, "edges": [[0, 1], [1, 2]], "node_labels": [99, 98, 97]}\n' >new.jsonl
passes predict states.gckn new.jsonl
check 'most states are new: a warning' \
  grep -qx 'gckn: warning: 5 of 5 states of nodes are new to the model and count for nothing: most of what it sees here' stderr
passes predict states.gckn new.jsonl --out states.csv --json
check 'the number of new states in JSON' grep -q '"states": *5' stdout

"$gckn" embed motif.jsonl --filters 8 --path-length 1 --save-network network.gckn --quiet
refuses 3 'network.gckn: it holds a network only, and no trained model' predict network.gckn motif.jsonl
refuses 3 'motif.jsonl: is no gckn model: it looks like JSON lines; the order is: gckn predict MODEL DATA' \
  predict motif.jsonl model.gckn
refuses 3 'model.gckn: is a gckn model, where graphs belong' predict model.gckn model.gckn
refuses 3 'missing.gckn: no such file or folder' predict missing.gckn motif.jsonl
check 'which has nothing to do with the order' test -z "$(grep 'the order is' stderr)"
refuses 3 'no-such-file.jsonl: no such file or folder' predict numbers.gckn no-such-file.jsonl --out never.csv
make_plain_set
refuses 3 "plain has no node labels, which the features 'labels' need" predict model.gckn plain.jsonl --out never.csv
refuses 2 'would overwrite model.gckn, which is read as MODEL' predict model.gckn motif.jsonl --out model.gckn
refuses 2 '--out - and --json both want the standard output: give --out FILE' predict model.gckn motif.jsonl --json
nothing_is_left 'of failed predictions'

mkfifo silence
interrupt predict model.gckn - --out never.csv <>silence # an input that never comes
check 'says why it ended' grep -qx 'gckn: error: interrupted' stderr

finished=yes
