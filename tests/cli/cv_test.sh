#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn cv: protocols, folds, figures, grids; cv_journal_test.sh has journals and interruptions.
. "$(dirname "$0")/support.sh"
make_motif_set
quick=(--filters 8 --path-length 1 --C 1 --no-baselines)

for protocol in nested paper; do
  passes cv motif.jsonl --protocol $protocol --filters 8 --path-length 1,2 --C 0.1,1 --folds 3 --out cv.json
  check 'figures' grep -Eq '^gckn +[0-9.]+ % ± ' stdout
  for baseline in 'majority class' 'label histogram' 'WL optimal assignment'; do
    check "$baseline beside it" grep -q "^$baseline " stdout
    check "compared with $baseline" grep -Eq "^gckn minus $baseline: .* p = " stdout
  done
  check 'every fold was written' test "$(grep -c '"train"' cv.json)" = 3
done
check 'the paper protocol owns up' grep -q optimistic stdout
passes cv motif.jsonl "${quick[@]}" --protocol paper-repeated --folds 3
check 'ten repeats' grep -q '^10 repeats of 3 folds' stdout
passes cv motif.jsonl "${quick[@]}" --repeats 2 --folds 3
check 'two repeats' grep -q '^2 repeats of 3 folds' stdout
for learner in svm logistic; do
  passes cv motif.jsonl "${quick[@]}" --learner $learner --balanced --select-by roc-auc
done
check 'log loss of probabilities' grep -q 'log-loss' stdout
passes cv motif.jsonl --filters 8 --path-length 1 --C 1 --folds 3 --json
check 'JSON of cv' is_json
mv stdout first
passes cv motif.jsonl --filters 8 --path-length 1 --C 1 --folds 3 --json --threads 1
check 'same result for any number of threads' cmp <(grep -v '"seconds"' first) <(grep -v '"seconds"' stdout)
passes cv motif.jsonl --path-length 1,3 --filters 8 --C 1 --max-paths 5000 --no-baselines
check 'says what was left out' grep -q 'of 3 or more edges are left out' stdout

refuses 2 "protocol 'hopeful' is unknown: choose one of nested, paper, paper-repeated" cv motif.jsonl --protocol hopeful
refuses 2 "learner 'oracle' is unknown: choose one of auto, svm, logistic, ridge" \
  cv motif.jsonl "${quick[@]}" --learner oracle
refuses 2 "metric 'luck' is unknown: choose one of accuracy" cv motif.jsonl "${quick[@]}" --select-by luck
refuses 2 'svm cannot be selected by log-loss' cv motif.jsonl "${quick[@]}" --learner svm --select-by log-loss
refuses 2 'the values of C must ascend' cv motif.jsonl --C 1,0.1
refuses 2 'C = -1 is not positive' cv motif.jsonl --C -1
refuses 2 '1 folds: must be at least 2' cv motif.jsonl --folds 1
refuses 2 'layer 1: sigma 0 is not between 0.01 and 1000' cv motif.jsonl --sigma 0.5,0
# A class with fewer graphs than folds makes fewer folds, as it does in training.
passes cv motif.jsonl "${quick[@]}" --folds 50
check 'fewer folds, and a note' grep -qF "Note: 30 folds instead of 50: class '0' has only 30 graphs." stdout
refuses 2 '--C: an item of the list "1,,2" is empty' cv motif.jsonl --C 1,,2
refuses 2 '--sigma: an item of the list "0.4,,0.6" is empty' cv motif.jsonl --sigma 0.4,,0.6
refuses 2 '--path-length: an item of the list "1," is empty' cv motif.jsonl --path-length=1,
refuses 2 '--pooling: an item of the list ",sum" is empty' cv motif.jsonl --pooling ,sum
refuses 3 'more than 5000 paths of 3 edges: shorten them or raise the limit of paths to visit' \
  cv motif.jsonl --path-length 3 --filters 8 --C 1 --max-paths 5000
make_plain_set
refuses 3 'plain has no classes and no numbers to learn' cv plain.jsonl

# A list of graphs to test on.
seq 0 4 59 >tested.txt
passes cv motif.jsonl "${quick[@]}" --test tested.txt
check 'one fold' grep -q '^Given: 1 fold;' stdout
# Perfect folds of 40 graphs are not a perfect method, and one test graph says nothing about others.
for i in $(seq 40); do
  printf '{"num_nodes": 2, "edges": [[0, 1]], "node_labels": [%d, 2], "target": %d}\n' $((i % 2)) $((i % 2))
done >easy.jsonl
passes cv easy.jsonl --filters 8 --path-length 1 --C 1
check 'an interval that knows of 40 graphs' \
  grep -qx '95 % interval of accuracy for gckn: 91.2 % to 100.0 %.' stdout
check 'a test that knows of 40 graphs' grep -qx 'gckn minus majority class: +50.0, p = 1.9e-06.' stdout
passes cv easy.jsonl --filters 8 --path-length 1 --C 1 --select-by mcc
check 'no interval where none is known' \
  grep -qx 'There is no 95 % interval of mcc for gckn: it does not vary between folds.' stdout
check 'nor a test' grep -qx 'gckn minus majority class: +1.000, without a test.' stdout
passes cv easy.jsonl --filters 8 --path-length 1 --C 1 --select-by mcc --json
check 'JSON without intervals' is_json
check 'null for what is not known' grep -q '"p_value": *null' stdout
echo 3 >tested.txt
passes cv easy.jsonl --filters 8 --path-length 1 --C 1 --test tested.txt
check 'no interval of one graph' grep -q '^There is no 95 % interval of accuracy for gckn: the test graphs are too' stdout
printf '3\nx\n' >tested.txt
refuses 3 "tested.txt:2: 'x' is not the number of a graph (0 to 59)" cv motif.jsonl "${quick[@]}" --test tested.txt
printf '3\n60\n' >tested.txt
refuses 3 "tested.txt:2: '60' is not the number of a graph (0 to 59)" cv motif.jsonl "${quick[@]}" --test tested.txt
printf '3\n3\n' >tested.txt
refuses 3 'tested.txt:2: graph 3 is listed twice' cv motif.jsonl "${quick[@]}" --test tested.txt
printf '3 garbage\n5\n' >tested.txt
refuses 3 "tested.txt:1: '3 garbage' is not the number of a graph" cv motif.jsonl "${quick[@]}" --test tested.txt

# Numbers.
make_numbers_set
passes cv numbers.jsonl --filters 8 --path-length 1 --folds 4
check 'first target' grep -q '^target 1:' stdout
check 'second target' grep -q '^target 2:' stdout
check 'RMSE' grep -q 'rmse .* r2' stdout
check 'the mean as baseline' grep -q '^mean ' stdout
refuses 3 'numbers: graph 0 has 1.5 as target 1, which is no class: learn numbers with ridge' \
  cv numbers.jsonl --learner svm
echo '{"num_nodes": 2, "edges": [[0, 1]], "target": 1e300}' >huge.jsonl
echo '{"num_nodes": 3, "edges": [[0, 1], [1, 2]], "target": 2}' >>huge.jsonl
refuses 3 'huge: target has the value 1e+300, which is too large' cv huge.jsonl "${quick[@]}"

# Grids.
# refuses_grid SENTENCE GRID: as the file grid.json.
refuses_grid() {
  echo "$2" >grid.json
  refuses 2 "$1" cv motif.jsonl --no-baselines --grid grid.json
}
refuses_grid 'grid.json: "path_length": 2.9 is not a whole number' '{"path_length": [2.9]}'
refuses_grid 'grid.json: "filters": 4294967300 is not a whole number' '{"filters": [4294967300]}'
refuses_grid 'grid.json: "sigma": "1" is not a number' '{"sigma": ["1"]}'
refuses_grid 'grid.json: "sigmas" is not known: a grid has arch, path_length' '{"sigmas": [1]}'
refuses 2 '--config excludes --grid' cv motif.jsonl --no-baselines --grid paper --config grid.json
refuses 3 '.: is a folder, where a file belongs' cv motif.jsonl "${quick[@]}" --grid .
refuses 3 'no-such-grid.json: cannot be read' cv motif.jsonl "${quick[@]}" --grid no-such-grid.json

# Files that are written.
refuses 2 'would overwrite motif.jsonl, which is read as DATA' cv motif.jsonl "${quick[@]}" --out ./motif.jsonl
refuses 2 '- does not stand for a file here: give the name of one' cv motif.jsonl "${quick[@]}" --out -
refuses 3 'cannot write no/such/folder/cv.json: the folder no/such/folder does not exist' \
  cv motif.jsonl --out no/such/folder/cv.json
mkdir folder.csv
# Before the data are read: the missing file is not what is complained about.
refuses 3 'cannot write folder.csv: it is a folder' cv missing.jsonl --out folder.csv

finished=yes
