import { env } from 'cloudflare:workers'
import type { PayInternalApi } from '@svc/protocol/internal/pay'
import { callerOf } from '@svc/testing'
import { expect, it } from 'vitest'
import { caller, toEachHost } from '../harness.ts'
import {
  boundMember,
  callers,
  licensed,
  organization,
  post,
  prober,
  stored,
  termsOf,
  without,
} from './organization.fixture.ts'

// Twenty signatures for twenty racers, on a machine that does other things, too.
const RACERS = 20

it('of twenty events for one place exactly one takes it, and the others learn the head', async () => {
  const { org, did } = await organization()
  const people = await callers(RACERS)
  const head = { sequence: 0, hash: '0'.repeat(96) }
  const events = await Promise.all(
    people.map(async (member) => {
      const { acceptance, ...terms } = await termsOf(org, member)
      const change = { event: 'bind' as const, permissions: [], expiresAt: null, ...terms }
      return org.client.members.make(change, head, acceptance)
    }),
  )
  const answers = await Promise.all(events.map((event) => post(org, `/1.0/org/${did}/bind`, event)))
  const winners = answers.filter(({ status }) => status === 200)
  expect(winners).toHaveLength(1)
  const { sequence, hash } = winners[0]!.body as { sequence: number; hash: string }
  for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { error: 'stale_org_head', details: { head: { sequence, hash } } },
    })
  }
  const { events: log, members } = await stored(did)
  expect([log.length, members.length]).toEqual([1, 1])
})

it('binds by six clients at once that follow the head take six places', async () => {
  const { org, did } = await organization()
  const people = await callers(6)
  const places = await Promise.all(
    people.map(async (member) => {
      // Each client is metered as an address of its own.
      const { members } = callerOf(org.identity, toEachHost).client
      return (await members.bind(await termsOf(org, member))).sequence
    }),
  )
  expect(places.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6])
  const { members, head } = await org.client.members.verify()
  expect([members.size, head.sequence]).toEqual([6, 6])
  expect((await stored(did)).members).toHaveLength(6)
})

it('one event that is sent twenty times at once is appended once, and everybody is told so', async () => {
  const { org, did } = await organization()
  const member = await caller()
  const { acceptance, ...terms } = await termsOf(org, member)
  const change = { event: 'bind' as const, permissions: [], expiresAt: null, ...terms }
  const event = await org.client.members.make(change, { sequence: 0, hash: '0'.repeat(96) }, acceptance)
  const answers = await Promise.all(Array.from({ length: RACERS }, () => post(org, `/1.0/org/${did}/bind`, event)))
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
  expect(answers[0]?.status).toBe(200)
  expect((await stored(did)).events).toHaveLength(1)
})

it('of twenty binds of one member one is in force, and of revoke and update one comes first', async () => {
  const { org, did } = await organization()
  const member = await boundMember(org)
  const memberDid = member.identity.did
  const { head } = await org.client.members.list({ limit: 1 })
  const { acceptance, ...terms } = await termsOf(org, member)
  const update = { event: 'update' as const, permissions: [], expiresAt: null, ...terms }
  const events = await Promise.all(
    Array.from({ length: RACERS }, (_, i) =>
      i % 2 === 0
        ? org.client.members.make({ event: 'revoke', memberDid }, head)
        : org.client.members.make(update, head, acceptance),
    ),
  )
  const answers = await Promise.all(
    events.map((event) =>
      post(org, `/1.0/org/${did}/${event.statement.event === 'revoke' ? 'revoke' : 'bind'}`, event),
    ),
  )
  const taken = events.filter((_, i) => answers[i]?.status === 200)
  expect(new Set(taken.map(({ statement }) => statement.event)).size).toBe(1)
  const isBound = taken[0]?.statement.event === 'update'
  const path = `/1.0/org/${did}/verify/${memberDid}`
  expect((await prober.send({ method: 'GET', path })).body).toMatchObject({ bound: isBound })
  expect((await stored(did)).events).toHaveLength(2)
})

it('a licence that is revoked while an event is on its way lets it write nothing', async () => {
  const { org, did } = await organization()
  const member = await caller()
  // Pay is asked before the body is read, and again after the event was judged.
  let asked = 0
  const pay = env.PAY as unknown as PayInternalApi
  const PAY = {
    async standing(orgDid: string) {
      asked += 1
      if (asked === 2) await licensed(did, { action: 'revoke', issuedAt: Date.now() + 1000 })
      return pay.standing(orgDid)
    },
  }
  const { acceptance, ...terms } = await termsOf(org, member)
  const change = { event: 'bind' as const, permissions: [], expiresAt: null, ...terms }
  const event = await org.client.members.make(change, { sequence: 0, hash: '0'.repeat(96) }, acceptance)
  const { status, error } = await post(org, `/1.0/org/${did}/bind`, event, without({ PAY }))
  expect({ status, error, asked }).toEqual({ status: 402, error: 'licence_required', asked: 2 })
  expect(await stored(did)).toEqual({ events: [], members: [] })
})
