import type { Device } from '@svc/client'
import { REALM, REALMS } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { CORE, freshCaller } from '../harness.ts'
import {
  AUTHORIZATION,
  ask,
  dataOf,
  FLOWS,
  type Flow,
  freshParty,
  Meeting,
  PAIRING,
  type Party,
  PROOF,
  WRONG_TOKEN,
} from './meeting.fixture.ts'

interface Row {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** The routes that the owner calls, and those that take the token; cancelling is one of both. */
function routesOf({ flow, offer, ...meeting }: Meeting, delivery: unknown) {
  const { code } = offer
  const cancelling: Row = { method: 'DELETE', path: `${flow.base}/${code}` }
  const owners: Row[] = [
    { method: 'POST', path: flow.base },
    { method: 'GET', path: `${flow.base}/${code}` },
    { method: 'POST', path: flow.result, body: delivery },
    cancelling,
  ]
  const devices = async (device: Device): Promise<Row[]> => [
    {
      method: 'POST',
      path: `${flow.base}/${code}/join`,
      body: {
        acceptance: await device.acceptance(meeting.party.owner.identity.did, { realm: REALM, now: Date.now() }),
        proofB64u: PROOF,
      },
    },
    { method: 'GET', path: `${flow.base}/${code}/join` },
    { method: 'GET', path: `${flow.result}/${code}` },
    cancelling,
  ]
  return { owners, devices }
}

describe.each(FLOWS)('the credentials of $name', (flow) => {
  const other: Flow = flow === PAIRING ? AUTHORIZATION : PAIRING
  let party: Party
  beforeAll(async () => {
    party = await freshParty()
  })

  /** An offer that would take whatever is asked, were the credential good. */
  async function joined() {
    const meeting = await Meeting.at('joined', flow, party)
    const { owners, devices } = routesOf(meeting, meeting.delivery())
    return { meeting, owners, devices: await devices(party.device) }
  }
  const unchanged = async (meeting: Meeting) => expect(dataOf(await meeting.read())).toMatchObject({ status: 'joined' })

  it('are a token on the device’s routes: 401 without', async () => {
    const { meeting, devices } = await joined()
    for (const { method, path, body } of devices) {
      const refused = await ask(flow, method, path, { body })
      expect(refused, path).toMatchObject({ status: 401, error: 'token_required' })
    }
    await unchanged(meeting)
  })

  it('are not the token of the other flow’s header', async () => {
    const { meeting, devices } = await joined()
    for (const { method, path, body } of devices) {
      const headers = { [other.tokenHeader]: meeting.offer.token }
      const refused = await ask(flow, method, path, { body, headers })
      expect(refused, path).toMatchObject({ status: 401, error: 'token_required' })
    }
    await unchanged(meeting)
  })

  it('are the token of this very offer: 401 for another', async () => {
    const { meeting, devices } = await joined()
    for (const { method, path, body } of devices) {
      const refused = await ask(flow, method, path, { body, token: WRONG_TOKEN })
      expect(refused, path).toMatchObject({ status: 401, error: 'token_rejected' })
    }
    await unchanged(meeting)
  })

  it('are malformed, which does not count as a wrong token', async () => {
    const { meeting, devices } = await joined()
    for (const token of [
      '',
      'x',
      'A'.repeat(21),
      'A'.repeat(129),
      `${WRONG_TOKEN}=`,
      `${WRONG_TOKEN} x`,
      '+'.repeat(43),
    ]) {
      for (const { method, path, body } of devices) {
        const refused = await ask(flow, method, path, { body, token })
        expect(refused, `${path} ${token}`).toMatchObject({ status: 401, error: 'token_rejected' })
      }
    }
    await unchanged(meeting)
  })

  it('end the offer at the fifth wrong token, whatever it was tried on', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    const { token } = meeting.offer
    const nearly = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
    const wrong = [
      () => meeting.join({ token: WRONG_TOKEN }),
      () => meeting.take(WRONG_TOKEN),
      () => meeting.decline(WRONG_TOKEN),
      () => meeting.take(nearly),
    ]
    for (const attempt of wrong) expect(await attempt()).toMatchObject({ status: 401, error: 'token_rejected' })
    expect((await meeting.join()).status).toBe(200)
    expect(await meeting.take('B'.repeat(43))).toMatchObject({ status: 401, error: 'token_rejected' })
    for (const late of [meeting.take(), meeting.read(), meeting.cancel(), meeting.take(WRONG_TOKEN)]) {
      expect(await late).toMatchObject({ status: 404, error: 'not_found' })
    }
  })

  it('are an assertion on the owner’s routes: 401 without, whatever token comes', async () => {
    const { meeting, owners } = await joined()
    const { token } = meeting.offer
    for (const { method, path, body } of owners.filter((row) => row.method !== 'DELETE')) {
      expect(await ask(flow, method, path, { body }), path).toMatchObject({ status: 401, error: 'unauthorized' })
      expect(await ask(flow, method, path, { body, token }), path).toMatchObject({ status: 401, error: 'unauthorized' })
    }
    await unchanged(meeting)
  })

  it('are an assertion for this audience alone', async () => {
    const { meeting, owners } = await joined()
    for (const audience of ['notes', 'genesis', 'identity', other.audience]) {
      for (const { method, path, body } of owners) {
        const headers = { authorization: await party.owner.assertion(audience) }
        const refused = await ask(flow, method, path, { body, headers })
        expect(refused, `${path} ${audience}`).toMatchObject({ status: 403, error: 'wrong_audience' })
      }
    }
    await unchanged(meeting)
  })

  it('are the root key’s: a device gets 403, also with the token beside its assertion', async () => {
    const { meeting, owners } = await joined()
    const { identity, client } = party.owner
    const member = await party.device.attested(party.attestation, await client.keyHistory.of(identity.did), REALMS)
    for (const { method, path, body } of owners) {
      const bytes = new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body))
      const request = { audience: flow.audience, method, url: CORE + path, body: bytes, now: Date.now() }
      const headers = { authorization: await member.assertion(request) }
      const refused = await ask(flow, method, path, { body, headers, token: meeting.offer.token })
      expect(refused, path).toMatchObject({ status: 403, error: 'capability_required' })
    }
    await unchanged(meeting)
  })

  it('are of the identity that opened the offer: for another there is none', async () => {
    const { meeting, owners } = await joined()
    const stranger = await freshCaller()
    for (const { method, path, body } of owners.filter((row) => row.path !== flow.base)) {
      const refused = await ask(flow, method, path, { by: stranger, body, token: meeting.offer.token })
      expect(refused, path).toMatchObject({ status: 404, error: 'not_found' })
    }
    await unchanged(meeting)
  })

  it('are a bad assertion where one comes beside a good token', async () => {
    const meeting = await Meeting.at('joined', flow, party)
    const headers = { authorization: 'Bearer x' }
    const path = `${flow.base}/${meeting.offer.code}`
    const refused = await ask(flow, 'DELETE', path, { token: meeting.offer.token, headers })
    expect(refused).toMatchObject({ status: 401, error: 'unauthorized' })
    await unchanged(meeting)
  })

  it('are not looked at where the route takes a token: an assertion beside it is not spent', async () => {
    const meeting = await Meeting.open(flow, party)
    const authorization = await party.owner.assertion(flow.audience)
    const path = `${flow.base}/${meeting.offer.code}`
    const acceptance = await party.device.acceptance(meeting.offer.did, { realm: REALM, now: Date.now() })
    const body = { acceptance, proofB64u: PROOF }
    const headers = { authorization }
    const joining = await ask(flow, 'POST', `${path}/join`, { token: meeting.offer.token, body, headers })
    expect(joining.status).toBe(200)
    expect((await ask(flow, 'GET', path, { headers })).status).toBe(200)
    expect((await ask(flow, 'GET', path, { headers })).status).toBe(401)
  })
})
