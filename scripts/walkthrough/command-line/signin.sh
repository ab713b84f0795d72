# Accounts with a password, which unlock what a machine keeps and nothing else; an address by mail; an identity provider.
token=XXXX.DUMMY.TOKEN.XXXX
name="carol-$$-$(date +%s)"
step 'dora: uses the deployment' 0 dora init --core "$core"
step 'dora: passes a human check and makes an account' 0 dora signin register "$name" --challenge "$token" --password-fd 8 --label Laptop
says 'dora: is signed in' outcome signed-in
account=$(field accountId)
step 'dora: shows her session' 0 dora signin show
says 'dora: by password' method password
echo 'a secret of this machine' >"$world/dora/secret.txt"
step 'dora: encrypts a secret with the password' 0 dora signin wrap "$name" secret.txt --password-fd 8
step 'dora: opens it at another login' 0 dora signin unwrap "$(echo "$name" | tr 'a-z' 'A-Z')" secret.txt.wrapped.json --password-fd 8 --out opened.txt
report 'dora: unchanged' same "$(cmp -s "$world/dora/secret.txt" "$world/dora/opened.txt" && echo same)"
step 'mallory: uses the deployment' 0 mallory init --core "$core"
echo 'another password of somebody' >"$world/wrong"
cp "$world/password" "$world/right"
cp "$world/wrong" "$world/password"
refused 'must fail: a wrong password' wrong_password mallory signin login "$name" --password-fd 8
refused 'must fail: an unknown name' wrong_password mallory signin login "nobody-$$" --password-fd 8
refused 'must fail: a name that somebody has' taken mallory signin register "$name" --challenge "$token" --password-fd 8
cp "$world/right" "$world/password"
step 'dora: lists her devices' 0 dora signin devices
says 'dora: the laptop' devices.0.label Laptop
step 'dora: sets another password' 0 dora signin password "$name" --password-fd 8
says 'dora: of the same account' accountId "$account"
step 'dora: signs in on another machine' 0 phone-of-dora init --core "$core"
step 'dora: with the password' 0 phone-of-dora signin login "$name" --password-fd 8
step 'dora: ends the other sessions' 0 dora signin sessions --end-others
says 'dora: one is left' sessions.length 1
refused 'must fail: the other machine' token_rejected phone-of-dora signin show
step 'dora: forgets all devices' 0 dora signin devices --forget-all
says 'dora: none is left' devices.length 0
step 'dora: signs out' 0 dora signin logout
refused 'must fail: her session after that' not_signed_in dora signin show
step 'dora: signs in again' 0 dora signin login "$name" --password-fd 8
step 'dora: deletes the account' 0 dora signin delete
refused 'must fail: signing in to it' wrong_password dora signin login "$name" --password-fd 8

address="dora.$$.$(date +%s)@mail.example"
step 'dora: begins with a mail address' 4 dora signin register "$address" --challenge "$token" --password-fd 8
says 'dora: a code is on its way' outcome confirm-by-mail
code_in_mail=$(mailed "$address")
refused 'must fail: a wrong code' code_rejected dora signin confirm 000000 --password-fd 8
step 'dora: confirms it' 0 dora signin confirm "$code_in_mail" --password-fd 8
says 'dora: is signed in' outcome signed-in
step 'mallory: begins with her address' 4 mallory signin register "$address" --challenge "$token" --password-fd 8
says 'mallory: is told nothing' outcome confirm-by-mail

# A browser goes to the provider and comes back with a ticket.
page_back=http://localhost:5173/welcome
person="gina.$$.$(date +%s)@example.org"
visit() {
  step "$1: goes to the provider" 0 "$1" signin provider "$2" --return-to "$page_back"
  back=$("$node" --disable-warning=ExperimentalWarning "$parts/browser.ts" "$(field url)" "$page_back" "$3")
}
step 'gina: uses the deployment' 0 gina init --core "$core"
visit gina google "$person"
step 'gina: comes back' 0 gina signin return "$back"
says 'gina: without an account' hasAccount false
refused 'must fail: the ticket again' usage gina signin return "$back"
name="gina-$$-$(date +%s)"
step 'gina: makes one' 0 gina signin register "$name" --password-fd 8
account=$(field accountId)
visit mallory microsoft "$person"
step 'mallory: comes from another provider' 0 mallory signin return "$back"
says 'mallory: that is nobody' hasAccount false
visit gina google "$person"
step 'gina: comes back, having lost her password' 0 gina signin return "$back"
says 'gina: has an account' hasAccount true
cp "$world/wrong" "$world/password"
step 'gina: sets another password' 0 gina signin register "$name" --password-fd 8
says 'gina: of the same account' accountId "$account"
refused 'must fail: that grant again' usage gina signin register "$name" --password-fd 8
step 'gina: signs in with the new password' 0 gina signin login "$name" --password-fd 8
cp "$world/right" "$world/password"
refused 'must fail: the password before' wrong_password gina signin login "$name" --password-fd 8
