# Two chains, a hold, and what others see.
for who in alice bob; do
  newcomer "$who"
  for index in 1 2 3; do
    printf '%s %s' "$who" "$index" >"$world/$who/payload.txt"
    step "$who: appends block $index" 0 "$who" chain append --file payload.txt --type text/plain
  done
  says "$who: has block 3" index 3
  step "$who: reads the payload of block 2" 0 "$who" chain payload 2
  says "$who: it is what was written" contentB64u "$(printf '%s 2' "$who" | base64 | tr '+/' '-_' | tr -d '=')"
  step "$who: verifies the whole chain" 0 "$who" chain verify
  says "$who: its head" index 3
done
step 'bob: places a hold' 0 bob rotate hold
refused 'must fail: an append under the hold' security_hold bob chain append --file payload.txt
step 'bob: lifts it' 0 bob rotate lift
step 'bob: appends again' 0 bob chain append --file payload.txt
head -c 100000 /dev/zero >"$world/alice/large.bin"
step 'alice: appends a payload above 64 KiB' 0 alice chain append --file large.bin
step 'alice: reads it back' 0 alice chain payload "$(field hash)"
says 'alice: all of it' bytes 100000
step 'alice: lists her blocks' 0 alice chain list
says 'alice: five of them' blocks.length 5
step 'alice: exports her chain' 0 alice chain export --out chain.json
hand chain.json alice bob
step 'bob: verifies it without a network' 0 bob verify chain.json --offline --did "$(did alice)"
sed 's/"timestamp":"[0-9]*"/"timestamp":"1"/3' "$world/bob/chain.json" >"$world/bob/changed.json"
step 'must fail: a changed block in it' 3 bob verify changed.json --offline
"$node" -e 'const fs = require("node:fs"); fs.writeFileSync(process.argv[2], JSON.stringify(JSON.parse(fs.readFileSync(process.argv[1], "utf8")).blocks[1]))' -- "$world/bob/chain.json" "$world/bob/block.json"
step 'bob: reads what one block says' 0 bob explain block block.json
says 'bob: alice signed it' signature valid
step 'bob: reads the root keys of alice' 0 bob rotate history "$(did alice)"
says 'bob: she never replaced it' keys.length 1
step 'alice: exports her keys' 0 alice id export --out keys.json
mkdir -p "$world/laptop"
hand keys.json alice laptop
step 'her laptop: uses the deployment' 0 laptop init --core "$core"
step 'her laptop: opens them with the passphrase' 0 laptop id import keys.json
step 'her laptop: is alice' 0 laptop whoami
says 'her laptop: with her DID' did "$(did alice)"
step 'her laptop: lists its keys' 0 laptop id list
says 'her laptop: those of alice' identities.0.did "$(did alice)"
step 'her laptop: opens them' 0 laptop id show
says 'her laptop: the first root key' root.epoch 0
step 'bob: reads her root key' 0 bob rotate history "$(did alice)"
"$node" -e 'console.log(JSON.stringify({ alg: "ml-dsa-65", messageB64u: "AAAA", signatureB64u: "A".repeat(4412), publicKeyB64u: process.argv[1] }))' -- "$(field keys.0.publicKeyB64u)" >"$world/bob/false.json"
step 'bob: has core check a false signature' 0 bob request POST /api/pqc/verify --data false.json
says 'bob: it is not valid' body.valid false
