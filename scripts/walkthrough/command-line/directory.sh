# Keys of a device with prekeys, guardians, an epoch, and an audit of the log.
step 'alice: publishes her device with three prekeys' 0 alice directory publish --count 3
device=$(field deviceId)
published=$(field leafId)
step 'bob: reserves a prekey' 0 bob directory reserve "$(did alice)" "$device" --key first
says 'bob: with a receipt in his name' receipt.statement.requesterDid "$(did bob)"
prekey=$(field prekey.prekeyId)
step 'bob: reserves with the same key' 0 bob directory reserve "$(did alice)" "$device" --key first
says 'bob: the same prekey' prekey.prekeyId "$prekey"
step 'alice: gives her device a prekey more' 0 alice directory publish --add --count 1
step 'bob: agrees with her device on a secret' 0 bob directory reserve "$(did alice)" "$device" --secret first.key
cp "$world/out" "$world/alice/reserved.json"
step 'alice: opens it' 0 alice directory open reserved.json --out first.key
report 'alice: has the same secret' same "$(cmp -s "$world/alice/first.key" "$world/bob/first.key" && echo same)"
refused 'must fail: it opens once' prekey_unknown alice directory open reserved.json --out again.key
at_once 4 svc bob directory reserve "$(did alice)" "$device"
among 'bob: gets the two that are left' 2 '"receipt"'
among 'must fail: two more at once' 2 '"code":"prekeys_exhausted"'
step 'alice: sees who drained the pool' 0 alice directory pool "$device"
says 'alice: bob, the last time' reservations.0.requesterDid "$(did bob)"
says 'alice: four times' reservations.length 4
step 'her device: adds two' 0 alice directory publish --add --count 2
says 'her device: has two' stock.0.oneTime 2
step 'bob: reads what alice has published' 0 bob directory lookup "$(did alice)"
step 'alice: gives prekeys to contacts only' 0 alice directory allow contacts
refused 'must fail: bob is not one' prekeys_exhausted bob directory reserve "$(did alice)" "$device"
step 'alice: lists bob' 0 alice directory allow contacts --contact "$(did bob)"
pass=$(field passes.0.passB64u)
refused 'must fail: bob without the pass that she made' prekeys_exhausted bob directory reserve "$(did alice)" "$device"
step 'bob: reserves one' 0 bob directory reserve "$(did alice)" "$device" --pass="$pass"
step 'must fail: bob reads who reserved her prekeys' 5 bob request GET "$(service keys)/api/key-directory/$(did alice)/devices/$device/prekeys" --aud keys
says 'bob: it is not his' body.error owner_mismatch
step 'alice: takes it back' 0 alice directory revoke "$device"
revoked=$(field leafId)
refused 'must fail: a prekey of it' package_revoked bob directory reserve "$(did alice)" "$device"
newcomer guardian --local
echo 'my will' >"$world/alice/will.txt"
step 'alice: asks two guardians' 4 alice guardian set --subject will.txt --guardian "$(did bob)" "$(did guardian)"
request=$(field requestId)
for who in bob guardian; do hand will.txt alice "$who"; done
step 'bob: attests' 4 bob guardian approve "$request" --subject will.txt
refused 'must fail: bob attests twice' guardian_attested bob guardian approve "$request" --subject will.txt
step 'guardian: attests' 0 guardian guardian approve "$request" --subject will.txt
says 'guardian: it is met' state met
step 'alice: reads who has attested' 0 alice guardian status "$request"
says 'alice: enough' state met
# One epoch is open at a time. An earlier run may have opened one.
svc alice epoch show >"$world/out" 2>/dev/null
epoch=$(field epoch.number)
if [ "$epoch" = none ] || [ "$epoch" = 'no JSON' ]; then
  operator 'operator: opens an epoch' open-epoch "$(date +%s)" 0.01
fi
step 'alice: joins and acknowledges it' 0 alice epoch join
step 'anyone: recomputes the log of the directory' 0 anyone directory audit
step 'anyone: goes on from there, and finds the package and its revocation' 0 anyone directory audit --leaf "$published" "$revoked"
step 'anyone: verifies the beacon' 0 anyone directory beacon --out beacon.txt
says 'anyone: signed by its two keys' signedBy.length 2
says 'anyone: cosigned by the witness' witnesses.0.hasCosigned true
holds 'anyone: with the log of anchors in its newest leaf' "$core/anchors/" "$world/out"
holds 'anyone: and that of the directory' "$core/transparency/" "$world/out"
refused 'must fail: a key that is not of the beacon' wrong_key anyone directory beacon --key PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW
