import { officersAnswerSchema } from '@svc/protocol/did/organizations'
import { expectRefusal, FOREIGN_ORIGIN } from '@svc/service/testing'
import { callerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller, send, sendToCore, toEachHost } from '../harness.ts'
import { callers, coreWithout, incepted, NO_ANSWERS, officersBecome, prober, without } from './organization.fixture.ts'

// Every identity is made, and every event signed, on a machine that does other things, too.

const CACHED = 'public, s-maxage=45, stale-while-revalidate=600'
const read = async (orgDid: string, query = '', headers: Record<string, string> = {}, by = prober) =>
  by.send({ method: 'GET', path: `/1.0/org/${orgDid}/officers${query}`, headers })
const officersOf = async (orgDid: string, query = '') => officersAnswerSchema.parse((await read(orgDid, query)).body)

/** An organization whose officers were Ann, then Ben, then Cat. */
async function succession() {
  const [org, ann, ben, cat] = await callers(4)
  await incepted(org!, [ann!])
  const { did } = org!.identity
  await officersBecome(org!, [ann!], [ben!], 2)
  await officersBecome(org!, [ben!], [cat!], 3)
  return { did, org: org!, people: [ann!, ben!, cat!], dids: [ann!, ben!, cat!].map(({ identity }) => identity.did) }
}

describe('the officers of an organization', () => {
  it('are public, with the event that made them so, and may be kept at the edge', async () => {
    const [org, ann, ben] = await callers(3)
    await incepted(org!, [ann!, ben!], 2)
    const { did } = org!.identity
    const { status, headers, body } = await read(did)
    expect(status).toBe(200)
    expect(body).toEqual({
      orgDid: did,
      version: 1,
      officers: [ann!.identity.did, ben!.identity.did],
      quorum: 2,
      since: expect.any(Number),
      until: null,
      event: expect.objectContaining({ acceptances: expect.any(Array) }),
    })
    expect(headers.get('cache-control')).toBe(CACHED)
    expect(headers.get('content-type')).toBe('application/json')
    expect(await org!.client.membership.officers(did)).toEqual(body)
  })

  it('need no licence, and no credential opens them further', async () => {
    const { did } = await succession()
    const answer = await read(did)
    expect(answer.status).toBe(200)
    expectRefusal(await read(did, '', { origin: FOREIGN_ORIGIN }), 'cors_denied')
    expect((await read(did, '', { authorization: 'Bearer x' })).body).toEqual(answer.body)
  })

  it('are answered with 304 only to a caller who has the current copy', async () => {
    const [one, other] = [await succession(), await succession()]
    const first = await read(one.did)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await read(one.did, '', { 'if-none-match': tag })
      expect(again.status).toBe(304)
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('cache-control')).toBe(CACHED)
    }
    const theirs = await read(other.did, '', { 'if-none-match': etag })
    expect(theirs.status).toBe(200)
    expect(theirs.body).toMatchObject({ orgDid: other.did })
    expect((await read(one.did, '?version=1', { 'if-none-match': etag })).status).toBe(200)
  })

  it('of a time are those who were officers then', async () => {
    const { did, dids } = await succession()
    const rosters = await Promise.all([1, 2, 3].map((version) => officersOf(did, `?version=${version}`)))
    for (const [i, roster] of rosters.entries()) {
      expect(roster.officers).toEqual([dids[i]])
      expect(roster.until).toBe(rosters[i + 1]?.since ?? null)
      expect(await officersOf(did, `?at=${roster.since}`)).toEqual(roster)
      expect((await read(did, `?at=${roster.since}`)).headers.get('cache-control')).toBe('no-store')
      const iso = new Date(roster.since).toISOString()
      expect(await officersOf(did, `?at=${encodeURIComponent(iso)}`)).toEqual(roster)
      expect(await officersOf(did, `?at=${encodeURIComponent(iso.replace('Z', '+00:00'))}`)).toEqual(roster)
    }
    const [first, second] = rosters
    const before = (second?.since ?? 0) - 1
    if (before >= (first?.since ?? 0)) expect((await officersOf(did, `?at=${before}`)).version).toBe(1)
    expectRefusal(await read(did, `?at=${(first?.since ?? 0) - 1}`), 'not_found')
    expectRefusal(await read(did, '?version=4'), 'not_found')
  })

  it.each([
    '?at=',
    '?at=x',
    '?at=-1',
    '?at=2026-13-40',
    '?at=2026-11-21',
    '?at=99999999999999',
    '?version=0',
    '?version=x',
    '?at=1&version=1',
    '?when=1',
  ])('are not told for %s', async (query) => {
    const { did } = (await caller()).identity
    expectRefusal(await read(did, query), 'invalid_request')
  })

  it('are 404 where there is no organization, and malformed DIDs are 400', async () => {
    const person = await caller()
    for (const did of [person.identity.did, `did:svc:${'A'.repeat(32)}`]) expectRefusal(await read(did), 'not_found')
    expectRefusal(await read('did:web:example.com'), 'invalid_request')
  })

  it('are none once the organization has ended, and were who they were', async () => {
    const { did, org, dids } = await succession()
    const current = await officersOf(did, `?at=${Date.now()}`)
    await org.client.security.deactivate()
    expectRefusal(await read(did), 'not_found')
    expectRefusal(await read(did, `?at=${Date.now()}`), 'not_found')
    const then = await officersOf(did, `?at=${current.since}`)
    expect(then.officers).toEqual([dids[2]])
    expect(then.until).toBeGreaterThanOrEqual(current.since)
  })

  it.each(NO_ANSWERS)('are not told while core %s', async (_, answer) => {
    const { did } = await succession()
    const cut = without({ CORE: coreWithout(/./, answer) })
    const refused = await read(did, '', {}, cut)
    expectRefusal(refused, 'dependency_unavailable')
    expect(refused.body).toMatchObject({ error: 'dependency_unavailable', status: 503 })
  })
})

describe('a reader of officers', () => {
  it('proves every roster from the first, also after the keys of those who signed have changed hands', async () => {
    const { did, dids, people } = await succession()
    const reader = await caller()
    const answer = await reader.client.membership.officers(did)
    expect(answer).toMatchObject({ version: 3, officers: [dids[2]] })
    await people[1]!.client.security.placeHold()
    expect((await reader.client.membership.officers(did, { at: answer.since })).version).toBe(3)
  })

  it.each([
    [
      'another officer',
      (text: string, mallory: string, cat: string) => text.replaceAll(cat, mallory),
      /officers|roster|not signed/,
    ],
    [
      'another quorum',
      (text: string) => text.replace('"quorum":1,"since"', '"quorum":2,"since"'),
      /does not match its event/,
    ],
    ['another version', (text: string) => text.replace(/"version":3}$/, '"version":2}'), /does not follow|not what/],
  ])('is not taken in by %s', async (_, forge, fault) => {
    const { did, dids } = await succession()
    const mallory = await caller()
    const lying = async (request: Request) => {
      if (new URL(request.url).host === 'core.test') return sendToCore(request)
      const text = await (await send(request)).text()
      return new Response(forge(text, mallory.identity.did, dids[2] ?? ''))
    }
    const { client } = callerOf(mallory.identity, { ...toEachHost, fetch: lying })
    await expect(client.membership.officers(did)).rejects.toThrow(fault)
  })
})
