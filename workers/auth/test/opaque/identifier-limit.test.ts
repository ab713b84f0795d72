import { env } from 'cloudflare:workers'
import { bytesToHex } from '@noble/hashes/utils.js'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { expectRefusal, type Prober } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Keyring } from '../../src/keyring.ts'
import { GUESSES } from '../../src/opaque/guesses.ts'
import { server } from '../../src/opaque/server.fixture.ts'
import { dataOf, freshGrant, grantOf, isolateWith, post, prober, proberWith, rowsOf } from '../harness.ts'
import { Login, logIn, register, signedIn } from './opaque-client.fixture.ts'

const DAY_MS = 24 * 3_600_000
const [FREE, CHALLENGED, KNOWN] = [60, 60, 10]
const challengeToken = 'XXXX.DUMMY.TOKEN.XXXX'
const startLoginRequest = encodeBase64url(new Login('x').ke1)
const registrationRequest = encodeBase64url(new Login('x').ke1.slice(0, 32))

afterEach(() => {
  vi.useRealTimers()
})

type Members = { readonly knownDevice?: string; readonly challengeToken?: string }
type Attempt = (identifier: string, members?: Members) => Promise<unknown>

const outcomeOf = async (path: string, body: object, by: Prober) => {
  const exchange = await post(path, body, {}, by)
  return exchange.status === 200 ? 200 : exchange.error
}
const begin: Attempt = (identifier, members) =>
  outcomeOf('opaque/login/init', { identifier, startLoginRequest, ...members }, prober)
const evaluate = (grant: string, identifier: string, members: Members = {}) =>
  outcomeOf('opaque/register/init', { grant, identifier, registrationRequest, ...members }, prober)

const deviceOf = async (identifier: string, password = 'x', members: Members = {}) =>
  dataOf<{ knownDevice: string }>(await logIn(identifier, password, members)).knownDevice

async function times(count: number, attempt: () => Promise<unknown>): Promise<unknown[]> {
  const outcomes: unknown[] = []
  for (let i = 0; i < count; i += 1) outcomes.push(await attempt())
  return [...new Set(outcomes)]
}

const keyring = new Keyring(new Map([[1, env.OPAQUE_SERVER_SEED]]), server)

/** Counts sixty more attempts, without what an attempt computes. */
async function exhaust(identifier: string): Promise<void> {
  const name = bytesToHex(keyring.newest.identifierHash(identifier))
  const counter = env.COUNTERS.getByName(`${GUESSES.free.counter} ${name}`)
  for (let i = 0; i < FREE; i += 1) await counter.take(GUESSES.free)
}

/** Attempts until one needs a challenge. */
async function attemptsOf(identifier: string): Promise<number> {
  const spellings = [identifier, identifier.toUpperCase(), ` ${identifier}`]
  for (let count = 0; count <= FREE; count += 1)
    if ((await begin(spellings[count % 3] ?? identifier)) !== 200) return count
  throw new Error('no challenge was required')
}

describe('logins under one identifier', () => {
  it('need a challenge after sixty, from whatever address, known and unknown alike', async () => {
    await register('counted', 'x')
    // The registration counts too.
    expect([await attemptsOf('counted'), await attemptsOf('nobody-counted')]).toEqual([FREE - 1, FREE])
    for (const identifier of ['counted', 'nobody-counted']) {
      expect(await begin(identifier)).toBe('challenge_required')
      expect(await begin(identifier, { challengeToken })).toBe(200)
    }
    expect(await begin('another')).toBe(200)
  })

  it('are counted exactly: of seventy at once, sixty need no challenge', async () => {
    const outcomes = await Promise.all(Array.from({ length: 70 }, () => begin('raced')))
    expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(FREE)
    expect(outcomes.filter((outcome) => outcome === 'challenge_required')).toHaveLength(10)
  })

  it('have a limit with challenges too', async () => {
    await exhaust('pressed')
    expect(await times(CHALLENGED, () => begin('pressed', { challengeToken }))).toEqual([200])
    const refused = await post('opaque/login/init', { identifier: 'pressed', startLoginRequest, challengeToken })
    expect(refused).toMatchObject({ status: 429, body: { error: 'Rate limit exceeded', tier: 'identifier' } })
    expect(await begin('pressed')).toBe('challenge_required')
  })

  it('are not let through by a challenge that was not passed, which uses up nothing', async () => {
    await exhaust('unsolved')
    const failing = isolateWith({ TURNSTILE_SECRET: '2x0000000000000000000000000000000AA' })
    const body = { identifier: 'unsolved', startLoginRequest, challengeToken: 'made-up' }
    expect(await times(CHALLENGED + 1, () => outcomeOf('opaque/login/init', body, failing))).toEqual([
      'challenge_required',
    ])
    expect(await begin('unsolved', { challengeToken })).toBe(200)
  })

  it('by a device that has signed in before count for it alone: nobody can keep it out', async () => {
    await register('besieged', 'x')
    const [one, other] = [await deviceOf('besieged'), await deviceOf('BESIEGED')]
    await exhaust('besieged')
    expect(await begin('besieged')).toBe('challenge_required')
    expect(await times(KNOWN, () => begin(' Besieged ', { knownDevice: one }))).toEqual([200])
    expect(await begin('besieged', { knownDevice: one })).toBe('Rate limit exceeded')
    expect(await begin('besieged', { knownDevice: other })).toBe(200)
  })

  it('are counted with registrations, which are evaluated under the same key', async () => {
    await register('evaluated', 'x')
    const [grant, knownDevice] = [await freshGrant(), await deviceOf('evaluated')]
    // The registration and the login that begot the device count too.
    expect(await times(FREE - 3, () => evaluate(grant, 'evaluated'))).toEqual([200])
    expect(await begin('evaluated')).toBe(200)
    expect(await evaluate(grant, 'evaluated')).toBe('challenge_required')
    expect(await evaluate(grant, 'evaluated', { challengeToken })).toBe(200)
    expect(await evaluate(grant, 'evaluated', { knownDevice })).toBe(200)
    expect(await evaluate(grant, 'another-one')).toBe(200)
  })

  it('are not counted for a registration whose grant is made up', async () => {
    const made = encodeBase64url(crypto.getRandomValues(new Uint8Array(32)))
    expect(await times(FREE + 5, () => evaluate(made, 'spared'))).toEqual(['code_unusable'])
    expect(await times(FREE, () => begin('spared'))).toEqual([200])
  })

  it('are refused while they cannot be counted', async () => {
    const down = () => Promise.reject(new Error('canary'))
    const by = proberWith({ COUNTERS: { getByName: () => ({ take: down }) } })
    expectRefusal(
      await post('opaque/login/init', { identifier: 'x', startLoginRequest }, {}, by),
      'dependency_unavailable',
    )
  })
})

describe('a known device', () => {
  it('is not known with proof that is made up, spoilt or of another identifier', async () => {
    await register('mine', 'x')
    await register('another-of-mine', 'x')
    const [mine, another] = [await deviceOf('mine'), await deviceOf('another-of-mine')]
    const spoilt = `${mine.startsWith('A') ? 'B' : 'A'}${mine.slice(1)}`
    await exhaust('mine')
    const shown = [encodeBase64url(crypto.getRandomValues(new Uint8Array(32))), spoilt, another]
    for (const knownDevice of shown) expect(await begin('mine', { knownDevice })).toBe('challenge_required')
    expect(await begin('mine', { knownDevice: mine })).toBe(200)
  })

  it('is forgotten 180 days after it signed in', async () => {
    await register('away', 'x')
    const knownDevice = await deviceOf('away')
    const begun = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: begun + 180 * DAY_MS - 60_000 })
    await exhaust('away')
    expect(await begin('away', { knownDevice })).toBe(200)
    vi.setSystemTime(begun + 180 * DAY_MS + 60_000)
    await exhaust('away')
    expect(await begin('away', { knownDevice })).toBe('challenge_required')
    const before = await rowsOf('known_devices')
    await deviceOf('away', 'x', { challengeToken })
    expect(await rowsOf('known_devices')).toBeLessThanOrEqual(before)
  })

  it('is forgotten when eight others have signed in since', async () => {
    await register('crowded', 'x')
    const begun = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: begun })
    const devices: string[] = []
    for (let i = 0; i < 9; i += 1) {
      vi.setSystemTime(begun + i)
      devices.push(await deviceOf('crowded'))
    }
    await exhaust('crowded')
    const [first, second] = devices
    expect(await begin('crowded', { knownDevice: first ?? '' })).toBe('challenge_required')
    expect(await begin('crowded', { knownDevice: second ?? '' })).toBe(200)
  })

  it('is forgotten with a new password', async () => {
    const { identifier, password, token } = await signedIn()
    const knownDevice = await deviceOf(identifier, password)
    await register(identifier, 'new', { grant: await grantOf(token) })
    await exhaust(identifier)
    expect(await begin(identifier, { knownDevice })).toBe('challenge_required')
  })

  it('shows nothing that signs in, or that a ceremony would take', async () => {
    await register('shown', 'x')
    const knownDevice = await deviceOf('shown')
    expect(knownDevice).not.toBe(await deviceOf('shown'))
    const finish = { ceremonyId: knownDevice, finishLoginRequest: 'A'.repeat(86) }
    expect((await post('opaque/login/finish', finish)).error).toBe('sign_in_rejected')
    expect((await post('passkey/register', { step: 'options', grant: knownDevice, name: 'x' })).error).toBe(
      'code_unusable',
    )
  })
})
