import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { ServiceKey } from '@svc/protocol/http/service-keys'
import { describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import { VolatileStore } from '../memory/trust-store.ts'
import { DAY, documentOf, faultOf, found } from './discover.fixture.ts'
import { discover } from './discover.ts'
import type { Pin } from './pin.ts'
import { CORE, first, handedOver, keyOf, NOW } from './service-keys.fixture.ts'

describe('the realm', () => {
  const claiming = (realm: string, options: object = {}) =>
    discover({
      core: CORE,
      fetch: async () => Response.json(documentOf([first], NOW, { realm, realms: [realm] })),
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
  it('says whether it was given or first seen, and is JSON', async () => {
    const seen = await found([first])
    expect(seen).toMatchObject({
      trust: 'first-seen',
      pin: { realm: CORE, keys: [first], logListKeys: null, seenAt: NOW },
    })
    const pinned = JSON.parse(JSON.stringify(seen.pin)) as Pin
    expect(await found([first], { pinned })).toEqual({ ...seen, trust: 'given' })
  })

  it('follows a hand-over that it saw announced', async () => {
    const { pin } = await found([first])
    const announced = [await keyOf('a', 0, NOW + 31 * DAY), await keyOf('b', NOW + 30 * DAY)]
    const told = await found(announced, { now: NOW + DAY, pinned: pin })
    const later = await found(announced, { now: NOW + 40 * DAY, pinned: told.pin })
    expect(later.document.keys.map(({ state }) => state)).toEqual(['previous', 'current'])
  })

  it('refuses a key that nobody announced, with both documents', async () => {
    const { pin } = await found([first])
    for (const keys of [
      [await keyOf('a', 0, NOW), await keyOf('b', NOW)],
      [await keyOf('b', 0)],
      [first, await keyOf('b', NOW - DAY)],
    ]) {
      const refused = await faultOf(found(keys, { now: NOW + 1, pinned: pin }))
      expect(refused).toMatchObject({ reason: 'unannounced_key', pinned: pin, document: { version: 1 } })
    }
  })

  it('refuses one in two steps, too: leaving the key out first does not make the next the first', async () => {
    const { pin } = await found([first])
    const without = await found([], { now: NOW + DAY, pinned: pin })
    expect(without.pin.keys).toEqual([{ ...first, validUntil: NOW + DAY }])
    const refused = faultOf(found([await keyOf('b', 0)], { now: NOW + 2 * DAY, pinned: without.pin }))
    expect(await refused).toMatchObject({ reason: 'unannounced_key' })
  })

  it('refuses an announced key that is dated back, and one that had ended', async () => {
    const { pin } = await found([first, await keyOf('b', NOW + DAY)])
    const backdated = faultOf(found([first, await keyOf('b', 0)], { now: NOW + 1, pinned: pin }))
    expect(await backdated).toMatchObject({ reason: 'unannounced_key' })
    const ended = await found([await keyOf('a', 0, NOW - 1)])
    expect(await faultOf(found([first], { pinned: ended.pin }))).toMatchObject({ reason: 'revived_key' })
  })
})

describe('a client that was away while a key was announced', () => {
  const LATER = NOW + 400 * DAY
  const second = (validFrom = NOW + 30 * DAY, validUntil: number | null = null) => keyOf('b', validFrom, validUntil)
  const ended = () => keyOf('a', 0, NOW + 31 * DAY)
  /** The pin of `first`, and what that client makes of these keys a year later. */
  const backTo = async (...keys: readonly ServiceKey[]) => {
    const { pin } = await found([first])
    return found(keys, { now: LATER, pinned: pin })
  }
  const refused = async (...keys: readonly ServiceKey[]) =>
    expect(await faultOf(backTo(...keys))).toMatchObject({ reason: 'unannounced_key' })

  it('follows what the key that it knows has signed, and keeps that key for what it signed', async () => {
    const { pin } = await backTo(await ended(), await handedOver('a', await second()))
    expect(pin.keys).toEqual([await ended(), await second()])
  })

  it('follows from one key to the next, in any order of the document', async () => {
    const b = await handedOver('a', await second(NOW + 30 * DAY, NOW + 201 * DAY))
    const c = await handedOver('b', await keyOf('c', NOW + 200 * DAY), { issuedAt: NOW + 170 * DAY })
    expect((await backTo(c, await ended(), b)).document.keys).toHaveLength(3)
    await refused(c, await ended())
  })

  it.each<[string, () => Promise<ServiceKey>]>([
    ['another key signed it', async () => handedOver('c', await second())],
    ['the key signed it for itself', async () => handedOver('b', await second())],
    ['it names another key', async () => handedOver('a', await second(), { keyHash: 'a'.repeat(96) })],
    ['it names another use', async () => handedOver('a', await second(), { service: 'core', use: 'receipt' })],
    [
      'the key begins before the time that was signed',
      async () => handedOver('a', await second(NOW + DAY), { validFrom: NOW + 2 * DAY }),
    ],
    [
      'it was signed after the end of the key',
      async () => handedOver('a', await second(), { issuedAt: NOW + 31 * DAY }),
    ],
  ])('refuses a key if %s', async (_, key) => {
    await refused(await ended(), await key())
  })

  it('refuses a hand-over for another realm, and one whose signature is of other bytes', async () => {
    const key = await handedOver('a', await second())
    const { statement, signatureB64u } = key.handOver!
    await refused(await ended(), { ...key, handOver: { statement: { ...statement, validFrom: 1 }, signatureB64u } })
    const foreign = new DeploymentSigner('0a'.repeat(32), ['https://core.other.test'])
    const { realm: _, ...members } = statement
    const signed = await foreign.sign({ ...members, issuedAt: NOW })
    const handOver = { statement: signed!.statement, signatureB64u: signed!.signatureB64u }
    await refused(await ended(), { ...key, handOver })
  })

  it('refuses what a key that was withdrawn signs, now or dated back', async () => {
    const now = NOW + 10 * DAY
    const { pin } = await found([await keyOf('a', 0, NOW + DAY)], { now })
    const key = await handedOver('a', await second(), { issuedAt: NOW })
    const known = await faultOf(found([await keyOf('a', 0, NOW + DAY), key], { now: LATER, pinned: pin }))
    expect(known).toMatchObject({ reason: 'unannounced_key' })
    // A client that was away learns of the withdrawal from the document.
    await refused(await keyOf('a', 0, NOW - DAY), key)
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
      logListTrust: 'first-seen',
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
