#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What all commands have in common: help, version, wrong usage, values of options.
. "$(dirname "$0")/support.sh"

for command in '' info embed cv train predict nearest kernel datasets 'datasets make' 'datasets make motif'; do
  # shellcheck disable=SC2086  # the command is several words
  passes $command --help
  check "help of '$command' shows usage" grep -q "^Usage: gckn" stdout
done
for command in '' info embed cv train predict nearest kernel 'datasets make motif'; do
  # shellcheck disable=SC2086
  passes $command --help
  check "help of '$command' has an example" grep -q '^Example' stdout
done
passes embed --help
check 'defaults are shown' grep -q 'default 128' stdout
check 'old names are not' test -z "$(grep -e --save-model stdout)"
passes --version
check 'version' grep -Eq '^gckn [0-9]+\.[0-9]+\.[0-9]+$' stdout

for argument in --version --help; do
  checks=$((checks + 1))
  "$gckn" $argument >/dev/full 2>stderr
  [ $? = 1 ] && grep -qx 'gckn: error: cannot write to standard output' stderr || fail "$argument with a full disk"
done

refuses 2 'A subcommand is required (see gckn --help)'
refuses 2 'nonsense is not known (see gckn --help)' nonsense
refuses 2 'DATA is required (see gckn info --help)' info
refuses 2 'The following argument was not expected: --nonsense (see gckn info --help)' info --nonsense x

# The option, the value and what is expected.
for value in '' -1 1.5 0x10; do
  refuses 2 "--seed: expected a whole number from 0, found \"$value\" (see gckn datasets make motif --help)" \
    datasets make motif --out m.jsonl --seed "$value"
  refuses 2 "--max-paths: expected a whole number from 0, found \"$value\" (see gckn embed --help)" \
    embed missing.jsonl --out a.csv --max-paths "$value"
done
huge=99999999999999999999999
refuses 2 "--seed: $huge is out of range" datasets make motif --out m.jsonl --seed $huge
refuses 2 "--max-paths: $huge is out of range" embed missing.jsonl --out a.csv --max-paths $huge
refuses 2 '--graphs = 5000000000 is out of range' datasets make motif --out m.jsonl --graphs 5000000000
refuses 2 '--graphs: expected a whole number from 0, found "many"' datasets make motif --out m.jsonl --graphs many
refuses 2 '--threads: expected a whole number from 0, found "-1"' info missing.jsonl --threads -1
refuses 2 '--threads is 1025; it must be from 0 to 1024' info missing.jsonl --threads 1025
refuses 2 '--sigma: expected a number, found "wide"' embed missing.jsonl --out a.csv --sigma wide
refuses 2 '--sigma: expected a number, found "nan"' embed missing.jsonl --out a.csv --sigma nan
refuses 2 '--filters: expected a whole number, found "8.5"' embed missing.jsonl --out a.csv --filters 8.5

# Empty values.
refuses 2 '--sigma: expected a number, found ""' embed missing.jsonl --out a.csv --sigma ''
for option in --filters --path-length; do
  refuses 2 "$option: expected a whole number, found \"\"" embed missing.jsonl --out a.csv $option ''
done
for option in --arch --pooling --features --out --save-network --save-model; do
  refuses 2 "$option: the value is empty" embed missing.jsonl --out a.csv $option ''
done
refuses 2 '--C: expected a number, found ""' cv missing.jsonl --C ''
refuses 2 'DATA: the value is empty (see gckn info --help)' info ''

finished=yes
