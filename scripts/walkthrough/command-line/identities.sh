# DID documents, and what a new client learns of a deployment.
refused 'must fail: resolving before it is registered' not_resolved bob did resolve "$(did alice)"
echo '[{"id":"#home","type":"LinkedDomains","serviceEndpoint":"https://alice.example/"}]' >"$world/alice/services.json"
step 'alice: registers her DID with a service' 0 alice did register --services services.json
step 'bob: resolves it' 0 bob did resolve "$(did alice)"
says 'bob: its document' didDocument.id "$(did alice)"
holds 'bob: with the proof of the resolver' '"proof"' "$world/out"
step 'bob: verifies it' 0 bob verify "$(did alice)"
refused 'must fail: another DID method' not_resolved bob did resolve did:web:example.com
step 'alice: comes back with the keys that she pinned' 0 alice init
says 'alice: they are the same' trust given
step 'alice: sees their fingerprint, which she can compare' 0 alice trust
says 'alice: nobody has compared it' isCompared false
step 'anyone: finds every service in order' 0 anyone doctor
says 'anyone: all eight' ok true
step 'anyone: sees what the deployment supports' 0 anyone capabilities
for name in provenance consent did keys auth pay docs; do
  step "anyone: asks $name where core is" 0 anyone request GET "$(service "$name")/.well-known/svc"
  says "anyone: $name says so" body.discovery "$core/.well-known/svc"
done
cp -R "$world/anyone" "$world/misled"
sed -i 's|"realm": *"[^"]*"|"realm": "https://core.victim.example"|' "$(find "$world/misled" -path '*profiles*' -name 'default.json')"
refused 'must fail: a deployment under another realm than the pinned one' foreign_realm misled capabilities
newcomer visitor --local
step 'visitor: comes from an origin that the deployment does not allow' 0 visitor init --origin https://stranger.example
refused 'must fail: registering from there' cors_denied visitor did register
