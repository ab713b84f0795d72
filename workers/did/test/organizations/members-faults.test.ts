import { env } from 'cloudflare:workers'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it, vi } from 'vitest'
import { caller, untilAborted } from '../harness.ts'
import {
  boundMember,
  coreWithout,
  get,
  NO_ANSWERS,
  objectsWith,
  organization,
  post,
  prober,
  stored,
  termsOf,
  without,
} from './organization.fixture.ts'

const HEAD = { sequence: 0, hash: '0'.repeat(96) }

async function prepared() {
  const { org, officers, did } = await organization()
  const member = await caller()
  const { acceptance, ...terms } = await termsOf(org, member)
  const change = { event: 'bind' as const, permissions: [], expiresAt: null, ...terms }
  const event = await org.client.members.make(change, HEAD, acceptance)
  return { org, officer: officers[0]!, did, event, path: `/1.0/org/${did}/bind` }
}

/** With a word that nobody may hear. */
const down = () => Promise.reject(new Error('canary: the object is down'))
const NO_OBJECTS = {
  ORGANIZATIONS: objectsWith(env.ORGANIZATIONS, { '*': down }),
  MEMBERSHIPS: objectsWith(env.MEMBERSHIPS, { '*': down }),
}

describe('while core cannot be relied on', () => {
  it.each(NO_ANSWERS)('a bind is refused and nothing written: core %s', async (_, answer) => {
    const { org, did, event, path } = await prepared()
    for (const cut of [/\/officers\//, /\/authority\//, /./]) {
      const refused = await post(org, path, event, without({ CORE: coreWithout(cut, answer) }))
      expectRefusal(refused, 'dependency_unavailable')
      expect(await stored(did)).toEqual({ events: [], members: [] })
    }
    expect((await post(org, path, event)).status).toBe(200)
  })

  it.each(NO_ANSWERS)('nobody is taken for an officer, and no membership is confirmed: core %s', async (_, answer) => {
    const { org, officers, did } = await organization()
    const { identity } = await boundMember(org)
    const cut = without({ CORE: coreWithout(/\/officers\/|\/authority\//, answer) })
    for (const name of ['members', 'memberships', 'events']) {
      expectRefusal(await get(officers[0]!, `/1.0/org/${did}/${name}`, cut), 'dependency_unavailable')
    }
    const path = `/1.0/org/${did}/verify/${identity.did}`
    expectRefusal(await cut.send({ method: 'GET', path }), 'dependency_unavailable')
    expect((await prober.send({ method: 'GET', path })).body).toMatchObject({ bound: true })
  })

  it('an answer about another organization or member is a fault', async () => {
    const { org, officers, did } = await organization()
    const other = await organization()
    const { identity } = await boundMember(org)
    const swapped = coreWithout(/\/officers\/|\/authority\//, (request) =>
      env.CORE.fetch(request.url.replace(did, other.did).replace(identity.did, other.did), request),
    )
    const cut = without({ CORE: swapped })
    expectRefusal(await get(officers[0]!, `/1.0/org/${did}/members`, cut), 'dependency_unavailable')
    const path = `/1.0/org/${did}/verify/${identity.did}`
    expectRefusal(await cut.send({ method: 'GET', path }), 'dependency_unavailable')
    expectRefusal(await cut.send({ method: 'GET', path: `/1.0/org/${did}/officers` }), 'dependency_unavailable')
  })

  it('a roster as of another time than requested is a fault', async () => {
    const { did } = await organization()
    const path = `/1.0/org/${did}/officers?at=${Date.now()}`
    for (const members of [{ until: 1 }, { since: Date.now() + 60_000 }]) {
      const off = coreWithout(/\/officers\//, async (request) => {
        const answer = await (await env.CORE.fetch(request)).json<object>()
        return Response.json({ ...answer, ...members })
      })
      expectRefusal(await without({ CORE: off }).send({ method: 'GET', path }), 'dependency_unavailable')
    }
  })

  it('a core that is too slow is one that does not answer', async () => {
    const { org, did, event, path } = await prepared()
    const silent = coreWithout(/\/officers\//, untilAborted)
    const limits: number[] = []
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
      limits.push(milliseconds)
      return timeout(Math.min(milliseconds, 300))
    })
    expectRefusal(await post(org, path, event, without({ CORE: silent })), 'dependency_unavailable')
    expect(new Set(limits)).toEqual(new Set([5000]))
    expect(await stored(did)).toEqual({ events: [], members: [] })
  })
})

describe('while no object can be reached', () => {
  it('everything that needs it is refused, and nobody is told why', async () => {
    const { org, officer, did, event, path } = await prepared()
    const cut = without(NO_OBJECTS)
    const answers = [
      await post(org, path, event, cut),
      await get(org, `/1.0/org/${did}/members`, cut),
      await get(officer, `/1.0/org/${did}/memberships`, cut),
      await get(org, `/1.0/identifiers/${did}/bindings`, cut),
      await cut.send({ method: 'GET', path: `/1.0/org/${did}/verify/${officer.identity.did}` }),
    ]
    for (const answer of answers) {
      expectRefusal(answer, 'dependency_unavailable')
      expect(answer.body).toMatchObject({ error: 'dependency_unavailable', status: 503 })
      expect(JSON.stringify(answer.body)).not.toMatch(/object|canary/)
    }
    expect(await stored(did)).toEqual({ events: [], members: [] })
  })

  it('between judging and writing, nothing is written and the same event goes in later', async () => {
    const { org, did, event, path } = await prepared()
    const ORGANIZATIONS = objectsWith(env.ORGANIZATIONS, { append: down })
    expectRefusal(await post(org, path, event, without({ ORGANIZATIONS })), 'dependency_unavailable')
    expect(await stored(did)).toEqual({ events: [], members: [] })
    expect((await post(org, path, event)).status).toBe(200)
  })

  it('after writing, the event is in place and its retry says so', async () => {
    const { org, did, event, path } = await prepared()
    const ORGANIZATIONS = objectsWith(env.ORGANIZATIONS, {
      append: async (real, ...args) => {
        await real['append']?.(...args)
        throw new Error('the connection broke')
      },
    })
    expectRefusal(await post(org, path, event, without({ ORGANIZATIONS })), 'dependency_unavailable')
    const { events, members } = await stored(did)
    expect([events.length, members.length]).toEqual([1, 1])
    expect((await post(org, path, event)).body).toMatchObject({ sequence: 1 })
    expect((await stored(did)).events).toHaveLength(1)
  })
})
