import type { ErrorName } from '#client/functions'

/** Who is asking: origins, assertions, devices, tokens and signatures. */
export const CREDENTIALS = {
  unauthorized:
    'The answer does not say which check failed, so that it helps nobody guess. Run [`explain`](/developer/assertions#why-was-it-refused) over the request: it finds a wrong URL, body, time or signature on your machine. If it finds nothing, the key was rotated, the identity was deactivated, the device may no longer act, or the assertion was sent twice.',
  'Authorization required':
    'Send an [assertion](/developer/assertions) for the audience `keys` in the `Authorization` header. The SDK does so if the client has an `identity` or a device.',
  'Invalid assertion':
    'The key directory answers this for every fault of an assertion but its times, a wrong audience among them. Check that `aud` is `keys`, then run [`explain`](/developer/assertions#why-was-it-refused) over the request.',
  assertion_expired:
    'Your clock is behind, or the assertion waited too long before it was sent. Compare your clock with `serverTime` in the body and [sign a new one](/developer/assertions#times-and-skew); the SDK does this once by itself.',
  assertion_not_yet_valid:
    'Your clock is ahead. Compare it with `serverTime` in the body, correct `issuedAt`, and [sign a new assertion](/developer/assertions#times-and-skew); the SDK does this once by itself.',
  assertion_too_long:
    'Set `expiresAt` at most 3,600,000 ms after `issuedAt`. A minute is enough, because an assertion is for [one request](/developer/assertions#times-and-skew).',
  assertion_replay:
    'Make a new assertion for every request, also when you [repeat one](/developer/first-client#what-to-retry-and-how). If you did not send this one before, somebody else did: bind assertions to [method, URL and body](/developer/assertions#binding-to-one-request).',
  wrong_audience:
    'Set `aud` to the [audience of the route](/developer/assertions#audiences), which its entry in the API reference names. Each service has its own.',
  invalid_audience:
    'Set `aud` to `identity` for a registration, and to `identity` or `console` for the other routes of the DID service: see [audiences](/developer/assertions#audiences).',
  invalid_nonce:
    'Make the [nonce](/developer/assertions#nonces) of the assertion from 16 to 64 characters of that set, for example 16 random bytes in base64url.',
  invalid_directory_nonce:
    'Make the [nonce](/developer/assertions#nonces) of the assertion shorter: 16 random bytes in base64url have 22 characters.',
  device_keys_disabled:
    'Sign with the root key of the identity. Whether a deployment takes devices is in its [capabilities](/developer/core#what-a-deployment-says-about-itself); the operator sets [`DEVICE_KEYS`](/developer/operating#variables).',
  capability_required:
    'The entry of the operation in the API reference names the [capability](/developer/assertions#capabilities) it needs. Let the root key [change the device](/developer/devices#change), or sign with the root key; where it says `root`, no device can do it.',
  attestation_unverifiable:
    'The root key has changed since the device was attested, or the attestation in the request is not the one at core. Let the current root key [attest the device again](/developer/devices#attestation).',
  device_index_unavailable:
    'Nothing was done. Repeat the request after a few seconds with a new assertion, or sign with the root key, for which [no device is looked up](/developer/assertions#a-device-at-step-13).',
  cors_denied:
    'From a web page: ask the operator to add your origin to [`ALLOWED_ORIGINS`](/developer/operating#variables). From a program: did and keys want an allowlisted `Origin` on every write, which the SDK takes as the option `origin`. A local start allows `http://localhost:3000`. See [Origins](/developer/origins#rules-by-service).',
  token_required:
    'Send the token in the header that the operation names: of an [offer](/developer/pairing#invitation), of a [sign-in session](/developer/auth#sessions), or as a [WebSocket ticket](/developer/events#a-websocket).',
  token_rejected:
    'The token is wrong or used, or its time is over; the answer does not say which. Sign in again for a [session](/developer/auth#sessions), request a new [ticket](/developer/events#a-websocket) for each WebSocket, and open a new [offer](/developer/pairing#invitation) if five wrong tokens ended it.',
  signature_required:
    'Sign the declaration and send the signature in base64url in the header `X-Svc-Signature`: see [Writing](/developer/consent#writing). `client.consent` of the SDK does both.',
  invalid_signature:
    'Check that you signed with the key that the route expects and the members that you sent: the [form of the statement](/developer/statements#form), its `realm`, and a signature over the bytes unchanged. On the payment webhook, check the secret and the age of `Stripe-Signature`.',
  statement_expired:
    'Compare your clock with `serverTime` in the body, set `issuedAt` to now and sign again. [Retrying](/developer/statements#retrying) lists how long each kind of statement counts.',
  statement_replay:
    'If you lost the answer, the first request was probably carried out: read the state before you act again. To do the same once more, sign a new statement with a new nonce or date. See [Retrying](/developer/statements#retrying).',
  wrong_realm:
    'The message has the realm of the statement and those accepted here. Sign it again with the `realm` of this deployment, which is in its [discovery document](/developer/discovery#what-it-contains). See [Realm](/developer/statements#realm).',
  owner_mismatch:
    'Compare the DID, `userId`, `scope` or key in the path and body with the key that signed the [assertion](/developer/assertions): they must name one identity. After a [rotation](/developer/rotation#what-ends-with-the-old-key), `userId` is that of the new root key.',
  successor_required:
    'Sign the deactivation with a key of your [recovery words](/developer/successors#sheets-of-words) too. Who has lost them asks the operator.',
  not_eligible:
    'Sign with a key that may sign this. A device needs [standing](/developer/rotation#veto) to freeze or co-sign a rotation; a note names the [device that signs it](/developer/notes#a-version); an organization cannot be its [own officer](/developer/devices#organizations-and-officers) or member.',
  forbidden:
    'Only the organization itself and its current officers can read its [rosters](/developer/organizations#rosters). The answer is the same if the organization does not exist, so check the DID and whether you are still an officer.',
  key_not_entitled:
    'The root key that signs must be the current one of the creator, or the device needs `consent:write` and an attestation by that key. If you [rotated](/developer/rotation#what-ends-with-the-old-key), sign with the new key. See [Writing](/developer/consent#writing).',
  unknown_signer:
    'Sign with a key that is on the list: your current root key, a signer of the [governance policy](/developer/governance#a-policy), a guardian of the [request](/developer/guardians), or a configured [witness](/developer/keys#witnesses).',
  threshold_not_met:
    'Collect more signatures over the same statement and send them together. The current [policy](/developer/governance#a-policy) has the threshold and the signers.',
  duplicate_signer:
    'Remove the repeated id, key or guardian: each signer counts once, whatever its number of signatures.',
  threshold_out_of_range:
    'Set `threshold` to at least 1 and at most the number of signers of the [policy](/developer/governance#a-policy) or of [guardians](/developer/guardians).',
  challenge_required:
    'Show the bot challenge (Turnstile) and send its token as `challengeToken`: for sign-in with the action [`login`](/developer/auth#passwords-opaque), for prekeys with the action [`prekey`](/developer/keys#who-may-reserve).',
  challenge_failed:
    'Solve a new challenge: a token counts once, for 300 seconds, and only from a page on a host that the deployment allows. Check the action too: `contact` for the [inbox](/developer/inbox#requesting-a-code), `prekey` for [prekeys](/developer/keys#who-may-reserve).',
} as const satisfies Partial<Record<ErrorName, string>>
