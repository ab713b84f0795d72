# A second device, what it may do, a vetoed rotation, and one that takes effect.
newcomer carol --local
echo hello >"$world/carol/hello.txt"
step 'carol: registers her DID' 0 carol did register
step 'phone: uses the deployment' 0 phone init --core "$core"

owner=carol joiner=phone second='another-phone'
capabilities='chain:read chain:append account:read rotation:request rotation:cosign provenance:write'
step 'another-phone: uses the deployment' 0 another-phone init --core "$core"
echo 'hello, phone' >"$world/carol/greeting.txt"
pair 'carol and her phone: pair' --send greeting.txt
second=''
phone=$(field deviceId)
report 'phone: opens what carol sealed' same "$(cmp -s "$world/carol/greeting.txt" "$world/phone/received" && echo same)"
rm "$world/phone/received"
refused 'must fail: the sealed contents are fetched twice' not_found phone device join "$link"
step 'phone: reads the chain' 0 phone chain head
step 'carol: finds the phone in her verified log' 0 carol device list
says 'carol: by its id' devices.0.deviceId "$phone"
refused 'must fail: the phone exceeds its capabilities' capability_required phone rotate lift
step 'phone: places a hold' 0 phone rotate hold
refused 'must fail: carol writes' security_hold carol chain append --file hello.txt
step 'carol: lifts it' 0 carol rotate lift
step 'phone: reads what happened, from the signed feed' 0 phone id events
says 'phone: first, it was attested' events.0.kind device.attested
says 'phone: then the hold' events.1.kind hold.placed
says 'phone: and its end' events.2.kind hold.lifted
svc phone id events --after "$(field events.2.sequence)" --wait >"$world/watched" 2>"$world/phone.err" &
watching=$!
sleep 3
step 'carol: places a hold while her phone waits' 0 carol rotate hold
wait "$watching"
report 'phone: is told at once' 0 "$?"
cp "$world/watched" "$world/out"
says 'phone: of the hold' events.0.kind hold.placed
step 'carol: ends that hold' 0 carol rotate lift
step 'phone: is known to the DID service too' 5 phone request GET "$(service did)/api/rotation/request" --aud identity
says 'phone: there is no rotation' body.error not_found
head -c 64 /dev/urandom >"$world/phone/clip.mp4"
step 'phone: registers a video' 0 phone capsule sign clip.mp4 --mime video/mp4
step 'anyone: reads who signed it' 0 anyone capsule open "$(field assetId)"
says 'anyone: a device' signer.kind device
step 'watch: uses the deployment' 0 watch init --core "$core"
joiner=watch granted=$capabilities capabilities=account:read
pair 'carol and her watch, which may only read the account: pair'
joiner=phone capabilities=$granted

step 'carol: writes a note with her first key' 0 carol note write --title Lighthouse --file hello.txt
note=$(field noteId)

step 'carol: looks how long a rotation waits' 0 carol capabilities
window=$(field features.rotation.windowMs)
# A device counts as a co-signer after one whole window.
until_time "$(($(date +%s) * 1000 + window))"
cp -R "$world/carol" "$world/thief"
step 'carol: rehearses a rotation' 0 carol rotate start --dry-run
step 'carol: nothing is pending' 0 carol rotate status
step 'carol: asks for a new root key' 4 carol rotate start
refused 'must fail: a device that can only veto co-signs it' not_eligible watch rotate cosign
step 'watch: stops it' 0 watch rotate veto
says 'watch: it is frozen' status frozen
step 'carol: asks again' 4 carol rotate start
step 'phone: stops that too' 0 phone rotate veto
says 'phone: it is frozen' status frozen
step 'carol: asks once more' 4 carol rotate start
deadline=$(field deadline)
step 'anyone: sees the rotation that waits' 0 anyone request GET "/api/chain/root/$(did carol)"
says 'anyone: it is pending' body.data.rotation.status pending
says 'anyone: without a co-signature' body.data.rotation.cosignatures 0
step 'must fail: activation before it is co-signed' 5 carol rotate activate
step 'phone: co-signs it' 0 phone rotate cosign
until_time "$deadline"
step 'carol: activates it' 0 carol rotate activate
refused 'must fail: the old root key writes' unauthorized thief chain append --file hello.txt
refused 'must fail: the phone, attested by the old key' unauthorized phone chain head
step 'carol: reads what she wrote with the key before' 0 carol note read "$note"
says 'carol: as it was' title Lighthouse
step 'carol: continues the same chain' 0 carol chain append --file hello.txt
step 'carol: verifies it over both keys' 0 carol chain verify
step 'carol: publishes the new key' 0 carol did register
step 'anyone: resolves carol as she was' 0 anyone did resolve "$(did carol)" --version-id 0
says 'anyone: under her first key' didDocument.verificationMethod.0.id "$(did carol)#root-0"
step 'anyone: resolves carol' 0 anyone did resolve "$(did carol)"
says 'anyone: with the old key in her history' didDocumentMetadata.previousKeys.length 1
pair 'carol and her phone: pair again'
step 'phone: reads the chain again' 0 phone chain head
step 'carol: ends the phone for good' 0 carol device revoke "$phone"
refused 'must fail: the phone reads' unauthorized phone chain head
echo 'a wrapped key' >"$world/carol/key.txt"
rm -rf "$world/phone/.local" "$world/phone/.config"
step 'tablet: uses the deployment' 0 phone init --core "$core"
pair 'carol: authorizes a tablet through the relay' --relay --send key.txt
report 'tablet: has the key' same "$(cmp -s "$world/carol/key.txt" "$world/phone/received" && echo same)"
step 'tablet: reads the chain' 0 phone chain head

# A rotation that the operator approves, told the new key by its owner.
step 'carol: asks for a rotation by the operator' 4 carol rotate start --version 1
rotation=$(field rotationId)
successor=$(field newUserId)
refused 'must fail: activation without the approval' rotation_unapproved carol rotate activate
operator 'operator: approves it' approve-rotation "$(did carol)" "$rotation" --new-key "$successor"
step 'carol: activates it' 0 carol rotate activate
says 'carol: the second' epoch 2
# Core reports a rotation to the key directory right after it takes effect.
tries=0
until [ "$tries" -ge 20 ] || { svc carol directory lookup "$(did carol)" >"$world/out" 2>"$world/err" && [ "$(field seq)" = 4 ]; }; do
  tries=$((tries + 1))
  sleep 1
done
says 'anyone: finds both rotations and key agreements among the updates of the account of carol' seq 4
