/**
 * What the curl commands have in place of examples, and what they answer where nothing has happened yet.
 *
 * @module
 */
const HASH = 'a7'.repeat(48)
const CID = 'bafybeifbs6at2pnksclgylywgpqtfczxb6x7vrsiffvqe7vdpxoqw5rq6i'
const LEGACY_KEYS = `"keys":[{"keyId":"old-1","keyHash":"${HASH}"}]`

/**
 * For a parameter, by its name, or by service, operation and name. `$did` and `$userId` are those of the throw-away
 * identity. A parameter that is not here has an id that another call makes.
 */
export const VALUES: Readonly<Record<string, string>> = {
  did: '$did',
  orgDid: '$did',
  memberDid: '$did',
  accountDid: '$did',
  userId: '$userId',
  sku: 'provenance-month',
  bucket: '17',
  blockId: '1',
  cid: CID,
  cipherHash: HASH,
  bundle: '0',
  epoch: '1',
  'consent checkOptOut hash': 'my-pictures/lighthouse',
  'consent readConsent hash': 'my-pictures%2Flighthouse',
  'consent readConsentHistory hash': 'my-pictures%2Flighthouse',
  'docs readDeveloperPage slug': 'chain',
  'docs readAcademicPage slug': 'protocol',
  'keys readProof id': '$did',
  'keys readBeaconTile level': '0',
  'keys readBeaconTile index': '000',
  'keys readBeaconTileBelow level': 'entries',
  'keys readBeaconTileBelow group': '000.p',
  'keys readBeaconTileBelow index': '1',
  'keys readBeaconTileDeepBelow level': '0',
  'keys readBeaconTileDeepBelow group': 'x001',
  'keys readBeaconTileDeepBelow index': '234.p',
  'keys readBeaconTileDeepBelow width': '1',
  'keys auditLog id': '$did',
  'docs readLlmsSection file': 'concepts.txt',
  'docs readSdkPage kind': 'classes',
  'docs readSdkPage page': '_svc_client.Client.html',
  'provenance readKeypoints file': `${HASH}.akpb`,
  'provenance readKeypointsHead file': `${HASH}.akpb`,
  'provenance readProvenance assetId': `asset:sha3-384:${HASH}`,
  'provenance readProvenancePath assetId': `asset:sha3-384:${HASH}`,
}

/** Bodies that are not the recorded example: a word of the shell, or null for one that a program computes or signs. */
export const BODIES: Readonly<Record<string, string | null>> = {
  'auth beginOpaqueLogin': null,
  'auth beginOpaqueRegistration': null,
  'auth finishOpaqueLogin': null,
  'auth finishOpaqueRegistration': null,
  'auth verifyTicket': null,
  'consent readConsentBatch': `'{"hashes":["my-pictures/lighthouse","my-pictures/harbour"]}'`,
  'core activateRotation': `'{"rotationId":"${HASH}","did":"'$did'"}'`,
  'core activateRotationV2': `'{"rotationId":"${HASH}","did":"'$did'"}'`,
  'core createEventHook': `'{"url":"https://hooks.example.org/svc"}'`,
  'core prepareHeaders':
    `'{"header":{"userId":"'$userId'","noteId":"note-1","deviceId":"laptop","operation":"create",` +
    `"contentType":"text/plain","contentLength":5,"timestamp":"2026-11-21T12:00:00Z",` +
    `"app":{"name":"my-app","version":"1.0.0"}}}'`,
  'core readInceptionHead': `'{"scope":"'$userId'"}'`,
  'core redeemCode': `'{"code":"0AK7-2RCV-1VXG-12JE","did":"'$did'"}'`,
  'core redeemOnPage': `"code=0AK7-2RCV-1VXG-12JE&did=$did"`,
  'core requestContact': null,
  'core resendOtp': null,
  'keys acknowledgeEpoch': `'{"user_id":"'$userId'","epoch":1}'`,
  'keys joinEpoch': `'{"user_id":"'$userId'"}'`,
  'keys replenishPrekeyInventory': `'{"user_id":"'$userId'",${LEGACY_KEYS}}'`,
  'keys uploadPrekeyInventory': `'{"user_id":"'$userId'",${LEGACY_KEYS}}'`,
  'pay adjustQuota': `'{"kind":"search","key":"second","delta":-1}'`,
  'provenance queryText': null,
  'provenance registerText': null,
  'provenance searchFragment': null,
  'provenance searchSemantic': null,
  'provenance searchVideo': null,
  'provenance searchVideoFragment': null,
}

/** Headers that the operation requires. */
export const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'pay createIntent': ['Idempotency-Key: first'],
}

export interface Refusal {
  readonly status: number
  /** Its name; none for an answer that is not an error. */
  readonly error?: string
  /** Completes “until”. */
  readonly until: string
}

const noCode: Refusal = {
  status: 404,
  error: 'code_unusable',
  until: 'you use a code from `scripts/admin code provenance 30`',
}
const noContent: Refusal = {
  status: 404,
  error: 'not_found',
  until: 'the deployment has pinned the content',
}
const noPlan: Refusal = {
  status: 402,
  error: 'licence_required',
  until: 'the operator gives the organization a plan: `scripts/admin grant-plan DID provenance 30`',
}
const noSubscription: Refusal = {
  status: 404,
  error: 'not_found',
  until: 'you use the `id` of a subscription of the identity',
}
const noRotation: Refusal = {
  status: 404,
  error: 'not_found',
  until: 'you use the `rotationId` of a request of the identity',
}
const noKeypoints: Refusal = { status: 404, error: 'not_found', until: 'you use the hash of a blob that was uploaded' }
const noBlock: Refusal = {
  status: 404,
  error: 'not_found',
  until: 'somebody registers a capsule of this asset with a block of their chain',
}
const notDeclared: Refusal = { status: 404, until: 'somebody declares preferences for the identifier' }

/** Commands that are refused where nothing has happened yet. */
export const REFUSALS: Readonly<Record<string, Refusal>> = {
  'consent readConsent': notDeclared,
  'consent readConsentHistory': notDeclared,
  'core activateRotation': noRotation,
  'core activateRotationV2': noRotation,
  'core confirmDevice': { status: 404, error: 'not_found', until: 'a device of the identity sends it' },
  'core pinContent': { status: 404, error: 'not_found', until: 'the IPFS gateway of the deployment has the content' },
  'core readBlobRef': { status: 404, error: 'not_found', until: 'you use the hash of a ciphertext in the vault' },
  'core readBlobRefHead': { status: 404, error: 'not_found', until: 'you use the hash of a ciphertext in the vault' },
  'core readContent': noContent,
  'core readContentHead': noContent,
  'core readPolicy': { status: 404, error: 'not_found', until: 'the operator sets the first policy' },
  'core readPayload': { status: 404, error: 'not_found', until: 'the identity has appended a block with a payload' },
  'core redeemCode': noCode,
  'core redeemOnPage': { status: 400, until: 'you use a code from `scripts/admin code provenance 30`' },
  'core unpinContent': { status: 404, error: 'not_found', until: 'the identity has pinned the content' },
  'did listMembers': noPlan,
  'did listMemberships': noPlan,
  'did listOrgEvents': noPlan,
  'did noteActivation': {
    status: 409,
    error: 'rotation_not_active',
    until: 'you use the `rotationId` of an active rotation',
  },
  'did readOfficers': { status: 404, error: 'not_found', until: 'the identity is an organization' },
  'did readRotation': { status: 404, error: 'not_found', until: 'the identity requests a rotation' },
  'did resolveDid': { status: 404, error: 'NOT_FOUND', until: 'the DID is registered' },
  'keys acknowledgeEpoch': { status: 409, until: 'the identity has joined an open epoch, and you use its number' },
  'keys joinEpoch': {
    status: 409,
    error: 'no_epoch',
    until: 'the operator opens an epoch: `scripts/admin open-epoch 1 1`',
  },
  'keys readBeaconTile': { status: 404, error: 'not_found', until: 'the beacon has 256 leaves' },
  'keys readBeaconTileDeepBelow': { status: 404, error: 'not_found', until: 'the beacon has 315,905 leaves' },
  'keys readEntries': { status: 404, error: 'not_found', until: 'the log has entries' },
  'pay adjustQuota': { status: 404, error: 'not_found', until: 'a use has the key `second`' },
  'pay changePlan': noSubscription,
  'pay redeemEntitlement': noCode,
  'pay setRenewal': noSubscription,
  'provenance readKeypoints': noKeypoints,
  'provenance readKeypointsHead': noKeypoints,
  'provenance readProvenance': noBlock,
  'provenance readProvenancePath': noBlock,
}
