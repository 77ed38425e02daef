#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the gckn command as a user would: cli_test.sh GCKN. Every check prints a line if it fails; the end counts them.
set -u
gckn=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
checks=0

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$1"
  [ -s stdout ] && sed 's/^/  stdout: /' stdout | head -5
  [ -s stderr ] && sed 's/^/  stderr: /' stderr | head -5
}

# run CODE ARGUMENT...: the command ends with this code; its output is in the files stdout and stderr.
run() {
  local expected=$1
  shift
  "$gckn" "$@" >stdout 2>stderr </dev/null
  local code=$?
  checks=$((checks + 1))
  [ "$code" = "$expected" ] || fail "gckn $*: exit code $code instead of $expected"
  if [ "$expected" != 0 ]; then
    [ "$(wc -l <stderr)" = 1 ] && grep -q '^gckn: error: ' stderr || fail "gckn $*: not one line of error"
    [ -s stdout ] && fail "gckn $*: output beside an error"
  fi
}

# check NAME COMMAND...: the command succeeds.
check() {
  local name=$1
  shift
  checks=$((checks + 1))
  "$@" >/dev/null 2>&1 || fail "$name"
}

is_json() {
  if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; assert isinstance(json.load(open("stdout")), dict)'
  else
    [ "$(head -c 1 stdout)" = '{' ] && [ "$(tail -c 2 stdout)" = '}' ]
  fi
}

# --- Help and version
for command in '' info embed cv train predict kernel datasets 'datasets make' 'datasets make motif'; do
  # shellcheck disable=SC2086  # the command is several words
  run 0 $command --help
  check "help of '$command' shows usage" grep -q "^Usage: gckn" stdout
done
for command in '' info embed cv train predict kernel 'datasets make motif'; do
  # shellcheck disable=SC2086
  run 0 $command --help
  check "help of '$command' has an example" grep -q '^Example' stdout
done
run 0 embed --help
check 'defaults are shown' grep -q 'default 128' stdout
check 'an old name is not' test -z "$(grep -e --save-model stdout)"
run 0 --version
check 'version' grep -Eq '^gckn [0-9]+\.[0-9]+\.[0-9]+$' stdout

# --- Wrong usage
run 2
run 2 nonsense
run 2 info
run 2 info --nonsense x
run 2 datasets make motif
run 2 datasets make motif --out m.jsonl --labels 2
run 2 datasets make motif --out m.jsonl --graphs many
check 'the option, the value and what is expected' grep -q -- '--graphs: expected a whole number from 0, found "many"' stderr
for value in '' -1 1.5 0x10 99999999999999999999999; do
  run 2 datasets make motif --out m.jsonl --seed "$value"
  check "seed '$value' is refused by name" grep -q -- '--seed' stderr
  run 2 embed missing.jsonl --out a.csv --max-paths "$value"
  check "max-paths '$value' is refused by name" grep -q -- '--max-paths' stderr
done
run 2 datasets make motif --out m.jsonl --graphs 5000000000
check 'too large a number' grep -q -- '--graphs = 5000000000 is out of range' stderr
for option in --sigma --filters --path-length --arch --pooling --features --out --save-network; do
  run 2 embed missing.jsonl --out a.csv $option ''
  check "an empty value of $option" grep -q -- "$option: .*\(empty\|found \"\"\)" stderr
done
run 2 embed missing.jsonl --out a.csv --sigma wide
check 'a number is expected' grep -q -- '--sigma: expected a number, found "wide"' stderr
run 2 embed missing.jsonl --out a.csv --sigma nan
run 2 embed missing.jsonl --out a.csv --filters 8.5
run 2 cv missing.jsonl --C ''
run 2 info ''

# --- Data sets
run 0 datasets make motif --out motif.jsonl --graphs 60 --nodes 12 --seed 7
check 'the set was written' test -s motif.jsonl
check 'one graph per line' test "$(wc -l <motif.jsonl)" = 60
run 0 datasets make motif --out again.jsonl --graphs 60 --nodes 12 --seed 7 --quiet
check 'quiet is silent' test ! -s stdout -a ! -s stderr
check 'same seed, same set' cmp motif.jsonl again.jsonl
run 0 datasets make motif --out other.jsonl --graphs 10 --json
check 'JSON of datasets' is_json
run 3 datasets make motif --out no/such/folder/m.jsonl

mkdir folder.jsonl folder.csv
run 3 datasets make motif --out folder.jsonl
check 'a folder is no output file' grep -q 'is a folder' stderr

# --- Info
run 0 info motif.jsonl
check 'info shows graphs' grep -q '60 graphs' stdout
check 'info shows classes' grep -q '0 (30 graphs), 1 (30 graphs)' stdout
check 'info is silent on standard error' test ! -s stderr
run 0 info motif.jsonl --json
check 'JSON of info' is_json
check 'JSON has the number of graphs' grep -q '"graphs": 60' stdout
run 0 info motif.jsonl --quiet
check 'quiet info is silent' test ! -s stdout -a ! -s stderr
run 3 info missing.jsonl
check 'the missing file is named' grep -q 'missing.jsonl' stderr
printf '{"num_nodes": 2, "edges": [[0, 5]]}\n' >bad.jsonl
run 3 info bad.jsonl
check 'file and line are named' grep -q 'bad.jsonl:1' stderr
run 2 info motif.jsonl --threads -1
printf '{"num_nodes": 1, "edges": [], "target": "a\\u001b[31mb\\u0085c"}\n' >escape.jsonl
run 0 info escape.jsonl
check 'control characters are shown, not sent' grep -qF 'a\x1b[31mb\x85c (1 graph)' stdout
printf '{\n  "num_nodes": 1,\n  "edges": []\n}\n' >pretty.jsonl
run 3 info pretty.jsonl
check 'a hint at one graph per line' grep -q 'pretty.jsonl:1: .*one graph per line' stderr

# --- Embed
run 0 embed motif.jsonl --out v.npy --filters 16
check 'vectors were written' test -s v.npy
check 'they are NumPy' grep -qa NUMPY v.npy
run 0 embed motif.jsonl --out v.csv --filters 16 --path-length 2 --arch path --save-network m.gckn
run 0 embed motif.jsonl --out v.csv --filters 16 --path-length 2 --arch path --save-model old-name.gckn
check 'the old name of --save-network goes on working' cmp m.gckn old-name.gckn
check 'one row per graph' test "$(wc -l <v.csv)" = 60
check 'three lengths of 16' test "$(head -1 v.csv | tr ',' '\n' | wc -l)" = 48
run 0 embed motif.jsonl --out loaded.csv --model m.gckn
check 'the saved network gives the same vectors' cmp v.csv loaded.csv
run 0 embed motif.jsonl --out - --model m.gckn
check 'standard output has the vectors only' cmp stdout v.csv
check 'the summary went to standard error' grep -q 'standard output' stderr
for threads in 1 2 4; do
  run 0 embed motif.jsonl --out "t$threads.npy" --filters 16 --threads $threads --seed 3 --quiet
done
check 'same bits for 1 and 2 threads' cmp t1.npy t2.npy
check 'same bits for 1 and 4 threads' cmp t1.npy t4.npy
check 'no progress bar off a terminal' test ! -s stderr
for architecture in walk path subtree three-layer; do
  run 0 embed motif.jsonl --out a.npy --arch $architecture --filters 8 --path-length 1
done
for pooling in sum mean max gmp; do
  run 0 embed motif.jsonl --out a.npy --filters 8 --path-length 1 --pooling $pooling --global-pooling $pooling
done
run 0 embed motif.jsonl --out a.csv --filters 8 --one-length --arch path --features degree --concat-layers
check 'one length of 8' test "$(head -1 a.csv | tr ',' '\n' | wc -l)" -le 8
run 0 embed motif.jsonl --out a.csv --filters 16 --json
check 'JSON of embed' is_json
run 2 embed motif.jsonl --out a.csv --filters 16,32
check 'one network is asked for' grep -q 'one network' stderr
printf '{"layers": [{"kind": "walk", "path_length": 2, "filters": 4}], "global_pooling": "mean"}' >config.json
run 0 embed motif.jsonl --config config.json --out a.csv
check 'the configuration was used' test "$(head -1 a.csv | tr ',' '\n' | wc -l)" = 12
printf '{"layers": [{"sigmas": 1}]}' >bad.json
run 2 embed motif.jsonl --config bad.json --out a.csv
check 'the wrong key is named' grep -q 'layers\[0\].sigmas' stderr
run 3 embed motif.jsonl --config missing.json --out a.csv
run 2 embed motif.jsonl --config config.json --filters 3 --out a.csv
run 2 embed motif.jsonl --model m.gckn --filters 3 --out a.csv
run 2 embed motif.jsonl --model m.gckn --config config.json --out a.csv
run 2 embed motif.jsonl
run 2 embed motif.jsonl --out vectors.txt
run 2 embed motif.jsonl --out - --json
run 2 embed motif.jsonl --out a.csv --arch triangle
run 2 embed motif.jsonl --out a.csv --pooling median
run 2 embed motif.jsonl --out a.csv --sigma 0
run 2 embed motif.jsonl --out a.csv --filters 0
run 3 embed motif.jsonl --out no/such/folder/a.csv
run 3 embed motif.jsonl --out never.npy --features attributes
run 3 embed motif.jsonl --out never.npy --max-paths 10
run 3 embed missing.jsonl --out never.npy
run 3 embed motif.jsonl --out never.npy --model missing.gckn
head -c 100 m.gckn >truncated.gckn
run 3 embed motif.jsonl --out never.npy --model truncated.gckn
run 3 embed motif.jsonl --out never.npy --model motif.jsonl
check 'nothing is left of failed commands' test -z "$(find . -name 'never*' -o -name '*.tmp')"
# Before the data are read: the missing file is not what is complained about.
run 3 embed missing.jsonl --out folder.csv
check 'a folder is refused before the work' grep -q 'is a folder' stderr
run 3 embed missing.jsonl --save-network folder.csv
check 'for a model, too' grep -q 'is a folder' stderr
run 3 kernel missing.jsonl --kernel path --out folder.csv
check 'for a kernel, too' grep -q 'is a folder' stderr
run 3 cv missing.jsonl --out folder.csv
check 'for cross-validation, too' grep -q 'is a folder' stderr
run 3 embed missing.jsonl --out /proc/never.csv
check 'nobody writes there' grep -q 'cannot write /proc/never.csv' stderr
(
  ulimit -f 1
  "$gckn" embed motif.jsonl --out never.csv --filters 16 --quiet >stdout 2>stderr
  echo $? >code
)
check 'a file that may not grow is an error' test "$(cat code)" = 1
check 'and says so' grep -q 'cannot write .*never.csv: File too large' stderr
check 'nothing is left of a failed write' test -z "$(find . -name 'never*' -o -name '*.tmp')"
cp v.csv kept.csv
run 3 embed motif.jsonl --out kept.csv --features attributes
check 'an old file survives a failure' cmp v.csv kept.csv
printf '{"num_nodes": 2, "edges": [[0, 1]]}\n{"num_nodes": 0, "edges": []}\n' >plain.jsonl
run 0 embed plain.jsonl --out a.csv --path-length 1

# --- Cross-validation
for protocol in nested paper; do
  run 0 cv motif.jsonl --protocol $protocol --filters 8 --path-length 1,2 --C 0.1,1 --folds 3 --out cv.json
  check 'figures' grep -Eq '^gckn +[0-9.]+ % ± ' stdout
  for baseline in 'majority class' 'label histogram' 'WL subtree kernel'; do
    check "$baseline beside it" grep -q "^$baseline " stdout
    check "compared with $baseline" grep -Eq "^gckn minus $baseline: .* p = " stdout
  done
  check 'every fold was written' test "$(grep -c '"train"' cv.json)" = 3
done
check 'the paper protocol owns up' grep -q optimistic stdout
quick='--filters 8 --path-length 1 --C 1 --no-baselines'
run 0 cv motif.jsonl $quick --protocol paper-repeated --folds 3
check 'ten repeats' grep -q '^10 repeats of 3 folds' stdout
run 0 cv motif.jsonl $quick --repeats 2 --folds 3
check 'two repeats' grep -q '^2 repeats of 3 folds' stdout
seq 0 4 59 >tested.txt
run 0 cv motif.jsonl $quick --test tested.txt
check 'one fold' grep -q '^Given: 1 fold;' stdout
for learner in svm logistic; do run 0 cv motif.jsonl $quick --learner $learner --balanced --select-by roc-auc; done
check 'log loss of probabilities' grep -q 'log-loss' stdout
run 2 cv motif.jsonl $quick --learner oracle
run 2 cv motif.jsonl $quick --select-by luck
run 2 cv motif.jsonl $quick --learner svm --select-by log-loss
run 2 cv motif.jsonl $quick --resume
printf '3\nx\n' >tested.txt
run 3 cv motif.jsonl $quick --test tested.txt
check 'file, line and value' grep -q "tested.txt:2: 'x'" stderr
printf '3\n60\n' >tested.txt
run 3 cv motif.jsonl $quick --test tested.txt
printf '3\n3\n' >tested.txt
run 3 cv motif.jsonl $quick --test tested.txt

# --- Numbers to predict, several at once, some missing
for i in $(seq 40); do
  printf '{"num_nodes": %d, "edges": [[0, 1], [1, 2]], "target": [%d.5, %s]}\n' $((3 + i % 7)) $((i % 7)) \
    "$([ $((i % 5)) = 0 ] && echo null || echo "$((i % 3)).25")"
done >numbers.jsonl
run 0 cv numbers.jsonl --filters 8 --path-length 1 --folds 4
check 'first target' grep -q '^target 1:' stdout
check 'second target' grep -q '^target 2:' stdout
check 'RMSE' grep -q 'rmse .* r2' stdout
check 'the mean as baseline' grep -q '^mean ' stdout
run 3 cv numbers.jsonl --learner svm
check 'which graph and value' grep -q 'graph 0 has 1.5 as target 1' stderr

# --- Search: grids, journal, resume
printf '{"arch": ["path", "walk"], "sigma": [0.5, 1], "C": [0.1, 1]}' >grid.json
run 0 cv motif.jsonl --grid grid.json --path-length 2 --pooling sum --filters 8 --protocol paper --no-baselines \
  --journal search.journal --out whole.json
check 'a line for every network, and a head' test "$(wc -l <search.journal)" = 5
run 3 cv motif.jsonl --grid grid.json --path-length 2 --pooling sum --filters 8 --protocol paper --no-baselines \
  --journal search.journal
check 'says what to do' grep -q 'resume' stderr
head -n 3 search.journal >cut.journal
tail -n 1 search.journal | head -c 50 >>cut.journal
run 0 cv motif.jsonl --grid grid.json --path-length 2 --pooling sum --filters 8 --protocol paper --no-baselines \
  --journal cut.journal --resume --out resumed.json
check 'resumed to the same end' cmp <(grep -v '"seconds"' whole.json) <(grep -v '"seconds"' resumed.json)
check 'and to the same journal' cmp search.journal cut.journal
run 3 cv motif.jsonl --grid grid.json --path-length 2 --pooling sum --filters 8 --protocol paper --no-baselines \
  --journal search.journal --resume --seed 3
check 'says what differs' grep -q 'another experiment: its "seed" is 0, here it is 3' stderr
run 2 cv motif.jsonl $quick --journal motif.jsonl --resume
run 2 cv motif.jsonl $quick --out ./motif.jsonl
run 2 cv motif.jsonl $quick --journal both --out both
run 2 cv motif.jsonl $quick --out -
run 3 cv motif.jsonl $quick --journal . --resume
run 3 cv motif.jsonl $quick --grid .
printf '3 garbage\n5\n' >listed
run 3 cv motif.jsonl $quick --test listed
check 'blames the line' grep -q "listed:1: '3 garbage'" stderr
for grid in '{"path_length": [2.9]}' '{"filters": [4294967300]}' '{"sigma": ["1"]}'; do
  echo "$grid" >loose.json
  run 2 cv motif.jsonl --no-baselines --grid loose.json
done
run 2 cv motif.jsonl --no-baselines --grid paper --config loose.json
run 2 train motif.jsonl $quick --folds 1 --out never.gckn
# While one run has a journal, another may not go on with it.
: >busy.journal
(
  flock -x 9
  exec 8>locked
  sleep 5
) 9>>busy.journal &
holder=$!
while [ ! -e locked ]; do sleep 0.05; done
run 3 cv motif.jsonl $quick --journal busy.journal --resume
check 'says that it is in use' grep -q 'in use by another run' stderr
kill $holder 2>/dev/null
wait $holder 2>/dev/null
echo '{"num_nodes": 2, "edges": [[0, 1]], "target": 1e300}' >huge.jsonl
echo '{"num_nodes": 3, "edges": [[0, 1], [1, 2]], "target": 2}' >>huge.jsonl
run 3 cv huge.jsonl $quick
check 'names the value' grep -q '1e+300, which is too large' stderr
printf '%s' "$(head -c 40 search.journal)" >torn.journal
run 0 cv motif.jsonl --grid grid.json --path-length 2 --pooling sum --filters 8 --protocol paper --no-baselines \
  --journal torn.journal --resume
check 'a header that was cut off' cmp search.journal torn.journal
# A nested search on several threads: stopped at any time it ends with 130, and what it has written is right.
nested='cv motif.jsonl --no-baselines --path-length 1,2,3 --filters 8,16 --sigma 0.4,0.6 --threads 4'
run 0 $nested --journal undisturbed.journal
for tenths in 1 2 3 4; do
  rm -f disturbed.journal
  "$gckn" $nested --journal disturbed.journal >stdout 2>stderr &
  running=$!
  sleep 0.$tenths
  kill -INT $running 2>/dev/null
  wait $running
  code=$?
  check 'stopped, or was done' test $code -eq 130 -o $code -eq 0
  check 'every line is right' test -z "$(sort disturbed.journal | comm -23 - <(sort undisturbed.journal))"
done
# Ctrl-C in the middle of a search: code 130, a whole journal, and resuming leads to the same end.
rm -f stopped.journal
search='cv motif.jsonl --protocol paper --no-baselines --grid paper --path-length 2 --filters 8,16,24,32 --C 0.1,1'
"$gckn" $search --journal stopped.journal >stdout 2>stderr &
pid=$!
for _ in $(seq 200); do
  [ -f stopped.journal ] && [ "$(wc -l <stopped.journal)" -gt 3 ] && break
  sleep 0.05
done
kill -INT $pid
wait $pid
check 'exit code of an interrupted search' test $? = 130
check 'says so in one line' grep -qx 'gckn: error: interrupted' stderr
lines=$(wc -l <stopped.journal)
check 'stopped before its end' test "$lines" -lt 253
check 'every line is whole' test "$(tail -c 1 stopped.journal | od -An -c | tr -d ' ')" = '\n'
run 0 $search --journal stopped.journal --resume --out resumed.json
run 0 $search --out whole.json
check 'resumed after Ctrl-C to the same end' cmp <(grep -v '"seconds"' whole.json) <(grep -v '"seconds"' resumed.json)
printf '{"sigmas": [1]}' >grid.json
run 2 cv motif.jsonl $quick --grid grid.json
run 3 cv motif.jsonl $quick --grid no-such-grid.json
run 0 cv motif.jsonl --path-length 1,3 --filters 8 --C 1 --max-paths 5000 --no-baselines
check 'says what was left out' grep -q 'of 3 or more edges are left out' stdout
run 3 cv motif.jsonl --path-length 3 --filters 8 --C 1 --max-paths 5000

run 0 cv motif.jsonl --filters 8 --path-length 1 --C 1 --folds 3 --json
check 'JSON of cv' is_json
mv stdout first
run 0 cv motif.jsonl --filters 8 --path-length 1 --C 1 --folds 3 --json --threads 1
check 'same result for any number of threads' cmp <(grep -v '"seconds"' first) <(grep -v '"seconds"' stdout)
run 2 cv motif.jsonl --protocol hopeful
run 2 cv motif.jsonl --C 1,0.1
run 2 cv motif.jsonl --C -1
run 2 cv motif.jsonl --folds 1
run 2 cv motif.jsonl --sigma 0.5,0
run 3 cv plain.jsonl
run 3 cv motif.jsonl --folds 50
run 3 cv motif.jsonl --out no/such/folder/cv.json

# --- Training and predicting
run 0 train motif.jsonl --filters 8 --path-length 2 --out model.gckn
check 'says that its figure is optimistic' grep -q optimistic stdout
cp model.gckn again.gckn
run 0 train motif.jsonl --filters 8 --path-length 2 --out again.gckn --threads 1
check 'the same bytes again, with any number of threads' cmp model.gckn again.gckn
run 0 predict model.gckn motif.jsonl --out predicted.csv
check 'header' grep -qx 'graph,label,score,probability' predicted.csv
check 'one line per graph, in order' cmp <(tail -n +2 predicted.csv | cut -d, -f1) <(seq 0 59)
check 'label, score and probability on every line' \
  test "$(grep -Ec '^[0-9]+,[01],-?[0-9.e-]+,[0-9.e-]+$' predicted.csv)" = 60
run 0 predict model.gckn motif.jsonl
check 'nothing but the table on standard output' cmp predicted.csv stdout
"$gckn" predict model.gckn - --quiet <motif.jsonl >stdout 2>stderr
check 'from standard input' cmp predicted.csv stdout
check 'quiet' test ! -s stderr
run 0 predict model.gckn motif.jsonl --out all.csv --all-classes --json
check 'JSON of predict' is_json
check 'a column for every class' grep -q ',probability of 0,probability of 1$' all.csv
printf '{"num_nodes": 0, "edges": []}\n{"num_nodes": 2, "edges": [[0, 1]], "node_labels": [99, 0]}\n' >odd.jsonl
run 0 predict model.gckn odd.jsonl
sed 's/"num_nodes": 2/"id": "an \\"odd\\", one", "num_nodes": 2/' odd.jsonl >named.jsonl
run 0 predict model.gckn named.jsonl
check 'the id of a graph, or its number' cmp <(cut -c 1-18 stdout) <(printf 'graph,label,score,\n%s\n%s\n' "$(sed -n 2p stdout | cut -c 1-18)" '"an ""odd"", one",')
check 'odd graphs get a line, too' test "$(wc -l <stdout)" = 3
run 0 predict model.gckn motif.jsonl --max-paths 1 --all-classes
check 'graphs of too many paths get a line, too' test "$(grep -Ec '^[0-9]+,,,,,$' stdout)" = 60
check 'and the command says how many' grep -q '60 graphs with more than 1 paths' stderr
check 'and does not count them as predicted' grep -q 'Predicted 0 graphs' stderr
run 0 embed motif.jsonl --model model.gckn --out a.csv
run 0 train numbers.jsonl --filters 8 --path-length 2 --out numbers.gckn
run 0 predict numbers.gckn numbers.jsonl
check 'several numbers' grep -qx 'graph,value:target 1,value:target 2' stdout
check 'a line per graph with numbers' test "$(wc -l <stdout)" = 41
run 0 predict numbers.gckn numbers.jsonl --max-paths 0
check 'a line per graph without any' test "$(grep -Ec '^[0-9]+,,$' stdout)" = 40
run 0 train motif.jsonl --learner logistic --filters 8 --path-length 1,2 --C 0.1,1 --journal train.journal --out a.gckn
run 0 train motif.jsonl --learner logistic --filters 8 --path-length 1,2 --C 0.1,1 --journal train.journal --resume --out b.gckn
check 'resumed training' cmp a.gckn b.gckn
run 3 predict m.gckn motif.jsonl
check 'a network is no model' grep -q 'network only' stderr
run 3 predict numbers.gckn no-such-file.jsonl --out never.csv
run 3 predict model.gckn plain.jsonl --out never.csv
check 'says which features' grep -q 'no node labels' stderr
run 3 train plain.jsonl --out never.gckn
sed 's/"target": *[0-9]*/"target": 1/' motif.jsonl >one-class.jsonl
run 3 train one-class.jsonl --out never.gckn
check 'one class' grep -q 'only one class' stderr
sed '1s/"target": *[0-9]*/"target": "x"/' motif.jsonl >mixed.jsonl
run 3 train mixed.jsonl --out never.gckn
run 2 train motif.jsonl --out motif.jsonl
run 2 predict model.gckn motif.jsonl --out model.gckn
run 2 predict model.gckn motif.jsonl --json
run 3 train motif.jsonl --out no/such/folder/m.gckn
check 'nothing is left of failed training' test -z "$(find . -name 'never*' -o -name '*.tmp')"

# --- Kernel
for kernel in path walk wl-subtree gaussian-path gaussian-walk; do
  run 0 kernel motif.jsonl --kernel $kernel --path-length 2 --out k.csv
  check 'a square matrix' test "$(wc -l <k.csv)" = 60
done
run 0 kernel motif.jsonl --kernel wl-subtree --rounds 2 --normalise --out k.csv
check 'normalised to 1' test "$(head -1 k.csv | cut -d, -f1)" = 1
run 0 kernel motif.jsonl --kernel path --summed --out k.npy
check 'the matrix was written' grep -qa NUMPY k.npy
run 0 kernel motif.jsonl --kernel walk --out - --quiet
check 'the matrix on standard output' test "$(wc -l <stdout)" = 60
run 0 kernel motif.jsonl --kernel gaussian-path --sigma 1 --path-length 1 --out k.csv --json
check 'JSON of kernel' is_json
run 2 kernel motif.jsonl --out k.csv
run 2 kernel motif.jsonl --kernel path
run 2 kernel motif.jsonl --kernel none --out k.csv
run 2 kernel motif.jsonl --kernel path --sigma 1 --out k.csv
run 2 kernel motif.jsonl --kernel wl-subtree --summed --out k.csv
run 3 kernel missing.jsonl --kernel path --out never.csv
run 3 kernel motif.jsonl --kernel path --features attributes --out never.csv
check 'nothing is left of failed kernels' test ! -e never.csv

# --- Interruption: a background job of a script ignores Ctrl-C unless it is given the signal's default back.
# interrupt ARGUMENT...: after a second the command ends with code 130 within five, and leaves nothing.
interrupt() {
  set -m
  "$gckn" "$@" >stdout 2>stderr &
  local job=$!
  set +m
  sleep 1
  kill -INT "$job"
  local begin=$SECONDS
  wait "$job"
  local code=$?
  checks=$((checks + 1))
  [ "$code" = 130 ] || fail "gckn $*: interrupted: exit code $code instead of 130"
  check "gckn $* stops soon" test $((SECONDS - begin)) -le 5
  check 'nothing is left of an interrupted command' test -z "$(find . -name 'never*' -o -name '*.tmp')"
}
"$gckn" datasets make motif --out large.jsonl --graphs 3000 --nodes 60 --quiet
"$gckn" datasets make motif --out many.jsonl --graphs 5000 --nodes 8 --quiet
interrupt embed large.jsonl --out never.npy --arch three-layer --path-length 6 --filters 512 --threads 1
interrupt datasets make motif --out never.jsonl --graphs 20000000
interrupt kernel many.jsonl --kernel wl-subtree --rounds 63 --threads 1 --out never.npy
interrupt kernel large.jsonl --kernel gaussian-path --path-length 6 --out never.npy
mkfifo silence
interrupt predict model.gckn - --out never.csv <>silence  # an input that never comes
check 'says why it ended' grep -qx 'gckn: error: interrupted' stderr

printf '%s checks, %s failed\n' "$checks" "$failures"
[ "$failures" = 0 ]
