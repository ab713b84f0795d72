# What must fail, and how an identity ends.
step 'must fail: no assertion' 5 anyone request GET /api/chain/head
says 'anyone: 401' status 401
step 'must fail: an assertion for another audience' 5 alice request GET /api/chain/head --aud notes
says 'alice: 403' status 403
step 'must fail: a service of somebody else' 2 alice request GET https://elsewhere.example/ --aud chain
step 'stranger: has keys, and no identity' 0 stranger init --core "$core"
step 'stranger: makes them' 0 stranger id new --local
refused 'must fail: a key without an identity' unauthorized stranger chain head
newcomer leaver --local
echo bye >"$world/leaver/bye.txt"
step 'leaver: registers a DID' 0 leaver did register
step 'leaver: ends the identity' 0 leaver id deactivate
refused 'must fail: it writes' unauthorized leaver chain append --file bye.txt
step 'bob: his device could stop the end of his' 4 bob id deactivate
step 'explain: what the refusal means' 0 anyone explain error unauthorized
step 'anyone: reads the form of a result' 0 anyone schema anchor stamp
says 'anyone: it is an object' schema.type object
step 'anyone: has the manual page' 0 anyone man
step 'anyone: has the completion of a shell' 0 anyone completion bash
says 'anyone: of bash' shell bash
