# SPDX-License-Identifier: BSD-3-Clause
# Shared by the tests of the gckn command, which run it as a user would: COMMAND_test.sh GCKN. Sourced by each of them; it
# then runs in an empty folder of its own. Every check that fails prints a line, and the end counts them.
set -u
gckn=$(realpath "$1")
folder=$(mktemp -d)
cd "$folder" || exit 1
failures=0
checks=0

finish() {
  printf '%s checks, %s failed\n' "$checks" "$failures"
  rm -rf "$folder"
  # A test that stops half-way or checks nothing has not passed.
  [ "$failures" = 0 ] && [ "$checks" -gt 0 ] && [ "${finished:-}" = yes ] || exit 1
}
trap finish EXIT

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$1"
  [ -s stdout ] && sed 's/^/  stdout: /' stdout | head -5
  [ -s stderr ] && sed 's/^/  stderr: /' stderr | head -5
  return 0
}

# check NAME COMMAND...: the command succeeds.
check() {
  local name=$1
  shift
  checks=$((checks + 1))
  "$@" >/dev/null 2>&1 || fail "$name"
}

# Runs gckn; its output is in the files stdout and stderr, its exit code in $code.
run() {
  "$gckn" "$@" >stdout 2>stderr </dev/null
  code=$?
}

# passes ARGUMENT...: gckn does what it is asked for.
passes() {
  run "$@"
  checks=$((checks + 1))
  [ "$code" = 0 ] || fail "gckn $*: exit code $code instead of 0"
}

# refuses CODE SENTENCE ARGUMENT...: gckn ends with this code, prints nothing and says why in one line, of which SENTENCE is
# a part: several words, so that it cannot be mistaken for the first argument.
refuses() {
  local expected=$1 sentence=$2
  shift 2
  case $sentence in
    *' '*) ;;
    *)
      fail "refuses $expected '$sentence' $*: give a part of the expected sentence before the arguments"
      return
      ;;
  esac
  run "$@"
  checks=$((checks + 1))
  [ "$code" = "$expected" ] || fail "gckn $*: exit code $code instead of $expected"
  [ "$(wc -l <stderr)" = 1 ] && grep -q '^gckn: error: ' stderr || fail "gckn $*: not one line of error"
  grep -qF -- "$sentence" stderr || fail "gckn $*: the error does not say: $sentence"
  [ -s stdout ] && fail "gckn $*: output beside an error"
  return 0
}

is_json() {
  if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; assert isinstance(json.load(open("stdout")), dict)'
  else
    [ "$(head -c 1 stdout)" = '{' ] && [ "$(tail -c 2 stdout)" = '}' ]
  fi
}

# in_terminal ARGUMENT...: runs gckn in a terminal of its own; what it shows, control characters and all, is in the file
# shown.
in_terminal() {
  script -qec "$(printf '%q ' "$gckn" "$@")" /dev/null </dev/null >shown 2>&1
  code=$?
}

# interrupt ARGUMENT...: Ctrl-C after a second of work (or $after) ends the command with code 130 within five, and leaves nothing.
# Call its output never... A background job of a script ignores Ctrl-C unless it is given the signal's default back.
interrupt() { signalled INT 130 "$@"; }

# signalled SIGNAL CODE ARGUMENT...: the same for another signal.
signalled() {
  local signal=$1 expected=$2
  shift 2
  set -m
  "$gckn" "$@" >stdout 2>stderr &
  local job=$!
  set +m
  sleep "${after:-1}"
  kill "-$signal" "$job"
  local begin=$SECONDS
  wait "$job"
  code=$?
  checks=$((checks + 1))
  [ "$code" = "$expected" ] || fail "gckn $*: $signal: exit code $code instead of $expected"
  check "gckn $* stops soon" test $((SECONDS - begin)) -le 5
  nothing_is_left 'of an interrupted command'
}

# nothing_is_left OF_WHAT: no output called never..., no temporary file.
nothing_is_left() {
  check "nothing is left $1" test -z "$(find . -name 'never*' -o -name '*.tmp')"
}

# Graphs of two classes to try things on: motif.jsonl, 30 of each class.
make_motif_set() {
  "$gckn" datasets make motif --out motif.jsonl --graphs 60 --nodes 12 --seed 7 --quiet || fail 'no set to test with'
}

# Graphs without labels, and one without nodes: plain.jsonl.
make_plain_set() {
  printf '{"num_nodes": 2, "edges": [[0, 1]]}\n{"num_nodes": 0, "edges": []}\n' >plain.jsonl
}

# Numbers to predict, several at once, some missing: numbers.jsonl, 40 graphs.
make_numbers_set() {
  local i
  for i in $(seq 40); do
    printf '{"num_nodes": %d, "edges": [[0, 1], [1, 2]], "target": [%d.5, %s]}\n' $((3 + i % 7)) $((i % 7)) \
      "$([ $((i % 5)) = 0 ] && echo null || echo "$((i % 3)).25")"
  done >numbers.jsonl
}
