# A stolen root key: the owner recovers with the device and the recovery key, whatever the thief does.
newcomer frank
until_time "$(($(date +%s) * 1000 + $(svc anyone capabilities | "$node" -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).features.rotation.windowMs')))"
recovery=$(find "$world/frank" -path '*recovery*' -name '*.json')
cp -R "$world/frank" "$world/burglar"
step 'frank: his recovery is ready' 0 frank recovery status
step 'frank: lists his devices' 0 frank device list
step 'thief: revokes his device' 0 burglar device revoke "$(field devices.0.deviceId)"
step 'thief: asks for a new root key' 4 burglar rotate start
step 'frank: starts his recovery with the revoked device' 4 frank recovery run "$recovery"
says 'frank: it waits' status.stage waiting
step 'thief: contests it, once' 4 burglar rotate veto
refused 'must fail: the thief stops it' rotation_cosigned burglar rotate veto
patiently 'frank: finishes it' frank recovery run "$recovery"
says 'frank: it is done' status.stage done
echo mine >"$world/frank/mine.txt"
step 'frank: has a device again' 0 frank device list
step 'frank: continues his chain' 0 frank chain append --file mine.txt
refused 'must fail: the thief writes' unauthorized burglar chain append --file "$world/frank/mine.txt"

# Without a device, the operator approves what was kept, told the new key by the owner.
newcomer hank --local
step 'hank: prepares a recovery' 0 hank recovery prepare --out recovery.json
step 'hank: prints the recovery key for paper' 0 hank recovery sheet recovery.json
cp -R "$world/hank" "$world/robber"
step 'thief of another root key: asks for a new one' 4 robber rotate start
step 'hank: starts his recovery' 4 hank recovery run recovery.json
says 'hank: it needs a device' needs device
step 'hank: has none, and writes the request for the operator' 0 hank recovery operator
rotation=$(field rotationId)
successor=$(field newUserId)
operator 'operator: approves it' approve-rotation "$(did hank)" "$rotation" --request "$world/hank/request.json" --new-key "$successor"
refused 'must fail: the thief asks again' rotation_pending robber rotate start
patiently 'hank: finishes it' hank recovery run recovery.json
says 'hank: it is done' status.stage done
step 'hank: continues his chain' 0 hank chain append --file ../frank/mine.txt

# With two sheets of words, a thief of the root key cannot name the next one. Either sheet recovers the identity.
newcomer iris --sheet-file first.txt second.txt
step 'iris: checks the words of her first sheet' 0 iris recovery confirm first.txt
says 'iris: it is the first' sheet 1
step 'iris: checks the words of her second sheet' 0 iris recovery confirm second.txt
step 'iris: sees what can recover her identity' 0 iris status
says 'iris: words and recovery file' hasFile true
cp -R "$world/iris" "$world/pickpocket"
rm "$world/pickpocket/first.txt" "$world/pickpocket/second.txt"
refused 'must fail: the thief names the next root key' words_missing pickpocket rotate start
step 'iris: starts her recovery with one sheet' 4 iris recovery run first.txt
says 'iris: it waits' status.stage waiting
patiently 'iris: finishes it' iris recovery run first.txt
says 'iris: it is done' status.stage done
refused 'must fail: the thief writes' unauthorized pickpocket chain append --file "$world/frank/mine.txt"
step 'iris: continues her chain' 0 iris chain append --file ../frank/mine.txt
step 'iris: sees what can recover her from now on' 0 iris status
says 'iris: she has both sheets still' sheets.length 2
