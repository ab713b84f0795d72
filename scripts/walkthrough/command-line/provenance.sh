# Registered files, texts, images and videos, and commitments.
head -c 5000 /dev/urandom >"$world/alice/work.jpg"
step 'alice: registers an image' 0 alice capsule sign work.jpg --mime image/jpeg
asset=$(field assetId)
hand work.jpg alice bob
hand work.jpg.proof.json alice bob
step 'bob: verifies the proof without a network' 0 bob capsule verify work.jpg.proof.json work.jpg --offline --did "$(did alice)"
holds 'bob: it is on no ledger' '"detail": "no ledger anchor"' "$world/out"
step 'bob: finds out who registered a file' 0 bob verify work.jpg
step 'must fail: another file' 3 bob capsule verify work.jpg.proof.json chain.json --offline
step 'anyone: reads the registration' 0 anyone capsule open "$asset"
refused 'must fail: another registration of it' capsule_exists alice capsule sign work.jpg --mime image/jpeg --out again.json
step 'must fail: the path of a capsule without a block' 5 anyone request GET "$(service provenance)/api/provenance/$asset/path"
says 'anyone: 404' status 404
step 'alice: deletes the registration' 0 alice capsule delete "$asset"
refused 'must fail: reading it' not_found anyone capsule open "$asset"
"$node" -e 'console.log(Array.from({ length: 200 }, (_, i) => "harbour" + i * i + " pilot" + process.argv[1] + i + " ferry" + (i % 7)).join(" "))' -- "$$" >"$world/alice/poem.txt"
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
head -c 3000 /dev/urandom >"$world/alice/bound.png"
step 'alice: registers a picture with a block of her chain' 0 alice capsule sign bound.png --mime image/png --block
bound=$(field assetId)
step 'alice: reads the head of her chain' 0 alice chain head
head=$(field index)
step 'anyone: reads the path from the picture to alice' 0 anyone request GET "$(service provenance)/api/provenance/$bound/path"
says 'anyone: over that block' body.data.block.index "$head"
says 'anyone: to alice' body.data.did "$(did alice)"
hand bound.png.proof.json alice bob
hand bound.png alice bob
step 'bob: verifies the block in the proof without a network' 0 bob capsule verify bound.png.proof.json bound.png --offline --did "$(did alice)"
step 'bob: claims the same picture' 0 bob capsule sign bound.png --mime image/png --out mine.json
step 'anyone: reads who was first' 0 anyone capsule open "$bound"
says 'anyone: of two' claimCount 2
says 'anyone: alice' claims.0.did "$(did alice)"

echo 'an idea' >"$world/alice/idea.txt"
step 'alice: commits to a secret' 0 alice commitment make idea.txt
for file in idea.txt idea.txt.opening.json; do hand "$file" alice anyone; done
step 'anyone: opens it' 0 anyone commitment verify idea.txt.opening.json idea.txt
says 'anyone: alice knew it' did "$(did alice)"
echo 'another idea' >"$world/anyone/other.txt"
refused 'must fail: another secret' hash_mismatch anyone commitment verify idea.txt.opening.json other.txt

step 'alice: signs a file' 0 alice sign idea.txt
for file in idea.txt.signed.json; do hand "$file" alice anyone; done
step 'anyone: verifies the signature' 0 anyone verify idea.txt.signed.json --file idea.txt
says 'anyone: alice signed it' did "$(did alice)"
step 'anyone: reads what the signature says' 0 anyone explain statement idea.txt.signed.json
says 'anyone: it is of a kind that svc knows' isKnown true
step 'must fail: of another file' 3 anyone verify idea.txt.signed.json --file other.txt
# What a service is asked about a signature: the bytes that were signed are canonical JSON.
"$node" -e '
  const { statement, signatureB64u, publicKeyB64u } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"))
  const sorted = (_, value) => Object(value) === value ? Object.fromEntries(Object.entries(value).sort()) : value
  const messageB64u = Buffer.from(JSON.stringify(statement, sorted)).toString("base64url")
  const nonce = crypto.randomUUID()
  const write = (name, value) => require("node:fs").writeFileSync(`${process.argv[2]}/${name}.json`, JSON.stringify(value))
  const asked = { publicKeyB64u, messageB64u, signatureB64u, algorithm: "ml-dsa-65" }
  write("signature", { ...asked, nonce })
  write("status", { ...asked, nonce: `${nonce}-status` })
  write("batch", { items: [{ ...asked, nonce: `${nonce}-1` }, { ...asked, messageB64u: "AAAA", nonce: `${nonce}-2` }] })
  write("core", { alg: "ml-dsa-65", publicKeyB64u, messageB64u, signatureB64u })
' -- "$world/anyone/idea.txt.signed.json" "$world/anyone"
checks="$(service provenance)/api/verify"
step 'anyone: has it checked by provenance' 0 anyone request POST "$checks" --data signature.json
says 'anyone: it is valid' body.data.valid true
step 'must fail: the same nonce again' 5 anyone request POST "$checks" --data signature.json
says 'anyone: it was used' body.error nonce_replay
step 'anyone: asks for the status of the key too' 0 anyone request POST "$checks/with-key-status" --data status.json
says 'anyone: it is the current one' body.data.keyStatus.state current
step 'anyone: has two checked at once' 0 anyone request POST "$checks/batch" --data batch.json
says 'anyone: one is valid' body.data.valid 1
step 'anyone: has it checked by core' 0 anyone request POST /api/pqc/verify --data core.json
says 'anyone: it is valid' body.valid true
head -c 4096 /dev/urandom >"$world/alice/keypoints.bin"
step 'alice: stores keypoints' 0 alice request POST "$(service provenance)/api/keypoints/upload?hash=$(sha3 alice/keypoints.bin)" --bytes keypoints.bin --aud provenance
step 'anyone: reads them' 0 anyone request GET "$(service provenance)/keypoints/$(sha3 alice/keypoints.bin).akpb"
step 'alice: deletes them' 0 alice request DELETE "$(service provenance)/api/keypoints/$(sha3 alice/keypoints.bin)" --aud provenance
step 'must fail: reading them' 5 anyone request GET "$(service provenance)/keypoints/$(sha3 alice/keypoints.bin).akpb"
says 'anyone: 404' status 404
echo '{"text":"The sea lay flat"}' >"$world/anyone/prose.json"
step 'must fail: prose instead of vectors' 5 anyone request POST "$(service provenance)/api/query/text" --data prose.json
says 'anyone: prose is refused' body.error prose_rejected

operator 'operator: lists what the registrant of the poem registered' texts list "$poem"
operator 'operator: takes the poem down' takedown provenance text "$poem" court_order
refused 'must fail: alice registers it again' taken_down alice text register poem.txt
step 'anyone: sees that it was taken down' 0 anyone request GET "$(service provenance)/api/takedowns"
holds 'anyone: and why' court_order "$world/out"
operator 'operator: lists what was taken down' takedowns list provenance
holds 'operator: the poem too' "$poem" "$world/admin"
