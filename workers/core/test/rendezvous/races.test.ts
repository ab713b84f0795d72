import type { Exchange } from '@svc/service/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  ask,
  dataOf,
  FLOWS,
  freshDevice,
  freshParty,
  Meeting,
  type Party,
  SEALED,
  WRONG_TOKEN,
} from './meeting.fixture.ts'

const RACERS = 20
const ascending = (a: number, b: number) => a - b
const statuses = (answers: readonly Exchange[]) => answers.map(({ status }) => status).toSorted(ascending)
const oneWins = (loser: number) => [200, ...Array<number>(RACERS - 1).fill(loser)]
const times = <T>(run: (i: number) => T): T[] => Array.from({ length: RACERS }, (_, i) => run(i))

describe.each(FLOWS)('twenty at once on an offer of $name', (flow) => {
  let party: Party
  beforeAll(async () => {
    party = await freshParty()
  })

  it('join with different devices: one joins, and it is the one that is bound', async () => {
    const meeting = await Meeting.open(flow, party)
    const devices = await Promise.all(times(freshDevice))
    const answers = await Promise.all(devices.map((device) => meeting.join({ device })))
    expect(statuses(answers)).toEqual(oneWins(409))
    const winner = devices[answers.findIndex(({ status }) => status === 200)]
    const bound = dataOf(await meeting.read())['request']
    expect(bound).toMatchObject({ acceptance: { statement: { deviceId: winner?.deviceId } } })
  })

  it('join with one device: all are the same one', async () => {
    const meeting = await Meeting.open(flow, party)
    const answers = await Promise.all(times(() => meeting.join()))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(dataOf(await meeting.read())).toMatchObject({ status: 'joined' })
  })

  it('deliver different things: one is delivered, and it is the one that is taken', async () => {
    const meeting = await Meeting.at('joined', flow, party)
    const { code } = meeting.offer
    const envelopes = times((i) => ({ ...SEALED, nonceB64u: String.fromCharCode(65 + i).repeat(16) }))
    const answers = await Promise.all(
      envelopes.map((envelope) => {
        const { attestation, owner } = party
        const body =
          flow.name === 'pairing' ? { code, sealed: envelope } : { code, grant: { attestation, wrappedKey: envelope } }
        return ask(flow, 'POST', flow.result, { by: owner, body })
      }),
    )
    expect(statuses(answers)).toEqual(oneWins(409))
    const won = envelopes[answers.findIndex(({ status }) => status === 200)]
    const taken = dataOf(await meeting.take())
    expect(taken['wrappedKey'] ?? taken).toEqual(won)
  })

  it('take the result: one gets it', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    const answers = await Promise.all(times(() => meeting.take()))
    expect(statuses(answers)).toEqual(oneWins(404))
    const winner = answers.find(({ status }) => status === 200)
    const { sealed, grant } = meeting.delivery() as { sealed?: unknown; grant?: unknown }
    expect(winner && dataOf(winner)).toEqual(sealed ?? grant)
  })

  it('cancel: one does', async () => {
    const meeting = await Meeting.at('joined', flow, party)
    const answers = await Promise.all(times((i) => (i % 2 === 0 ? meeting.cancel() : meeting.decline())))
    expect(statuses(answers)).toEqual(oneWins(404))
  })

  it('guess the token: five are heard, and the offer is over', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    const answers = await Promise.all(times(() => meeting.take(WRONG_TOKEN)))
    expect(statuses(answers)).toEqual([...Array<number>(5).fill(401), ...Array<number>(15).fill(404)])
    expect((await meeting.take()).status).toBe(404)
  })

  it('open offers of one identity: each has its own code and token', async () => {
    const meetings = await Promise.all(times(() => Meeting.open(flow, party)))
    expect(new Set(meetings.map(({ offer }) => offer.code)).size).toBe(RACERS)
    expect(new Set(meetings.map(({ offer }) => offer.token)).size).toBe(RACERS)
  })
})

describe.each(FLOWS)('two at once on an offer of $name', (flow) => {
  let party: Party
  beforeAll(async () => {
    party = await freshParty()
  })

  it('cancel and take: one of them, never both and never neither', async () => {
    for (let i = 0; i < 6; i += 1) {
      const meeting = await Meeting.at('delivered', flow, party)
      const both = i % 2 === 0 ? [meeting.take(), meeting.cancel()] : [meeting.decline(), meeting.take()]
      expect(statuses(await Promise.all(both))).toEqual([200, 404])
      expect((await meeting.read()).status).toBe(404)
    }
  })

  it('cancel and join: the offer is over, in either order', async () => {
    const meeting = await Meeting.open(flow, party)
    const [joined, cancelled] = await Promise.all([meeting.join(), meeting.cancel()])
    expect([200, 404]).toContain(joined.status)
    expect(cancelled.status).toBe(200)
    expect((await meeting.deliver()).status).toBe(404)
  })

  it('cancel and deliver: the offer is over, and no one gets the result', async () => {
    const meeting = await Meeting.at('joined', flow, party)
    const [delivered, cancelled] = await Promise.all([meeting.deliver(), meeting.decline()])
    expect([200, 404]).toContain(delivered.status)
    expect(cancelled.status).toBe(200)
    expect((await meeting.take()).status).toBe(404)
  })

  it('deliver and take: what is taken was delivered', async () => {
    const meeting = await Meeting.at('joined', flow, party)
    const [delivered, taken] = await Promise.all([meeting.deliver(), meeting.take()])
    expect(delivered.status).toBe(200)
    expect([200, 409]).toContain(taken.status)
    expect((await meeting.take()).status).toBe(taken.status === 200 ? 404 : 200)
  })
})
