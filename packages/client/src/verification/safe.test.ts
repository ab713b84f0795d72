import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { CORE, FakeCore } from '../../test/fake-core.ts'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { Chain } from '../chain/chain.ts'
import { safeVerifyChain, verifyChain } from '../chain/verify-chain.ts'
import { Identity } from '../identity/identity.ts'
import { RollbackError } from '../memory/errors.ts'
import { Transport } from '../transport/transport.ts'
import { readAnswer } from './read-answer.ts'
import { safely } from './safe.ts'
import { VerificationError } from './verification-error.ts'

const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(1) })

/** A chain of two blocks, and a reader that has not seen it yet. */
async function chain() {
  const core = new FakeCore()
  const at = () =>
    new Chain(new Transport({ realm: REALM, fetch: fetchOf(core.fetch), now: () => core.now }, alice), CORE, alice)
  const writer = at()
  await writer.genesis()
  await writer.append({})
  return { core, made: at() }
}

describe('a verifying method', () => {
  it('returns the verified value, and its twin the same as a result', async () => {
    const { core, made } = await chain()
    expect(await made.verify()).toEqual(core.head)
    expect(await made.safeVerify()).toEqual({ ok: true, value: core.head })
  })

  it('throws what failed, why, where and what was shown; its twin returns the error', async () => {
    const { core, made } = await chain()
    const block = { ...core.blocks[1]!, timestamp: '1' }
    core.blocks[1] = block
    const fault = { name: 'VerificationError', subject: 'chain', reason: 'invalid_signature', where: { block: '1' } }
    const thrown: unknown = await made.verify().catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(VerificationError)
    expect(thrown).toMatchObject({ ...fault, evidence: block })
    expect(JSON.parse(JSON.stringify(thrown))).toMatchObject(fault)
    expect(await made.safeVerify()).toMatchObject({ ok: false, error: fault })
  })

  it('throws everything else, twin or not', async () => {
    const { core, made } = await chain()
    core.lostAnswers = 3
    await expect(made.safeVerify()).rejects.toMatchObject({ name: 'ConnectionError', attempts: 3 })
    await expect(made.safePayload('99')).rejects.toMatchObject({ name: 'ServiceError', status: 404 })
  })
})

describe('verifyChain', () => {
  it('takes blocks from anywhere, and names the one that is wrong', async () => {
    const { core, made } = await chain()
    expect(await verifyChain(core.blocks, alice.did)).toEqual(core.head)
    expect(await verifyChain(made.blocks(), alice.did)).toEqual(core.head)
    expect(await safeVerifyChain([core.blocks[0]!, core.blocks[0]!], alice.did)).toMatchObject({
      ok: false,
      error: { reason: 'wrong_index', where: { block: '0' } },
    })
    await expect(verifyChain([], alice.did)).rejects.toMatchObject({ subject: 'chain', reason: 'empty' })
  })
})

describe('safely', () => {
  const piece = { position: 1, hash: '', signed: null }

  it('returns the errors of memory too: they are verification errors with both pieces', async () => {
    const contradiction = { log: { kind: 'chain', of: alice.did } as const, remembered: piece, received: piece }
    const result = await safely(() => Promise.reject(new RollbackError(contradiction)))
    expect(result).toMatchObject({ ok: false, error: { name: 'RollbackError', subject: 'chain', reason: 'rollback' } })
    expect(!result.ok && result.error.evidence).toEqual(contradiction)
  })

  it('takes functions that throw at once', async () => {
    const schema = z.strictObject({ a: z.array(z.strictObject({ b: z.int() })) })
    const given = { a: [{ b: 1 }, { b: 'x' }] }
    expect(await safely(() => readAnswer(schema, given))).toMatchObject({
      ok: false,
      error: { subject: 'answer', reason: 'malformed', where: { member: 'a.1.b' } },
    })
  })
})
