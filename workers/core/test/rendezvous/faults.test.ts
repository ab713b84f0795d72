import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Exchange } from '@svc/service/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, sendWith } from '../harness.ts'
import { ask, clientOf, dataOf, FLOWS, freshDevice, freshParty, Meeting, type Party } from './meeting.fixture.ts'

type Stub = Record<string, (...operands: unknown[]) => Promise<unknown>>

/** Objects with one failing call: either before it arrives, or after it has done its work and its answer is lost. */
function failing(binding: 'RENDEZVOUS' | 'IDENTITIES', method: string, when: 'before' | 'after') {
  const getByName = (name: string) =>
    new Proxy(env[binding].getByName(name) as unknown as Stub, {
      get: (stub, called: string) => {
        if (called !== method) return (...operands: unknown[]) => stub[called]?.(...operands)
        return async (...operands: unknown[]) => {
          if (when === 'after') await stub[called]?.(...operands)
          throw new Error('the call dies here')
        }
      },
    })
  return sendWith({ [binding]: { getByName } })
}

const UNAVAILABLE = { status: 503, error: 'dependency_unavailable' }
const GONE = { status: 404, error: 'not_found' }
const resultOf = (meeting: Meeting) => {
  const { sealed, grant } = meeting.delivery() as { sealed?: unknown; grant?: unknown }
  return sealed ?? grant
}
const objectOf = ({ offer }: Meeting) => env.RENDEZVOUS.getByName(offer.code)

describe.each(FLOWS)('when a call of $name dies', (flow) => {
  let party: Party
  beforeAll(async () => {
    party = await freshParty()
  })

  async function finishes(meeting: Meeting) {
    expect(dataOf(await meeting.take())).toEqual(resultOf(meeting))
    expect(await meeting.read()).toMatchObject(GONE)
  }
  async function cancels(meeting: Meeting) {
    expect((await meeting.cancel()).status).toBe(200)
    expect(await meeting.take()).toMatchObject(GONE)
  }
  const statusOf = async (meeting: Meeting) => dataOf(await meeting.read())['status']

  it.each(['before', 'after'] as const)('opening (%s the work): another offer opens and finishes', async (when) => {
    const fault = failing('RENDEZVOUS', 'open', when)
    expect(await ask(flow, 'POST', flow.base, { by: party.owner }, fault)).toMatchObject(UNAVAILABLE)
    await finishes(await Meeting.at('delivered', flow, party))
  })

  it.each([
    ['RENDEZVOUS', 'join', 'before', 'open'],
    ['RENDEZVOUS', 'join', 'after', 'joined'],
    ['IDENTITIES', 'read', 'before', 'joined'],
    ['IDENTITIES', 'read', 'after', 'joined'],
  ] as const)('joining (%s %s, %s the work): the device joins again or either side cancels', async (...fault) => {
    const [binding, method, when, left] = fault
    const [finishing, cancelled] = [await Meeting.open(flow, party), await Meeting.open(flow, party)]
    for (const meeting of [finishing, cancelled]) {
      expect(await meeting.join({}, failing(binding, method, when))).toMatchObject(UNAVAILABLE)
      expect(await statusOf(meeting)).toBe(left)
    }
    expect((await finishing.join()).status).toBe(200)
    expect((await finishing.deliver()).status).toBe(200)
    await finishes(finishing)
    await cancels(cancelled)
  })

  it.each([
    ['RENDEZVOUS', 'deliver', 'before', 'joined'],
    ['RENDEZVOUS', 'deliver', 'after', 'delivered'],
    ['IDENTITIES', 'spend', 'before', 'joined'],
    ['IDENTITIES', 'spend', 'after', 'joined'],
  ] as const)('delivering (%s %s, %s the work): it is delivered once, or cancelled', async (...fault) => {
    const [binding, method, when, left] = fault
    const [finishing, cancelled] = [await Meeting.at('joined', flow, party), await Meeting.at('joined', flow, party)]
    for (const meeting of [finishing, cancelled]) {
      expect(await meeting.deliver({}, failing(binding, method, when))).toMatchObject(UNAVAILABLE)
      expect(await statusOf(meeting)).toBe(left)
    }
    const again = await finishing.deliver()
    if (left === 'joined') expect(again.status).toBe(200)
    else expect(again.body).toMatchObject({ error: 'offer_state', details: { status: 'delivered' } })
    await finishes(finishing)
    await cancels(cancelled)
  })

  it('taking before the work: the result is still there', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    const fault = failing('RENDEZVOUS', 'consume', 'before')
    expect(await meeting.take(meeting.offer.token, fault)).toMatchObject(UNAVAILABLE)
    await finishes(meeting)
  })

  it('taking after the work: nothing is left, and another offer delivers the same', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    const fault = failing('RENDEZVOUS', 'consume', 'after')
    expect(await meeting.take(meeting.offer.token, fault)).toMatchObject(UNAVAILABLE)
    expect(await meeting.take()).toMatchObject(GONE)
    expect(await meeting.cancel()).toMatchObject(GONE)
    await finishes(await Meeting.at('delivered', flow, party))
  })

  it.each(['open', 'joined', 'delivered'] as const)(
    'cancelling what is %s: it is cancelled in the end',
    async (status) => {
      for (const cancelling of ['cancel', 'decline'] as const) {
        const by = (meeting: Meeting) =>
          cancelling === 'cancel' ? { by: party.owner } : { token: meeting.offer.token }
        const early = await Meeting.at(status, flow, party)
        expect(await early.cancel(by(early), failing('RENDEZVOUS', 'cancel', 'before'))).toMatchObject(UNAVAILABLE)
        expect((await early[cancelling]()).status).toBe(200)
        const late = await Meeting.at(status, flow, party)
        expect(await late.cancel(by(late), failing('RENDEZVOUS', 'cancel', 'after'))).toMatchObject(UNAVAILABLE)
        expect(await late[cancelling]()).toMatchObject(GONE)
      }
    },
  )

  it('the object with it: the offer goes on from what its object has stored', async () => {
    const restart = async (meeting: Meeting) => {
      await evictDurableObject(objectOf(meeting))
      await evictDurableObject(env.IDENTITIES.getByName(party.owner.identity.did))
    }
    const meeting = await Meeting.open(flow, party)
    const steps: (() => Promise<Exchange>)[] = [
      () => meeting.read(),
      () => meeting.join(),
      () => meeting.join(),
      () => meeting.read(),
      () => meeting.deliver(),
      () => meeting.read(),
    ]
    for (const step of steps) {
      await restart(meeting)
      expect((await step()).status).toBe(200)
    }
    await restart(meeting)
    await finishes(meeting)
    await restart(meeting)
    expect(await meeting.take()).toMatchObject(GONE)
  })

  it('the object with it: the alarm still clears the offer', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    await evictDurableObject(objectOf(meeting))
    expect(await runDurableObjectAlarm(objectOf(meeting))).toBe(true)
    const tables = await runInDurableObject(objectOf(meeting), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'offer'").toArray(),
    )
    expect(tables).toEqual([])
    expect(await meeting.read()).toMatchObject(GONE)
  })

  it('as the SDK sees it: every step that failed is simply made again', async () => {
    const { client } = await freshCaller()
    const device = await freshDevice()
    const { invitation } = await client[flow.name].offer()
    const lost = clientOf(undefined, failing('RENDEZVOUS', 'join', 'after'))
    await expect(lost[flow.name].join(invitation, device)).rejects.toMatchObject({ status: 503 })
    const outside = clientOf()
    const { confirmationCode } = await outside[flow.name].join(invitation, device)
    const { request } = await client[flow.name].read(invitation)
    if (!request) throw new Error('nobody has joined')
    expect(await client[flow.name].confirmationCodeOf(invitation, request)).toBe(confirmationCode)
    const attestation = await client.devices.attest(request.acceptance)
    if (flow.name === 'pairing') await client.pairing.seal(invitation, attestation, new Uint8Array([1]))
    else await client.authorization.grant(invitation, attestation, new Uint8Array([1]))
    const early = clientOf(undefined, failing('RENDEZVOUS', 'consume', 'before'))
    await expect(early[flow.name].take(invitation, device)).rejects.toMatchObject({ status: 503 })
    expect((await outside[flow.name].take(invitation, device)).payload).toEqual(new Uint8Array([1]))
  })
})
