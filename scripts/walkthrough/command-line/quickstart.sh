# The quickstart: an identity, a file with a date that anyone can verify, and the proof that notices a change.
newcomer reader
head -c 60000 /dev/urandom >"$world/reader/my-photo.jpg"
step 'reader: anchors a photo' 0 reader anchor stamp my-photo.jpg
step 'reader: has the proof' 0 reader anchor upgrade my-photo.jpg.anchor.json --wait
step 'reader: finds the stamp in the library' 0 reader anchor find my-photo.jpg --out again.anchor.json
refused 'must fail: a stranger finds no record of the photo' unknown anyone verify "$world/reader/my-photo.jpg"
step 'reader: verifies it, and keeps the evidence' 0 reader anchor verify my-photo.jpg.anchor.json my-photo.jpg --evidence known.json
mkdir -p "$world/friend"
hand my-photo.jpg reader friend
hand my-photo.jpg.anchor.json reader friend
hand known.json reader friend
step 'friend: verifies it without a network' 0 friend anchor verify my-photo.jpg.anchor.json my-photo.jpg --offline --evidence known.json
says 'friend: sees whose it is' did "$(did reader)"
cp "$world/friend/my-photo.jpg" "$world/friend/changed.jpg"
echo >>"$world/friend/changed.jpg"
refused 'must fail: a changed photo' content_mismatch friend anchor verify my-photo.jpg.anchor.json changed.jpg --offline --evidence known.json
