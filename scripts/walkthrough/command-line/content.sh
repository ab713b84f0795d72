# Content that the deployment keeps, and a takedown; an activation code on the page of core.
gateway=${SVC_GATEWAY:-http://localhost:$((${core##*:} + 8))}
head -c 60000 /dev/urandom >"$world/alice/part.bin"
for n in 1 2 3 4 5 6 7 8 9 10; do cat "$world/alice/part.bin"; done >"$world/alice/film.bin"
cid=$("$node" -e 'fetch(process.argv[1], { method: "POST", body: require("node:fs").readFileSync(process.argv[2]) }).then((answer) => answer.text()).then((text) => process.stdout.write(text))' -- "$gateway" "$world/alice/film.bin")
step 'alice: has a file of 600 kB pinned' 0 alice content pin "$cid" --name film
says 'alice: all of it' bytes 600000
step 'anyone: reads it back by its CID' 0 anyone content get "$cid" --out film.bin
report 'anyone: unchanged' same "$(cmp -s "$world/alice/film.bin" "$world/anyone/film.bin" && echo same)"
step 'anyone: reads a range of it' 0 anyone request GET "/ipfs/$cid" --header range=bytes=300000-300999
says 'anyone: 206' status 206
says 'anyone: that range' headers.content-range 'bytes 300000-300999/600000'
refused 'must fail: unknown content' not_found anyone content get bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e
step 'bob: has it pinned too' 0 bob content pin "$cid"
step 'alice: lists her pins' 0 alice content list
says 'alice: it' pins.0.cid "$cid"
step 'alice: removes hers' 0 alice content remove "$cid"
step 'alice: lists them again' 0 alice content list
says 'alice: none' pins.length 0
operator 'operator: takes the content down' takedown core pin "$cid" court_order
refused 'must fail: reading it' taken_down anyone content get "$cid"
refused 'must fail: pinning it' taken_down alice content pin "$cid"
step 'anyone: sees that it was taken down' 0 anyone content takedowns
holds 'anyone: this content' "$cid" "$world/out"
operator 'operator: lists what was taken down' takedowns list core
holds 'operator: this content' "$cid" "$world/admin"

newcomer reader2 --local
operator 'operator: issues an activation code' code notes 30
activation=$(grep -Eo '[0-9A-Z]{4}(-[0-9A-Z]{4}){3}' "$world/admin" | head -n 1)
step 'somebody: types the code on the page' 0 reader2 request POST /activation --form "code=$(echo "$activation" | tr 'A-Z-' 'a-z ')" "did=$(did reader2)"
holds 'somebody: it was redeemed' 'The code was redeemed' "$world/out"
step 'somebody: has a plan' 0 reader2 pay status
says 'somebody: that of the code' tier notes
step 'must fail: bob types the same code' 5 bob request POST /activation --form "code=$activation" "did=$(did bob)"
