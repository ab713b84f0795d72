# What must fail, and how an identity ends.
step 'must fail: no assertion' 5 anyone request GET /api/chain/head
says 'anyone: 401' status 401
step 'must fail: an assertion for another audience' 5 alice request GET /api/chain/head --aud notes
says 'alice: 403' status 403
step 'must fail: a service of somebody else' 2 alice request GET https://elsewhere.example/ --aud chain
step 'stranger: has keys, and no identity' 0 stranger init --core "$core"
step 'stranger: makes them' 0 stranger id new --local
refused 'must fail: a key without an identity' unauthorized stranger chain head
step 'bob: registers his DID' 0 bob did register
step 'bob: ends his identity' 0 bob id deactivate
refused 'must fail: he writes' unauthorized bob chain append --file payload.txt
step 'explain: what the refusal means' 0 anyone explain error unauthorized
