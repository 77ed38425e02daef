#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# End-to-end training: gckn train --supervised and gckn cv --supervised.
. "$(dirname "$0")/support.sh"
make_motif_set
small=(--supervised --filters 8 --path-length 2 --batch-size 16)

passes train motif.jsonl "${small[@]}" --epochs 12 --out model.gckn --history history.csv --plot history.svg
check 'a line now and then' grep -q '^Epoch 10: loss ' stdout
check 'what it was' grep -q 'svm, trained end to end for 12 epochs with penalty 0.0001' stdout
check 'no probabilities, and why' grep -q '^Note: there are no probabilities' stdout
check 'a line for every epoch and the header' test "$(wc -l <history.csv)" = 13
check 'a picture' grep -q '<svg' history.svg
passes info model.gckn
check 'info says how it was trained' grep -q 'trained on .*60 graphs; end to end, 12 epochs, penalty 0.0001' stdout
passes predict model.gckn motif.jsonl --out predictions.csv
passes embed motif.jsonl --model model.gckn --out vectors.npy
passes train motif.jsonl "${small[@]}" --epochs 12 --out again.gckn --threads 1 --quiet
check 'the same bytes with one thread' cmp model.gckn again.gckn
passes train motif.jsonl "${small[@]}" --epochs 5 --json --out json.gckn
check 'one JSON object' is_json
check 'with the options' grep -q '"learning_rate": 0.01' stdout

# A validation part, early stopping, probabilities.
passes train motif.jsonl "${small[@]}" --epochs 40 --validation 0.2 --patience 4 --out validated.gckn --history v.csv
check 'the best epoch on graphs held out' grep -qE '^Epoch [0-9]+ of [0-9]+ is best on 12 graphs held out: accuracy [01]' stdout
check 'probabilities from these' test "$(grep -c 'no probabilities' stdout)" = 0
check 'validation columns are filled' grep -qE '^1,0.01,[0-9.e-]+,[0-9.e-]+,[0-9.e-]+,[0-9.]+$' v.csv
passes train motif.jsonl "${small[@]}" --epochs 3 --learner logistic --out logistic.gckn
passes predict logistic.gckn motif.jsonl --out p.csv
check 'probabilities of a logistic model' grep -qE '^[^,]*,.*probability' p.csv

# Several candidates.
passes train motif.jsonl "${small[@]}" --epochs 3 --penalty 1e-2,1e-4 --folds 3 --out chosen.gckn --json
check 'two candidates' grep -q '"candidates": 2' stdout

# Checkpoints.
state=(train motif.jsonl "${small[@]}" --checkpoint training.state)
passes "${state[@]}" --epochs 5 --out part.gckn
refuses 3 'training.state exists: resume to go on with it, or remove it to begin anew' \
  "${state[@]}" --epochs 12 --out never.gckn
passes "${state[@]}" --epochs 12 --resume --out resumed.gckn
check 'the same bytes as in one go' cmp model.gckn resumed.gckn
refuses 3 'it is of another training: its "penalty" is 0.0001, here it is 0.01' \
  "${state[@]}" --penalty 1e-2 --resume --out never.gckn
head -c 500 training.state >cut.state
refuses 3 'cut.state: ' train motif.jsonl "${small[@]}" --checkpoint cut.state --resume --out never.gckn
refuses 2 '--resume goes on with a checkpoint or a journal' train motif.jsonl "${small[@]}" --resume --out never.gckn

# Ctrl-C keeps the best model so far and says so.
set -m
"$gckn" train motif.jsonl "${small[@]}" --epochs 10000000 --out kept.gckn --checkpoint kept.state >stdout 2>stderr &
job=$!
set +m
sleep 3
kill -INT $job
wait $job
code=$?
check 'interrupted: exit code 130' test "$code" = 130
check 'interrupted: the model is there' test -s kept.gckn
check 'interrupted: it says so' grep -q 'interrupted' stderr
check 'interrupted: the checkpoint is there' test -s kept.state
run predict kept.gckn motif.jsonl --out kept.csv
check 'interrupted: the model predicts' test "$code" = 0

# Divergence: epoch and batch, and the last good model.
run train motif.jsonl "${small[@]}" --epochs 3 --learning-rate 1e300 --out diverged.gckn
check 'diverged: exit code 1' test "$code" = 1
check 'diverged: epoch and batch' grep -q 'epoch 1, batch [0-9]*: the learning rate may be too large' stderr
check 'diverged: the model is there' test -s diverged.gckn

# What makes no sense.
refuses 2 'generalised max pooling (gmp) cannot be trained end to end' \
  train motif.jsonl "${small[@]}" --pooling gmp --out never.gckn
refuses 2 '--epochs requires --supervised' train motif.jsonl --epochs 3 --out never.gckn
refuses 2 'epochs 0: it must be at least 1' train motif.jsonl "${small[@]}" --epochs 0 --out never.gckn
refuses 2 'a learning rate of -1: it must be positive' train motif.jsonl "${small[@]}" --learning-rate -1 --out never.gckn
refuses 2 'a penalty of 0: it must be positive' train motif.jsonl "${small[@]}" --penalty 0 --out never.gckn
refuses 2 'a batch size of 0' train motif.jsonl --supervised --batch-size 0 --out never.gckn
refuses 2 'a validation part of 1: it must be a share from 0 to below 1' \
  train motif.jsonl "${small[@]}" --validation 1 --out never.gckn
refuses 2 'a training is stopped early by its validation part' \
  train motif.jsonl "${small[@]}" --patience 3 --out never.gckn
refuses 2 'would overwrite motif.jsonl' train motif.jsonl "${small[@]}" --history motif.jsonl --out never.gckn
refuses 3 'a part of 0.001 leaves one of the parts of 60 graphs empty' \
  train motif.jsonl "${small[@]}" --validation 0.001 --out never.gckn
nothing_is_left 'of refused trainings'

# Numbers, several targets, missing values.
make_numbers_set
passes train numbers.jsonl "${small[@]}" --epochs 3 --out numbers.gckn
passes predict numbers.gckn numbers.jsonl --out n.csv

# Cross-validation.
cv=(cv motif.jsonl "${small[@]}" --epochs 5 --no-baselines --folds 4)
passes "${cv[@]}"
check 'nested: epochs within the training graphs' grep -qE '^Network and penalty \(1 candidate\) and epochs \([0-9]+ to [0-9]+\) were chosen within' stdout
passes "${cv[@]}" --protocol paper --penalty 1e-2,1e-4 --out cv.json --history cv.csv --plot cv.svg
check 'two candidates, five epochs, a header' test "$(wc -l <cv.csv)" = 11
check 'loss and score' grep -qE '^1,0,0.0001,5,[0-9.e-]+,[0-9.]+$' cv.csv
check 'a picture of the best' grep -q 'the best mean: epoch' cv.svg
check 'paper: what was chosen' grep -qE '^Best of 2 candidates with penalty [0-9.]+ and [0-9]+ epoch' stdout
check 'scores by epoch' grep -q '"score_by_epoch"' cv.json
refuses 2 'nested folds have epochs of their own' "${cv[@]}" --history never.csv
passes "${cv[@]}" --protocol paper --penalty 1e-2,1e-4 --journal cv.journal --json
mv stdout first.json
passes "${cv[@]}" --protocol paper --penalty 1e-2,1e-4 --journal cv.journal --resume --json
check 'resumed: the same' cmp <(grep -v seconds first.json) <(grep -v seconds stdout)
refuses 3 'is of another experiment: its "supervised"' "${cv[@]}" --learning-rate 0.02 --protocol paper \
  --penalty 1e-2,1e-4 --journal cv.journal --resume
interrupt cv motif.jsonl "${small[@]}" --epochs 100000

finished=yes
