#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a terminal gets to see, and the signals it sends.
. "$(dirname "$0")/support.sh"
make_motif_set
# A graph and two classes whose names would colour a terminal, or run as a formula in a spreadsheet.
escape=$(printf '\033')
sed 's/"target": 0/"target": "\\u001b[31mred"/; s/"target": 1/"target": "=1+1"/; 1s/^{/{"id": "\\u001b[2Jclear", /' \
  motif.jsonl >named.jsonl
"$gckn" train named.jsonl --filters 8 --path-length 2 --out model.gckn --quiet || fail 'no model to test with'

# bar_is_erased: whatever follows a progress bar on the terminal comes after its erasure (or the next bar, which erases it).
bar_is_erased() {
  checks=$((checks + 1))
  grep -q '%' shown || fail "gckn $1: no bar was shown, so there is nothing to test"
  # Every bar ends with a bracket and perhaps a time; then comes \r and ESC [ K.
  if tr '\r' '\n' <shown | grep -a '\] ' | grep -aEv '\] (about [0-9.]+ (s|min|h) left)?$' | grep -q .; then
    fail "gckn $1: output on the line of the bar"
  fi
}

in_terminal predict model.gckn named.jsonl
check 'predict in a terminal' test "$code" = 0
bar_is_erased predict
check 'names without their escape codes' grep -qa '\\x1b\[31mred' shown
check 'ids, too' grep -qa '\\x1b\[2Jclear' shown
check 'no escape code of a file gets through' test -z "$(grep -aE "$escape\[(31m|2J)" shown)"
check 'a line for every graph' test "$(grep -Eac 'red|=1\+1,' shown)" -ge 60
passes predict model.gckn named.jsonl --out named.csv
check 'a file has the names as they are' grep -qa "$escape\[31mred" named.csv
passes predict model.gckn named.jsonl
check 'and so has a pipe' cmp stdout named.csv
check 'a formula is none in a spreadsheet' grep -q ",'=1+1," named.csv
check 'and never stands alone' test -z "$(grep ',=' named.csv)"

in_terminal kernel motif.jsonl --kernel path --out -
bar_is_erased kernel
in_terminal embed motif.jsonl --filters 8 --out -
bar_is_erased embed
in_terminal embed motif.jsonl --filters 8 --max-paths 1 --out never.csv
check 'an error in a terminal' test "$code" = 3
bar_is_erased 'embed with an error'

# Signals end a command as Ctrl-C does: no temporary file remains.
"$gckn" datasets make motif --out large.jsonl --graphs 3000 --nodes 60 --quiet
long=(embed large.jsonl --out never.npy --arch three-layer --path-length 6 --filters 512 --threads 1)
signalled TERM 143 "${long[@]}"
check 'says so' grep -qx 'gckn: error: ended by SIGTERM' stderr
signalled HUP 129 "${long[@]}"
check 'says that, too' grep -qx 'gckn: error: ended by SIGHUP' stderr
# While a file is being written: its temporary file goes, too.
"$gckn" embed motif.jsonl --filters 8 --path-length 1 --save-network network.gckn --quiet
mkfifo slow.jsonl
exec 7<>slow.jsonl
cat motif.jsonl >&7
signalled TERM 143 predict model.gckn - --out never.csv <slow.jsonl
exec 7>&-
# nohup: a closed terminal is nothing to it.
(trap '' HUP; exec "$gckn" "${long[@]}" >stdout 2>stderr) &
job=$!
sleep 1
kill -HUP $job
sleep 0.5
check 'a hang-up that is ignored stays so' kill -0 $job
kill -TERM $job
wait $job
check 'until it is told to end' test $? = 143
nothing_is_left 'of commands that were ended'
# The second signal kills, whichever they are: nobody waits for a computation that does not look up.
mkfifo deaf
"$gckn" info deaf >stdout 2>stderr &
job=$!
sleep 0.3
kill -TERM $job
sleep 0.3
check 'the first is waited for' kill -0 $job
kill -INT $job
sleep 0.5
check 'nothing outlives the second' test -z "$(kill -0 $job 2>/dev/null && echo alive)"
kill -KILL $job 2>/dev/null
wait $job 2>/dev/null

finished=yes
