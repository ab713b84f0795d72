# A stranger writes to the owner of an asset, and only the owner reads it. Only the stranger opens the answer.
head -c 64 /dev/urandom >"$world/alice/poster.png"
step 'alice: mints an asset that people ask about' 0 alice asset mint poster.png --mime image/png
asset=$(field asset.assetId)
step 'grace: uses the deployment' 0 grace init --core "$core"
printf 'May I print it?' >"$world/grace/message.txt"
write() {
  title=$1 expected=$2 about=$3 token=$4
  shift 4
  step "$title" "$expected" grace inbox send "$about" --from "grace.$$.$(date +%s)@example.org" --name Grace --subject Poster --file message.txt --challenge "$token" "$@"
}
write 'must fail: without a human check' 5 "$asset" 'a token of its own'
write 'must fail: an unknown asset' 5 "asset:sha3-384:$(printf '0%.0s' $(seq 96))" XXXX.DUMMY.TOKEN.XXXX
write 'grace: asks for a code' 4 "$asset" XXXX.DUMMY.TOKEN.XXXX --owner "$(did alice)" --reply-key reply-key.age
says 'grace: the key is that of alice' owner "$(did alice)"
request=$(field requestId)
code_in_mail=$(mailed "$asset")
refused 'must fail: a wrong code' code_rejected grace inbox deliver message.pending.json 000000
cp "$world/grace/message.pending.json" "$world/grace/again.pending.json"
step 'grace: delivers the message' 0 grace inbox deliver message.pending.json "$code_in_mail"
delivered=$(field deliveredAt)
step 'grace: sends it again, as after a lost answer' 0 grace inbox deliver again.pending.json "$code_in_mail"
says 'grace: it was delivered once' deliveredAt "$delivered"
step 'alice: lists her inbox' 0 alice inbox list
message=$(field messages.0.msgId)
says 'alice: it is unread' messages.0.readAt null
step 'alice: reads it' 0 alice inbox read "$message"
says 'alice: the words of grace' message 'May I print it?'
step 'alice: lists it again' 0 alice inbox list
report 'alice: it is marked as read' read "$([ "$(field messages.0.readAt)" != null ] && echo read)"
step 'must fail: bob reads it' 2 bob inbox read "$message"
printf 'You may.' >"$world/alice/answer.txt"
step 'alice: seals an answer' 0 alice inbox reply "$message" --file answer.txt --out reply.json
says 'alice: for the message of grace' requestId "$request"
hand reply.json alice grace
step 'grace: opens it' 0 grace inbox open reply.json --reply-key reply-key.age
says 'grace: the words of alice' text 'You may.'
says 'grace: signed by her' owner "$(did alice)"
sed 's/"nonceB64u":"[^"]*"/"nonceB64u":"AAAAAAAAAAAAAAAA"/' "$world/grace/reply.json" >"$world/grace/changed.json"
refused 'must fail: a changed answer' modified grace inbox open changed.json --reply-key reply-key.age
step 'must fail: bob lists her inbox' 5 bob request GET "/api/inbox/$(did alice)" --aud chain
says 'bob: 403' status 403
step 'alice: exports her inbox' 0 alice inbox export --out inbox.json
step 'alice: deletes it' 0 alice inbox delete "$message"
step 'alice: has no messages' 0 alice inbox list
says 'alice: none' messages.length 0
