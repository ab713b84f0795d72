# Offers, a plan that is paid for, a code, and meters.
step 'anyone: reads the offers of Germany' 0 anyone pay offer --country DE
says 'anyone: in its region' region eu
step 'alice: starts a payment' 0 alice pay intent atelier-month --country DE --key walk-through
intent=$(field id)
step 'alice: starts it again with the same key' 0 alice pay intent atelier-month --country DE --key walk-through
says 'alice: it is the same' id "$intent"
pay=$("$node" -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).body.services.pay.url' "$world/services")
"$node" -e 'fetch(process.argv[1] + "/pay/dev/checkout", { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded", origin: "http://localhost:3000" }, body: new URLSearchParams({ id: process.argv[2], outcome: "pay" }).toString() })' "$pay" "$intent"
step 'alice: has paid on the page for developers' 0 alice pay status
says 'alice: the plan' tier atelier
refused 'must fail: a second subscription' already_subscribed alice pay intent provenance-year
refused 'must fail: an unknown offer' unknown_sku bob pay intent city-month
operator 'operator: issues a code' code provenance 30
activation=$(grep -Eo '[0-9A-Z]{4}(-[0-9A-Z]{4}){3}' "$world/admin" | head -n 1)
step 'bob: uses the code' 0 bob pay redeem "$activation"
step 'bob: has a plan' 0 bob pay status
says 'bob: from a code' source code
refused 'must fail: the code again' code_unusable alice pay redeem "$activation"
step 'alice: sees what she has used' 0 alice quota
