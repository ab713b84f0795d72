import { signStatement } from '@svc/protocol/base/statement'
import { signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import { attest, attestationOf, following, freshKeys, post, storedInception } from './inception.fixture.ts'
import { callers, inceptionBy, organizationOf, signedBy } from './organization.fixture.ts'

const UNVERIFIABLE = { status: 403, body: { error: 'officer_unverifiable' } }
const UNSIGNED = { status: 403, body: { error: 'invalid_signature' } }
const MISSING = { status: 403, body: { error: 'acceptance_missing' } }

async function started() {
  const [org, ann, ben, cat] = await callers(4)
  return { org: org!, ann: ann!, ben: ben!, cat: cat! }
}

describe('the inception of an organization', () => {
  it('is accepted with the acceptance of every officer, and is in the log', async () => {
    const { org, ann, ben, cat } = await started()
    const officers = [ann, ben, cat]
    const event = await inceptionBy(org, officers, 2)
    const { status, body } = await post(org, 'org', event)
    expect(status).toBe(200)
    expect(body['data']).toEqual({ ...following(event), acceptedAt: expect.any(Number) })
    const dids = officers.map(({ identity }) => identity.did)
    expect((await org.client.devices.verify()).roster).toEqual({ version: 1, officers: dids, quorum: 2 })
    expect((await org.client.devices.page()).events).toEqual([event])
  })

  it('is made by the SDK', async () => {
    const { org, ann, ben } = await started()
    const { organization, devices } = org.client
    const statement = await organization.makeInception([ann.identity.did, ben.identity.did], 1, await devices.head())
    const acceptances = await Promise.all([ann, ben].map(({ client }) => client.organization.accept(statement)))
    expect((await organization.incept(statement, acceptances)).sequence).toBe(1)
  })

  it('can follow device events and be followed by them', async () => {
    const { org } = await organizationOf(1, 1)
    expect((await attest(org, await attestationOf(org, await freshKeys()))).status).toBe(200)
    expect(await org.client.devices.verify()).toMatchObject({ roster: { version: 1 }, head: { sequence: 2 } })
  })

  it.each([
    ['nobody', []],
    ['one of three', [0]],
    ['one of them three times', [0, 0, 0]],
    ['two of three', [0, 2]],
  ])('is refused when %s has accepted', async (_, accepting) => {
    const { org, ...others } = await started()
    const officers = Object.values(others)
    const event = await inceptionBy(
      org,
      officers,
      2,
      accepting.map((i) => officers[i]!),
    )
    expect(await post(org, 'org', event)).toMatchObject(MISSING)
    expect(await storedInception(org)).toEqual({ events: [], devices: [], rosters: [] })
  })

  it('is rejected with acceptances of another roster or another organization', async () => {
    const { org, ann, ben } = await started()
    const event = await inceptionBy(org, [ann, ben], 1)
    const other = await inceptionBy(ben, [ann, ben], 1)
    const higher = await inceptionBy(org, [ann, ben], 2)
    for (const { acceptances } of [other, higher]) {
      expect(await post(org, 'org', { ...event, acceptances })).toMatchObject(MISSING)
    }
    expect((await post(org, 'org', event)).status).toBe(200)
  })

  it('requires an officer’s current root key', async () => {
    const { org, ann, ben } = await started()
    const { next } = await rotated(ann)
    const old = await inceptionBy(org, [ann, ben], 1)
    expect(await post(org, 'org', old)).toMatchObject(UNVERIFIABLE)
    expect((await post(org, 'org', await inceptionBy(org, [next, ben], 1))).status).toBe(200)
  })

  it('is rejected with someone else’s key in an officer’s name', async () => {
    const { org, ann, ben } = await started()
    const event = await inceptionBy(org, [ann, ben], 1)
    const [byAnn, byBen] = event.acceptances
    const inBensName = {
      ...byAnn!,
      ...(await signStatement(byBen!.statement, signerOf(ann.identity))),
    }
    expect(await post(org, 'org', { ...event, acceptances: [byAnn, inBensName] })).toMatchObject(UNVERIFIABLE)
    const withBensKey = { ...inBensName, publicKeyB64u: ben.identity.publicKeyB64u }
    expect(await post(org, 'org', { ...event, acceptances: [byAnn, withBensKey] })).toMatchObject(UNSIGNED)
    const { signatureB64u } = byAnn!
    expect(await post(org, 'org', { ...event, acceptances: [byAnn, { ...byBen!, signatureB64u }] })).toMatchObject(
      UNSIGNED,
    )
    expect((await org.client.devices.head()).sequence).toBe(0)
  })

  it('is rejected with an unknown or deactivated officer', async () => {
    const { org, ann, ben } = await started()
    const nobody = await freshCaller({ genesis: false })
    expect(await post(org, 'org', await inceptionBy(org, [ann, nobody], 1))).toMatchObject(UNVERIFIABLE)
    const event = await inceptionBy(org, [ann, ben], 1)
    await ben.client.security.deactivate()
    expect(await post(org, 'org', event)).toMatchObject(UNVERIFIABLE)
  })

  it('is rejected with an invalid acceptance by a stranger, required or not', async () => {
    const { org, ann, ben } = await started()
    const nobody = await freshCaller({ genesis: false })
    expect(await post(org, 'org', await inceptionBy(org, [ann], 1, [ann, nobody]))).toMatchObject(UNVERIFIABLE)
    expect((await post(org, 'org', await inceptionBy(org, [ann], 1, [ann, ben]))).status).toBe(200)
    expect((await org.client.devices.verify()).roster?.officers).toEqual([ann.identity.did])
  })

  it('must be signed by the caller’s root key, and about the caller', async () => {
    const { org, ann, ben } = await started()
    const event = await inceptionBy(org, [ann], 1)
    expect(await post(org, 'org', { ...event, ...(await signedBy(ben, event.statement)) })).toMatchObject(UNSIGNED)
    expect(await post(ann, 'org', { ...event, ...(await signedBy(ann, event.statement)) })).toMatchObject({
      status: 403,
      body: { error: 'owner_mismatch' },
    })
  })

  it('cannot have the organization itself as an officer, which would need no one else', async () => {
    const { org, ann } = await started()
    for (const officers of [[org], [ann, org]]) {
      expect(await post(org, 'org', await inceptionBy(org, officers, 1))).toMatchObject({
        status: 403,
        body: { error: 'not_eligible' },
      })
    }
    expect((await org.client.devices.head()).sequence).toBe(0)
  })

  it('happens once', async () => {
    const { org, officers, inception } = await organizationOf(2, 1)
    expect(await post(org, 'org', await inceptionBy(org, officers.slice(1), 1))).toMatchObject({
      status: 409,
      body: { error: 'org_exists' },
    })
    expect(await post(org, 'org', inception)).toMatchObject({
      status: 409,
      body: { error: 'stale_inception_head', details: { appended: { hash: following(inception).hash } } },
    })
  })

  it('must have a quorum that its officers can reach', async () => {
    const { org, ann, ben } = await started()
    expect(await post(org, 'org', await inceptionBy(org, [ann, ben], 3))).toMatchObject({
      status: 403,
      body: { error: 'quorum_not_met' },
    })
    expect((await post(org, 'org', await inceptionBy(org, [ann, ben], 0))).status).toBe(400)
    expect((await post(org, 'org', await inceptionBy(org, [ann, ben], 2))).status).toBe(200)
  })

  it('must have one to sixteen officers, each once', async () => {
    const { org, ann } = await started()
    const good = await inceptionBy(org, [ann], 1)
    const dids = Array.from({ length: 17 }, (_, i) => `did:svc:${String(i).padStart(32, '0')}`)
    for (const [officers, status] of [
      [[], 400],
      [dids, 413],
      [[dids[0]!, dids[0]!], 400],
    ] as const) {
      expect((await post(org, 'org', { ...good, statement: { ...good.statement, officers } })).status).toBe(status)
    }
    const sixteen = { ...good, statement: { ...good.statement, officers: dids.slice(0, 16), quorum: 16 } }
    expect(await post(org, 'org', sixteen)).toMatchObject(MISSING)
  })
})
