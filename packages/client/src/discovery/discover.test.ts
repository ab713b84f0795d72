import { SERVICE_KEY_USES } from '@svc/protocol/http/service-keys'
import { listFingerprint } from '@svc/protocol/merkle/list-fingerprint'
import type { SignedLogList } from '@svc/protocol/merkle/log-list'
import { describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import { VolatileStore } from '../memory/trust-store.ts'
import { DAY, documentOf, faultOf, found } from './discover.fixture.ts'
import { type Discovery, discover } from './discover.ts'
import { listKeys, listKeysOf, listWith } from './lists.fixture.ts'
import type { Pin } from './pin.ts'
import { CORE, first, keyOf, NOW } from './service-keys.fixture.ts'
import { listedServices, trustedKeys, type VerifiedKeyName } from './trusted-keys.ts'

describe('the realm', () => {
  const claiming = (realm: string, options: object = {}) =>
    discover({
      core: CORE,
      fetch: async () => {
        const logs = { listUrl: null, keys: null }
        return Response.json(documentOf([first], NOW, { realm, realms: [realm], logs }))
      },
      ...options,
    })

  it('of another deployment is refused: what is signed for it would count there', async () => {
    const refused = await faultOf(claiming('https://core.victim.test'))
    expect(refused).toMatchObject({
      reason: 'foreign_realm',
      pinned: null,
      document: { realm: 'https://core.victim.test' },
    })
    expect(await faultOf(claiming('http://core.test'))).toMatchObject({ reason: 'foreign_realm' })
  })

  it('is taken if the caller names it, and no other is then', async () => {
    expect((await claiming('svc.example', { realm: 'svc.example' })).document.realm).toBe('svc.example')
    expect(await faultOf(claiming(CORE, { realm: 'svc.example' }))).toMatchObject({ reason: 'foreign_realm' })
  })

  it('that was pinned cannot change', async () => {
    const { pin } = await found([first])
    const refused = await faultOf(claiming('https://core.new.test', { pinned: pin }))
    expect(refused).toMatchObject({ reason: 'foreign_realm', pinned: pin })
  })
})

describe('a pin', () => {
  it('has the keys of the list and the list, says whether it was given or first seen, and is JSON', async () => {
    const list = await listWith([first])
    const seen = await found([first], { lists: [list] })
    expect(seen).toMatchObject({ trust: 'first-seen', logListTrust: 'first-seen', unlisted: [] })
    expect(seen.pin).toMatchObject({ realm: CORE, formerRealms: [], logListKeys: listKeys, list, seenAt: NOW })
    const pinned = JSON.parse(JSON.stringify(seen.pin)) as Pin
    const given = { ...seen, trust: 'given', logListTrust: 'given' }
    expect(await found([first], { lists: [list], pinned })).toEqual(given)
  })

  it('leads to the newest list, also after years, and to the keys that replaced those of the list', async () => {
    const one = await listWith([first])
    const { pin } = await found([first], { lists: [one] })
    const keys = [await keyOf('a', 0, NOW + 100 * DAY), await keyOf('b', NOW + 90 * DAY)]
    const lists = [one]
    for (const _ of [1, 2, 3]) lists.push(await listWith(keys, { before: lists.at(-1)! }))
    const later = await found(keys, { now: NOW + 400 * DAY, lists, pinned: pin })
    expect(later.pin.list).toEqual(lists.at(-1))
    expect(later.unlisted).toEqual([])
  })

  it.each<[string, string, () => Promise<readonly SignedLogList[]>]>([
    ['that other keys signed', 'threshold_not_met', async () => [await listWith([first], { byte: '0d' })]],
    ['that is over', 'list_expired', async () => [await listWith([first], { members: { validUntil: NOW - 1 } })]],
    [
      'of another realm',
      'wrong_realm',
      async () => [
        await listWith([first], { members: { realm: 'https://other.test', realms: ['https://other.test'] } }),
      ],
    ],
  ])('refuses a list %s', async (_, reason, lists) => {
    await expect(found([first], { lists: await lists() })).rejects.toMatchObject({ subject: 'logs', reason })
  })

  it('refuses a list that was rolled back, and one that forks', async () => {
    const one = await listWith([first])
    const two = await listWith([first], { before: one })
    const other = await listWith([], { before: one, members: { issuedAt: two.statement.issuedAt + 1 } })
    const { pin: pinned } = await found([first], { lists: [one, two] })
    await expect(found([first], { lists: [one], pinned })).rejects.toMatchObject({ reason: 'list_rolled_back' })
    await expect(found([first], { lists: [one, other], pinned })).rejects.toMatchObject({ reason: 'not_successor' })
  })

  it('keeps its list while caches show the one before, and while there is none', async () => {
    const one = await listWith([first])
    const two = await listWith([first], { before: one, members: { issuedAt: NOW - 60_000 } })
    const { pin: pinned } = await found([first], { lists: [one, two] })
    expect((await found([first], { lists: [one], pinned })).pin.list).toEqual(two)
    expect((await found([first], { lists: [], pinned })).pin.list).toEqual(two)
    const tooLate = found([first], { lists: [], pinned, now: NOW + 2000 * DAY })
    await expect(tooLate).rejects.toMatchObject({ status: 503 })
  })

  it('that has no list is first contact for the list', async () => {
    const { pin } = await found([first], { document: { logs: { listUrl: null, keys: null } } })
    expect(pin).toMatchObject({ logListKeys: null, list: null })
    const later = await found([first], { pinned: pin })
    expect(later).toMatchObject({ trust: 'given', logListTrust: 'first-seen', pin: { logListKeys: listKeys } })
  })

  it('of an earlier form is refused', async () => {
    const { pin } = await found([first])
    const { list: _, formerRealms: __, ...rest } = pin
    const pinned = { ...rest, keys: [first] } as unknown as Pin
    await expect(found([first], { pinned })).rejects.toThrow('pinned')
  })
})

describe('the fingerprint', () => {
  it('is that of the keys of the list, and is compared when it is given', async () => {
    const { fingerprint } = await found([first])
    expect(fingerprint).toBe(listFingerprint(listKeys))
    const given = await found([first], { fingerprint: String(fingerprint).replaceAll(' ', '').toUpperCase() })
    expect(given).toMatchObject({ trust: 'first-seen', logListTrust: 'given' })
    const other = listFingerprint(await listKeysOf('0d'))
    const refused = await faultOf(found([first], { fingerprint: other }))
    expect(refused).toMatchObject({ reason: 'wrong_fingerprint' })
    const without = found([first], { fingerprint: other, document: { logs: { listUrl: null, keys: null } } })
    expect(await faultOf(without)).toMatchObject({ reason: 'wrong_fingerprint' })
  })

  it('and keys that are given count more than the document', async () => {
    const logListKeys = await listKeysOf('0d')
    await expect(found([first], { logListKeys })).rejects.toMatchObject({ reason: 'threshold_not_met' })
    const lists = [await listWith([first], { byte: '0d' })]
    expect(await found([first], { logListKeys, lists })).toMatchObject({ logListTrust: 'given', pin: { logListKeys } })
  })
})

describe('a thief with the seed of a service', () => {
  const stolenAt = NOW + DAY
  const [now, later] = [NOW + 10 * DAY, NOW + 5 * DAY]
  const names = SERVICE_KEY_USES.map(({ service, use }) => ({ service, use }))
  const keysIn = (discovery: Discovery, name: VerifiedKeyName) =>
    trustedKeys(name, { discovery }, async () => listedServices(discovery) ?? [])

  it.each(names)('of $service is out with the next list: $use', async (name) => {
    const one = await listWith([await keyOf('a', 0, null, name)])
    const { pin: pinned } = await found([], { lists: [one] })
    const kept = [await keyOf('a', 0, stolenAt, name), await keyOf('b', stolenAt, null, name)]
    const two = await listWith(kept, { before: one, members: { issuedAt: stolenAt } })
    // The thief answers for the service: its key never ended, and its own successor is announced.
    const claims = [await keyOf('a', 0, null, name), await keyOf('c', later, null, name)]
    const discovery = await found(claims, { now, lists: [one, two], pinned })
    expect(discovery.unlisted.map(({ publicKeyB64u }) => publicKeyB64u)).toEqual(
      claims.map(({ publicKeyB64u }) => publicKeyB64u),
    )
    const keys = keysIn(discovery, name)
    expect(await keys(stolenAt - 1)).toEqual([kept[0]!.publicKeyB64u])
    for (const issuedAt of [stolenAt, later, now]) expect(await keys(issuedAt)).toEqual([kept[1]!.publicKeyB64u])
  })

  it('of one service signs for no other', async () => {
    const discovery = await found([], { lists: [await listWith([first])] })
    for (const name of names.filter(({ service }) => service !== 'pay'))
      expect(await keysIn(discovery, name)(NOW)).toEqual([])
  })

  it('cannot hide the next list for longer than the one before is valid', async () => {
    const one = await listWith([first], { members: { validUntil: NOW + 2 * DAY } })
    const { pin: pinned } = await found([first], { lists: [one] })
    await expect(found([first], { now, lists: [one], pinned })).rejects.toMatchObject({ reason: 'list_expired' })
    await expect(found([first], { now, lists: [], pinned })).rejects.toMatchObject({ status: 503 })
    const document = { logs: { listUrl: null, keys: null } }
    await expect(found([first], { now, document, pinned })).rejects.toMatchObject({ reason: 'list_expired' })
  })
})

describe('a deployment that moves', () => {
  const NEW = 'https://core.new.test'
  const moved = { realm: NEW, realms: [NEW, CORE] as [string, string] }
  const connectTo = async (options: object) => found([first], { document: moved, ...options, now: NOW })

  it('is followed if the list says so that the pinned keys lead to, and its former realm counts', async () => {
    const one = await listWith([first])
    const two = await listWith([first], { before: one, members: moved })
    const { pin: pinned } = await found([first], { lists: [one] })
    const { pin } = await connectTo({ lists: [one, two], pinned })
    expect(pin).toMatchObject({ realm: NEW, formerRealms: [CORE] })
    const done = await listWith([first], { before: two, members: { realm: NEW, realms: [NEW] } })
    const after = await connectTo({ lists: [one, two, done], pinned: pin })
    expect(after.pin).toMatchObject({ realm: NEW, formerRealms: [] })
  })

  it('is refused if the document alone says so, or a client has no pin', async () => {
    const one = await listWith([first])
    const { pin: pinned } = await found([first], { lists: [one] })
    const two = await listWith([first], { before: one, members: { realm: NEW, realms: [NEW] } })
    for (const lists of [[one], [one, two]])
      expect(await faultOf(connectTo({ lists, pinned }))).toMatchObject({ reason: 'foreign_realm' })
    expect(await faultOf(connectTo({ lists: [one] }))).toMatchObject({ reason: 'foreign_realm' })
    const named = { realm: CORE, pinned, lists: [one] }
    expect(await faultOf(connectTo(named))).toMatchObject({ reason: 'foreign_realm' })
  })
})

describe('while core is down', () => {
  const mirrors = { urls: ['https://mirror.test'], maxAgeMs: DAY }
  const outages: readonly (readonly [string, () => Promise<Response>])[] = [
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    ['is broken', async () => Response.json({ success: false, error: 'internal_error' }, { status: 500 })],
  ]

  it.each(outages)('and %s, a client with mirrors connects with its pin', async (_, core) => {
    const { pin } = await found([first])
    const asked: string[] = []
    const fetch = (url: string) => {
      asked.push(new URL(url).origin)
      return core()
    }
    const pinned = JSON.parse(JSON.stringify(pin)) as Pin
    const client = await Client.connect({ core: CORE, fetch, mirrors, pinned, retries: false, now: () => NOW + DAY })
    expect(client.discovery).toEqual({
      document: pin.document,
      source: 'pin',
      trust: 'given',
      logListTrust: 'given',
      fingerprint: listFingerprint(listKeys),
      unlisted: [],
      pin,
    })
    expect(client.realm).toBe(CORE)
    // A mirror has no say in where the services are, and with which keys they sign.
    expect(asked).toEqual([CORE])
  })

  it.each(outages)('and %s, the error of core is thrown without mirrors, and without a pin', async (_, fetch) => {
    const { pin: pinned } = await found([first])
    const options = { core: CORE, fetch, retries: false } as const
    for (const given of [{ pinned }, { mirrors }])
      await expect(Client.connect({ ...options, ...given })).rejects.toMatchObject({
        name: expect.stringMatching(/^(?:Connection|Service)Error$/),
      })
  })

  it('the pin of a trust store counts', async () => {
    const { pin } = await found([first])
    const trustStore = new VolatileStore()
    await trustStore.set('pin', pin)
    const fetch = () => Promise.reject(new TypeError('fetch failed'))
    const client = await Client.connect({ core: CORE, fetch, mirrors, trustStore, retries: false })
    expect([client.discovery?.source, await trustStore.get('pin')]).toEqual(['pin', pin])
  })

  it('an answer that core gives is not replaced by the pin', async () => {
    const { pin: pinned } = await found([first])
    for (const status of [404, 429, 501]) {
      const fetch = async () => Response.json({ success: false, error: 'not_found' }, { status })
      await expect(Client.connect({ core: CORE, fetch, mirrors, pinned, retries: false })).rejects.toMatchObject({
        status,
      })
    }
  })

  it('another realm than that of the pin is refused', async () => {
    const { pin: pinned } = await found([first])
    const fetch = () => Promise.reject(new TypeError('fetch failed'))
    const connecting = Client.connect({ core: CORE, fetch, mirrors, pinned, realm: 'svc.example', retries: false })
    await expect(connecting).rejects.toMatchObject({ reason: 'foreign_realm' })
  })
})
