#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gckn cv: journals, and searches that are stopped and go on.
. "$(dirname "$0")/support.sh"
make_motif_set
quick=(--filters 8 --path-length 1 --C 1 --no-baselines)

# same_but_for_time FILE FILE: results of gckn cv --out.
same_but_for_time() { cmp <(grep -v '"seconds"' "$1") <(grep -v '"seconds"' "$2"); }

printf '{"arch": ["path", "walk"], "sigma": [0.5, 1], "C": [0.1, 1]}' >grid.json
search=(cv motif.jsonl --grid grid.json --path-length 2 --pooling sum --filters 8 --protocol paper --no-baselines)
passes "${search[@]}" --journal search.journal --out whole.json
check 'a line for every network, and a head' test "$(wc -l <search.journal)" = 5
refuses 3 'search.journal exists: resume to go on with it, or remove it to begin anew' \
  "${search[@]}" --journal search.journal
head -n 3 search.journal >cut.journal
tail -n 1 search.journal | head -c 50 >>cut.journal
passes "${search[@]}" --journal cut.journal --resume --out resumed.json
check 'resumed to the same end' same_but_for_time whole.json resumed.json
check 'and to the same journal' cmp search.journal cut.journal
printf '%s' "$(head -c 40 search.journal)" >torn.journal
passes "${search[@]}" --journal torn.journal --resume
check 'a header that was cut off' cmp search.journal torn.journal

refuses 3 'search.journal: is of another experiment: its "seed" is 0, here it is 3' \
  "${search[@]}" --journal search.journal --resume --seed 3
refuses 2 '--resume goes on with a journal: give --journal FILE' cv motif.jsonl "${quick[@]}" --resume
refuses 2 'would overwrite motif.jsonl, which is read as DATA' \
  cv motif.jsonl "${quick[@]}" --journal motif.jsonl --resume
refuses 2 '--out and --journal are the same file, both' cv motif.jsonl "${quick[@]}" --journal both --out both
refuses 3 '.: a journal must be a regular file, which this is not' cv motif.jsonl "${quick[@]}" --journal . --resume
refuses 3 '/dev/null: a journal must be a regular file, which this is not' cv motif.jsonl "${quick[@]}" --journal /dev/null

refuses 3 'search.journal: is of another experiment: its "max_paths" is 4000000000, here it is 5000' \
  "${search[@]}" --journal search.journal --resume --max-paths 5000
# A line of the wrong shape; journal_test.cpp has all of them.
sed '2s/"predictions":.*/"predictions":[]}/' search.journal >wrong.journal
refuses 3 'wrong.journal:2: is no line of a journal: "predictions" is empty' \
  "${search[@]}" --journal wrong.journal --resume
sed '3s/"C":\[[^]]*\]/"C":[]/' search.journal >wrong.journal
refuses 3 'wrong.journal:3: is no line of a journal: "C" has 0 where there should be 1' \
  "${search[@]}" --journal wrong.journal --resume

# While one run has a journal, another may not go on with it.
: >busy.journal
(
  flock -x 9
  exec 8>locked
  sleep 5
) 9>>busy.journal &
holder=$!
while [ ! -e locked ]; do sleep 0.05; done
refuses 3 'busy.journal: is in use by another run' cv motif.jsonl "${quick[@]}" --journal busy.journal --resume
kill $holder 2>/dev/null
wait $holder 2>/dev/null

# A nested search on several threads: stopped at any time it ends with 130, and what it has written is right.
nested=(cv motif.jsonl --no-baselines --path-length 1,2,3 --filters 8,16 --sigma 0.4,0.6 --threads 4)
passes "${nested[@]}" --journal undisturbed.journal
for tenths in 1 2 3 4; do
  rm -f disturbed.journal
  "$gckn" "${nested[@]}" --journal disturbed.journal >stdout 2>stderr &
  running=$!
  sleep 0.$tenths
  kill -INT $running 2>/dev/null
  wait $running
  code=$?
  check 'stopped, or was done' test $code -eq 130 -o $code -eq 0
  check 'every line is right' test -z "$(sort disturbed.journal | comm -23 - <(sort undisturbed.journal))"
done

# Ctrl-C in the middle of a search: code 130, a whole journal, and resuming leads to the same end.
search=(cv motif.jsonl --protocol paper --no-baselines --grid paper --path-length 2 --filters 8,16,24,32 --C 0.1,1)
"$gckn" "${search[@]}" --journal stopped.journal >stdout 2>stderr &
running=$!
for _ in $(seq 200); do
  [ -f stopped.journal ] && [ "$(wc -l <stopped.journal)" -gt 3 ] && break
  sleep 0.05
done
kill -INT $running
wait $running
check 'exit code of an interrupted search' test $? = 130
check 'says so in one line' grep -qx 'gckn: error: interrupted' stderr
check 'stopped before its end' test "$(wc -l <stopped.journal)" -lt 253
check 'every line is whole' test "$(tail -c 1 stopped.journal | od -An -c | tr -d ' ')" = '\n'
passes "${search[@]}" --journal stopped.journal --resume --out resumed.json
passes "${search[@]}" --out whole.json
check 'resumed after Ctrl-C to the same end' same_but_for_time whole.json resumed.json

finished=yes
