import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { sendWith } from '../harness.ts'
import {
  AUTHORIZATION,
  ask,
  FLOWS,
  freshParty,
  MADE_UP_CODE,
  Meeting,
  PAIRING,
  type Party,
  WRONG_TOKEN,
} from './meeting.fixture.ts'

const objects = async () => (await listDurableObjectIds(env.RENDEZVOUS)).map(String).toSorted()

/** Every route that takes a code, with otherwise valid credentials. */
const attempts = (meeting: Meeting) => [
  () => meeting.read(),
  () => meeting.look(),
  () => meeting.join(),
  () => meeting.deliver(),
  () => meeting.take(),
  () => meeting.decline(),
  () => meeting.cancel(),
]

describe.each(FLOWS)('a code of $name', (flow) => {
  const other = flow === PAIRING ? AUTHORIZATION : PAIRING
  let party: Party
  beforeAll(async () => {
    party = await freshParty()
  })
  const withCode = ({ offer }: Meeting, code: string) => new Meeting(flow, party, { ...offer, code })

  it('that was invented is 404 everywhere and reaches no object', async () => {
    const meeting = await Meeting.open(flow, party)
    const before = await objects()
    const [last] = meeting.offer.code.slice(-1)
    const neighbour = meeting.offer.code.slice(0, -1) + (last === '0' ? '1' : '0')
    for (const code of [MADE_UP_CODE, '0000-0000-0000', 'ZZZZ-ZZZZ-ZZZZ', neighbour]) {
      for (const attempt of attempts(withCode(meeting, code))) {
        expect(await attempt(), code).toMatchObject({ status: 404, error: 'not_found' })
      }
    }
    expect(await objects()).toEqual(before)
  })

  it('of the other flow is 404 everywhere and reaches no object', async () => {
    const theirs = await Meeting.at('joined', other, party)
    const before = await objects()
    for (const attempt of attempts(new Meeting(flow, party, theirs.offer))) {
      expect(await attempt()).toMatchObject({ status: 404, error: 'not_found' })
    }
    expect(await objects()).toEqual(before)
    expect((await theirs.deliver()).status).toBe(200)
    expect((await theirs.take()).status).toBe(200)
  })

  it('in any other form is 404 in a path, 400 in a body, and reaches no object', async () => {
    const meeting = await Meeting.open(flow, party)
    const before = await objects()
    const { code } = meeting.offer
    for (const typed of [code.toLowerCase(), code.replaceAll('-', ''), 'IIII-LLLL-OOOO', `${code}0`, '%00', 'x']) {
      const mistyped = withCode(meeting, typed)
      const answers = [mistyped.read(), mistyped.join(), mistyped.take(), mistyped.decline(), mistyped.cancel()]
      for (const answer of await Promise.all(answers))
        expect(answer, typed).toMatchObject({ status: 404, error: 'not_found' })
      expect(await mistyped.deliver(), typed).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    }
    expect(await objects()).toEqual(before)
  })

  it('names an object of its own, and rejected requests create none', async () => {
    const before = await objects()
    const { offer } = await Meeting.open(flow, party)
    const after = await objects()
    expect(after.filter((id) => !before.includes(id))).toEqual([env.RENDEZVOUS.idFromName(offer.code).toString()])
    expect((await ask(flow, 'POST', flow.base, {})).status).toBe(401)
    expect((await ask(flow, 'POST', flow.base, { token: WRONG_TOKEN })).status).toBe(401)
    expect(await objects()).toEqual(after)
  })

  it('cannot be minted without a seed: 503, and earlier codes are unknown', async () => {
    const meeting = await Meeting.open(flow, party)
    const before = await objects()
    const unset = sendWith({ CODES_SEED: undefined })
    const refused = await ask(flow, 'POST', flow.base, { by: party.owner }, unset)
    expect(refused).toMatchObject({ status: 503, error: 'dependency_unavailable' })
    expect(await meeting.take(meeting.offer.token, unset)).toMatchObject({ status: 404, error: 'not_found' })
    expect(await meeting.decline(meeting.offer.token, unset)).toMatchObject({ status: 404, error: 'not_found' })
    expect(await objects()).toEqual(before)
    expect((await meeting.decline()).status).toBe(200)
  })

  it('of another deployment is 404', async () => {
    const meeting = await Meeting.open(flow, party)
    const elsewhere = sendWith({ CODES_SEED: '2c'.repeat(32) })
    expect(await meeting.decline(meeting.offer.token, elsewhere)).toMatchObject({ status: 404, error: 'not_found' })
    expect((await meeting.decline()).status).toBe(200)
  })

  it('already in use is not issued again: another is minted, and three in a row are a 503', async () => {
    const taken = (times: number) => {
      let asked = 0
      return sendWith({
        RENDEZVOUS: {
          getByName: (code: string) => {
            asked += 1
            return asked > times ? env.RENDEZVOUS.getByName(code) : { open: () => Promise.resolve(false) }
          },
        },
      })
    }
    expect((await ask(flow, 'POST', flow.base, { by: party.owner }, taken(2))).status).toBe(200)
    const refused = await ask(flow, 'POST', flow.base, { by: party.owner }, taken(3))
    expect(refused).toMatchObject({ status: 503, error: 'dependency_unavailable' })
  })
})
