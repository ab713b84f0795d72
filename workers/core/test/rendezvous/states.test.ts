import { offerTokenSchema } from '@svc/protocol/devices/offer-keys'
import { offerSchema } from '@svc/protocol/devices/rendezvous'
import type { Exchange } from '@svc/service/testing'
import { REALM } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ask,
  dataOf,
  FLOWS,
  type Flow,
  freshDevice,
  freshParty,
  Meeting,
  type Party,
  PROOF,
} from './meeting.fixture.ts'

const LIFETIME = 600_000
const OK = '200'
const LATE = '404 not_found'
const OUT_OF_TURN = '409 offer_state'

const actions = {
  'the device looks': (meeting: Meeting) => meeting.look(),
  'the device joins': (meeting: Meeting) => meeting.join(),
  'another device joins': async (meeting: Meeting) => meeting.join({ device: await freshDevice() }),
  'the owner reads': (meeting: Meeting) => meeting.read(),
  'the owner delivers': (meeting: Meeting) => meeting.deliver(),
  'the device takes': (meeting: Meeting) => meeting.take(),
  'the owner cancels': (meeting: Meeting) => meeting.cancel(),
  'the device declines': (meeting: Meeting) => meeting.decline(),
}
type Action = keyof typeof actions

const gone: Record<Action, string> = {
  'the device looks': LATE,
  'the device joins': LATE,
  'another device joins': LATE,
  'the owner reads': LATE,
  'the owner delivers': LATE,
  'the device takes': LATE,
  'the owner cancels': LATE,
  'the device declines': LATE,
}
/** What each state accepts. Everything else is rejected. */
const LAW: Record<string, Record<Action, string>> = {
  open: {
    'the device looks': OK,
    'the device joins': OK,
    'another device joins': OK,
    'the owner reads': OK,
    'the owner delivers': OUT_OF_TURN,
    'the device takes': OUT_OF_TURN,
    'the owner cancels': OK,
    'the device declines': OK,
  },
  joined: {
    'the device looks': OK,
    'the device joins': OK,
    'another device joins': OUT_OF_TURN,
    'the owner reads': OK,
    'the owner delivers': OK,
    'the device takes': OUT_OF_TURN,
    'the owner cancels': OK,
    'the device declines': OK,
  },
  delivered: {
    'the device looks': OK,
    'the device joins': OK,
    'another device joins': OUT_OF_TURN,
    'the owner reads': OK,
    'the owner delivers': OUT_OF_TURN,
    'the device takes': OK,
    'the owner cancels': OK,
    'the device declines': OK,
  },
  consumed: gone,
  'cancelled by the owner': gone,
  'declined by the device': gone,
  'expired while open': gone,
  'expired while joined': gone,
  'expired while delivered': gone,
}
const TAKEN = Object.entries(LAW).flatMap(([state, row]) =>
  Object.entries(row)
    .filter(([, expected]) => expected === OK)
    .map(([action]) => [state, action as Action] as const),
)

/** An offer in a state; one that expired is left with the clock past its end. */
async function meetingIn(state: string, flow: Flow, party: Party): Promise<Meeting> {
  const before = /open|joined|delivered/.exec(state)?.[0] as 'open' | 'joined' | 'delivered' | undefined
  const meeting = await Meeting.at(before ?? 'delivered', flow, party)
  if (state === 'consumed') await meeting.take()
  if (state.startsWith('cancelled')) await meeting.cancel()
  if (state.startsWith('declined')) await meeting.decline()
  if (state.startsWith('expired')) vi.useFakeTimers({ toFake: ['Date'], now: meeting.offer.expiresAt })
  return meeting
}

const told = ({ status, error }: Exchange) => (status === 200 ? OK : `${status} ${String(error)}`)

afterEach(() => {
  vi.useRealTimers()
})

describe.each(FLOWS)('an offer of $name', (flow) => {
  let party: Party
  // Each its own: after a test with the clock ahead, an identity may refuse assertions of the hour that is over.
  beforeEach(async () => {
    party = await freshParty()
  })

  it.each(TAKEN)('that is %s is there when %s', async (state, action) => {
    const meeting = await meetingIn(state, flow, party)
    expect(told(await actions[action](meeting))).toBe(OK)
  })

  it.each(Object.entries(LAW))('that is %s refuses everything else and stays as it is', async (state, row) => {
    const meeting = await meetingIn(state, flow, party)
    const before = await meeting.read()
    const refused = Object.entries(row).filter(([, expected]) => expected !== OK) as [Action, string][]
    for (const [action, expected] of refused) {
      expect(told(await actions[action](meeting)), action).toBe(expected)
    }
    const after = await meeting.read()
    expect(told(after)).toBe(told(before))
    expect(dataOf(after)).toEqual(dataOf(before))
  })

  it('reports its state at every step', async () => {
    const asked = Date.now()
    const meeting = await Meeting.open(flow, party)
    const { code, expiresAt } = meeting.offer
    const { did, publicKeyB64u } = party.owner.identity
    expect(meeting.offer.did).toBe(did)
    expect(expiresAt - asked).toBeGreaterThanOrEqual(LIFETIME)
    expect(expiresAt - Date.now()).toBeLessThanOrEqual(LIFETIME)
    const pollIntervalMs = 10_000
    expect(meeting.offer.pollIntervalMs).toBe(pollIntervalMs)
    const state = { code, did, expiresAt, pollIntervalMs }
    expect(dataOf(await meeting.read())).toEqual({ ...state, status: 'open', request: null })
    expect(dataOf(await meeting.look())).toEqual({
      did,
      rootPublicKeyB64u: publicKeyB64u,
      proofB64u: PROOF,
      inception: await party.owner.client.devices.known(),
      expiresAt,
    })
    const acceptance = await party.device.acceptance(did, { realm: REALM, now: Date.now() })
    const joined = await meeting.join({ acceptance })
    const root = { rootPublicKeyB64u: publicKeyB64u, pollIntervalMs }
    expect(dataOf(joined)).toEqual({ did, status: 'joined', expiresAt, ...root })
    expect(dataOf(await meeting.read())).toEqual({
      ...state,
      status: 'joined',
      request: { acceptance, proofB64u: PROOF },
    })
    expect(dataOf(await meeting.deliver())).toEqual({ code, status: 'delivered', expiresAt })
    expect(dataOf(await meeting.read())).toEqual({
      ...state,
      status: 'delivered',
      request: { acceptance, proofB64u: PROOF },
    })
  })

  it('has a token that the service issues, and no proof, if it was opened without a body', async () => {
    const opened = dataOf(await ask(flow, 'POST', flow.base, { by: party.owner }))
    const offer = offerSchema.parse(opened)
    const token = offerTokenSchema.parse(offer.token)
    const meeting = new Meeting(flow, party, { ...offer, token })
    expect(dataOf(await meeting.look())).toMatchObject({ did: party.owner.identity.did, proofB64u: null })
    expect(told(await meeting.join())).toBe(OK)
    expect(told(await meeting.deliver())).toBe(OK)
    expect(told(await meeting.take())).toBe(OK)
  })

  it.each([
    ['no proof', { tokenHash: 'a7'.repeat(48) }],
    ['no token', { proofB64u: PROOF }],
    ['a token instead of its hash', { token: 'A'.repeat(43), proofB64u: PROOF }],
    ['the secret', { tokenHash: 'a7'.repeat(48), proofB64u: PROOF, secret: '0'.repeat(26) }],
    ['nothing', {}],
    ['null', null],
  ])('is not opened with %s', async (_, body) => {
    const refused = await ask(flow, 'POST', flow.base, { by: party.owner, body })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  it('names its state where something came out of turn', async () => {
    const open = await Meeting.open(flow, party)
    expect((await open.take()).body).toMatchObject({ error: 'offer_state', details: { status: 'open' } })
    const joined = await Meeting.at('joined', flow, party)
    expect((await joined.take()).body).toMatchObject({ error: 'offer_state', details: { status: 'joined' } })
    const delivered = await Meeting.at('delivered', flow, party)
    expect((await delivered.deliver()).body).toMatchObject({ error: 'offer_state', details: { status: 'delivered' } })
  })

  it('returns the delivered result unchanged, once', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    const delivery = meeting.delivery() as { sealed?: unknown; grant?: unknown }
    const taken = await meeting.take()
    expect(dataOf(taken)).toEqual(delivery.sealed ?? delivery.grant)
    expect(taken.headers.get('cache-control')).toBe('no-store')
    expect(told(await meeting.take())).toBe(LATE)
  })

  it('returns nothing for HEAD, which would consume it without returning it', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    const { code, token } = meeting.offer
    expect((await ask(flow, 'HEAD', `${flow.result}/${code}`, { token })).status).toBe(405)
    expect(told(await meeting.take())).toBe(OK)
  })

  it('stays open to its last millisecond', async () => {
    const meeting = await Meeting.open(flow, party)
    vi.useFakeTimers({ toFake: ['Date'], now: meeting.offer.expiresAt - 1 })
    expect(told(await meeting.join())).toBe(OK)
    vi.setSystemTime(meeting.offer.expiresAt)
    expect(told(await meeting.deliver())).toBe(LATE)
  })

  it('is one of many: two offers of one identity know nothing of each other', async () => {
    const [one, other] = [await Meeting.at('delivered', flow, party), await Meeting.open(flow, party)]
    expect(other.offer.code).not.toBe(one.offer.code)
    expect(other.offer.token).not.toBe(one.offer.token)
    expect(told(await other.join({ token: one.offer.token }))).toBe('401 token_rejected')
    expect(told(await other.cancel())).toBe(OK)
    expect(told(await one.take())).toBe(OK)
  })
})
