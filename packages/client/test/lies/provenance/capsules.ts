import { capsuleHash } from '@svc/protocol/provenance/capsules'
import { alice, mallory } from '../../sides.ts'
import { data, NOW, OTHER_REALM, verifying } from '../situation.ts'
import { oneAnswer } from './one-answer.ts'
import { bundle, capsule, falseBundle, OTHER_ASSET, registered, replaced, resigned, verify } from './registered.ts'

export const CAPSULES = [
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
      return Object.assign(made, { of: verify, args: () => [made.shown, made.expected] })
    },
    lies: [
      falseBundle('names another asset than the capsule', 'asset_mismatch', (shown) => {
        shown.assetId = OTHER_ASSET
      }),
      falseBundle('shows the capsule of a root key that was replaced', 'unordered', (_, expected) =>
        replaced(expected),
      ),
      falseBundle('shows the capsule of a device that was revoked', 'unordered', (shown) => {
        const keyStatus = { state: 'revoked', kind: 'device', did: null, scope: null, epoch: null }
        Object.assign(shown, { signer: { ...shown.signer, kind: 'device' }, keyStatus })
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
      const signed = () => ({ capsule: made.shown.capsule, signature: made.shown.signature })
      return Object.assign(made, { of: verify, args: () => [signed(), made.expected] })
    },
    lies: [
      falseBundle('shows a capsule of a root key that was replaced', 'unordered', (_, expected) => replaced(expected)),
      falseBundle('shows a capsule that names an event of another log', 'unknown_head', async (shown, expected) => {
        await resigned(shown, { inception: { sequence: 1, hash: OTHER_ASSET.slice(-96) } })
        Object.assign(expected, { steps: [{ hash: 'ab'.repeat(48), rootEpoch: 0, issuedAt: 0, device: null }] })
      }),
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
]
