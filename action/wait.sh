#!/usr/bin/env bash
# Wait until what was applied is Current, and leave behind what a pipeline shows: annotations
# on standard output, and in $OUT summary.md, junit.xml and the recording to replay.
# It ends as "kstatus-tui wait" does: 0 Current, 2 Failed, 3 out of time, 4 overtaken, 1 error.
set -uo pipefail

: "${SOURCE:?what to wait for: deploy/web, -f app.yaml, helm/shop …}"
read -r -d '' -a source <<<"$SOURCE" || true # words, by spaces or lines
read -r -d '' -a more <<<"${ARGS:-}" || true
out=${OUT:-kstatus-tui}
mkdir -p "$out" && rm -f "$out"/{run.rec.gz,summary.md,junit.xml} || exit 1

kstatus-tui wait ${source[@]+"${source[@]}"} ${more[@]+"${more[@]}"} \
  --timeout "${TIMEOUT:-5m}" --fail-fast "${FAIL_FAST:-terminal}" \
  -o "${FORMAT:-github}" --record "$out/run.rec.gz" --report "$out/summary.md"
code=$?

verdict=Error
if [ -s "$out/run.rec.gz" ]; then
  # The same wait once more, from the recording: an instant, and no cluster.
  kstatus-tui wait --replay "$out/run.rec.gz" ${more[@]+"${more[@]}"} \
    --timeout 0 --fail-fast "${FAIL_FAST:-terminal}" -o junit >"$out/junit.xml" 2>/dev/null
  verdict=$(kstatus-tui status --replay "$out/run.rec.gz" -o jsonpath='{.verdict}' 2>/dev/null)
fi
[ -z "${GITHUB_OUTPUT:-}" ] || printf 'verdict=%s\nexit-code=%s\n' "$verdict" "$code" >>"$GITHUB_OUTPUT"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || [ ! -s "$out/summary.md" ] || cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"
exit "$code"
