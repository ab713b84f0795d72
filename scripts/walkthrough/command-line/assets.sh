# A stamped head, and an asset that changes hands.
step 'anyone: follows the log of anchors' 0 anyone anchor log
says 'anyone: and the signed list of all logs' logs 4
before=$(field size)
step 'alice: anchors her newest block' 0 alice anchor stamp --head --epoch walk-through
anchor=$(field anchorId)
step 'alice: has the proof' 0 alice anchor upgrade head.anchor.json --wait
step 'alice: reads what the stamp says' 0 alice anchor info head.anchor.json
says 'alice: that it is complete' isComplete true
# Exit code 4: the chain that it is about was not compared.
step 'alice: verifies it' 4 alice verify head.anchor.json
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
step 'anyone: follows the log again, and recomputes its newest anchors' 0 anyone anchor log
report 'anyone: it only grew' grew "$([ "$(field size)" -gt "$before" ] && echo grew)"
step 'bob: records that a token represents it' 0 bob asset receipt "$asset" --contract 0xabababababababababababababababababababab --token 7
says 'bob: one' receipts.0.tokenId 7
step 'must fail: nothing was displaced' 3 bob asset displaced "$asset"

# An unproved record gives way to the one whose owner can prove it.
head -c 4321 /dev/urandom >"$world/alice/drawing.png"
step 'bob: shows his key' 0 bob rotate history
user=$(field keys.0.userId)
step 'alice: computes the id of an asset' 0 alice asset mint drawing.png --mime image/png --dry-run
drawing=$(field asset.assetId)
"$node" -e '
  const asset = JSON.parse(process.argv[1])
  const header = { userId: process.argv[2], action: "asset/mint", assetId: asset.assetId, timestamp: new Date().toISOString(), app: { name: "walk-through", version: "1.0.0" } }
  console.log(JSON.stringify({ header, asset }))
' -- "$(field asset)" "$user" >"$world/bob/claim.json"
step 'bob: records it first, without a signature' 0 bob request POST /api/assets/mint --data claim.json --aud chain
step 'anyone: reads it' 0 bob asset show "$drawing"
says 'anyone: bob only claims it' proof.owner claimed
step 'alice: mints it' 0 alice asset mint drawing.png --mime image/png
step 'anyone: reads what was displaced' 0 bob asset displaced "$drawing"
says 'anyone: the record of bob' owner "$(did bob)"
