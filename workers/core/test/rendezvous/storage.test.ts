import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { hashTextHex } from '@svc/protocol/base/hash'
import { REALM } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ask, dataOf, FLOWS, freshParty, Meeting, type Party, PROOF, WRONG_TOKEN } from './meeting.fixture.ts'

const objectOf = ({ offer }: Meeting) => env.RENDEZVOUS.getByName(offer.code)

/** Everything that an object stores: its tables with their rows, its key-value entries and its alarm. */
async function kept(meeting: Meeting) {
  return runInDurableObject(objectOf(meeting), async (_, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' AND type = 'table'",
      )
      .toArray()
      .map(({ name }) => name)
    const rows = tables
      .filter((name) => name !== 'facts')
      .flatMap((name) => storage.sql.exec(`SELECT * FROM "${name}"`).toArray())
    return { tables, rows, entries: [...(await storage.list()).keys()], alarm: await storage.getAlarm() }
  })
}
const parsed = (column: SqlStorageValue | undefined): unknown => JSON.parse(typeof column === 'string' ? column : '')
const NOTHING = { tables: [], rows: [], entries: [], alarm: null }

afterEach(() => {
  vi.useRealTimers()
})

describe.each(FLOWS)('the object of an offer of $name', (flow) => {
  let party: Party
  // Each its own: after a test with the clock ahead, an identity may refuse assertions of the hour that is over.
  beforeEach(async () => {
    party = await freshParty()
  })

  it('keeps the token as its hash, and of the requests what was bound and delivered', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    const { code, token, did, expiresAt } = meeting.offer
    const request = dataOf(await meeting.read())['request']
    const { sealed, grant } = meeting.delivery() as { sealed?: unknown; grant?: unknown }
    const { tables, rows, entries, alarm } = await kept(meeting)
    expect({ tables, entries, alarm }).toEqual({ tables: ['offer', 'facts'], entries: [], alarm: expiresAt })
    expect(rows).toEqual([
      {
        id: 0,
        flow: flow.name,
        did,
        token_hash: hashTextHex(token),
        proof: PROOF,
        status: 'delivered',
        expires_at: expiresAt,
        wrong_tokens: 0,
        request: expect.any(String),
        result: expect.any(String),
      },
    ])
    expect(parsed(rows[0]?.['request'])).toEqual(request)
    expect(parsed(rows[0]?.['result'])).toEqual(sealed ?? grant)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(rows)).not.toContain(code)
  })

  it('keeps no credential: no assertion, no header, no part of either', async () => {
    const meeting = await Meeting.open(flow, party)
    const { code, token } = meeting.offer
    const credentials = await Promise.all([1, 2, 3].map(() => party.owner.assertion(flow.audience)))
    const [reading = '', delivering = '', rereading = ''] = credentials
    const path = `${flow.base}/${code}`
    const acceptance = await party.device.acceptance(meeting.offer.did, { realm: REALM, now: Date.now() })
    const body = { acceptance, proofB64u: PROOF }
    const steps = [
      await ask(flow, 'POST', `${path}/join`, { token, body, headers: { cookie: 'session=secret' } }),
      await ask(flow, 'GET', path, { headers: { authorization: reading } }),
      await ask(flow, 'POST', flow.result, { body: meeting.delivery(), headers: { authorization: delivering } }),
      await ask(flow, 'GET', path, { headers: { authorization: rereading } }),
    ]
    expect(steps.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const text = JSON.stringify(await kept(meeting))
    const parts = credentials.flatMap((value) => value.replace('ServiceAssertion ', '').split('.'))
    expect(parts).toHaveLength(6)
    for (const part of [...parts, token, 'ServiceAssertion', 'session', 'cookie']) expect(text).not.toContain(part)
  })

  it('keeps nothing once its result was taken', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    expect((await meeting.take()).status).toBe(200)
    expect(await kept(meeting)).toEqual(NOTHING)
  })

  it.each(['open', 'joined', 'delivered'] as const)('keeps nothing once it was cancelled while %s', async (status) => {
    const [one, other] = [await Meeting.at(status, flow, party), await Meeting.at(status, flow, party)]
    await one.cancel()
    await other.decline()
    expect(await kept(one)).toEqual(NOTHING)
    expect(await kept(other)).toEqual(NOTHING)
  })

  it('keeps no row once wrong tokens have closed it, and nothing after its alarm', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    for (let i = 1; i < 5; i += 1) {
      await meeting.take(WRONG_TOKEN)
      expect((await kept(meeting)).rows).toMatchObject([{ wrong_tokens: i }])
    }
    await meeting.take(WRONG_TOKEN)
    expect(await kept(meeting)).toMatchObject({ rows: [], alarm: meeting.offer.expiresAt })
    expect(await runDurableObjectAlarm(objectOf(meeting))).toBe(true)
    expect(await kept(meeting)).toEqual(NOTHING)
  })

  it.each(['open', 'joined', 'delivered'] as const)(
    'answers nothing ten minutes after it was opened, and its alarm clears what was %s',
    async (status) => {
      const meeting = await Meeting.at(status, flow, party)
      vi.useFakeTimers({ toFake: ['Date'], now: meeting.offer.expiresAt })
      for (const late of [meeting.read(), meeting.join(), meeting.deliver(), meeting.take(), meeting.cancel()]) {
        expect(await late).toMatchObject({ status: 404, error: 'not_found' })
      }
      expect(await meeting.take(WRONG_TOKEN)).toMatchObject({ status: 404, error: 'not_found' })
      expect((await kept(meeting)).alarm).toBe(meeting.offer.expiresAt)
      expect(await runDurableObjectAlarm(objectOf(meeting))).toBe(true)
      expect(await kept(meeting)).toEqual(NOTHING)
      expect(await runDurableObjectAlarm(objectOf(meeting))).toBe(false)
      expect(await meeting.read()).toMatchObject({ status: 404, error: 'not_found' })
    },
  )

  it('stays without a table when an offer that is over is requested', async () => {
    const meeting = await Meeting.at('delivered', flow, party)
    await meeting.take()
    await evictDurableObject(objectOf(meeting))
    for (const late of [meeting.read(), meeting.join(), meeting.deliver(), meeting.take(), meeting.cancel()]) {
      expect(await late).toMatchObject({ status: 404, error: 'not_found' })
    }
    expect(await kept(meeting)).toEqual(NOTHING)
  })

  it('counts wrong tokens across restarts', async () => {
    const meeting = await Meeting.at('joined', flow, party)
    for (let i = 0; i < 5; i += 1) {
      expect(await meeting.take(WRONG_TOKEN)).toMatchObject({ status: 401, error: 'token_rejected' })
      await evictDurableObject(objectOf(meeting))
    }
    expect(await meeting.read()).toMatchObject({ status: 404, error: 'not_found' })
  })
})
