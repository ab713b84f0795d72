/** Methods whose whole answer is one object. */
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import { policyIdOf } from '@svc/protocol/ledger/governance'
import { prepareHeader } from '@svc/protocol/notes/headers'
import { sealContact } from '../../src/inbox/contact-sealing.ts'
import { REALM, REALMS } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { data, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

const of = (answers: Record<string, unknown>, ...args: unknown[]) => ({ args: () => args, answers: () => answers })

function signature() {
  const answer = { valid: true }
  return { answer, ...of({ '/api/pqc/verify': answer }, { publicKeyB64u: 'x', messageB64u: 'x', signatureB64u: 'x' }) }
}

function header() {
  const asked = {
    userId: alice.userId,
    noteId: 'note-0001',
    deviceId: 'root',
    operation: 'create' as const,
    contentType: 'application/octet-stream' as const,
    contentLength: 16,
    timestamp: '2026-09-21T14:13:20.000Z',
    app: { name: 'studio', version: '1.2.0' },
  }
  const prepared = prepareHeader(asked)
  return { prepared, options: { identity: alice }, ...of({ '/api/headers/prepare': data(prepared) }, asked) }
}

function policy() {
  const signers = [{ id: 'alice', publicKeyB64u: alice.publicKeyB64u }]
  const placed = { policy: { version: 'v1' as const, threshold: 1, signers }, nonce: 'n_000000000000-1' }
  const record = {
    policyId: policyIdOf({ ...placed, previousPolicyId: null }),
    ...placed,
    attestations: [],
    activatedAt: '2026-10-23T10:00:00Z',
    activatedBy: alice.did,
  }
  return { record, options: { identity: alice }, ...of({ '/api/governance/policy': data(record) }) }
}

const ASSET = `asset:sha3-384:${'a7'.repeat(48)}`
async function inbox() {
  const requestId = encodeBase64url(new Uint8Array(60))
  const context = { requestId, assetId: ASSET, kemKeyId: kemKeyId(alice.kemPublicKeyB64u) }
  const draft = { name: 'Bob', email: 'bob@example.org', subject: 'Hi', message: 'Hello', assetId: ASSET }
  const envelope = await sealContact(draft, alice, context)
  const msgId = encodeBase64url(new Uint8Array(16))
  const received = { msgId, requestId, assetId: ASSET, envelope: { ...envelope }, receivedAt: 1, readAt: null }
  const page = { did: alice.did, messages: [received], next: null, total: 1, unread: 1 }
  return { received, page, options: { identity: alice }, ...of({ [`/api/inbox/${alice.did}`]: data(page) }) }
}

const CONTENT = 'Sign in: 4f1c9a'
const GENESIS = 'ab'.repeat(48)
const inception = { sequence: 0, hash: GENESIS }
const rootKeyOf = ({ epoch, userId, publicKeyB64u }: typeof alice) => ({ epoch, userId, publicKeyB64u })
async function message() {
  const signed = await alice.signMessage({ realm: REALM, audience: 'app', content: CONTENT, now: NOW, inception })
  const keys = {
    did: alice.did,
    keys: [rootKeyOf(alice)],
    steps: [{ hash: GENESIS, rootEpoch: 0, issuedAt: 0, device: null }],
  }
  const situation = {
    keys,
    signed: signed as unknown,
    change: async (changes: object, by = alice) => {
      const made = await signedBy(by, signed.statement as object, changes)
      situation.signed = { ...made, publicKeyB64u: by.publicKeyB64u }
    },
    of: () => import('../../src/verify.ts'),
    args: () => [situation.signed, { ...keys, realms: REALMS, audience: 'app', content: CONTENT }],
  }
  return situation
}
const falseMessage = (
  lie: string,
  reason: Lie['reason'],
  tell: Lie<Awaited<ReturnType<typeof message>>>['tell'],
): Lie<Awaited<ReturnType<typeof message>>> => ({ lie, reason, tell, subject: 'message' })

export const SIMPLE = [
  verifying({
    name: 'client.verifySignature',
    honest: signature,
    lies: [
      {
        lie: 'says that the signature is invalid',
        tell: ({ answer }) => {
          answer.valid = false
        },
        subject: 'signature',
        reason: 'invalid_signature',
      },
    ],
  }),
  verifying({
    name: 'client.prepareHeader',
    honest: header,
    lies: [
      {
        lie: 'returns another digest',
        tell: ({ prepared }) => void Object.assign(prepared, { aadB64u: 'AAAA' }),
        subject: 'answer',
        reason: 'different_answer',
      },
      {
        lie: 'returns another header beside the digest',
        tell: ({ prepared }) => void Object.assign(prepared, { header: { ...prepared.header, noteId: 'note-0002' } }),
        subject: 'answer',
        reason: 'different_answer',
      },
    ],
  }),
  verifying({
    name: 'client.governance.policy',
    honest: policy,
    lies: [
      {
        lie: 'shows another policy under the id',
        tell: ({ record }) => void Object.assign(record, { nonce: 'n_000000000000-3' }),
        subject: 'policy',
        reason: 'hash_mismatch',
      },
    ],
  }),
  verifying({
    name: 'client.pay.offer',
    honest: () => {
      const price = { amount_minor: 900, currency: 'EUR', display: '€9.00' }
      const prices = { interval: 'month', price, region: 'eu' }
      const shown = { sku: 'pro', display: 'Pro', kind: 'subscription', tier: 'notes', ...prices }
      return { shown, options: { pay: 'https://pay.test' }, ...of({ '/pay/offer/pro': data(shown) }, 'pro') }
    },
    lies: [
      {
        lie: 'answers with another offer',
        tell: ({ shown }) => {
          shown.sku = 'free'
        },
        subject: 'offering',
        reason: 'different_answer',
      },
    ],
  }),
  verifying({
    name: 'client.inbox.list',
    honest: inbox,
    lies: [
      {
        lie: 'answers with the inbox of another identity',
        tell: ({ page }) => void Object.assign(page, { did: mallory.did }),
        subject: 'inbox',
        reason: 'different_answer',
      },
    ],
  }),
  verifying({
    name: 'client.inbox.open',
    honest: async () => {
      const situation = await inbox()
      return Object.assign(situation, { args: () => [situation.received] })
    },
    lies: [
      {
        lie: 'changes the ciphertext',
        tell: ({ received: { envelope } }) => void Object.assign(envelope, { ciphertextB64u: 'A'.repeat(1387) }),
        subject: 'inbox',
        reason: 'modified',
      },
      {
        lie: 'names another key that the message is encrypted to',
        tell: ({ received: { envelope } }) => {
          Object.assign(envelope, { kemKeyId: kemKeyId(mallory.kemPublicKeyB64u) })
        },
        subject: 'inbox',
        reason: 'modified',
      },
      {
        lie: 'shows the message under another asset',
        tell: ({ received }) => {
          received.assetId = `asset:sha3-384:${'b7'.repeat(48)}`
        },
        subject: 'inbox',
        reason: 'modified',
      },
      {
        lie: 'shows the message under another request',
        tell: ({ received }) => {
          received.requestId = encodeBase64url(new Uint8Array(60).fill(1))
        },
        subject: 'inbox',
        reason: 'modified',
      },
    ],
  }),
  verifying({
    name: 'verifyMessage',
    honest: message,
    lies: [
      falseMessage('shows something that is not a message', 'malformed', (s) => {
        s.signed = {}
      }),
      falseMessage('shows a message of another identity', 'wrong_identity', (s) => s.change({ did: mallory.did })),
      falseMessage('shows a message with other content', 'mismatch', (s) => s.change({ text: 'Pay 100' })),
      falseMessage('shows a message to another audience', 'mismatch', (s) => s.change({ audience: 'other' })),
      falseMessage('shows a message of a key that was replaced', 'unordered', (s) => {
        s.keys.keys.push({ ...rootKeyOf(mallory), epoch: 1 })
      }),
      falseMessage('shows a message that names what its key cannot have known', 'not_entitled', (s) => {
        s.keys.keys.push({ ...rootKeyOf(mallory), epoch: 1 })
        s.keys.steps = [{ hash: GENESIS, rootEpoch: 1, issuedAt: 0, device: null }]
      }),
      falseMessage('shows a message that names an event of another log', 'unknown_head', (s) =>
        s.change({ inception: { sequence: 0, hash: 'cd'.repeat(48) } }),
      ),
      falseMessage('shows a message signed by another key', 'wrong_key', (s) =>
        s.change({ keyId: mallory.userId }, mallory),
      ),
      falseMessage('shows a message for another deployment', 'wrong_realm', (s) => s.change({ realm: OTHER_REALM })),
      falseMessage('changes the message', 'invalid_signature', (s) => {
        const { statement, ...signed } = s.signed as { statement: { issuedAt: number } }
        s.signed = { ...signed, statement: { ...statement, issuedAt: NOW + 1 } }
      }),
    ],
  }),
]
