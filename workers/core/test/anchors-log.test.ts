import { Anchors } from '@svc/client'
import { mlDsa65 } from '@svc/pqc'
import type { SignedCheckpoint } from '@svc/protocol/anchors'
import { encodeBase64url } from '@svc/protocol/base64url'
import { describe, expect, it } from 'vitest'
import { anchored, fill, LOG_SEED, reader } from './anchors.fixture.ts'
import { anonymous, CORE, sendWith } from './harness.ts'

const SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33]
const EMPTY_ROOT = '0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004'
const logKey = async () => encodeBase64url(await mlDsa65.publicKeyOf(LOG_SEED))
const offline = () => Promise.reject(new Error('verifying needs no network'))
const checkpoints: SignedCheckpoint[] = []

describe('the whole log', () => {
  it('has a signed checkpoint before it has anchors', async () => {
    const checkpoint = await reader().checkpoint()
    expect(checkpoint).toMatchObject({
      statement: { type: 'svc/anchor-checkpoint/v1', log: CORE, size: 0, root: EMPTY_ROOT },
      publicKeyB64u: await logKey(),
    })
    expect(Math.abs(Date.now() - checkpoint.statement.issuedAt)).toBeLessThan(60_000)
    checkpoints.push(checkpoint)
  })

  it('gives at many sizes a bundle of the newest and the oldest that verifies offline', async () => {
    let oldest = ''
    for (const size of SIZES) {
      await fill(size - 1 - (checkpoints.at(-1)?.statement.size ?? 0))
      const newest = (await anchored()).anchorId
      oldest ||= newest
      const checkpoint = await reader().checkpoint()
      expect(checkpoint.statement.size).toBe(size)
      checkpoints.push(checkpoint)
      for (const anchorId of [newest, oldest]) {
        const bundle = await reader().bundle(anchorId)
        expect(bundle.checkpoint.statement).toMatchObject({ size, root: checkpoint.statement.root })
        expect(bundle.proof.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)))
        expect(await Anchors.verify(bundle, await logKey())).toEqual({ ok: true, value: undefined })
      }
    }
  })

  it('extends each checkpoint in every later one, and in none that is earlier', async () => {
    expect(checkpoints).toHaveLength(SIZES.length + 1)
    for (const [i, earlier] of checkpoints.entries()) {
      for (const [j, later] of checkpoints.entries()) {
        if (j % 3 !== 0 && Math.abs(j - i) > 1) continue
        expect(await reader().extends(earlier, later)).toBe(j >= i)
      }
    }
  })

  it('does not extend a checkpoint of another history', async () => {
    const [earlier, later] = [checkpoints[5]!, checkpoints.at(-1)!]
    const forked = { ...earlier, statement: { ...earlier.statement, root: 'a7'.repeat(48) } }
    expect(await reader().extends(forked, later)).toBe(false)
    expect(
      await reader().extends(earlier, { ...later, statement: { ...later.statement, root: 'a7'.repeat(48) } }),
    ).toBe(false)
  })

  it('verifies a bundle that is older than the log, and finds what was altered in it', async () => {
    const { anchorId } = await anchored()
    const bundle = await reader().bundle(anchorId)
    await fill(3)
    const key = await logKey()
    expect(await Anchors.verify(bundle, key)).toMatchObject({ ok: true })
    const other = (await anchored()).owner
    const forged = { ...bundle, record: { ...bundle.record, owner: other } }
    expect(await Anchors.verify(forged, key)).toEqual({ ok: false, error: { reason: 'wrong_owner' } })
    const elsewhere = encodeBase64url(await mlDsa65.publicKeyOf(new Uint8Array(32).fill(10)))
    expect(await Anchors.verify(bundle, elsewhere)).toEqual({ ok: false, error: { reason: 'wrong_log' } })
  })

  it('has the root of the state proof as long as one window holds it all', async () => {
    const { statement } = await reader().checkpoint()
    const { count, root } = await reader().stateProof(2_048)
    expect([count, root]).toEqual([statement.size, statement.root])
  })

  it('asks the network for nothing where the answer is known', async () => {
    const [empty, first] = checkpoints
    expect(await reader(offline).extends(empty!, first!)).toBe(true)
    expect(await reader(offline).extends(first!, empty!)).toBe(false)
  })
})

describe('GET /api/anchors/consistency', () => {
  it.each(['first=0&second=1', 'first=2&second=1', 'first=1&second=999999', 'first=-1&second=1'])(
    'is refused for ?%s, sizes that the log has not had',
    async (query) => {
      await fill(2)
      expect(await anonymous('GET', `/api/anchors/consistency?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', message: 'query: the log has no such sizes' },
      })
    },
  )

  it.each(['', 'first=1', 'second=1', 'first=x&second=1', 'first=1&second=1.5'])(
    'is refused for ?%s',
    async (query) => {
      expect((await anonymous('GET', `/api/anchors/consistency?${query}`)).status).toBe(400)
    },
  )
})

describe('a deployment without a key for its log', () => {
  it('signs no checkpoint and gives no bundle, and answers the rest', async () => {
    const keyless = reader(sendWith({ ANCHOR_LOG_SEED: undefined }))
    const record = await anchored()
    const refusal = { status: 503, error: 'log_unavailable' }
    await expect(keyless.checkpoint()).rejects.toMatchObject(refusal)
    await expect(keyless.bundle(record.anchorId)).rejects.toMatchObject(refusal)
    expect(await keyless.read(record.anchorId)).toEqual(record)
    expect((await keyless.stateProof(1)).anchors[0]?.anchorId).toBe(record.anchorId)
  })
})
