import { describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import { Identity } from '../identity/identity.ts'
import { documentOf } from './discover.fixture.ts'
import { LIST_URL, listAnswer, listWith } from './lists.fixture.ts'
import { CORE, keyOf, NOW, signers } from './service-keys.fixture.ts'

const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })

describe('Client.connect', () => {
  const facts = {
    type: 'svc/quota-receipt/v1',
    operation: 'consume',
    did: alice.did,
    key: 'k',
    kind: 'search',
    amount: 1,
    used: 1,
    limit: 100,
    tier: 'notes',
    period: '2026-09',
  } as const

  /** A deployment during a hand-over from a to b, whose pay signs with one of them. */
  async function connected(name: 'a' | 'b', issuedAt: number) {
    const keys = [await keyOf('a', 0, NOW + 10), await keyOf('b', NOW)]
    const receipt = await signers[name].sign({ ...facts, issuedAt })
    const lists = [await listWith(keys)]
    const fetch = async (url: string) => {
      if (url.startsWith(LIST_URL)) return listAnswer(lists, url)
      return Response.json(url.startsWith(CORE) ? documentOf(keys) : { success: true, data: receipt })
    }
    return Client.connect({ core: CORE, identity: alice, fetch, now: () => NOW })
  }

  it('finds the services, says what it trusted, and keeps members that it does not know', async () => {
    const client = await connected('a', NOW)
    expect(client.discovery?.trust).toBe('first-seen')
    expect(client.discovery?.document).toMatchObject({ later: { kept: true }, services: { pay: { later: true } } })
    expect((await client.quota.consume('search', { key: 'k' })).statement.used).toBe(1)
  })

  it.each([
    ['a', NOW - 1, true],
    ['a', NOW + 9, true],
    ['a', NOW + 10, false],
    ['b', NOW - 1, false],
    ['b', NOW, true],
  ] as const)('accepts a receipt by key %s issued at %i: %s', async (name, issuedAt, isAccepted) => {
    const { quota } = await connected(name, issuedAt)
    const used = quota.consume('search', { key: 'k' }).then(
      () => true,
      () => false,
    )
    expect(await used).toBe(isAccepted)
  })

  it('follows no redirect, because it trusts the host that it was given', async () => {
    const fetch = async () => new Response(null, { status: 301, headers: { location: 'https://core.evil.test' } })
    await expect(Client.connect({ core: CORE, fetch })).rejects.toMatchObject({ status: 301 })
  })
})
