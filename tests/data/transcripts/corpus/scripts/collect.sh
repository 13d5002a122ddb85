#!/bin/sh
# Collects the readings of every gauge of today into one file.
set -eu
for gauge in "$@"; do
    cat "readings/$gauge.txt" >> today.txt
done
