#!/bin/sh
# Runs the tests by other clocks and in other time zones: sh test/at-hours.sh [test files]
#
# libfaketime (Debian: faketime) moves the clock of every process by the same length, because children inherit
# LD_PRELOAD: PostgreSQL, Chromium, commands and worker threads agree on the time. Monotonic clocks stay as they are, so
# timeouts keep their length; Chromium waits forever without FAKETIME_FORCE_MONOTONIC_FIX=0. Nothing checks the dates of
# TLS certificates, because no test leaves this machine. All instants are ahead: while a server waits, libfaketime shows
# its time limits the real clock, so with a clock behind all of them end at once.
#
# INSTANTS (UTC, one a line) and ZONES replace these lists. An empty one is skipped.
set -u
cd "$(dirname "$0")/.." || exit 1
PATH=$PWD/node_modules/.bin:$PATH
library=$(find /usr/lib -name libfaketimeMT.so.1 2>/dev/null | head -n 1)
test -n "$library" || { echo 'Install faketime first' >&2; exit 1; }

day=$(date -u -d tomorrow +%F)
INSTANTS=${INSTANTS-"$day 00:30
$day 03:50
$day 06:05
$day 12:00
$day 22:30
2027-10-31 00:40
2027-03-28 00:40
2028-02-29 12:00
2027-12-31 23:40"}
ZONES=${ZONES-'Asia/Kolkata
America/St_Johns'}

failed=''
IFS='
'
for instant in $INSTANTS; do
  echo "== $instant UTC"
  ahead=$(($(date -u -d "$instant" +%s) - $(date +%s)))
  LD_PRELOAD=$library FAKETIME=$(printf '%+ds' "$ahead") FAKETIME_DONT_FAKE_MONOTONIC=1 \
    FAKETIME_FORCE_MONOTONIC_FIX=0 vitest run "$@" || failed="$failed, $instant"
done
for zone in $ZONES; do
  echo "== TZ=$zone"
  TZ=$zone vitest run "$@" || failed="$failed, $zone"
done
test -z "$failed" || { echo "Failed:${failed#,}" >&2; exit 1; }
