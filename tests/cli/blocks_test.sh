#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn embed, predict and merge: long work that is stopped, resumed and shared.
. "$(dirname "$0")/support.sh"
make_motif_set

passes train motif.jsonl --out m.gckn --filters 8 --path-length 1
# Blocks are some megabytes of lines: names of a thousand letters make five of the sixty graphs many times over.
for copy in $(seq 600); do
  awk -v copy="$copy" -v pad="$(printf 'x%.0s' $(seq 1000))" '{ sub(/^{/, "{\"id\": \"" copy "-" NR pad "\", "); print }' motif.jsonl
done >big.jsonl
rows=$(wc -l <big.jsonl)

passes embed big.jsonl --model m.gckn --out whole.csv --ids whole.txt
passes embed big.jsonl --model m.gckn --out whole.npy --threads 1
passes predict m.gckn big.jsonl --out whole-predictions.csv
check 'a row for every graph' test "$(wc -l <whole.csv)" = $((rows + 1))
check 'nothing is left beside the files' test -z "$(ls ./*.part ./*.blocks 2>/dev/null)"

# stopped_after_some SIGNAL NAME ARGUMENT...: a run that reads its standard input is stopped while it waits for the second half.
stopped_after_some() {
  local signal=$1 name=$2
  shift 2
  mkfifo input
  "$gckn" "$@" <input >stdout 2>stderr &
  local run=$!
  exec 3>input
  head -n $((rows * 3 / 4)) big.jsonl >&3
  for _ in $(seq 600); do
    [ "$(grep -c '"block"' "$name.blocks" 2>/dev/null)" -ge 2 ] && break
    sleep 0.1
  done
  kill "-$signal" $run
  wait $run 2>/dev/null
  code=$?
  exec 3>&-
  rm input
}

stopped_after_some KILL v.csv embed - --model m.gckn --out v.csv --ids v.txt
check 'whole blocks are there' test "$(grep -c '"block"' v.csv.blocks)" -ge 2
check 'and no file that looks whole' test ! -e v.csv -a ! -e v.txt
refuses 3 'is unfinished: resume to go on' embed - --model m.gckn --out v.csv --ids v.txt
passes train motif.jsonl --out other.gckn --filters 8 --path-length 2
refuses 3 'is of another run' embed - --model other.gckn --out v.csv --ids v.txt --resume
"$gckn" embed - --model m.gckn --out v.csv --ids v.txt --resume <big.jsonl >stdout 2>stderr
check 'a killed run goes on to the same vectors' cmp v.csv whole.csv
check 'and the same names' cmp v.txt whole.txt
check 'what it needed is gone' test -z "$(ls ./*.part ./*.blocks 2>/dev/null)"

stopped_after_some INT v.npy embed - --model m.gckn --out v.npy
check 'Ctrl-C says how to go on' grep -q 'with --resume goes on after [0-9]* blocks' stderr
check 'and is an interruption' test $code = 130
"$gckn" embed - --model m.gckn --out v.npy --resume <big.jsonl >stdout 2>stderr
check 'arrays go on, too' cmp v.npy whole.npy

stopped_after_some KILL p.csv predict m.gckn - --out p.csv
"$gckn" predict m.gckn - --out p.csv --resume <big.jsonl >stdout 2>stderr
check 'and predictions' cmp p.csv whole-predictions.csv
check 'whose figures are of the rest' grep -q 'the figures are of the graphs that this run' stdout

# Data that are not the same.
stopped_after_some KILL short.npy embed - --model m.gckn --out short.npy
head -n 10 big.jsonl | "$gckn" embed - --model m.gckn --out short.npy --resume >stdout 2>stderr
check 'data that end too early are refused' grep -q 'ends before what an earlier run has done' stderr
check 'and the rows stay' test -e short.npy.part -a ! -e short.npy
rm short.npy.part short.npy.blocks

# Shards.
for shard in 1 2 3; do
  passes embed big.jsonl --model m.gckn --out "part$shard.npy" --ids "part$shard.txt" --shard $shard/3
  passes predict m.gckn big.jsonl --out "part$shard.csv" --shard $shard/3
done
refuses 3 'of 3 shards one is missing: 2' merge part3.npy part1.npy --out merged.npy
passes merge part3.npy part1.npy part2.npy --out merged.npy --ids merged.txt
check 'shards make the whole' cmp merged.npy whole.npy
check 'and its names' cmp merged.txt whole.txt
passes merge part1.csv part2.csv part3.csv --out merged.csv
check 'and its predictions' cmp merged.csv whole-predictions.csv
passes embed big.jsonl --model m.gckn --out part2.npy --ids part2.txt --shard 2/3 --resume
check 'a finished shard has nothing to do' grep -q 'part2.npy is finished' stdout
passes merge part3.npy part1.npy part2.npy --out again.npy
check 'and stays as it is' cmp again.npy whole.npy
passes predict m.gckn motif.jsonl --out none.csv --shard 2/2
check 'a shard without blocks has a header' test "$(cat none.csv)" = "$(head -1 whole-predictions.csv)"
passes predict m.gckn motif.jsonl --out only.csv --shard 1/1
passes merge only.csv --out one.csv
check 'one shard is all' cmp one.csv only.csv
refuses 3 'is finished: resume to leave it so' predict m.gckn motif.jsonl --out only.csv --shard 1/1
refuses 3 'is one of the files of the shards' merge part1.npy part2.npy part3.npy --out x.npy --ids part2.txt
refuses 2 'must end as that of' merge part1.npy part2.npy part3.npy --out merged.csv
refuses 3 'there is no whole.npy.blocks beside it' merge whole.npy --out merged.npy

# Half numbers.
passes embed motif.jsonl --model m.gckn --out half.npy --float16
passes embed motif.jsonl --model m.gckn --out full.npy
columns=$(($(($(wc -c <full.npy) - 128)) / 60 / 4))
check 'half the bytes' test "$(wc -c <half.npy)" = $((128 + 60 * columns * 2))
passes nearest m.gckn half.npy motif.jsonl --k 1
check 'are as good to find graphs by' awk -F, 'NR > 1 && $4 < 0.9999 { exit 1 }' stdout

refuses 2 '--float16 goes with --out FILE.npy' embed motif.jsonl --model m.gckn --out half.csv --float16
refuses 2 'is no shard: the second of eight is 2/8' embed motif.jsonl --model m.gckn --out s.npy --shard 3/2
refuses 2 '--resume goes with --out FILE' predict m.gckn motif.jsonl --resume
refuses 2 '--shard goes with DATA, not with --smiles' predict m.gckn --smiles CCO --out s.csv --shard 1/2
mkfifo pipe.npy
refuses 3 'an array has to be a file' embed motif.jsonl --model m.gckn --out pipe.npy
refuses 2 '--shard goes with --out FILE' embed motif.jsonl --model m.gckn --shard 1/2 --out -
run embed motif.jsonl --out s.npy --resume
check 'a network that is fitted here cannot be resumed' test $code = 2
refuses 2 'the .part of --out' embed motif.jsonl --model m.gckn --out s.npy --ids s.npy.part

finished=yes
