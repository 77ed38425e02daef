#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn train: a model from graphs with targets.
. "$(dirname "$0")/support.sh"
make_motif_set

passes train motif.jsonl --filters 8 --path-length 2 --out model.gckn
check 'says that its figure is optimistic' grep -q optimistic stdout
passes train motif.jsonl --filters 8 --path-length 2 --out again.gckn --threads 1
check 'the same bytes again, with any number of threads' cmp model.gckn again.gckn
passes embed motif.jsonl --model model.gckn --out a.csv
make_numbers_set
passes train numbers.jsonl --filters 8 --path-length 2 --out numbers.gckn
# Folds of one graph have no variance to explain.
passes train numbers.jsonl --filters 8 --path-length 1 --C 1,2 --folds 40 --select-by r2 --out undefined.gckn
check 'no figure where there is none' grep -q 'target 1: ridge with C = 1; no fold defines r2, so that' stdout
passes train numbers.jsonl --filters 8 --path-length 1 --C 1,2 --folds 40 --select-by r2 --json --out undefined.gckn
check 'null for it in JSON' grep -q '"r2": *null' stdout
logistic=(train motif.jsonl --learner logistic --filters 8 --path-length 1,2 --C 0.1,1 --journal train.journal)
passes "${logistic[@]}" --out a.gckn
passes "${logistic[@]}" --resume --out b.gckn
check 'resumed training' cmp a.gckn b.gckn

sed '2s/"C":\[[^]]*\]/"C":["x"]/' train.journal >wrong.journal
refuses 3 'wrong.journal:2: is no line of a journal: "C" has "x" where a number belongs' \
  train motif.jsonl --learner logistic --filters 8 --path-length 1,2 --C 0.1,1 --journal wrong.journal --resume \
  --out never.gckn
# What is compared.
echo '{"path_length": [3]}' >lengths.json
passes train motif.jsonl --compare states --grid lengths.json --out grid.gckn
check 'a grid has lengths of states, too' grep -q 'states of nodes by paths of up to 3 edges' stdout
refuses 2 '--sigma describes networks' train motif.jsonl --compare states --sigma 0.5 --out never.gckn
echo '{"compare": "states", "layers": [{"path_length": 2}]}' >states.json
refuses 2 'end-to-end training is of networks that compare vectors' \
  train motif.jsonl --supervised --config states.json --epochs 2 --out never.gckn
refuses 2 'end-to-end training is of networks that compare vectors' \
  cv motif.jsonl --supervised --config states.json --epochs 2
awk 'BEGIN { for (i = 0; i < 5001; ++i) printf "{\"num_nodes\": 1, \"edges\": [], \"node_labels\": [%d], \"target\": %d}\n", i % 2, i % 2 }' >large.jsonl
passes train large.jsonl --out large.gckn
check 'too many graphs for Gaussian heads' grep -q 'Gaussian heads are left out: 5,001 graphs are too many (at most 5,000)' stderr
sed 's/"node_labels": \[\([^]]*\)\]/"node_attributes": [[\1]]/; :a; s/\("node_attributes": \[[^"]*[0-9]\), \([0-9]\)/\1], [\2/; ta' \
  motif.jsonl >attributes.jsonl
passes train attributes.jsonl --head gaussian --out attributes.gckn
check 'of attributes vectors' grep -q '^Network: .*, Gaussian head' stdout

# The candidates are those of cv.
passes train motif.jsonl --filters 8 --C 1 --json --out default.gckn
check 'path lengths 2 and 4, pooling by sum and mean' grep -q '"candidates": *4' stdout
passes cv motif.jsonl --filters 8 --C 1 --no-baselines
check 'as many as cv tries' grep -q '^Network (4 candidates) and C' stdout
passes train motif.jsonl --filters 8 --path-length 1 --C 1 --folds 31 --out few.gckn
check 'fewer folds, and a note' grep -qF "Note: 30 folds instead of 31: class '0' has only 30 graphs." stdout

refuses 2 '1 folds: must be at least 2' train motif.jsonl --filters 8 --path-length 1 --C 1 --folds 1 --out never.gckn
refuses 2 'The following argument was not expected: --no-baselines' train motif.jsonl --no-baselines --out never.gckn
make_plain_set
refuses 3 'plain has no classes and no numbers to learn' train plain.jsonl --out never.gckn
sed 's/"target": *[0-9]*/"target": 1/' motif.jsonl >one-class.jsonl
refuses 3 'one-class: target has only one class: there is nothing to tell apart' \
  train one-class.jsonl --out never.gckn
sed '1s/"target": *[0-9]*/"target": "x"/' motif.jsonl >mixed.jsonl
refuses 3 'mixed.jsonl:2: target: a number here but a text at mixed.jsonl:1' train mixed.jsonl --out never.gckn
refuses 2 'would overwrite motif.jsonl, which is read as DATA' train motif.jsonl --out motif.jsonl
refuses 3 'cannot write no/such/folder/m.gckn: the folder no/such/folder does not exist' \
  train motif.jsonl --out no/such/folder/m.gckn
nothing_is_left 'of failed training'

finished=yes
