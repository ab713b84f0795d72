# Encrypted notes: versions, a file, an export, and a deletion with its receipt.
printf eggs >"$world/alice/recipe.txt"
step 'alice: writes a note' 0 alice note write --title Recipe --tag kitchen --file recipe.txt
note=$(field noteId)
printf 'eggs and milk' >"$world/alice/recipe.txt"
step 'alice: changes it' 0 alice note write --over "$note" --file recipe.txt
step 'alice: reads it' 0 alice note read "$note"
says 'alice: as it is now' body 'eggs and milk'
step 'alice: reads the earlier version' 0 alice note read "$note" --number 1
says 'alice: as it was' body eggs
head -c 300000 /dev/urandom >"$world/alice/photo.jpg"
step 'alice: lists its versions' 0 alice note history "$note"
says 'alice: two' versions.length 2
step 'alice: attaches a file' 0 alice note attach "$note" photo.jpg --type image/jpeg
step 'alice: reads it back' 0 alice note file "$note" photo.jpg --out copy.jpg
report 'alice: unchanged' same "$(cmp -s "$world/alice/photo.jpg" "$world/alice/copy.jpg" && echo same)"
step 'alice: reads a range of it' 0 alice note file "$note" photo.jpg --range 70000-70099 --out part.jpg
tail -c +70001 "$world/alice/photo.jpg" | head -c 100 >"$world/alice/expected.jpg"
report 'alice: those bytes' same "$(cmp -s "$world/alice/part.jpg" "$world/alice/expected.jpg" && echo same)"
step 'alice: shows her key' 0 alice rotate history
"$node" -e 'console.log(JSON.stringify({ header: { userId: process.argv[1], noteId: "note-1", deviceId: "laptop", operation: "create", contentType: "text/plain", contentLength: 5, timestamp: "2026-11-21T12:00:00Z", app: { name: "walk-through", version: "1.0.0" } } }))' -- "$(field keys.0.userId)" >"$world/alice/header.json"
step 'alice: has core compute the digest of a note header' 0 alice request POST /api/headers/prepare --data header.json --aud chain
says 'alice: by the second policy' body.data.policyVersion v2
step 'alice: lists her notes' 0 alice note list
says 'alice: version 3' notes.0.version 3
says 'alice: with its title' notes.0.title Recipe
step 'alice: searches them' 0 alice note find EGGS milk
says 'alice: one has the words' notes.0.title Recipe
step 'alice: writes them again for devices that joined later' 0 alice note share --all
says 'alice: none was left out' unread 0
step 'her laptop: writes the notes to a folder' 0 laptop note sync notes
echo 'Her own idea' >"$world/laptop/notes/idea.md"
step 'her laptop: sends a new file' 0 laptop note sync notes
says 'her laptop: one note' pushed 1
step 'alice: exports everything' 0 alice note export --out notes.jsonl
step 'alice: restores it' 0 alice note restore notes.jsonl
says 'alice: nothing had to be sent' restored 0
sed '$d' "$world/alice/notes.jsonl" >"$world/alice/cut.jsonl"
step 'must fail: an incomplete export' 3 alice note restore cut.jsonl
step 'must fail: bob reads the vault of alice' 5 bob request GET "/api/notes/$(did alice)" --aud notes
says 'bob: it is not his' body.error owner_mismatch
step 'alice: deletes the note' 0 alice note delete "$note" --out receipt.json
step 'alice: keeps a valid receipt' 0 alice verify receipt.json
step 'alice: checks the store' 0 alice note check
says 'alice: it has what the log says' differences 0
step 'her laptop: removes the file' 0 laptop note sync notes
says 'her laptop: one file' removed 1
