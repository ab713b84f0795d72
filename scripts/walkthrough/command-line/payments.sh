# Offers, a plan that is paid for, a code, and meters.
step 'anyone: reads the offers of Germany' 0 anyone pay offer --country DE
says 'anyone: in its region' region eu
step 'anyone: reads those of Kuwait' 0 anyone pay offer --country KW
report 'anyone: a price in dinars has three decimals' '2750 KWD' "$("$node" -p 'const { amount_minor, currency } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).offers.find(({ sku }) => sku === "provenance-month").price; `${amount_minor} ${currency}`' "$world/out")"
step 'alice: starts a payment' 0 alice pay intent atelier-month --country DE --key walk-through
intent=$(field id)
step 'alice: starts it again with the same key' 0 alice pay intent atelier-month --country DE --key walk-through
says 'alice: it is the same' id "$intent"
pay=$(service pay)
# conclude PAYMENT OUTCOME: on the page for developers.
conclude() {
  "$node" -e 'fetch(process.argv[1] + "/pay/dev/checkout", { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded", origin: "http://localhost:3000" }, body: new URLSearchParams({ id: process.argv[2], outcome: process.argv[3] }).toString() })' -- "$pay" "$1" "$2"
}
conclude "$intent" pay
step 'alice: has paid on the page for developers' 0 alice pay status
says 'alice: the plan' tier atelier
step 'alice: changes to a lower plan' 0 alice pay change provenance-month
says 'alice: from the next period on' next provenance
newcomer payer --local
step 'payer: buys a month' 0 payer pay intent provenance-pass-month --key walk-through
month=$(field id)
conclude "$month" pay
step 'payer: has it' 0 payer pay status
says 'payer: until its end' tier provenance
conclude "$month" refund
step 'payer: gets the money back' 0 payer pay status
says 'payer: the free tier again' tier notes
holds 'payer: the month was refunded' '"refunded"' "$world/out"
step 'must fail: bob reads her payment' 5 bob request GET "$pay/pay/intent/$intent" --aud provenance
says 'bob: there is none for him' status 404
echo '{}' >"$world/anyone/event.json"
step 'must fail: an event without the signature of the provider' 5 anyone request POST "$pay/pay/webhook/stripe" --data event.json --header 'stripe-signature=t=1,v1=00'
says 'anyone: 403' status 403
refused 'must fail: a second subscription' already_subscribed alice pay intent provenance-year
refused 'must fail: an unknown offer' unknown_sku bob pay intent city-month
operator 'operator: lists events that were not understood' dead-letters
operator 'operator: issues a code' code provenance 30
activation=$(grep -Eo '[0-9A-Z]{4}(-[0-9A-Z]{4}){3}' "$world/admin" | head -n 1)
step 'bob: uses the code' 0 bob pay redeem "$activation"
step 'bob: has a plan' 0 bob pay status
says 'bob: from a code' source code
refused 'must fail: the code again' code_unusable alice pay redeem "$activation"
step 'alice: sees what she has used' 0 alice quota
operator 'operator: sees what gives bob his plan' grants list "$(did bob)"
grant=$("$node" -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).data.grants.find(({ source }) => source === "code").id' "$world/admin")
operator 'operator: ends it' end-grant "$grant" mistake
step 'bob: has no plan any more' 0 bob pay status
says 'bob: the free one' tier notes
echo '{"kind":"search","amount":2,"key":"first"}' >"$world/alice/use.json"
step 'alice: uses two searches' 0 alice request POST "$pay/quota/consume" --data use.json --aud provenance
says 'alice: two' body.data.statement.used 2
step 'alice: repeats the same use at no cost' 0 alice request POST "$pay/quota/consume" --data use.json --aud provenance
says 'alice: still two' body.data.statement.used 2
echo '{"key":"first"}' >"$world/alice/back.json"
step 'alice: releases it' 0 alice request POST "$pay/quota/refund" --data back.json --aud provenance
says 'alice: none' body.data.statement.used 0
echo '{"kind":"text","amount":21,"key":"much"}' >"$world/bob/use.json"
step 'must fail: more texts than bob has' 5 bob request POST "$pay/quota/consume" --data use.json --aud provenance
says 'bob: it is exhausted' body.error quota_exhausted
use_a_text() {
  echo "{\"kind\":\"text\",\"amount\":1,\"key\":\"text-$number\"}" >"$world/payer/use-$number.json"
  svc payer request POST "$pay/quota/consume" --data "use-$number.json" --aud provenance
}
at_once 30 use_a_text
among 'payer: twenty of thirty uses at once are counted' 20 '"status": 200'
among 'must fail: the others, against a limit of twenty' 10 '"error": "quota_exhausted"'
echo '{"kind":"capsule","amount":1,"key":"unregistered"}' >"$world/bob/use.json"
step 'must fail: a capsule that is not registered' 5 bob request POST "$pay/quota/consume" --data use.json --aud provenance
says 'bob: only provenance counts it' body.error meter_internal
