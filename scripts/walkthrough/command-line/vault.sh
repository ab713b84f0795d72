# People share notes for an epoch; one is removed, and reads nothing that is written from then on.
for who in ivy jan kim; do
  newcomer "$who" --local
  step "$who: registers a DID" 0 "$who" did register
done
# One epoch is open at a time. Another part, or an earlier run, may have opened one.
svc ivy epoch show >"$world/out" 2>/dev/null
epoch=$(field epoch.number)
if [ "$epoch" = none ] || [ "$epoch" = 'no JSON' ]; then
  epoch=$(date +%s)
  operator 'operator: opens an epoch' open-epoch "$epoch" 0.05
fi
for who in ivy jan kim; do
  step "$who: joins and acknowledges it" 0 "$who" epoch join
  operator "operator: admits $who" epochs admit "$epoch" "$(did "$who")"
done
step 'ivy: sees who is in the vault' 0 ivy vault members "$epoch" --expect "$(did ivy)" "$(did jan)" "$(did kim)"
printf 'Meet at noon' >"$world/ivy/plan.txt"
step 'ivy: writes a note' 0 ivy vault write "$epoch" --title Plan --file plan.txt
first=$(field noteId)
generation=$(field generation)
for who in jan kim; do
  step "$who: reads it" 0 "$who" vault read "$epoch" "$first"
  says "$who: the words of ivy" body 'Meet at noon'
done
refused 'must fail: somebody whom the operator did not admit' not_found bob vault members "$epoch"
operator 'operator: removes kim' epochs remove "$epoch" "$(did kim)"
printf 'Without kim' >"$world/jan/plan.txt"
step 'jan: writes the next note' 0 jan vault write "$epoch" --file plan.txt
second=$(field noteId)
report 'jan: under a new key' new "$([ "$(field generation)" -gt "$generation" ] && echo new)"
step 'ivy: reads it' 0 ivy vault read "$epoch" "$second"
says 'ivy: the words of jan' body 'Without kim'
refused 'must fail: kim reads it' not_found kim vault read "$epoch" "$second"
step 'ivy: lists the notes' 0 ivy vault list "$epoch"
step 'jan: leaves' 0 jan vault leave "$epoch"
refused 'must fail: jan reads' not_found jan vault read "$epoch" "$first"
step 'ivy: deletes her note' 0 ivy vault delete "$epoch" "$first"
