import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { capsuleHash } from '@svc/protocol/provenance/capsules'
import { commitmentHash } from '@svc/protocol/provenance/commitments'
import { Client } from '../../src/client.ts'
import { commitmentOf } from '../commitment.ts'
import { REALMS } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { data, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

const FILE = new TextEncoder().encode('a file')
const SALT = new Uint8Array(32)
const OTHER_ASSET = `asset:sha3-384:${'0'.repeat(96)}`
const verify = () => import('../../src/verify.ts')

const signing = new Client({
  core: 'https://core.test',
  did: 'https://did.test',
  provenance: 'https://provenance.test',
  identity: alice,
  now: () => NOW,
})

async function registered() {
  const { capsule: made, signature } = await signing.provenance.sign(FILE, { kind: 'image', mime: 'image/png' })
  const signer = { kind: 'root', scope: alice.scope, userId: alice.userId, epoch: 0, deviceId: null }
  return { assetId: made.assetId, did: alice.did, capsule: made, capsuleHash: capsuleHash(made), signature, signer }
}

/** A capsule as the service has it. */
async function capsule() {
  const { assetId, did, ...made } = await registered()
  const claim = { did, capsuleHash: made.capsuleHash, position: 1, registeredAt: NOW }
  const record = { assetId, kind: 'image', ...claim, ...made, chain: null, claims: [claim], claimCount: 1 }
  return {
    record,
    args: () => [assetId, alice.did],
    answers: () => ({ [`/api/capsule/${encodeURIComponent(assetId)}`]: data(record) }),
  }
}
type Capsule = Awaited<ReturnType<typeof capsule>>

/** The bundle of a registration. */
async function bundle() {
  const made = await registered()
  const shown = {
    format: 'svc-proof-bundle/1',
    ...made,
    registration: { position: 1, registeredAt: NOW, claimCount: 1 },
    keyStatus: null,
    chain: null,
    evidence: [],
    gaps: [{ gap: 'no_ledger_anchor', says: 'x' }],
    anchor: null,
    anchorReason: 'x',
    issuedAt: NOW,
  }
  return { shown, args: (): unknown[] => [], answers: () => ({}) as Record<string, unknown> }
}
type Bundle = Awaited<ReturnType<typeof bundle>>

const resigned = async (s: Pick<Capsule['record'], 'capsule' | 'signature' | 'capsuleHash'>, changes: object) => {
  const { statement, signatureB64u } = await signedBy(alice, s.capsule, changes)
  const signature = { ...s.signature, signatureB64u }
  Object.assign(s, { capsule: statement, capsuleHash: capsuleHash(statement), signature })
}

const falseBundle = (
  lie: string,
  reason: Lie['reason'],
  tell: (shown: Bundle['shown']) => void | Promise<void>,
): Lie<Bundle> => ({ lie, tell: (s) => tell(s.shown), subject: 'capsule', reason })

/** What an answer of one object is, and what is changed of it. */
const oneAnswer = (path: string, shown: Record<string, unknown>, ...args: unknown[]) => ({
  shown,
  args: () => args,
  answers: () => ({ [path]: data(shown) }),
})

function commitment() {
  const shown = commitmentOf(SALT, FILE, NOW)
  return oneAnswer(`/api/commitment/${shown.id}`, shown, shown.id)
}

const CHECK = { publicKeyB64u: alice.publicKeyB64u, messageB64u: 'AAAA', signatureB64u: 'AAAA' }
/** The service says that a signature verifies. */
const checked = (path: string, members: object) => () => {
  const valid = { valid: true, keySource: 'request', nonceStatus: 'consumed', timingUs: 0, ...members }
  const situation = {
    answer: data(valid) as unknown,
    args: () => [CHECK],
    answers: () => ({ [path]: situation.answer }),
  }
  return situation
}
const refused: Lie<ReturnType<ReturnType<typeof checked>>> = {
  lie: 'says that the signature is invalid',
  tell: (s) => {
    const body = { success: false, error: 'verification_failed', message: 'x', timestamp: NOW }
    s.answer = Response.json(body, { status: 400 })
  },
  subject: 'signature',
  reason: 'invalid_signature',
}

const file = (path: string, named: unknown) => {
  const situation = { bytes: FILE, args: () => [named], answers: () => ({ [path]: situation.bytes }) }
  return situation
}
const changedFile: Lie<ReturnType<typeof file>> = {
  lie: 'changes a byte of the file',
  tell: (s) => {
    s.bytes = new Uint8Array([...FILE.slice(1), 0])
  },
  subject: 'file',
  reason: 'hash_mismatch',
}

export const PROVENANCE = [
  verifying({
    name: 'client.provenance.capsule',
    honest: capsule,
    lies: [
      {
        lie: 'answers with the capsule of another asset',
        tell: (s) => resigned(s.record, { assetId: OTHER_ASSET }),
        subject: 'capsule',
        reason: 'different_answer',
      },
      {
        lie: 'answers with the capsule of another identity',
        tell: (s) => void Object.assign(s.record, { did: mallory.did }),
        subject: 'capsule',
        reason: 'different_answer',
      },
      {
        lie: 'names another hash of the capsule',
        tell: (s) => {
          s.record.capsuleHash = '0'.repeat(96)
        },
        subject: 'capsule',
        reason: 'capsule_hash',
      },
      {
        lie: 'changes the capsule',
        tell: ({ record }) => {
          const changed = { ...record.capsule, issuedAt: NOW + 1 }
          Object.assign(record, { capsule: changed, capsuleHash: capsuleHash(changed) })
        },
        subject: 'capsule',
        reason: 'invalid_signature',
      },
      {
        lie: 'names another key for the signature',
        tell: ({ record }) => void Object.assign(record.signature, { publicKeyB64u: mallory.publicKeyB64u }),
        subject: 'capsule',
        reason: 'invalid_signature',
      },
      {
        lie: 'shows a capsule for another deployment',
        tell: (s) => resigned(s.record, { realm: OTHER_REALM }),
        subject: 'capsule',
        reason: 'invalid_signature',
      },
    ],
  }),
  verifying({
    name: 'client.provenance.proof',
    honest: async () => {
      const made = await bundle()
      const { assetId } = made.shown
      const path = `/api/provenance/${encodeURIComponent(assetId)}/proof`
      return Object.assign(made, { args: () => [assetId, alice.did], answers: () => ({ [path]: data(made.shown) }) })
    },
    lies: [
      falseBundle('answers with the bundle of another asset', 'different_answer', (shown) => {
        shown.assetId = OTHER_ASSET
      }),
      falseBundle('answers with the bundle of another identity', 'different_answer', (shown) => {
        shown.did = mallory.did
      }),
    ],
  }),
  verifying({
    name: 'verifyProof',
    honest: async () => {
      const made = await bundle()
      const expected = { realms: REALMS, file: FILE, expectedDid: alice.did }
      return Object.assign(made, { of: verify, args: () => [made.shown, expected] })
    },
    lies: [
      falseBundle('names another asset than the capsule', 'asset_mismatch', (shown) => {
        shown.assetId = OTHER_ASSET
      }),
      falseBundle('names another identity than the capsule', 'did_mismatch', (shown) => {
        shown.did = mallory.did
      }),
      falseBundle('names another hash of the capsule', 'capsule_hash', (shown) => {
        shown.capsuleHash = '0'.repeat(96)
      }),
      falseBundle('shows a capsule for another deployment', 'realm_mismatch', (shown) =>
        resigned(shown, { realm: OTHER_REALM }),
      ),
      falseBundle('changes the capsule', 'invalid_signature', (shown) => {
        const changed = { ...shown.capsule, issuedAt: NOW + 1 }
        Object.assign(shown, { capsule: changed, capsuleHash: capsuleHash(changed) })
      }),
      falseBundle('shows the bundle of another file', 'content_mismatch', async (shown) => {
        await resigned(shown, { assetId: OTHER_ASSET })
        shown.assetId = OTHER_ASSET
      }),
    ],
  }),
  verifying({
    name: 'verifyCapsule',
    honest: async () => {
      const made = await bundle()
      const expected = { realms: REALMS, file: FILE, expectedDid: alice.did }
      const signed = () => ({ capsule: made.shown.capsule, signature: made.shown.signature })
      return Object.assign(made, { of: verify, args: () => [signed(), expected] })
    },
    lies: [
      falseBundle('shows a capsule of another identity', 'did_mismatch', (shown) =>
        resigned(shown, { did: mallory.did }),
      ),
      falseBundle('shows a capsule for another deployment', 'realm_mismatch', (shown) =>
        resigned(shown, { realm: OTHER_REALM }),
      ),
      falseBundle('changes the capsule', 'invalid_signature', (shown) => {
        Object.assign(shown, { capsule: { ...shown.capsule, issuedAt: NOW + 1 } })
      }),
      falseBundle('shows the capsule of another file', 'content_mismatch', (shown) =>
        resigned(shown, { assetId: OTHER_ASSET }),
      ),
    ],
  }),
  verifying({
    name: 'client.provenance.verifyCapsule',
    honest: async () => {
      const { assetId, did, ...made } = await registered()
      const path = `/api/capsule/${encodeURIComponent(assetId)}/verify`
      const placed = { kind: 'image', capsuleHash: made.capsuleHash, position: 1, registeredAt: NOW }
      const { publicKeyB64u } = made.signature
      const found = { assetId, did, ...placed, valid: true, publicKeyB64u, signer: made.signer, keyStatus: null }
      return oneAnswer(path, found, assetId, did)
    },
    lies: [
      {
        lie: 'answers for another asset',
        tell: ({ shown }) => void Object.assign(shown, { assetId: OTHER_ASSET }),
        subject: 'capsule',
        reason: 'different_answer',
      },
      {
        lie: 'says that the signature is invalid',
        tell: ({ shown }) => void Object.assign(shown, { valid: false }),
        subject: 'capsule',
        reason: 'invalid_signature',
      },
    ],
  }),
  verifying({
    name: 'client.provenance.commitment',
    honest: commitment,
    lies: [
      {
        lie: 'answers for another identity',
        tell: ({ shown }) => void Object.assign(shown, { did: mallory.did }),
        subject: 'commitment',
        reason: 'different_answer',
      },
      {
        lie: 'shows another hash under the id',
        tell: ({ shown }) => void Object.assign(shown, { commitment_hash: '0'.repeat(96) }),
        subject: 'commitment',
        reason: 'different_answer',
      },
    ],
  }),
  verifying({
    name: 'verifyOpening',
    honest: () => {
      const made = commitment()
      return Object.assign(made, { of: verify, args: () => [made.shown, encodeBase64url(SALT), FILE] })
    },
    lies: [
      {
        lie: 'shows a commitment to other content',
        tell: ({ shown }) => void Object.assign(shown, { commitment_hash: commitmentHash(SALT, new Uint8Array()) }),
        subject: 'commitment',
        reason: 'hash_mismatch',
      },
      {
        lie: 'shows a commitment with another salt',
        tell: ({ shown }) =>
          void Object.assign(shown, { commitment_hash: commitmentHash(new Uint8Array(32).fill(1), FILE) }),
        subject: 'commitment',
        reason: 'hash_mismatch',
      },
    ],
  }),
  verifying({
    name: 'client.provenance.keypoints',
    honest: () => file(`/keypoints/${hashHex(FILE)}.akpb`, hashHex(FILE)),
    lies: [changedFile],
  }),
  verifying({
    name: 'client.provenance.model',
    honest: () => file('/models/model.onnx', { file: 'model.onnx', bytes: FILE.length, sha3_384: hashHex(FILE) }),
    lies: [changedFile],
  }),
  verifying({ name: 'client.provenance.verify', honest: checked('/api/verify', {}), lies: [refused] }),
  verifying({
    name: 'client.provenance.verifyWithKeyStatus',
    honest: checked('/api/verify/with-key-status', {
      keyStatus: { state: 'unknown', kind: null, did: null, scope: null, epoch: null },
    }),
    lies: [refused],
  }),
]
