# What machines may do with content: declared, read, looked up, disputed, settled, imported.
page="https://photos.example/$$-$(date +%s).jpg"
step 'anyone: finds no declaration yet' 0 anyone consent get "$page"
says 'anyone: nothing' found false
says 'anyone: by default' source default
step 'alice: declares that machines may not train' 0 alice consent set "$page" --training disallow
step 'alice: adds that they may search' 0 alice consent set "$page" --search allow
step 'anyone: reads it' 0 anyone consent get "$page"
says 'anyone: no training' preferences.ai_training disallow
step 'anyone: verifies the history' 0 anyone consent history "$page"
says 'anyone: two declarations' acts.length 2
printf '%s\n%s\n' "$page" "$page?other" >"$world/anyone/pages.txt"
step 'anyone: looks up many at once' 0 anyone consent batch pages.txt
says 'anyone: the first is declared' results.0.found true
refused 'must fail: bob declares for it' consent_held bob consent set "$page" --training allow
url="$(service consent)/api/v1/consent/$("$node" -p 'encodeURIComponent(process.argv[1])' "$page")"
step 'anyone: reads the header for crawlers' 0 anyone request GET "$url"
says 'anyone: no training, and search' headers.x-svc-consent 'train-ai=n, search=y'
step 'anyone: has a copy that is still good' 5 anyone request GET "$url" --header "if-none-match=$(field headers.etag)"
says 'anyone: 304' status 304
nobodys="$page#nobody"
step 'anyone: looks up in a signed snapshot' 0 anyone consent snapshot "$nobodys"
says 'anyone: nothing is declared' results.0.source default
step 'anyone: reads the rules of the site' 0 anyone request GET "$(service consent)/.well-known/tdmrep.json"
says 'anyone: rights are reserved' body.0.tdm-reservation 1
step 'anyone: reads the default' 0 anyone request GET "$(service consent)/.well-known/ai-consent"
says 'anyone: opt-out' body.default.policy opt-out
echo '{}' >"$world/anyone/empty.json"
step 'must fail: a declaration without a signature' 5 anyone request POST "$(service consent)/api/v1/consent" --data empty.json
says 'anyone: 401' status 401
step 'alice: takes it back' 0 alice consent revoke "$page"
step 'anyone: reads nothing' 0 anyone consent get "$page"
says 'anyone: it is not declared' found false
step 'anyone: still finds what was declared' 0 anyone consent history "$page"
says 'anyone: the first act forbade training' acts.0.preferences.ai_training disallow

# Somebody declares for a picture of alice, and the operator settles it.
taken="https://photos.example/$$-$(date +%s)-taken.jpg"
step 'bob: declares for a picture of alice' 0 bob consent set "$taken" --training allow
refused 'must fail: alice declares for it' consent_held alice consent set "$taken" --training disallow
step 'anyone: sees who else claims it' 0 anyone consent history "$taken"
says 'anyone: bob holds it' creatorDid "$(did bob)"
says 'anyone: alice claims it' claims.0.creator_did "$(did alice)"
says 'anyone: with a key of hers' claims.0.isProved true
operator 'operator: lists disputes' disputes list
holds 'operator: finds this one' "$taken" "$world/admin"
operator 'operator: passes it to alice' settle-consent "$taken" "$(did alice)" authorship
step 'alice: declares' 0 alice consent set "$taken" --training disallow
step 'anyone: verifies the settlement in the history' 0 anyone consent history "$taken"
says 'anyone: the second act' acts.1.action settle
says 'anyone: took it from bob' acts.1.previous_creator_did "$(did bob)"

# Records of an earlier service: everybody can read them, and nobody can change them.
earlier="walk-through/$$-$(date +%s) of an earlier service"
"$node" -e 'console.log(JSON.stringify({ contentHash: process.argv[1], preferences: { ai_training: "disallow" }, declaredAt: 1600000000000 }))' -- "$earlier" >"$world/consent.jsonl"
operator 'operator: imports a record without an owner' consent import "$world/consent.jsonl"
step 'anyone: reads it' 0 anyone consent get "$earlier"
says 'anyone: no training' preferences.ai_training disallow
says 'anyone: declared by nobody' creator_did null
refused 'must fail: alice declares for it' non_native_consent_record alice consent set "$earlier" --training allow
refused 'must fail: alice takes it back' non_native_consent_record alice consent revoke "$earlier"
operator_refused 'must fail: the operator passes it to alice' non_native_consent_record settle-consent "$earlier" "$(did alice)" authorship
commitment="note-$$-$(date +%s)"
commitments() {
  "$node" -e 'console.log(JSON.stringify({ id: process.argv[1], commitmentHash: "a1".repeat(32), algorithm: "SHA-256", did: null, createdAt: Number(process.argv[2]), record: "{\"note\":17}" }))' -- "$commitment" "$1" >"$world/commitments.jsonl"
}
commitments 1600000000000
operator 'operator: imports a commitment' commitments import "$world/commitments.jsonl"
operator 'operator: imports the same file again' commitments import "$world/commitments.jsonl"
commitments 1
code=0
operate admin commitments import "$world/commitments.jsonl" || code=$?
report 'must fail: another record under that id' 1 "$code"
step 'anyone: reads it as it was' 0 anyone request GET "$(service provenance)/api/commitment/$commitment"
says 'anyone: historical' body.data.profile historical
says 'anyone: which nobody can verify' body.data.verification.verifiable false
