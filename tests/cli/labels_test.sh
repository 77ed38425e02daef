#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Words as labels, names of labels and targets, what is used and what is not, and the truth beside predictions.
. "$(dirname "$0")/support.sh"
make_motif_set
quick=(--filters 8 --path-length 1 --arch path)

# The motif set in words.
passes convert motif.jsonl --out words.jsonl --label-names '0=C,1=N,2=O,3=S x'
check 'words in JSON lines' grep -q '"node_labels": \["[CNOS x]*", "' words.jsonl
passes info words.jsonl
check 'words are shown' grep -q 'node labels .*C ([0-9]*), N ([0-9]*), O ([0-9]*)' stdout
passes info motif.jsonl --label-names 0=C,1=N,2=O,3=S
check 'names are shown' grep -q 'node labels .*C ([0-9]*), N ([0-9]*), O ([0-9]*)' stdout
passes info motif.jsonl --json --label-names '0=C,1=N'
check 'names in JSON' grep -q '"name": "C"' stdout
printf '# atoms\n0 C\n1,N\n\n2=O\r\n3\tS x' >names.txt
passes convert motif.jsonl --label-names names.txt --out named.jsonl
check 'a file of names' cmp named.jsonl words.jsonl
refuses 2 "--label-names:1: 'C' is not a new label and its name, as in 0=C" info motif.jsonl --label-names 'C,0=N'
refuses 2 "--label-names:2: '0=N' is not a new label and its name" info motif.jsonl --label-names '0=C,0=N'
refuses 2 'the list has an empty item' info motif.jsonl --label-names '0=C,,1=N'
refuses 3 "the node labels 0 and 1 are both called 'C'" info motif.jsonl --label-names '0=C,1=C'
refuses 3 'missing.txt: cannot be read' info motif.jsonl --label-names missing.txt
printf 'C 0\n' >bad.txt
refuses 3 "bad.txt:1: 'C 0' is not a new label and its name" info motif.jsonl --label-names bad.txt

# A model of words knows words, and names.
passes train words.jsonl "${quick[@]}" --C 1 --folds 2 --out words.gckn
passes info words.gckn
check 'a model shows its labels' grep -q 'reads of a node *its label, .* known: .*C' stdout
passes predict words.gckn motif.jsonl --label-names names.txt --out named.csv
check 'nothing is unknown' test -z "$(cat stderr)"
passes predict words.gckn words.jsonl --out words.csv
check 'names and words are the same' cmp named.csv words.csv
passes predict words.gckn motif.jsonl --out numbers.csv
check 'most labels are unknown: a warning' grep -q '^gckn: warning: .* of .* nodes have labels that the model has not seen' stderr
passes embed motif.jsonl --model words.gckn --out a.csv --json
check 'also of embed, beside JSON' grep -q 'warning: .* have labels that the model has not seen' stderr
check 'and in JSON' grep -q '"node_labels": \[' stdout
printf '{"num_nodes": 4, "edges": [[0, 1], [1, 2]], "node_labels": ["C", "N", "O", "Xe"]}\n' >xenon.jsonl
passes predict words.gckn xenon.jsonl
check 'some are unknown: a note' grep -q 'Note: 1 of 4 nodes have labels that the model has not seen (Xe)' stderr

# What is read and what is not.
printf '%s\n' '{"num_nodes": 3, "edges": [[0, 1], [1, 2]], "node_labels": ["a", "b", "a"], "edge_labels": [1, 2],
  "node_attributes": [[1, 2], [3, 4], [5, 7]], "edge_attributes": [[0.5], [2]], "graph_attributes": [7], "target": 1}' \
  '{"num_nodes": 2, "edges": [[0, 1]], "node_labels": ["a", "b"], "edge_labels": [1],
  "node_attributes": [[1, 9], [3, 1]], "edge_attributes": [[1.5]], "graph_attributes": [3], "target": 0}' |
  sed -z 's/,\n */, /g' >all.jsonl
passes embed all.jsonl --out a.csv "${quick[@]}"
check 'what is read' grep -q '^Reads of a node its label (2 kinds), of an edge nothing.$' stdout
check 'what is not' grep -qF 'Not used: 2 attribute columns of nodes, 1 attribute column of edges, 1 attribute column of graphs, edge labels (--features labels+attributes+edge-attributes+graph-attributes, --edge-labels).' stdout
passes embed all.jsonl --out all.csv "${quick[@]}" --features labels+attributes+edge-attributes+graph-attributes --edge-labels \
  --save-network all.gckn
check 'everything is used' test -z "$(grep 'Not used' stdout)"
check 'and said' grep -qF 'Reads of a node its label (2 kinds), 2 attribute columns, 1 attribute column of its edges, 1 attribute column of its graph, of an edge its label (2 kinds).' stdout
passes embed all.jsonl --model all.gckn --out again.csv
check 'a saved network reads the same' cmp all.csv again.csv
refuses 3 "motif has no edge attributes, which the features 'edge-attributes' need" \
  embed motif.jsonl --out never.csv --features edge-attributes
refuses 2 "features 'colours' are unknown" embed motif.jsonl --out never.csv --features colours
cat all.jsonl all.jsonl all.jsonl all.jsonl >copies.jsonl
for command in "train copies.jsonl --out m.gckn --folds 2" "cv copies.jsonl --folds 2 --no-baselines"; do
  run $command "${quick[@]}" --C 1
  check "$command says what is not used" grep -q 'Not used: .*edge labels' stdout
done

# The truth beside the prediction.
passes train motif.jsonl "${quick[@]}" --C 1 --folds 2 --out model.gckn
passes predict model.gckn motif.jsonl --out truth.csv --json
check 'a column of truth' test "$(head -1 truth.csv)" = 'graph,label,score,probability,truth'
right=$(awk -F, 'NR > 1 && $2 == $5' truth.csv | wc -l)
check 'the accuracy is that of the table' python3 - "$right" <<'END'
import json, sys
target = json.load(open("stdout"))["targets"][0]
accuracy = target["methods"][0]["accuracy"]
assert target["graphs"] == 60 and abs(accuracy["mean"] - int(sys.argv[1]) / 60) < 1e-12, accuracy
assert accuracy["interval_95"][0] < accuracy["mean"] <= accuracy["interval_95"][1]
END
passes predict model.gckn motif.jsonl --out truth.csv
check 'metrics are printed with intervals' grep -Eq '^  accuracy +[0-9.]+ %  \([0-9.]+ % to [0-9.]+ %\)$' stdout
sed 's/, "target": [01]//' motif.jsonl >unknown.jsonl
passes predict model.gckn unknown.jsonl --out plain.csv
check 'no truth, no column' test "$(head -1 plain.csv)" = 'graph,label,score,probability'
check 'and no metrics' test -z "$(grep accuracy stdout)"
sed 's/"target": 1/"target": 7/' motif.jsonl >other.jsonl
passes predict model.gckn other.jsonl --out other.csv
check 'classes that the model does not know' grep -q 'warning: 30 graphs of target with a class that the model does not know' stderr
check 'stand in the table' grep -q '^[0-9]*,.*,7$' other.csv

printf '{"num_nodes": 1, "edges": [], "node_labels": [0], "target": {"a": 1, "b": 2}}\n' >wide.jsonl
passes predict model.gckn wide.jsonl --out wide.csv
check 'targets that are not those of the model' grep -q 'the graphs have targets, but none that the model predicts' stdout
passes predict words.gckn motif.jsonl --out numbers.csv
check 'names there, numbers here' grep -q 'they are taken by number' stdout

# Names of targets.
for i in $(seq 40); do
  printf '{"num_nodes": %d, "edges": [[0, 1], [1, 2]], "target": {"NR-AR": %d.5%s}}\n' $((3 + i % 7)) $((i % 7)) \
    "$([ $((i % 5)) = 0 ] || echo ", \"SR-p53\": $((i % 3)).25")"
done >targets.jsonl
passes info targets.jsonl
check 'targets are shown by name' grep -q 'NR-AR: 0.5 to 6.5' stdout
passes train targets.jsonl "${quick[@]}" --C 1,10 --folds 2 --out targets.gckn
check 'also by train' grep -q '^SR-p53: ridge' stdout
passes predict targets.gckn targets.jsonl --out targets.csv
check 'and by predict' test "$(head -1 targets.csv)" = 'graph,value:NR-AR,truth:NR-AR,value:SR-p53,truth:SR-p53'
check 'a missing one is empty' grep -Eq '^4,[0-9.e-]+,5.5,[0-9.e-]+,$' targets.csv
check 'and their metrics' grep -q 'SR-p53: against the truth of 32 graphs' stdout
passes cv targets.jsonl "${quick[@]}" --C 1 --folds 2 --no-baselines
check 'and by cv' grep -q '^SR-p53:$' stdout
passes info targets.gckn --json
check 'and by info of the model' grep -q '"name": "NR-AR"' stdout

# What a model is.
passes info model.gckn
for part in 'model.gckn: a trained model, format 2, written by gckn ' 'layer 1 .*paths of 1 edge, 8 filters, sigma 0.6' \
  'target .*2 classes: 0, 1; svm with C = 1, with probabilities' 'anchors from .*motif: 60 graphs, seed 0' \
  'trained on .*60 graphs; best of 2 candidates by accuracy in 2 folds'; do
  check "info of a model: $part" grep -q "$part" stdout
done
passes info all.gckn
check 'a network is told from a model' grep -q 'all.gckn: a fitted network, format 2' stdout
passes info model.gckn --json
check 'JSON of a model' is_json
printf 'x' | dd of=model.gckn bs=1 seek=700 conv=notrunc 2>/dev/null
refuses 3 'model.gckn: is damaged: its contents do not fit its checksum' predict model.gckn motif.jsonl

finished=yes
