# Three people ask for an invitation: one is approved and redeems the code, one is declined, one is forgotten.
run="$$-$(date +%s)"
step 'anyone: opens the page' 0 anyone request GET /invite-request
holds 'anyone: it asks for an invitation' 'Request an invitation' "$world/out"
for who in ada bea cyd; do
  step "$who: asks for an invitation" 0 anyone request POST /invite-request --form "email=$who.$run@example.org" 'name=Ada Lovelace' 'reason=Keep notes on an engine.' cf-turnstile-response=XXXX.DUMMY.TOKEN.XXXX
done
step 'ada: asks again from another spelling of her address' 0 anyone request POST /invite-request --form "email=ADA.$run+again@EXAMPLE.ORG" 'name=Ada Lovelace' 'reason=Keep notes on an engine.' cf-turnstile-response=XXXX.DUMMY.TOKEN.XXXX
# The list has pages; those who ask now are on the last.
invitation() {
  after=0 found=''
  while [ -n "$after" ] && [ "$after" != null ] && [ -z "$found" ]; do
    operate admin invites list "$after" || break
    found=$("$node" -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).data.invites.find(({ email }) => email === process.argv[2])?.[process.argv[3]] ?? ""' "$world/admin" "$1.$run@example.org" "$2")
    after=$("$node" -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).data.next' "$world/admin")
  done
  echo "$found"
}
requests=0 after=0
while [ -n "$after" ] && [ "$after" != null ]; do
  operate admin invites list "$after" || break
  found=$(grep -o "\"email\": *\"ada\.$run" "$world/admin" | wc -l)
  requests=$((requests + found))
  after=$("$node" -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).data.next' "$world/admin")
done
report 'operator: finds one request of ada' 1 "$requests"
report 'operator: finds the request of ada' open "$(invitation ada state)"
ada_id=$(invitation ada id)
operator 'operator: approves ada' invites approve "$ada_id"
operator 'operator: approves her again' invites approve "$ada_id"
operator_refused 'must fail: declining her after that' invite_decided invites decline "$ada_id"
operator 'operator: declines bea' invites decline "$(invitation bea id)"
report 'bea: hears nothing' 0 "$(grep -rl "bea.$run" "$state/mail" | wc -l | tr -d ' ')"
operator 'operator: forgets cyd' invites forget "$(invitation cyd id)"
report 'operator: the request of cyd is gone' '' "$(invitation cyd state)"
newcomer ada --local
step 'ada: redeems the code from her mail' 0 ada pay redeem "$(mailed "ada.$run@example.org")"
says 'ada: for a plan' tier provenance
step 'ada: sees it at core' 0 ada request POST /api/user/verify --aud chain
says 'ada: the same' body.data.tier provenance
refused 'must fail: somebody else redeems it' code_unusable bob pay redeem "$(mailed "ada.$run@example.org")"
