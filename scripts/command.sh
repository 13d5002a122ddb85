#!/usr/bin/env bash
# Prints the command that README.md gives for NAME: the one line of the sh block below `<!-- command: NAME -->`.
# usage: scripts/command.sh NAME [FILE]
set -euo pipefail

name=$1
file=${2:-"$(dirname "$0")/../README.md"}

[[ -f $file ]] || { echo "command.sh: there is no $file" >&2; exit 2; }
awk -v marker="<!-- command: $name -->" '
    function refuse(why) { print "command.sh: " FILENAME ", line " FNR ": " why > "/dev/stderr"; bad = 1; exit 2 }
    { sub(/\r$/, "") }
    $0 == marker && state { refuse("a second " marker) }
    $0 == marker { state = 1; next }
    state == 1 && $0 == "```sh" { state = 2; next }
    state == 1 && NF { refuse("an sh block is expected after " marker) }
    state == 2 && $0 == "```" { state = 3; next }
    state == 2 && NF { if (command != "") refuse("a second command in the block"); command = $0 }
    END {
        if (bad) exit 2
        if (state != 3 || command == "") {
            print "command.sh: " FILENAME " has no sh block with one command below " marker > "/dev/stderr"
            exit 2
        }
        print command
    }
' "$file"
