import { describe, expect, it } from 'vitest'
import { firstKey, REALM, rolledLog, secondKey } from '../../merkle/rolled-log.fixture.ts'
import { seenBy } from '../cosigned/seen-by.ts'
import { bundleOf, checkpointOf, LOG, log, SIZES } from './anchor-bundle.fixture.ts'
import type { CosignedState } from './anchor-bundle.ts'
import { type AnchorBundle, anchorBundleSchema, isFormerBundle } from './anchor-bundle.ts'
import { bundledIn, firstOf } from './cosigned-states.fixture.ts'
import { formerBundleSchema, verifyFormerBundle } from './former-bundle.ts'
import { verifyBundle } from './verify-bundle.ts'

const SEEN_AT = 1_795_262_999_000
const verify = (bundle: AnchorBundle) => verifyBundle(bundle, { logKeyB64u: firstKey.ownerPublicKey }, [REALM])
const refused = (reason: string) => ({ ok: false, error: { reason } })
const trust = { threshold: 1, publicKeysB64u: [secondKey.ownerPublicKey] }
/** Witnessed when the log had this size. */
const seenAt = (size: number, newest: number, members: object = {}) =>
  bundledIn(log, { by: secondKey, index: 2, size, issuedAt: SEEN_AT, ...members }, newest)

describe('a bundle with a cosignature', () => {
  it.each(SIZES.filter((size) => size > 2))('verifies at every size from when it was cosigned to %i', async (size) => {
    for (let seen = 3; seen <= size; seen++) {
      const bundle = anchorBundleSchema.parse(await bundleOf(2, size, [await seenAt(seen, size)]))
      expect(await verify(bundle)).toEqual({ ok: true, value: undefined })
      expect(seenBy(bundle.cosigned, trust)).toEqual({ at: SEEN_AT, witnesses: 1 })
    }
  })

  const good = () => seenAt(4, 7)
  it.each<[string, (one: CosignedState) => object | Promise<object>, string]>([
    ['of another log', () => seenAt(4, 7, { log: `${LOG}x` }), 'wrong_log'],
    ['with another time than was signed', (one) => ({ ...one, cosignature: backdated(one) }), 'invalid_signature'],
    ['for another deployment', () => seenAt(4, 7, { realm: 'https://core.example' }), 'invalid_signature'],
    ['that names another witness', () => seenAt(4, 7, { witness: '0'.repeat(96) }), 'invalid_signature'],
    ['of a state before the anchor', () => seenAt(2, 7), 'not_included'],
    ['with the path of another anchor', (one) => ({ ...one, proof: log.inclusion(3, 4) }), 'not_included'],
    ['with no path to the newest state', (one) => ({ ...one, consistency: [] }), 'inconsistent'],
    ['with a path to another state', (one) => ({ ...one, consistency: log.consistency(4, 8) }), 'inconsistent'],
    ['of a state beyond the newest', () => bundledIn(log, { by: secondKey, index: 2, size: 8 }, 9), 'inconsistent'],
  ])('is refused with one %s', async (_, change, reason) => {
    const changed = (await change(await good())) as CosignedState
    expect(await verify(await bundleOf(2, 7, [changed]))).toEqual(refused(reason))
  })

  it('is refused with one of a history that the newest state does not have', async () => {
    const { first: forked } = await rolledLog('anchors', [log.lines.slice(1, 3).concat('{"kind":"other"}'), []])
    const one = await bundledIn(
      { ...log, checkpoint: forked.checkpoint, inclusion: forked.inclusion },
      { by: secondKey, index: 2, size: 4 },
      7,
    )
    expect(await verify(await bundleOf(2, 7, [one]))).toEqual(refused('inconsistent'))
  })

  it('counts nothing that an unlisted witness signed', async () => {
    const { cosigned } = await bundleOf(2, 7, [await good()])
    expect(seenBy(cosigned, { threshold: 1, publicKeysB64u: [firstKey.ownerPublicKey] })).toBeNull()
    expect(seenBy(cosigned, { ...trust, threshold: 2 })).toBeNull()
  })
})

const backdated = ({ cosignature }: CosignedState) => ({
  ...cosignature,
  statement: { ...cosignature.statement, issuedAt: 1 },
})

const [early, late] = [await seenAt(2, 7), await seenAt(4, 7)]

describe('what is the first in a bundle', () => {
  const theirs = (size: number) => bundledIn(log, { by: firstKey, index: 2, size, issuedAt: SEEN_AT }, 7)

  it('is the first state of the log that any witness cosigned, with the anchor in it or before it', async () => {
    for (const [cosigned, first] of [
      [[late], firstOf(early)],
      [[late, await theirs(5)], firstOf(late)],
      [[await theirs(4), late], firstOf(late)],
      [[], firstOf(early)],
    ] as const)
      expect(await verify(anchorBundleSchema.parse(await bundleOf(2, 7, cosigned, first)))).toMatchObject({ ok: true })
  })

  it.each<[string, () => Promise<AnchorBundle>, string]>([
    ['is missing', () => bundleOf(2, 7, [late], null), 'not_first'],
    ['is of a later state', async () => bundleOf(2, 7, [late], firstOf(await theirs(5))), 'not_first'],
    ['has the anchor, and its witness is shown with a later one', () => laterThan(3), 'not_first'],
    [
      'has the anchor, and its witness is not shown',
      async () => bundleOf(2, 7, [], firstOf(await theirs(3))),
      'not_first',
    ],
    ['is one of two of a witness', async () => bundleOf(2, 7, [late, await seenAt(5, 7)]), 'not_first'],
    ['is of another log', async () => withFirst({ log: `${LOG}x` }), 'wrong_log'],
    ['has another time than was signed', () => withFirst({}, 1), 'invalid_signature'],
    ['is of a state that the log does not extend', () => withFirst({ root: 'a7'.repeat(48) }), 'inconsistent'],
  ])('is refused if it %s', async (_, bundle, reason) => {
    expect(await verify(await bundle())).toEqual(refused(reason))
  })

  const laterThan = async (size: number) => bundleOf(2, 7, [late], firstOf(await seenAt(size, 7)))
  async function withFirst(members: object, issuedAt?: number): Promise<AnchorBundle> {
    const first = firstOf(await seenAt(2, 7, members))
    const statement = { ...first.cosignature.statement, ...(issuedAt !== undefined && { issuedAt }) }
    return bundleOf(2, 7, [late], { ...first, cosignature: { ...first.cosignature, statement } })
  }
})

describe('the first form of a bundle', () => {
  const former = async () => {
    const { record, log: listed, proof, checkpoint } = await bundleOf(4, 7)
    return { format: 'svc/anchor-bundle/v1' as const, record, log: listed, proof, checkpoint }
  }

  it('is refused as a bundle, and is not verified as one', async () => {
    expect(anchorBundleSchema.safeParse(await former()).success).toBe(false)
    const bundle = await bundleOf(4, 7)
    expect(isFormerBundle(bundle)).toBe(false)
    for (const missing of ['first', 'cosigned'])
      expect(anchorBundleSchema.safeParse({ ...bundle, [missing]: undefined }).success).toBe(false)
  })

  it('verifies to be renewed, and is refused if it does not', async () => {
    const bundle = formerBundleSchema.parse(await former())
    const trusted = { logKeyB64u: firstKey.ownerPublicKey }
    expect(isFormerBundle(bundle)).toBe(true)
    expect(await verifyFormerBundle(bundle, trusted, [REALM])).toEqual({ ok: true, value: undefined })
    const other = { ...bundle, checkpoint: await checkpointOf(8) }
    expect(await verifyFormerBundle(other, trusted, [REALM])).toEqual(refused('not_included'))
  })
})
