# A second device, what it may do, a vetoed rotation, and one that takes effect.
newcomer carol --local
echo hello >"$world/carol/hello.txt"
step 'carol: registers her DID' 0 carol did register
step 'phone: uses the deployment' 0 phone init --core "$core"

# pair TITLE [WORDS…]: the two sides of a pairing, with more words for carol’s. The person compares the codes; here the code
# goes through a pipe.
pair() {
  title_of_pair=$1
  shift
  rm -f "$world/code" "$world/carol.err"
  mkfifo "$world/code"
  svc carol device pair --code "$world/code" "$@" >"$world/paired" 2>"$world/carol.err" &
  pairing=$!
  link=''
  while [ -z "$link" ] && kill -0 "$pairing" 2>/dev/null; do
    sleep 1
    link=$(sed -n "s/.*'\(svc:[a-z]*:[^']*\)'.*/\1/p" "$world/carol.err")
  done
  svc phone device join "$link" --capability chain:read chain:append account:read rotation:request rotation:cosign \
    >"$world/joined" 2>"$world/phone.err" &
  joining=$!
  shown=''
  while [ -z "$shown" ] && kill -0 "$joining" 2>/dev/null; do
    sleep 1
    shown=$(sed -n 's/^  \([^ ].*\)$/\1/p' "$world/phone.err")
  done
  printf '%s\n' "$shown" >"$world/code"
  wait "$joining"
  code=$?
  wait "$pairing"
  cp "$world/joined" "$world/out"
  cp "$world/phone.err" "$world/err"
  report "$title_of_pair" 0 "$code"
}
pair 'carol and her phone: pair'
phone=$(field deviceId)
step 'phone: reads the chain' 0 phone chain head
step 'carol: finds the phone in her verified log' 0 carol device list
says 'carol: by its id' devices.0.deviceId "$phone"
refused 'must fail: the phone exceeds its capabilities' capability_required phone rotate lift
step 'phone: places a hold' 0 phone rotate hold
refused 'must fail: carol writes' security_hold carol chain append --file hello.txt
step 'carol: lifts it' 0 carol rotate lift
step 'phone: reads what happened to the identity' 0 phone request GET /api/events --aud chain
says 'phone: the feed is signed' status 200

step 'carol: looks how long a rotation waits' 0 carol capabilities
window=$(field features.rotation.windowMs)
# A device counts as a co-signer after one whole window.
until_time "$(($(date +%s) * 1000 + window))"
cp -R "$world/carol" "$world/thief"
step 'carol: rehearses a rotation' 0 carol rotate start --dry-run
step 'carol: nothing is pending' 0 carol rotate status
step 'carol: asks for a new root key' 4 carol rotate start
step 'phone: stops it' 0 phone rotate veto
says 'phone: it is frozen' status frozen
step 'carol: asks again' 4 carol rotate start
deadline=$(field deadline)
step 'must fail: activation before it is co-signed' 5 carol rotate activate
step 'phone: co-signs it' 0 phone rotate cosign
until_time "$deadline"
step 'carol: activates it' 0 carol rotate activate
refused 'must fail: the old root key writes' unauthorized thief chain append --file hello.txt
refused 'must fail: the phone, attested by the old key' unauthorized phone chain head
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
