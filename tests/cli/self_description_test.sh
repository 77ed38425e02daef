#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The manual page and shell completions, which the program makes from its own commands and options; and the limits in its help.
. "$(dirname "$0")/support.sh"

# Every command of the help, and every option of their help.
passes --help
sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' stdout >commands
check 'there are commands' test "$(wc -l <commands)" -ge 8
check 'those for packagers are not shown' test -z "$(grep -E '^(man|completion)$' commands)"
# options_of COMMAND...: as its help has them.
options_of() {
  "$gckn" "$@" --help | grep -oE '^  (-[a-zA-Z],)?--[a-zA-Z0-9-]+(,--[a-zA-Z0-9-]+)*' | tr -d ' ' | tr ',' '\n' | grep '^--'
}

check 'the longest path of the help' grep -q 'up to 63 edges' stdout
check 'the filters of the help' grep -q 'up to 16,384 in each layer' stdout
check 'exit codes' grep -q '^  3  *bad data' stdout
printf '{"num_nodes": 2, "edges": [[0, 1]]}\n' >two.jsonl
refuses 2 'path length 64 is not between 0 and 63' embed two.jsonl --path-length 64 --out never.csv
refuses 2 '16385 filters: must be between 1 and 16384' embed two.jsonl --filters 16385 --out never.csv
refuses 2 'sigma 1001 is not between 0.01 and 1000' embed two.jsonl --sigma 1001 --out never.csv

passes man
cp stdout gckn.1
check 'a page' grep -q '^\.TH GCKN 1' gckn.1
while read -r command; do
  check "$command is in the page" grep -qE "fBgckn $command( [a-z]+)*.fR|^\.SS \"gckn $command" gckn.1
done <commands
for option in $(options_of embed) $(options_of cv); do
  check "$option is in the page" grep -qF -- "$(printf '%s' "$option" | sed 's/-/\\-/g')" gckn.1
done
if command -v man >/dev/null; then
  LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l gckn.1 >page 2>warnings
  check 'without warnings' test ! -s warnings
  check 'and readable' grep -q 'Turn every graph of a set into a vector' page
  check 'with examples as they are' grep -qE '^ +gckn info motif.jsonl  +see what is in it' page
else
  echo 'man is not installed: the page was not looked at'
fi

# complete WORD...: what bash offers for the last word, one per line.
passes completion bash
cp stdout completion.bash
complete_in_bash() {
  bash -c '
    source ./completion.bash
    COMP_WORDS=(gckn "$@")
    COMP_CWORD=$#
    _gckn gckn "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>errors
    printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort
}
offers() {
  local name=$1 expected=$2
  shift 2
  complete_in_bash "$@" >offered
  check "$name" cmp offered <(printf '%s\n' $expected | sort)
}
mkdir folder
cd folder || exit 1
cp ../completion.bash .
touch 'with blank.jsonl' motif.jsonl
offers 'commands' 'embed' emb
complete_in_bash '' >offered
check 'all commands' test -z "$(sort ../commands | comm -23 - offered)"
check 'no hidden one' test -z "$(grep -xE 'man|completion' offered)"
offers 'inner commands' 'make --help -h' datasets ''
offers 'and their inner ones' 'motif' datasets make m
for command in embed cv train predict nearest kernel; do
  complete_in_bash $command -- >offered
  check "all options of $command" test -z "$(options_of $command | sort | comm -23 - offered)"
done
check 'no old name' test -z "$(complete_in_bash embed --save | grep -e --save-model)"
offers 'an option' '--filters' embed motif.jsonl --filt
offers 'words' 'path' embed --arch pa
offers 'all words' 'sum mean max gmp' cv motif.jsonl --pooling ''
offers 'words that look like commands' 'walk wl-oa wl-subtree' kernel motif.jsonl --kernel w
offers 'options after them' '--sigma' kernel motif.jsonl --kernel path --sig
offers 'nothing for a number' '' embed --filters ''
check 'files for arguments' cmp <(complete_in_bash info with) <(echo 'with blank.jsonl')
offers 'files for options' 'motif.jsonl' embed motif.jsonl --out mo
check 'nothing was complained about' test ! -s errors
cd ..

passes completion zsh
cp stdout _gckn
if command -v zsh >/dev/null; then
  check 'zsh takes it' zsh -n _gckn
  # A shell in a terminal of its own, in which a tab is pressed behind the text.
  in_zsh() {
    zsh -f -c '
      zmodload zsh/zpty
      zpty shell "PS1= TERM=dumb zsh -f -i"
      zpty -w shell "unsetopt zle_bracketed_paste; fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -D; stty cols 200; bindkey \"^I\" list-choices"
      sleep 1
      zpty -w -n shell "$1"$'"'\\t'"'
      sleep 2
      zpty -r -t shell text "*" ; print -r -- "$text"
      while zpty -r -t shell text; do print -r -- "$text"; done
      zpty -d shell' zsh "$1" 2>&1
  }
  in_zsh 'gckn ' >offered
  check 'zsh offers commands' grep -q 'Turn every graph of a set into a vector' offered
  in_zsh 'gckn embed --f' >offered
  check 'zsh offers options' grep -q 'Anchors of each layer' offered
  in_zsh 'gckn kernel motif.jsonl --kernel ' >offered
  check 'zsh offers words' grep -q 'gaussian-path' offered
else
  echo 'zsh is not installed: its completion was not tried'
fi
refuses 2 'SHELL fish: it must be bash or zsh' completion fish

finished=yes
