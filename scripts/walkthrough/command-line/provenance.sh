# Registered files and texts, and what machines may do with them.
head -c 5000 /dev/urandom >"$world/alice/work.jpg"
step 'alice: registers an image' 0 alice capsule sign work.jpg --mime image/jpeg
asset=$(field assetId)
hand work.jpg alice bob
hand work.jpg.proof.json alice bob
step 'bob: verifies the proof without a network' 0 bob capsule verify work.jpg.proof.json work.jpg --offline --did "$(did alice)"
step 'bob: finds out who registered a file' 0 bob verify work.jpg
step 'must fail: another file' 3 bob capsule verify work.jpg.proof.json chain.json --offline
step 'anyone: reads the registration' 0 anyone capsule open "$asset"
refused 'must fail: another registration of it' capsule_exists alice capsule sign work.jpg --mime image/jpeg --out again.json
step 'alice: deletes the registration' 0 alice capsule delete "$asset"
refused 'must fail: reading it' not_found anyone capsule open "$asset"
"$node" -e 'console.log(Array.from({ length: 200 }, (_, i) => "harbour" + i * i + " pilot" + process.argv[1] + i + " ferry" + (i % 7)).join(" "))' "$$" >"$world/alice/poem.txt"
cut -d' ' -f 200-320 "$world/alice/poem.txt" >"$world/bob/excerpt.txt"
step 'alice: computes a fingerprint offline' 0 alice text fingerprint poem.txt
poem=$(field assetId)
step 'alice: registers the poem without a word of it' 0 alice text register poem.txt
says 'alice: under the id that she computed' asset_id "$poem"
hand poem.txt alice bob
step 'bob: registers the same poem' 0 bob text register poem.txt
says 'bob: at no cost' duplicate true
step 'bob: finds the source of some words' 0 bob text search excerpt.txt
says 'bob: the poem' matches.0.asset_id "$poem"
step 'bob: deletes his registration' 0 bob text delete "$poem"
step 'bob: finds that of alice' 0 bob text search excerpt.txt
says 'bob: still the poem' matches.0.asset_id "$poem"
page="https://photos.example/$$-$(date +%s).jpg"
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
step 'alice: takes it back' 0 alice consent revoke "$page"
step 'anyone: reads nothing' 0 anyone consent get "$page"
says 'anyone: it is not declared' found false
