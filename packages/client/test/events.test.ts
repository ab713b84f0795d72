import { type FeedEvent, isKnownEvent } from '@svc/protocol/events/events'
import { describe, expect, it } from 'vitest'
import { Client } from '../src/client.ts'
import { verifyDelivery } from '../src/events/verify-delivery.ts'
import { ForkError } from '../src/memory/errors.ts'
import { VolatileStore } from '../src/memory/trust-store.ts'
import { chained, headOf, pageOf } from './feed.ts'
import { fetchOf } from './fetch.ts'
import { data, NOW, signedBy } from './lies/situation.ts'
import { REALM, REALMS } from './realm.ts'
import { alice, mallory } from './sides.ts'

/** Core, as far as it has a feed: it answers with these events, two in a page, and forgets those before `oldest`. */
function feedOf(events: readonly FeedEvent[], oldest = 1) {
  const asked: number[] = []
  const fetch = fetchOf(async ({ url }) => {
    const after = Number(new URL(url).searchParams.get('cursor'))
    asked.push(after)
    const page = pageOf(alice.did, events, { after, limit: 2, oldest })
    return Response.json(data({ ...(await signedBy(mallory, page)), publicKeyB64u: mallory.publicKeyB64u }))
  })
  return { asked, fetch }
}

const clientOf = ({ fetch }: ReturnType<typeof feedOf>, trustStore = new VolatileStore()) =>
  new Client({ core: REALM, did: REALM, identity: alice, fetch, trustStore, receiptKeyB64u: mallory.publicKeyB64u })

describe('the event feed', () => {
  it('has events of kinds and with members that this version does not know, verified like the others', async () => {
    const events = chained(['hold.placed', 'payment.split', 'hold.lifted'], { amount: 3 })
    const seen: FeedEvent[] = []
    for await (const news of clientOf(feedOf(events)).events.iterate()) seen.push(...news.events)
    expect(seen).toEqual(events)
    expect(seen.map(isKnownEvent)).toEqual([true, false, true])
    const changed = events.map((event) => (event.sequence === 2 ? { ...event, amount: 4 } : event))
    const page = clientOf(feedOf(changed)).events.read({ after: headOf(changed.slice(0, 2)) })
    await expect(page).rejects.toMatchObject({ reason: 'fork' })
  })

  it('is remembered for the next client, which reads only what is new', async () => {
    const store = new VolatileStore()
    const events = chained(['hold.placed', 'hold.lifted', 'hold.placed'])
    await clientOf(feedOf(events.slice(0, 2)), store).events.read()
    const later = feedOf(events)
    await clientOf(later, store).events.read({ after: headOf(events.slice(0, 2)) })
    expect(later.asked).toEqual([2])
  })

  it('must continue what was shown before, even if the reader starts elsewhere', async () => {
    const store = new VolatileStore()
    const events = chained(['hold.placed', 'hold.lifted', 'hold.placed', 'hold.lifted', 'hold.placed'])
    await clientOf(feedOf(events.slice(0, 1)), store).events.read()
    const later = feedOf(events)
    await clientOf(later, store).events.read({ after: headOf(events.slice(0, 5)) })
    expect(later.asked).toEqual([5, 1, 3])
    const other = chained(['hold.lifted', 'hold.lifted', 'hold.placed', 'hold.lifted', 'hold.placed', 'hold.lifted'])
    const reading = clientOf(feedOf(other), store).events.read({ after: headOf(other.slice(0, 6)) })
    await expect(reading).rejects.toThrow(ForkError)
    await expect(reading).rejects.toMatchObject({
      remembered: { position: 5, signed: { statement: { after: 5 } } },
      received: { position: 5, signed: { statement: { after: 5, head: { sequence: 6 } } } },
    })
  })

  it('may say that it deleted what was remembered', async () => {
    const store = new VolatileStore()
    const events = chained(['hold.placed', 'hold.lifted', 'hold.placed', 'hold.lifted', 'hold.placed'])
    await clientOf(feedOf(events.slice(0, 1)), store).events.read()
    const read = clientOf(feedOf(events, 4), store).events.read({ after: headOf(events.slice(0, 5)) })
    await expect(read).resolves.toMatchObject({ total: 5 })
  })
})

describe('a delivery of a web hook', () => {
  const HOOK_ID = 'A'.repeat(22)
  const CHALLENGE = 'B'.repeat(43)
  const expected = { did: alice.did, realms: REALMS, receiptKeyB64u: mallory.publicKeyB64u, now: NOW }
  const challenge = (url: string) =>
    signedBy(mallory, {
      type: 'svc/event-challenge/v1',
      realm: REALM,
      hookId: HOOK_ID,
      url,
      challenge: CHALLENGE,
      issuedAt: NOW,
    })

  it.each([
    ['https://hooks.example.org', 'https://hooks.example.org/'],
    ['https://HOOKS.example.org:443/a/../b', 'https://hooks.example.org/b'],
  ])('is a challenge for %s, however that was written', async (url, kept) => {
    const body = { ...(await challenge(kept)), publicKeyB64u: mallory.publicKeyB64u }
    const answer = { did: alice.did, challenge: CHALLENGE }
    expect(await verifyDelivery(body, { ...expected, url })).toEqual({ kind: 'challenge', hookId: HOOK_ID, answer })
  })
})
