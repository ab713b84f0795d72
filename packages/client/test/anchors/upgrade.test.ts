import { signerOf } from '@svc/protocol/chain/chain.fixture'
import type { KeptBundle } from '@svc/protocol/ledger/blind-root'
import { bundledIn, firstOf } from '@svc/protocol/ledger/bundle/cosigned-states.fixture'
import type { SignedCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { describe, expect, it } from 'vitest'
import { anchorTime } from '../../src/ledger/anchor-time.ts'
import { safeVerifyAnchor, verifyAnchor } from '../../src/ledger/verify-anchor.ts'
import { type Anchored, anchors } from '../lies/anchors/anchored.ts'
import { clientIn, NOW } from '../lies/situation.ts'
import { REALMS } from '../realm.ts'

const [first, second] = await Promise.all([signerOf(71), signerOf(72)])
const NONCE = `${'N'.repeat(42)}Q`

/** Core shows the bundle of an anchor with these cosignatures, at this log size. */
async function show(
  s: Anchored,
  size: number,
  ...seen: readonly { readonly by: typeof first; readonly size: number }[]
) {
  const states = await Promise.all(
    seen.map((one) => bundledIn(s.log, { index: 1, issuedAt: NOW + one.size, ...one }, size)),
  )
  Object.assign(s.bundle, {
    proof: s.log.inclusion(1, size),
    checkpoint: await s.log.checkpoint(size),
    first: states[0] ? firstOf(states[0]) : null,
    cosigned: states,
  })
  return structuredClone(s.bundle) as KeptBundle
}
function former(bundle: KeptBundle) {
  const { first: _, cosigned: __, ...logged } = bundle
  return { ...logged, format: 'svc/anchor-bundle/v1' }
}
const told = ({ first: start, cosigned, checkpoint }: KeptBundle) => ({
  size: checkpoint.statement.size,
  first: start?.cosignature.statement.size ?? null,
  cosigned: cosigned.map(({ cosignature: { publicKeyB64u, statement } }) => [
    publicKeyB64u === first.ownerPublicKey ? 'first' : 'second',
    statement.size,
  ]),
})

async function upgradeOf(s: Anchored, kept: unknown): Promise<KeptBundle> {
  const upgraded = await clientIn(s).anchors.upgrade(kept)
  expect(await verifyAnchor(upgraded, { list: s.list.statement }, REALMS)).toEqual(upgraded)
  return upgraded
}

describe('an upgrade of a bundle', () => {
  it('makes one of today’s form of the first form, and keeps the nonce', async () => {
    const s = await anchors()
    const kept = { ...former(await show(s, 2)), nonceB64u: NONCE }
    expect(await safeVerifyAnchor(kept, { list: s.list.statement }, REALMS)).toMatchObject({
      ok: false,
      error: { reason: 'malformed', where: { member: 'format' } },
    })
    await show(s, 3, { by: first, size: 2 })
    const upgraded = await upgradeOf(s, kept)
    expect(upgraded).toMatchObject({ format: 'svc/anchor-bundle/v2', nonceB64u: NONCE })
    expect(told(upgraded)).toEqual({ size: 3, first: 2, cosigned: [['first', 2]] })
    const witnesses = { threshold: 1, publicKeysB64u: [first.ownerPublicKey] }
    expect(anchorTime(upgraded, witnesses)).toEqual({ at: NOW + 2, by: 'witnesses' })
    expect(anchorTime(upgraded)).toEqual({ at: NOW, by: 'log' })
  })

  it('adds the cosignatures that there are now, and the newest checkpoint', async () => {
    const s = await anchors()
    const kept = await show(s, 2)
    await show(s, 3, { by: first, size: 2 }, { by: second, size: 3 })
    expect(told(await upgradeOf(s, kept))).toEqual({
      size: 3,
      first: 2,
      cosigned: [
        ['first', 2],
        ['second', 3],
      ],
    })
  })

  it('loses no cosignature that the log does not show any more, nor one that is earlier', async () => {
    const s = await anchors()
    const kept = await show(s, 2, { by: first, size: 2 })
    await show(s, 3)
    expect(told(await upgradeOf(s, kept))).toEqual({ size: 3, first: 2, cosigned: [['first', 2]] })
    await show(s, 3, { by: first, size: 3 })
    expect(told(await upgradeOf(s, kept))).toEqual({ size: 3, first: 2, cosigned: [['first', 2]] })
  })

  it('keeps its checkpoint where a cache shows an older one, and takes the cosignatures', async () => {
    const s = await anchors()
    for (const kept of [await show(s, 3), former(await show(s, 3))]) {
      await show(s, 2, { by: first, size: 2 })
      expect(told(await upgradeOf(s, kept))).toEqual({ size: 3, first: 2, cosigned: [['first', 2]] })
    }
  })

  it('changes nothing but the checkpoint if nothing is new', async () => {
    const s = await anchors()
    const kept = await show(s, 3, { by: first, size: 2 })
    expect(await upgradeOf(s, kept)).toEqual(kept)
  })

  it('is refused for what does not verify, of either form, before the log is asked', async () => {
    const s = await anchors()
    const kept = await show(s, 3, { by: first, size: 2 })
    const checkpoint = (await s.log.checkpoint(2)) as SignedCheckpoint
    for (const broken of [{ ...kept, checkpoint }, former({ ...kept, checkpoint })])
      await expect(clientIn(s).anchors.upgrade(broken)).rejects.toMatchObject({ reason: 'not_included' })
    await expect(clientIn(s).anchors.upgrade({ format: 'svc/anchor-bundle/v1' })).rejects.toMatchObject({
      reason: 'malformed',
    })
  })

  it('fails if the log is gone', async () => {
    const s = await anchors()
    const kept = await show(s, 3)
    const gone = Object.assign(s, { answers: () => ({ '/api/logs': anchorsListOf(s) }) })
    await expect(clientIn(gone).anchors.upgrade(kept)).rejects.toMatchObject({ name: 'ServiceError', status: 404 })
  })
})

const anchorsListOf = (s: Anchored) => ({ success: true, data: { list: s.list, earlier: [] }, timestamp: NOW })
