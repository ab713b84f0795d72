import { Device } from '@svc/client'
import { signStatement } from '@svc/protocol/base/statement'
import { REALM, signerOf } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, sendWith } from '../harness.ts'
import { ask, dataOf, FLOWS, freshDevice, freshParty, Meeting, type Party, PROOF } from './meeting.fixture.ts'

/** A namespace that nobody may reach: a request that does is answered with 503. */
const untouchable = sendWith({
  RENDEZVOUS: {
    getByName: () => {
      throw new Error('touched')
    },
  },
})

describe.each(FLOWS)('joining an offer of $name', (flow) => {
  let party: Party
  let meeting: Meeting
  beforeAll(async () => {
    party = await freshParty()
    meeting = await Meeting.open(flow, party)
  })

  /** The acceptance of the party's device with some members changed and its signature, by that device, good again. */
  async function signed(changes: object) {
    const { statement } = await party.device.acceptance(meeting.offer.did, { realm: REALM, now: Date.now() })
    return signStatement({ ...statement, ...changes }, signerOf(party.device))
  }

  it('is refused to a device that joins another identity, and the offer stays open', async () => {
    const { identity } = await freshCaller({ genesis: false })
    const acceptance = await party.device.acceptance(identity.did, { realm: REALM, now: Date.now() })
    expect(await meeting.join({ acceptance })).toMatchObject({ status: 403, error: 'owner_mismatch' })
    expect(dataOf(await meeting.read())).toMatchObject({ status: 'open', request: null })
  })

  it('is refused to a forged acceptance before the offer hears of it', async () => {
    const acceptance = await party.device.acceptance(meeting.offer.did, { realm: REALM, now: Date.now() })
    const other = await freshDevice()
    const theirs = await signStatement(acceptance.statement, signerOf(other))
    for (const forged of [
      { ...acceptance, signatureB64u: theirs.signatureB64u },
      { ...acceptance, statement: { ...acceptance.statement, kemPublicKeyB64u: other.kemPublicKeyB64u } },
      { ...acceptance, statement: { ...acceptance.statement, origin: 'app:other' } },
      { ...acceptance, statement: { ...acceptance.statement, capabilities: [] } },
    ]) {
      const refused = await meeting.join({ acceptance: forged }, untouchable)
      expect(refused).toMatchObject({ status: 403, error: 'invalid_signature' })
    }
    expect(dataOf(await meeting.read())).toMatchObject({ status: 'open', request: null })
  })

  it('is refused to a name that is not of the key before the offer hears of it', async () => {
    const { deviceId } = await freshDevice()
    const refused = await meeting.join({ acceptance: await signed({ deviceId }) }, untouchable)
    expect(refused).toMatchObject({ status: 403, error: 'device_mismatch' })
  })

  it.each([
    ['an empty statement', undefined],
    ['another kind of statement', { type: 'svc/device-attestation/v1', realm: REALM }],
    ['a member that nobody knows', { sessionToken: 'x' }],
    ['a capability that nobody knows', { capabilities: ['root'] }],
    ['an origin that is none', { origin: 'javascript:x' }],
    ['a key to seal to that is none', { kemPublicKeyB64u: `${'_'.repeat(1578)}w` }],
    ['a key to seal to of ML-KEM-768 alone', { x25519B64u: undefined }],
    ['an X25519 key that everybody knows', { x25519B64u: 'A'.repeat(43) }],
  ])('is refused with %s', async (_, changes) => {
    const acceptance = changes ? await signed(changes) : { statement: {} }
    expect(await meeting.join({ acceptance }, untouchable)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
  })

  it('gives the same answer to the same request again, before and after something is delivered', async () => {
    const retried = await Meeting.open(flow, party)
    const acceptance = await party.device.acceptance(retried.offer.did, { realm: REALM, now: Date.now() })
    const first = dataOf(await retried.join({ acceptance }))
    expect(dataOf(await retried.join({ acceptance }))).toEqual(first)
    await retried.deliver()
    expect(dataOf(await retried.join({ acceptance }))).toEqual(first)
    expect(dataOf(await retried.read())).toMatchObject({
      status: 'delivered',
      request: { acceptance, proofB64u: PROOF },
    })
  })

  it('gives it to the same device that signs anew, and keeps what it bound first', async () => {
    const retried = await Meeting.open(flow, party)
    const acceptance = await party.device.acceptance(retried.offer.did, { realm: REALM, now: 1_790_000_000_000 })
    const first = dataOf(await retried.join({ acceptance }))
    expect(dataOf(await retried.join())).toEqual(first)
    expect(dataOf(await retried.read())).toMatchObject({ status: 'joined', request: { acceptance, proofB64u: PROOF } })
  })

  it('is refused to the same device with other keys or wishes once it has joined', async () => {
    const joined = await Meeting.at('joined', flow, party)
    const before = dataOf(await joined.read())
    const { signing } = party.device.revealSeeds()
    const { kem } = (await freshDevice()).revealSeeds()
    const resealed = await Device.fromSeeds({ signing, kem }, { origin: 'app:test', capabilities: [] })
    for (const acceptance of [
      await signed({ capabilities: ['chain:append'] }),
      await signed({ origin: 'app:other' }),
      await signed({ kemPublicKeyB64u: resealed.kemPublicKeyB64u }),
    ]) {
      expect(await joined.join({ acceptance })).toMatchObject({ status: 409, error: 'offer_state' })
    }
    expect(dataOf(await joined.read())).toEqual(before)
  })

  it('is refused without a proof that the device has the invitation', async () => {
    const fresh = await Meeting.open(flow, party)
    const acceptance = await party.device.acceptance(fresh.offer.did, { realm: REALM, now: Date.now() })
    const { code, token } = fresh.offer
    for (const body of [{ acceptance }, { acceptance, proofB64u: null }, { acceptance, proofB64u: PROOF.slice(4) }]) {
      const refused = await ask(flow, 'POST', `${flow.base}/${code}/join`, { token, body }, untouchable)
      expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    }
    expect(dataOf(await fresh.read())).toMatchObject({ status: 'open' })
  })

  it('is refused once the identity was ended', async () => {
    const owner = await freshCaller()
    const orphan = await Meeting.open(flow, { ...party, owner })
    await owner.client.security.deactivate()
    expect(await orphan.look()).toMatchObject({ status: 404, error: 'not_found' })
    expect(await orphan.join()).toMatchObject({ status: 404, error: 'not_found' })
    expect(await orphan.read()).toMatchObject({ status: 401 })
  })
})
