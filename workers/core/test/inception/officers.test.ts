import type { InceptionHead } from '@svc/protocol/base/inception-head'
import { inceptionHeadOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { freshCaller } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import { attest, attestationOf, following, freshKeys, storedInception } from './inception.fixture.ts'
import { acceptanceBy, rotate, rotationBy, signedBy, trio } from './organization.fixture.ts'

const refusal = (status: number, error: string) => ({ status, body: { error } })
const QUORUM = refusal(403, 'quorum_not_met')
const UNVERIFIABLE = refusal(403, 'officer_unverifiable')
const UNSIGNED = refusal(403, 'invalid_signature')

describe('a change of officers', () => {
  it('needs no assertion: continuity, a quorum of the outgoing officers and acceptance by the incoming ones', async () => {
    const { org, ann, ben, cat, dan } = await trio()
    const officers = [ann, dan]
    const rotation = await rotationBy(org, { officers, quorum: 2, approving: [ben, cat], accepting: [dan] })
    const { status, body } = await rotate(rotation)
    expect({ status, data: body['data'] }).toEqual({
      status: 200,
      data: { ...following(rotation), acceptedAt: expect.any(Number) },
    })
    const dids = officers.map(({ identity }) => identity.did)
    const verified = await org.client.devices.verify()
    expect(verified).toMatchObject({ head: { sequence: 2 }, roster: { version: 2, officers: dids, quorum: 2 } })
  })

  it('is made by the SDK, and the new officers decide the next one', async () => {
    const { org, ann, ben, cat, dan } = await trio()
    const { organization: mine } = org.client
    const statement = await mine.makeRotation([dan.identity.did], 1, 2, await org.client.devices.head())
    const approvals = await Promise.all([ann, ben].map(({ client }) => client.organization.approve(statement)))
    const acceptance = await dan.client.organization.accept(statement)
    const { sequence, hash } = await dan.client.devices.head()
    expect(acceptance.statement.inception).toEqual({ sequence, hash })
    await mine.rotateOfficers(statement, { approvals, acceptances: [acceptance] })
    const byOld = await rotationBy(org, { officers: [cat], version: 3, approving: [ann, ben, cat], accepting: [cat] })
    expect(await rotate(byOld)).toMatchObject(QUORUM)
    const byNew = await rotationBy(org, { officers: [cat], version: 3, approving: [dan], accepting: [cat] })
    expect((await rotate(byNew)).status).toBe(200)
    expect((await org.client.devices.verify()).roster?.version).toBe(3)
  })

  it('approved by no one, by one, by one twice or by strangers has no quorum', async () => {
    const { org, ann, ben, cat, dan } = await trio()
    const eve = await freshCaller()
    const before = await storedInception(org)
    for (const approving of [[], [ann], [ann, ann, ann], [ann, dan], [dan, eve], [org, ann]]) {
      const rotation = await rotationBy(org, { officers: [ann, ben, dan], approving, accepting: [dan] })
      expect(await rotate(rotation)).toMatchObject(QUORUM)
    }
    expect(await storedInception(org)).toEqual(before)
    const enough = await rotationBy(org, {
      officers: [ann, ben, dan],
      approving: [dan, ann, eve, cat],
      accepting: [dan],
    })
    expect((await rotate(enough)).status).toBe(200)
  })

  it('requires the quorum in force, even if it lowers it', async () => {
    const { org, ann, ben } = await trio()
    const one = await rotationBy(org, { officers: [ann], quorum: 1, approving: [ann] })
    expect(await rotate(one)).toMatchObject(QUORUM)
    const two = await rotationBy(org, { officers: [ann], quorum: 1, approving: [ann, ben] })
    expect((await rotate(two)).status).toBe(200)
  })

  it('cannot set a quorum that its officers cannot reach', async () => {
    const { org, ann, ben } = await trio()
    for (const quorum of [2, 16]) {
      expect(await rotate(await rotationBy(org, { officers: [ann], quorum, approving: [ann, ben] }))).toMatchObject(
        QUORUM,
      )
    }
    for (const quorum of [0, 17]) {
      expect((await rotate(await rotationBy(org, { officers: [ann], quorum, approving: [ann, ben] }))).status).toBe(400)
    }
  })

  it('requires the acceptance of every new officer, of exactly this roster', async () => {
    const { org, ann, ben, dan } = await trio()
    const eve = await freshCaller()
    const officers = [ann, dan, eve]
    const good = await rotationBy(org, { officers, approving: [ann, ben], accepting: [dan, eve] })
    const other = await rotationBy(org, { officers, quorum: 2, accepting: [dan, eve] })
    const [byDan, byEve] = good.acceptances
    for (const acceptances of [[], [byDan!], [byEve!], [byDan!, byDan!], other.acceptances]) {
      expect(await rotate({ ...good, acceptances })).toMatchObject(refusal(403, 'acceptance_missing'))
    }
    expect((await rotate(good)).status).toBe(200)
  })

  it('refuses an acceptance that names an older event than an earlier one of its officer, or none of its log', async () => {
    const { org, ann, ben, cat } = await trio()
    const change = { officers: [ann, ben], approving: [ann, ben] }
    const rotationNaming = async (version: number, inception: InceptionHead | null) => {
      const rotation = await rotationBy(org, { ...change, version })
      return { ...rotation, acceptances: [await acceptanceBy(cat, rotation.statement, inception)] }
    }
    const genesis = await inceptionHeadOf(cat)
    await attest(cat, await attestationOf(cat, await freshKeys()))
    const named = await inceptionHeadOf(cat)
    const unknown = [{ ...named, sequence: 7 }, { ...named, hash: genesis.hash }, await inceptionHeadOf(ann)]
    for (const head of unknown) {
      expect(await rotate(await rotationNaming(2, head))).toMatchObject(refusal(403, 'acceptance_missing'))
    }
    expect((await rotate(await rotationNaming(2, named))).status).toBe(200)
    const before = await storedInception(org)
    for (const older of [genesis, null]) {
      expect(await rotate(await rotationNaming(3, older))).toMatchObject(refusal(403, 'acceptance_missing'))
    }
    expect(await storedInception(org)).toEqual(before)
    expect((await rotate(await rotationNaming(3, named))).status).toBe(200)
  })

  it('must be signed by the organization’s current root key', async () => {
    const { org, ann, ben } = await trio()
    const before = await rotationBy(org, { officers: [ann], approving: [ann, ben] })
    for (const forged of [
      await signedBy(ann, before.statement),
      await signedBy(await freshCaller(), before.statement),
    ]) {
      expect(await rotate({ ...before, ...forged })).toMatchObject(UNSIGNED)
    }
    const { next } = await rotated(org)
    expect(await rotate(before)).toMatchObject(UNSIGNED)
    expect(await rotate({ ...before, ...(await signedBy(next, before.statement)) })).toMatchObject(
      refusal(409, 'stale_epoch'),
    )
    const after = await rotationBy(next, { officers: [ann], approving: [ann, ben] })
    expect((await rotate(after)).status).toBe(200)
    expect((await next.client.devices.verify()).roster).toMatchObject({ version: 2, officers: [ann.identity.did] })
  })

  it('requires approvals and acceptances by the current root keys of their officers', async () => {
    const { org, ann, ben, dan } = await trio()
    const { next: newAnn } = await rotated(ann)
    const { next: newDan } = await rotated(dan)
    const officers = [ben, dan]
    const wrong = [
      { officers, approving: [ann, ben], accepting: [newDan] },
      { officers, approving: [newAnn, ben], accepting: [dan] },
    ]
    for (const one of wrong) expect(await rotate(await rotationBy(org, one))).toMatchObject(UNVERIFIABLE)
    const good = await rotationBy(org, { officers, approving: [newAnn, ben], accepting: [newDan] })
    expect((await rotate(good)).status).toBe(200)
  })

  it('cannot be approved in someone else’s name', async () => {
    const { org, ann, ben, dan } = await trio()
    const good = await rotationBy(org, { officers: [ann], approving: [ann, ben] })
    const [byAnn, byBen] = good.approvals
    const { signatureB64u } = await signedBy(dan, good.statement)
    const byDan = { officerDid: ben.identity.did, publicKeyB64u: dan.identity.publicKeyB64u, signatureB64u }
    expect(await rotate({ ...good, approvals: [byAnn!, byDan] })).toMatchObject(UNVERIFIABLE)
    expect(await rotate({ ...good, approvals: [byAnn!, { ...byBen!, signatureB64u }] })).toMatchObject(UNSIGNED)
    expect(await rotate({ ...good, approvals: [{ ...byBen!, officerDid: ann.identity.did }, byBen!] })).toMatchObject(
      UNVERIFIABLE,
    )
  })

  it('is rejected with a deactivated officer', async () => {
    const { org, ann, ben, cat, dan } = await trio()
    await cat.client.security.deactivate()
    const withCat = await rotationBy(org, { officers: [ann], approving: [ann, cat] })
    expect(await rotate(withCat)).toMatchObject(UNVERIFIABLE)
    const eve = await freshCaller()
    const incoming = await rotationBy(org, { officers: [ann, eve], approving: [ann, ben], accepting: [eve] })
    await eve.client.security.deactivate()
    expect(await rotate(incoming)).toMatchObject(UNVERIFIABLE)
    const without = await rotationBy(org, { officers: [ann, dan], approving: [ann, ben], accepting: [dan] })
    expect((await rotate(without)).status).toBe(200)
  })
})
