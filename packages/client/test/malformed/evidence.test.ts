/** Evidence and stored values that only look like what they should be: a `VerificationError` says so. */
import { describe, expect, it } from 'vitest'
import type { Kind } from '../../src/evidence/detect/formats.ts'
import { judgeAll } from '../../src/evidence/judge.ts'
import { OFFLINE } from '../../src/evidence/means.fixture.ts'
import { Memory } from '../../src/memory/memory.ts'
import { type TrustStore, VolatileStore } from '../../src/memory/trust-store.ts'
import * as verify from '../../src/verify.ts'
import { REALMS } from '../realm.ts'
import { alice } from '../sides.ts'

const JUNK: readonly unknown[] = [
  undefined,
  null,
  7,
  'text',
  [],
  {},
  [null],
  [7],
  [{}],
  ['{}'],
  ['{'],
  { as: 'age', value: null },
  { as: 'answers', value: { format: 'svc/evidence/v1' } },
  { statement: null },
  { statement: {}, signatureB64u: 'x', publicKeyB64u: 'x' },
  { record: { asset: {} }, transfers: [] },
  { record: {}, transfers: [null] },
  { capsule: {}, signature: {} },
  { commitment: {}, saltB64u: 'x' },
  { format: 'svc-proof-bundle/1' },
  [{ previousHash: 'x', ownerPublicKey: 'x' }],
  [{ epoch: 0, request: null, publicKeyB64u: 'x' }],
]

const KINDS: readonly Kind[] = [
  'chain',
  'keys',
  'anchor',
  'stamp',
  'proof',
  'capsule',
  'commitment',
  'asset',
  'message',
  'checkpoints',
  'receipt',
  'notes',
  'sealed',
  'statement',
  'draft',
  'beacon',
]
const titled = JUNK.map((value) => ({ value, title: JSON.stringify(value) ?? 'undefined' }))

describe.each(KINDS)('evidence that should be of kind %s', (kind) => {
  it.each(titled)('$title is judged, whatever it is', async ({ value }) => {
    const file = new TextEncoder().encode('a file')
    const verdict = await judgeAll({ kind, value }, null, { ...OFFLINE, file, logKeyB64u: alice.publicKeyB64u })
    expect(verdict.verdict).not.toBe('valid')
  })
})

const { did, publicKeyB64u } = alice
const message = { did, keys: [alice], audience: 'a', realms: REALMS, content: 'x' }
const delivery = { did, url: 'https://a.test/', realms: REALMS, receiptKeyB64u: publicKeyB64u }
const VERIFIERS: readonly (readonly [string, (value: unknown) => unknown])[] = [
  ['verifyChain', (value) => verify.safeVerifyChain(value as never, did)],
  ['verifyKeyHistory', (value) => verify.safeVerifyKeyHistory(value, did, REALMS)],
  ['verifyDelivery', (value) => verify.safeVerifyDelivery(value, delivery)],
  ['verifyMessage', (value) => verify.safeVerifyMessage(value, message)],
  ['verifyAnchor', (value) => verify.safeVerifyAnchor(value, { logKeyB64u: publicKeyB64u }, REALMS)],
  ['verifyAsset', (value) => verify.safeVerifyAsset(value as never, { realms: REALMS, rootKeysOf: async () => [] })],
  ['verifyCapsule', (value) => verify.safeVerifyCapsule(value, { realms: REALMS })],
  ['verifyProof', (value) => verify.safeVerifyProof(value, { realms: REALMS })],
  ['verifyServiceStatement', (value) => verify.safeVerifyServiceStatement(value, [], REALMS)],
  ['ConsentSnapshot.open', (value) => verify.ConsentSnapshot.safeOpen(value as never, publicKeyB64u, REALMS)],
  ['verifyOpening', (value) => verify.safeVerifyOpening({ commitment_hash: 'x' }, String(value), new Uint8Array(1))],
]

describe.each(VERIFIERS)('%s', (_, judged) => {
  // What is missing is an argument that is missing.
  it.each(titled.filter(({ value }) => value !== undefined))('refuses $title', async ({ value }) => {
    expect(await judged(value)).toMatchObject({ ok: false, error: { name: 'VerificationError' } })
  })
})

describe('what a client has kept', () => {
  const malformed = { name: 'VerificationError', subject: 'memory', reason: 'malformed' }

  it.each(titled.filter(({ value }) => value !== undefined))('as $title is refused as a memory', async ({ value }) => {
    await expect(new Memory(REALMS).merge(value as never)).rejects.toMatchObject(malformed)
  })

  it.each(titled.filter(({ value }) => value !== undefined))('as $title is refused as a log', async ({ value }) => {
    const store = new VolatileStore()
    await store.set(`log/chain/${did}`, value)
    // Of another kind, so that somebody else may have written there.
    const shared: TrustStore = {
      get: (key) => store.get(key),
      set: (key, kept) => store.set(key, kept),
      delete: (key) => store.delete(key),
      keys: () => store.keys(),
      entries: (prefix) => store.entries(prefix),
      exclusively: (name, work) => store.exclusively(name, work),
    }
    const memory = new Memory(REALMS, { store: shared })
    await expect(memory.recall({ kind: 'chain', of: did })).rejects.toMatchObject(malformed)
  })
})
