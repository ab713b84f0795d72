import { env } from 'cloudflare:workers'
import { hashTextHex } from '@svc/protocol/base/hash'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it, vi } from 'vitest'
import { dataOf, grantOf, post, prober, SESSION } from '../harness.ts'
import { beginLogin, finishLogin, logIn, register, type Session, signedIn } from '../opaque/opaque-client.fixture.ts'
import { Authenticator, registerBy, signInBy } from '../passkeys/authenticator.fixture.ts'

const ask = (method: string, path: string, token: string) =>
  prober.send({ method, path: `/api/auth/${path}`, headers: { [SESSION]: token } })

interface Listed {
  readonly sessionId: string
  readonly method: string
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly expiresAt: number
  readonly isCurrent: boolean
}
const sessionsOf = async (token: string) => dataOf<{ sessions: Listed[] }>(await ask('GET', 'sessions', token)).sessions

describe('the list of sessions', () => {
  it('names each by an id that is neither token nor hash, and says which is the own', async () => {
    const person = await signedIn()
    const authenticator = await Authenticator.create()
    dataOf(await registerBy(authenticator, await grantOf(person.token)))
    const other = dataOf<{ session: Session }>(await signInBy(authenticator)).session
    const listed = await sessionsOf(person.token)
    expect(new Set(listed.map(({ method, isCurrent }) => `${method} ${isCurrent}`))).toEqual(
      new Set(['passkey false', 'password true']),
    )
    const text = JSON.stringify(listed)
    for (const token of [person.token, other.token]) {
      expect(text).not.toContain(token.slice(7))
      expect(text).not.toContain(hashTextHex(token))
    }
    expectRefusal(await ask('GET', 'session', listed[0]?.sessionId ?? ''), 'token_rejected')
    expect(listed.every(({ sessionId }) => /^[A-Za-z0-9_-]{22}$/.test(sessionId))).toBe(true)
  })

  it('says when each was last used, to the minute', async () => {
    const person = await signedIn()
    const [begun] = await sessionsOf(person.token)
    expect(begun?.lastUsedAt).toBe(begun?.createdAt)
    const later = Date.now() + 90_000
    vi.spyOn(Date, 'now').mockReturnValue(later)
    await ask('GET', 'session', person.token)
    expect((await sessionsOf(person.token))[0]?.lastUsedAt).toBe(later)
    vi.restoreAllMocks()
  })
})

describe('ending sessions', () => {
  it('ends one with its grants, and no other', async () => {
    const person = await signedIn()
    const lost = dataOf<Session>(await logIn(person.identifier, person.password))
    const waiting = await grantOf(lost.token)
    const target = (await sessionsOf(person.token)).find(({ isCurrent }) => !isCurrent)?.sessionId ?? ''
    const stranger = await signedIn()
    expectRefusal(await ask('DELETE', `sessions/${target}`, stranger.token), 'not_found')
    expect(dataOf(await ask('DELETE', `sessions/${target}`, person.token))).toEqual({ ended: 1 })
    expectRefusal(await ask('DELETE', `sessions/${target}`, person.token), 'not_found')
    expectRefusal(await ask('GET', 'session', lost.token), 'token_rejected')
    expectRefusal(await register(person.identifier, 'stolen', { grant: waiting }), 'code_unusable')
    expect((await ask('GET', 'session', person.token)).status).toBe(200)
  })

  it('ends all others at once', async () => {
    const [person, bystander] = [await signedIn(), await signedIn()]
    const others = [
      dataOf<Session>(await logIn(person.identifier, person.password)),
      dataOf<Session>(await logIn(person.identifier, person.password)),
    ]
    expect(dataOf(await ask('DELETE', 'sessions', person.token))).toEqual({ ended: 2 })
    for (const { token } of others) expectRefusal(await ask('GET', 'session', token), 'token_rejected')
    for (const { token } of [person, bystander]) expect((await ask('GET', 'session', token)).status).toBe(200)
  })

  it('counts each once, of twenty at once', async () => {
    const person = await signedIn()
    dataOf<Session>(await logIn(person.identifier, person.password))
    const target = (await sessionsOf(person.token)).find(({ isCurrent }) => !isCurrent)?.sessionId ?? ''
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask('DELETE', `sessions/${target}`, person.token)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('known devices', () => {
  interface Device {
    readonly deviceId: string
    readonly label: string | null
  }
  const devicesOf = async (token: string) => dataOf<{ devices: Device[] }>(await ask('GET', 'devices', token)).devices
  const enter = async (identifier: string, password: string, members: object, deviceLabel?: string) => {
    const begun = await beginLogin(identifier, password, prober, members)
    const { ceremonyId, finishLoginRequest } = begun
    const body = { ceremonyId, finishLoginRequest, ...(deviceLabel === undefined ? {} : { deviceLabel }) }
    return dataOf<Session & { knownDevice: string }>(await post('opaque/login/finish', body))
  }

  it('are listed with their labels, one entry for a device that signs in again', async () => {
    const person = await signedIn()
    const phone = await enter(person.identifier, person.password, {}, 'Phone')
    expect(new Set((await devicesOf(person.token)).map(({ label }) => label))).toEqual(new Set([null, 'Phone']))
    const again = await enter(person.identifier, person.password, { knownDevice: phone.knownDevice })
    expect(again.knownDevice).toBe(phone.knownDevice)
    const renamed = await enter(person.identifier, person.password, { knownDevice: phone.knownDevice }, 'New phone')
    expect(renamed.knownDevice).toBe(phone.knownDevice)
    const devices = await devicesOf(person.token)
    expect(devices).toHaveLength(2)
    expect(new Set(devices.map(({ label }) => label))).toEqual(new Set([null, 'New phone']))
    expect(JSON.stringify(devices)).not.toContain(phone.knownDevice)
    expect(JSON.stringify(devices)).not.toContain(hashTextHex(phone.knownDevice))
  })

  it('are forgotten one by one or all, by their owner alone', async () => {
    const [person, stranger] = [await signedIn(), await signedIn()]
    const phone = await enter(person.identifier, person.password, {}, 'Phone')
    const id = (await devicesOf(person.token)).find(({ label }) => label === 'Phone')?.deviceId ?? ''
    expectRefusal(await ask('DELETE', `devices/${id}`, stranger.token), 'not_found')
    expect(dataOf(await ask('DELETE', `devices/${id}`, person.token))).toEqual({ forgotten: 1 })
    expectRefusal(await ask('DELETE', `devices/${id}`, person.token), 'not_found')
    // It gets a name of its own again.
    const again = await enter(person.identifier, person.password, { knownDevice: phone.knownDevice })
    expect(again.knownDevice).not.toBe(phone.knownDevice)
    expect(dataOf(await ask('DELETE', 'devices', person.token))).toEqual({ forgotten: 2 })
    expect(await devicesOf(person.token)).toEqual([])
    expect(await devicesOf(stranger.token)).toHaveLength(1)
    expect((await ask('GET', 'session', again.token)).status).toBe(200)
  })

  it('have a label of 64 characters at most', async () => {
    const person = await signedIn()
    const { ceremonyId, finishLoginRequest } = await beginLogin(person.identifier, person.password)
    const refused = await post('opaque/login/finish', { ceremonyId, finishLoginRequest, deviceLabel: 'x'.repeat(65) })
    expectRefusal(refused, 'invalid_request')
    expect((await finishLogin({ ceremonyId, finishLoginRequest })).status).toBe(200)
  })

  it('that expired are not listed', async () => {
    const person = await signedIn()
    await env.DB.prepare('UPDATE known_devices SET expires_at = 1 WHERE account_id = ?').bind(person.accountId).run()
    expect(await devicesOf(person.token)).toEqual([])
  })
})
