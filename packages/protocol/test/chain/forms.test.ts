import { describe, expect, it, vi } from 'vitest'
import { bytesOf } from '../../src/base/base64url.ts'
import { hashHex, hashTextHex } from '../../src/base/hash.ts'
import {
  appendedSchema,
  blocksAnswerSchema,
  blocksQuerySchema,
  genesisRecordSchema,
  genesisRequestSchema,
  payloadAnswerSchema,
  rootAnswerSchema,
  syncStatusSchema,
} from '../../src/chain/api.ts'
import { genesisOf, signedBy } from '../../src/chain/chain.fixture.ts'
import { blockHash, chainHeadSchema, type SignedBlock } from '../../src/chain/chain.ts'
import {
  commitmentHash,
  commitmentSchema,
  isOneSpelling,
  NO_COMMITMENT_HASH,
  successorHash,
} from '../../src/chain/commitment.ts'
import { genesisCommitment, genesisEvidenceSchema, isCommitmentOf } from '../../src/chain/genesis.ts'
import { DEVICE_HOLD_PERIOD_MS, holdStateSchema, NO_HOLD } from '../../src/chain/hold.ts'
import { rehearsalAnswerSchema, rehearsalRequestSchema } from '../../src/chain/rehearsal.ts'
import {
  alice,
  committing,
  genesisOfKeys,
  mallory,
  requested,
  second,
  third,
} from '../../src/chain/rotation.fixture.ts'
import { type JudgeReplacement, verifyKeyHistory } from '../../src/chain/rotation-verification.ts'
import { expectForm } from '../form.fixture.ts'
import { REALMS } from '../realm.fixture.ts'

const { did, scope } = alice
const commitment = committing(second)
const evidence = await genesisOfKeys(alice, commitment)
const block = evidence.block as typeof evidence.block & SignedBlock
const hash = blockHash(block)
describe('answers about a chain', () => {
  it('have their members and no others', () => {
    const head = { index: '0', hash }
    const owner = { did, scope, userId: scope }
    expectForm(chainHeadSchema, head)
    expectForm(genesisRequestSchema, { block, commitment }, { optional: ['commitment'] })
    expectForm(genesisRecordSchema, { ...owner, block, commitment, hash, createdAt: 1 }, { nullable: ['commitment'] })
    expectForm(appendedSchema, { ...head, acceptedAt: 1 })
    expectForm(blocksAnswerSchema, { blocks: [block], next: '1', head }, { nullable: ['next'] })
    const payload = { ...head, dataHash: hash, contentType: 'text/plain', payloadB64u: 'AA' }
    expectForm(payloadAnswerSchema, payload, { optional: ['contentType'] })
    const root = { publicKeyB64u: alice.ownerPublicKey, epoch: 0, commitment, disputed: false, deactivated: false }
    expectForm(rootAnswerSchema, { ...owner, ...root, rotation: null }, { nullable: ['rotation'] })
    expect(rootAnswerSchema.safeParse({ ...owner, ...root, rotation: null, epoch: 7 }).success).toBe(true)
    expect(rootAnswerSchema.safeParse({ ...owner, ...root, rotation: null, epoch: -1 }).success).toBe(false)
    expectForm(syncStatusSchema, { hasBackup: true, lastSync: 1, userId: scope }, { nullable: ['lastSync'] })
  })

  it('are filtered by a content type of 1 to 255 characters', () => {
    const accepts = (length: number) => blocksQuerySchema.safeParse({ contentType: 'a'.repeat(length) }).success
    expect([0, 1, 255, 256].map(accepts)).toEqual([false, true, true, false])
  })
})

describe('a hold', () => {
  it('has its members, and lasts until it is lifted', () => {
    expectForm(holdStateSchema, { held: true, placedAt: 1 }, { nullable: ['placedAt'] })
    expect(holdStateSchema.parse(NO_HOLD)).toEqual({ held: false, placedAt: null })
    expect(DEVICE_HOLD_PERIOD_MS).toBe(2_592_000_000)
  })
})

describe('a commitment', () => {
  it('names each key once, and nothing is replaceable without one', () => {
    const { next } = committing(second, third)
    expectForm(commitmentSchema, { next, replaceable: true })
    expect(commitmentSchema.safeParse({ next: [next[0], next[0]], replaceable: false }).success).toBe(false)
    expect(commitmentSchema.safeParse({ next: [], replaceable: false }).success).toBe(true)
    expect(commitmentSchema.safeParse({ next: [], replaceable: true }).error?.issues).toMatchObject([
      { path: ['replaceable'], message: 'must be false without `next`' },
    ])
    expect(isOneSpelling({ next: [], replaceable: true })).toBe(false)
    expect(isOneSpelling({ next: [], replaceable: false })).toBe(true)
    expect(isOneSpelling({ next, replaceable: true })).toBe(true)
  })

  it('is hashed as the page says', () => {
    const { next } = commitment
    expect(NO_COMMITMENT_HASH).toBe(hashTextHex('{}'))
    expect(commitmentHash({ next: [], replaceable: false })).toBe(hashTextHex('{}'))
    expect(commitmentHash({ next, replaceable: true })).toBe(hashTextHex(`{"next":["${next[0]}"],"replaceable":true}`))
    const named = [...new TextEncoder().encode('ml-dsa-65'), 0, ...bytesOf(second.ownerPublicKey)]
    expect(successorHash(second.ownerPublicKey)).toBe(hashHex(Uint8Array.from(named)))
  })
})

describe('what a genesis block commits to', () => {
  const committed = (shown: typeof evidence, key = alice.ownerPublicKey) => genesisCommitment(shown, key)

  it('is what it names by its hash', async () => {
    expectForm(genesisEvidenceSchema, evidence, { nullable: ['commitment'] })
    expect(await committed(evidence)).toEqual({ ok: true, value: commitment })
    expect(await committed(await genesisOfKeys(alice))).toEqual({
      ok: true,
      value: { next: [], replaceable: false },
    })
  })

  it('is withheld if it is not shown, or is another', async () => {
    const withheld = { ok: false, error: 'commitment_withheld' }
    expect(await committed({ block, commitment: null })).toEqual(withheld)
    expect(await committed({ block, commitment: committing(third) })).toEqual(withheld)
    expect(await committed({ block, commitment: { next: [], replaceable: false } })).toEqual(withheld)
  })

  it('is nothing if the block is none of this key', async () => {
    const bad = { ok: false, error: 'bad_genesis' }
    expect(await committed(evidence, mallory.ownerPublicKey)).toEqual(bad)
    expect(await committed({ ...evidence, block: { ...block, timestamp: '1' } })).toEqual(bad)
    const { signature: _, ...unsigned } = block
    expect(await committed({ ...evidence, block: unsigned })).toEqual(bad)
    const later = await signedBy(alice, await genesisOf(alice), { metadataHash: block.metadataHash, epoch: 1 })
    expect(await committed({ ...evidence, block: later as typeof block })).toEqual(bad)
  })

  it('is compared by its hash, unless nothing is shown', () => {
    expect(isCommitmentOf(block, null)).toBe(true)
    expect(isCommitmentOf(block, commitment)).toBe(true)
    expect(isCommitmentOf(block, committing(third))).toBe(false)
    const plain = { ...block, metadataHash: NO_COMMITMENT_HASH }
    expect(isCommitmentOf(plain, { next: [], replaceable: false })).toBe(false)
  })
})

describe('a rehearsal', () => {
  it('has the members of a request, and what is kept', async () => {
    const { statement, signatureB64u, newKeySignatureB64u } = await requested(alice, second, 1)
    const signed = {
      statement: { ...statement, type: 'svc/rotation-rehearsal/v1' },
      signatureB64u,
      newKeySignatureB64u,
      kept: { rootCopy: true, requests: [] },
    }
    expectForm(rehearsalRequestSchema, signed, { optional: ['kept'] })
    const impossible = { ...signed, statement: { ...signed.statement, replaceable: true } }
    expect(rehearsalRequestSchema.safeParse(impossible).error?.issues).toMatchObject([
      { path: ['statement', 'replaceable'], message: 'must be false without `next`' },
    ])
  })

  it('is answered with what would become of it', () => {
    const answer = {
      wouldSucceed: true,
      rehearsedAt: 1,
      version: 1,
      epoch: 1,
      windowMs: 0,
      requiredCosigners: 0,
      eligibleCosigners: [],
      needsApproval: true,
      devices: { cosign: 0, veto: 0, tooNew: 0 },
      prospects: [],
    }
    expectForm(rehearsalAnswerSchema, answer)
    expect(rehearsalAnswerSchema.safeParse({ ...answer, version: 2 }).success).toBe(true)
    expect(rehearsalAnswerSchema.safeParse({ ...answer, version: 3 }).success).toBe(false)
    expect(rehearsalAnswerSchema.safeParse({ ...answer, wouldSucceed: false }).success).toBe(false)
  })
})

describe('evidence of a replacement', () => {
  it('is not judged where a committed key follows', async () => {
    const { scope: userId, ownerPublicKey: publicKeyB64u } = second
    const request = await requested(alice, second, 1)
    const shown = (key: typeof second, epoch: number) => ({
      epoch,
      userId: key.scope,
      publicKeyB64u: key.ownerPublicKey,
      activatedAt: 1,
      request: null,
      genesis: null,
    })
    const replacement = { requestedAt: 1, cosigned: null as never, events: [] }
    const keys = [
      { ...shown(alice, 0), genesis: await genesisOfKeys(alice, commitment) },
      { ...shown(second, 1), request, replacement },
    ]
    const judge = vi.fn<JudgeReplacement>(() => Promise.resolve('too_early'))
    const verified = await verifyKeyHistory(keys, did, REALMS, judge)
    expect(verified).toMatchObject({ ok: true, value: [{ epoch: 0 }, { epoch: 1, userId, publicKeyB64u }] })
    expect(judge).not.toHaveBeenCalled()
  })
})
