# The policy of the deployment, which its signers replace together. An earlier run may have set it. The signer that all
# runs share replaces it then; without that signer nobody who is left can, and these steps are left out.
policy() {
  "$node" -e '
    const signers = process.argv.slice(2, 5).map((publicKeyB64u, at) => ({ id: ["alice", "bob", "governor"][at], publicKeyB64u }))
    console.log(JSON.stringify({ version: "v1", threshold: Number(process.argv[1]), signers, meta: { why: process.argv[5] } }))
  ' -- "$1" "$alice_key" "$bob_key" "$governor_key" "$2"
}
governor() {
  "$node" --disable-warning=ExperimentalWarning "$parts/governor.ts" "$state" "$@" 2>"$world/err"
}
for who in alice bob; do
  step "$who: shows the root key" 0 "$who" rotate history
  eval "${who}_key=\$(field keys.0.publicKeyB64u)"
done
governor_key=$(governor)
policy 2 'the first' >"$world/first.json"
svc alice governance show >"$world/out" 2>/dev/null
if [ "$(field policyId)" = 'no JSON' ]; then
  operator 'operator: sets the first policy' first-policy "$world/first.json"
  is_ours=yes
else
  governor "$core" "$world/first.json" && is_ours=yes || is_ours=no
fi
if [ "$is_ours" = yes ]; then
  step 'alice: reads it' 0 alice governance show
  says 'alice: it needs two' policy.threshold 2
  svc alice governance audit >"$world/out" 2>"$world/err"
  before=$(field policies.length)
  policy 1 'a draft' >"$world/alice/draft.json"
  step 'alice: drafts another' 0 alice governance propose draft.json --out drafted.json
  step 'alice: signs the draft' 0 alice governance sign drafted.json
  for file in drafted.json drafted.json.signed.json; do hand "$file" alice bob; done
  step 'bob: signs the draft' 0 bob governance sign drafted.json --out draft-bob.json
  policy 1 'one is enough' >"$world/alice/policy.json"
  step 'alice: proposes another' 0 alice governance propose policy.json
  step 'alice: signs it' 0 alice governance sign proposal.json
  refused 'must fail: a single signer publishes it' threshold_not_met alice governance publish proposal.json --signed proposal.json.signed.json
  hand proposal.json alice bob
  hand proposal.json.signed.json alice bob
  step 'bob: signs it too' 0 bob governance sign proposal.json --out bob.json
  step 'bob: publishes it' 0 bob governance publish proposal.json --signed proposal.json.signed.json bob.json
  step 'alice: reads the audit trail' 0 alice governance audit
  says 'alice: one policy more' policies.length "$((before + 1))"
  refused 'must fail: the draft that they abandoned' stale_policy bob governance publish drafted.json --signed drafted.json.signed.json draft-bob.json
fi
