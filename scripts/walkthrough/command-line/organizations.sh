# An organization: officers who are replaced, and a member who joins, is suspended and leaves.
for who in press ann ben member; do newcomer "$who" --local; done
accept() {
  hand "$1" press "$2"
  step "$2: accepts" 0 "$2" org accept "$1" --out "$2.json"
  hand "$2.json" "$2" press
}
step 'press: proposes its officer' 0 press org propose --officer "$(did ann)" --out first.json
accept first.json ann
step 'press: becomes an organization' 0 press org create first.json --accepted ann.json
step 'press: proposes another officer' 0 press org propose --officer "$(did ben)" --out second.json
rm "$world/ann/ann.json"
accept second.json ann
accept second.json ben
step 'press: replaces the officer' 0 press org create second.json --accepted ann.json ben.json
step 'anyone: reads the officers' 0 anyone org officers "$(did press)"
says 'anyone: ben' officers.0 "$(did ben)"
refused 'must fail: members without a plan' licence_required press org members
operator 'operator: gives press a plan' grant-plan "$(did press)" provenance 30
step 'press: invites a member' 0 press org bind "$(did member)" --provider login.example.com --subject member@example.com --permission content:sign
says 'press: it waits for the member' status pending
step 'anyone: is not told of a member yet' 3 anyone org check "$(did press)" "$(did member)"
hand invitation.json press member
step 'member: accepts' 0 member org accept invitation.json --out joined.json
hand joined.json member press
step 'press: binds the member' 0 press org bind "$(did member)" --accepted joined.json
step 'anyone: asks whether it is a member' 0 anyone org check "$(did press)" "$(did member)"
step 'member: lists its bindings' 0 member request GET "$(service did)/1.0/identifiers/$(did member)/bindings" --aud identity
holds 'member: to press' "$(did press)" "$world/out"
step 'press: suspends the member' 0 press org suspend "$(did member)"
step 'anyone: asks again' 3 anyone org check "$(did press)" "$(did member)"
step 'press: reinstates the member' 0 press org resume "$(did member)"
step 'ben: computes the list from the signed events' 0 ben org members "$(did press)"
says 'ben: the member is active' members.0.status active
refused 'must fail: an outsider reads it' forbidden bob org members "$(did press)"
step 'press: ends the membership' 0 press org revoke "$(did member)"
step 'anyone: is told of nobody' 3 anyone org check "$(did press)" "$(did member)"
refused 'must fail: binding again with the old acceptance' acceptance_unverifiable press org bind "$(did member)" --accepted joined.json
operator 'operator: rebuilds the organization, which has lost nothing' rebuild organizations "$(did press)" now
