# A stranger may search ten times a minute. The last part: afterwards the address has nothing left of its minute.
sleep $((61 - $(date +%s) % 60))
"$node" -e 'console.log(JSON.stringify({ vectors: [Array(256).fill(1)] }))' >"$world/anyone/vectors.json"
answered=0
while [ "$answered" -lt 12 ] && svc anyone request POST "$(service provenance)/api/search/semantic" --data vectors.json >"$world/out" 2>"$world/err"; do
  answered=$((answered + 1))
done
report 'must fail: an eleventh search in a minute without an identity' 10 "$answered"
says 'anyone: 429' status 429
sleep $((61 - $(date +%s) % 60))
