import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { anchored, anchors } from '../../test/lies/anchors/anchored.ts'
import { REALM } from '../../test/realm.ts'
import { alice, heirOfAlice, mallory } from '../../test/sides.ts'
import { Client } from '../client.ts'
import { historyOfAlice, judged, namesOf } from './means.fixture.ts'

const { keys } = await heirOfAlice()
const { bundle, log } = await anchors()
const known = { logKeyB64u: bundle.log.publicKeyB64u }

/** Core with these root keys of Alice; none if it does not answer. */
const coreWith = (shown: readonly object[] | null) =>
  new Client({
    core: REALM,
    did: 'https://did.test',
    retries: false,
    fetch: fetchOf(async ({ url }) => {
      if (shown) return Response.json({ success: true, data: historyOfAlice(url, shown) })
      return Response.json({ success: false, error: 'internal_error', timestamp: 0 }, { status: 503 })
    }),
  })

describe('the signer of an anchor', () => {
  it('is the root key of its owner, active or superseded', async () => {
    const active = await judged('anchor', bundle, { ...known, client: coreWith(keys.slice(0, 1)) })
    expect(active).toMatchObject({ did: alice.did, signer: 'active', order: 'log' })
    expect(namesOf(active)).toContain('signer ok')
    const superseded = await judged('anchor', bundle, { ...known, client: coreWith(keys) })
    expect(superseded).toMatchObject({ signer: 'superseded', order: 'log' })
    expect(namesOf(superseded)).not.toContain('order unchecked')
  })

  it('cannot be a root key that was replaced before the anchor was logged', async () => {
    const [first, heir] = keys
    const takenAt = Date.parse(bundle.record.createdAt)
    const client = coreWith([first, { ...heir, activatedAt: takenAt - 1 }])
    await expect(judged('anchor', bundle, { ...known, client })).rejects.toMatchObject({
      subject: 'anchor',
      reason: 'not_entitled',
    })
  })

  it('is not told of a key that is not the owner’s, and where nobody who knows answers', async () => {
    expect(await judged('anchor', bundle, known)).toMatchObject({ signer: null, order: 'unknown' })
    expect(await judged('anchor', bundle, { ...known, client: coreWith(null) })).toMatchObject({ signer: null })
    const byOther = { ...bundle.record, ...(await anchored('1', mallory)), position: bundle.record.position }
    const other = { ...bundle, record: byOther, proof: log.inclusion(1) }
    await expect(judged('anchor', other, known)).rejects.toMatchObject({ reason: 'not_included' })
  })
})
