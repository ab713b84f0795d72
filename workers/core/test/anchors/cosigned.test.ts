import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { userIdOf } from '@svc/protocol/base/identity'
import { signStatement } from '@svc/protocol/base/statement'
import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import { type AnchorRecord, signedCheckpointSchema } from '@svc/protocol/ledger/anchors'
import { anchorBundleSchema } from '@svc/protocol/ledger/bundle/anchor-bundle'
import { verifyBundle } from '@svc/protocol/ledger/bundle/verify-bundle'
import { anchorCosignedSchema } from '@svc/protocol/ledger/cosigned/anchor-cosigned'
import { cosignedAt, seenBy } from '@svc/protocol/ledger/cosigned/seen-by'
import { REALM, REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { CosignedFiles } from '../../src/anchors/cosigned/files.ts'
import { anonymous } from '../harness.ts'
import { anchored, fill, indexOf, LOG, logKey, openLog, reader, sizeOf } from './anchors.fixture.ts'

/** That of the tests’ configuration. */
const WITNESS_SEED = new Uint8Array(32).fill(0x12)
const STRANGER_SEED = new Uint8Array(32).fill(0x13)
const witnessKey = encodeBase64url(await mlDsa65.publicKeyOf(WITNESS_SEED))
const trust = { threshold: 1, publicKeysB64u: [witnessKey] }

async function cosigned(members: object = {}, seed = WITNESS_SEED): Promise<SignedCosignature> {
  const publicKey = await mlDsa65.publicKeyOf(seed)
  const { size, root } = (await reader().checkpoint()).statement
  const statement = {
    type: 'svc/transparency-cosignature/v1',
    realm: REALM,
    log: LOG,
    size,
    root,
    witness: userIdOf(publicKey),
    verifies: 'log',
    issuedAt: Date.now(),
    ...members,
  } as const
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  return { ...signed, publicKeyB64u: encodeBase64url(publicKey) }
}

const post = (body: unknown) => anonymous('POST', '/api/anchors/cosignatures', body)
const read = ({ anchorId }: AnchorRecord) => anonymous('GET', `/api/anchors/${anchorId}/cosigned`)
const shown = async (record: AnchorRecord) => anchorCosignedSchema.parse((await read(record)).body)

describe('the first cosignature that covers an anchor', () => {
  it('is kept for good, whatever the witness signs later', async () => {
    const anchor = await anchored()
    expect((await shown(anchor)).cosigned).toEqual([])
    const first = await cosigned({ issuedAt: 1_790_000_000_000 })
    expect(await post(first)).toMatchObject({ status: 200, body: first })
    // The same size once more, later, and a larger one.
    expect(await post(await cosigned())).toMatchObject({ status: 200, body: first })
    await fill(5)
    const later = await cosigned()
    expect(await post(later)).toMatchObject({ status: 200, body: later })
    const answer = await shown(anchor)
    expect(answer.cosigned.map(({ cosignature }) => cosignature)).toEqual([first])
    expect(await cosignedAt(anchor, answer, trust, REALMS)).toEqual({
      ok: true,
      value: { at: 1_790_000_000_000, witnesses: 1 },
    })
  })

  it('covers it: of a state before the anchor nothing is shown', async () => {
    await post(await cosigned())
    const anchor = await anchored()
    expect((await shown(anchor)).cosigned).toEqual([])
    const covering = await cosigned()
    expect(covering.statement.size).toBe(indexOf(anchor) + 1)
    await post(covering)
    expect((await shown(anchor)).cosigned.map(({ cosignature }) => cosignature)).toEqual([covering])
  })

  it('stays the first of twenty that arrive at once', async () => {
    const anchor = await anchored()
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => cosigned({ issuedAt: 1_790_000_000_000 + i })))
    const files = new CosignedFiles(env.BLOBS)
    const kept = await Promise.all(all.map((one) => files.keep(one)))
    const [{ cosignature: first } = { cosignature: null }] = (await shown(anchor)).cosigned
    expect(new Set(kept.map(({ signatureB64u }) => signatureB64u))).toEqual(new Set([first?.signatureB64u]))
  })

  it('is one of each witness, which may have signed at different sizes', async () => {
    const files = new CosignedFiles(env.BLOBS)
    const anchor = await anchored()
    const [ours, theirs] = [await cosigned({ issuedAt: 2 }), async () => cosigned({ issuedAt: 1 }, STRANGER_SEED)]
    await files.keep(ours)
    await fill(300)
    const second = await theirs()
    for (const one of [second, await cosigned()]) await files.keep(one)
    const answer = await shown(anchor)
    expect(answer.cosigned.map(({ cosignature }) => cosignature)).toEqual([ours, second])
    const both = [witnessKey, second.publicKeyB64u]
    // Of two the later time counts.
    expect(await cosignedAt(anchor, answer, { threshold: 2, publicKeysB64u: both }, REALMS)).toEqual({
      ok: true,
      value: { at: 2, witnesses: 2 },
    })
    expect(await cosignedAt(anchor, answer, { threshold: 2, publicKeysB64u: [witnessKey] }, REALMS)).toEqual({
      ok: true,
      value: null,
    })
  })

  it('is of the log of the anchor', async () => {
    const other = `${REALM}/anchors/2027b`
    await openLog(other)
    const anchor = await anchored()
    await new CosignedFiles(env.BLOBS).keep(await cosigned({ log: other }))
    expect((await shown(anchor)).cosigned).toEqual([])
  })

  it('is not found for an anchor that does not exist', async () => {
    expect(await anonymous('GET', `/api/anchors/${'A'.repeat(32)}/cosigned`)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
  })
})

describe('the bundle of an anchor', () => {
  const bundle = async ({ anchorId }: Pick<AnchorRecord, 'anchorId'>) =>
    anchorBundleSchema.parse((await anonymous('GET', `/api/anchors/${anchorId}/bundle`)).body)
  const verified = async (anchor: AnchorRecord) => {
    const made = await bundle(anchor)
    expect(await verifyBundle(made, { logKeyB64u: await logKey() }, REALMS)).toEqual({ ok: true, value: undefined })
    return made
  }

  it('has the first cosignature that covers it, whatever was cosigned later, and the first one of the log', async () => {
    const before = await cosigned({ issuedAt: 1_790_000_000_000 })
    await post(before)
    const anchor = await anchored()
    const { first } = await verified(anchor)
    expect((await verified(anchor)).cosigned).toEqual([])
    expect(first?.cosignature.statement.size).toBeLessThanOrEqual(before.statement.size)
    const covering = await cosigned({ issuedAt: 1_790_000_060_000 })
    await post(covering)
    for (const size of [1, 6, 306].map((more) => covering.statement.size + more)) {
      await fill(size - (await sizeOf()))
      await post(await cosigned())
      const made = await verified(anchor)
      expect(made.cosigned.map(({ cosignature }) => cosignature)).toEqual([covering])
      expect(seenBy(made.cosigned, trust)).toEqual({ at: 1_790_000_060_000, witnesses: 1 })
      expect(made.first).toEqual({ ...first, consistency: made.first?.consistency })
      expect(made.checkpoint.statement.size).toBe(size)
    }
  })

  it('names as the first one of the log what was brought last and is of an older state', async () => {
    const log = `${REALM}/anchors/2027c`
    await openLog(log)
    const stateNow = async () => {
      const { body } = await anonymous('GET', `/api/anchors/checkpoint?log=${encodeURIComponent(log)}`)
      const { size, root } = signedCheckpointSchema.parse(body).statement
      return { log, size, root }
    }
    const files = new CosignedFiles(env.BLOBS)
    const [anchorId = ''] = await fill(2, { name: log })
    const early = await stateNow()
    await fill(1, { name: log })
    const sizes = async () => {
      const { first, cosigned: all } = await bundle({ anchorId })
      return [first?.cosignature, ...all.map(({ cosignature }) => cosignature)].map((one) => one?.statement.size)
    }
    expect(await sizes()).toEqual([undefined])
    await files.keep(await cosigned(await stateNow()))
    expect(await sizes()).toEqual([4, 4])
    await files.keep(await cosigned(early, STRANGER_SEED))
    expect(await sizes()).toEqual([3, 3, 4])
  })
})

describe('a cosignature', () => {
  it.each<[object, string]>([
    [{ root: 'a7'.repeat(48) }, 'log_fork'],
    [{ size: 1, root: 'a7'.repeat(48) }, 'log_fork'],
    [{ size: 1_000_000 }, 'not_found'],
    [{ log: `${REALM}/anchors/2099z` }, 'not_found'],
    [{ witness: '0'.repeat(96) }, 'invalid_signature'],
  ])('with %o is refused', async (members, error) => {
    expect((await post(await cosigned(members))).body).toMatchObject({ error })
  })

  it('by an unlisted witness, or with another time than was signed, is refused', async () => {
    expect((await post(await cosigned({}, STRANGER_SEED))).body).toMatchObject({ error: 'unknown_signer' })
    const body = await cosigned()
    const backdated = { ...body, statement: { ...body.statement, issuedAt: 1 } }
    expect((await post(backdated)).body).toMatchObject({ error: 'invalid_signature' })
  })
})
