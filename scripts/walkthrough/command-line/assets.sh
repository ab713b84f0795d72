# A stamped head, and an asset that changes hands.
step 'alice: anchors her newest block' 0 alice anchor stamp --head --epoch walk-through
anchor=$(field anchorId)
step 'alice: has the proof' 0 alice anchor upgrade head.anchor.json --wait
step 'alice: verifies it' 0 alice verify head.anchor.json
step 'anyone: finds it among her anchors' 0 anyone request GET "/api/anchors?owner=$(did alice)"
head -c 1234 /dev/urandom >"$world/alice/picture.png"
step 'alice: mints an asset' 0 alice asset mint picture.png --mime image/png
asset=$(field asset.assetId)
step 'alice: gives it to bob' 0 alice asset transfer "$asset" "$(did bob)"
refused 'must fail: alice gives it away again' owner_mismatch alice asset transfer "$asset" "$(did alice)"
step 'bob: exports it' 0 bob asset export "$asset" --out asset.json
hand asset.json bob anyone
step 'anyone: verifies who owns it' 0 anyone verify asset.json
says 'anyone: bob does' did "$(did bob)"
publisher 'publisher: lists the anchors that wait' list
holds 'publisher: hers is among them' "$anchor" "$world/admin"
publisher 'publisher: reports a transaction' published "$anchor" example-ledger 0xabc
publisher 'publisher: reports its confirmation' confirmed "$anchor" example-ledger 0xabc
step 'anyone: finds it confirmed' 0 anyone request GET "/api/anchors?owner=$(did alice)&status=confirmed"
holds 'anyone: this anchor' "$anchor" "$world/out"
step 'anyone: reads the state of the log' 0 anyone request GET '/api/anchors/state-proof?window=16'
holds 'anyone: with this anchor' "$anchor" "$world/out"
step 'bob: records that a token represents it' 0 bob asset receipt "$asset" --contract 0xabababababababababababababababababababab --token 7
says 'bob: one' receipts.0.tokenId 7
step 'must fail: nothing was displaced' 3 bob asset displaced "$asset"
