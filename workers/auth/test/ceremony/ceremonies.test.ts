import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it, vi } from 'vitest'
import { freshGrant, post } from '../harness.ts'
import { beginLogin, finishLogin, register, signedIn } from '../opaque/opaque-client.fixture.ts'
import {
  Authenticator,
  creationOptions,
  requestOptions,
  verifyCreation,
  verifyRequest,
} from '../passkeys/authenticator.fixture.ts'

const objects = async () => (await listDurableObjectIds(env.CEREMONIES)).map(String).toSorted()
const stubOf = (id: string) => env.CEREMONIES.getByName(id)
const tablesOf = (id: string, table = 'ceremony') =>
  runInDurableObject(stubOf(id), (_, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?", table).toArray(),
  )

describe('a ceremony', () => {
  it('that was made up touches no object', async () => {
    const before = await objects()
    const noise = encodeBase64url(new Uint8Array(64))
    for (const ceremonyId of ['A'.repeat(43), encodeBase64url(crypto.getRandomValues(new Uint8Array(32)))]) {
      expectRefusal(await finishLogin({ ceremonyId, finishLoginRequest: noise }), 'sign_in_rejected')
      expectRefusal(await register('made-up', 'x', { grant: ceremonyId }), 'code_unusable')
      const body = { ticket: ceremonyId, verifier: 'A'.repeat(43) }
      expectRefusal(await post('onboard/ticket/verify', body), 'code_unusable')
    }
    expect(await objects()).toEqual(before)
  })

  it('is forgotten when it was spent', async () => {
    const grant = await freshGrant()
    expect(await tablesOf(grant)).toHaveLength(1)
    expect((await register('forgotten', 'x', { grant })).status).toBe(200)
    expect(await tablesOf(grant)).toEqual([])
    expect(await runDurableObjectAlarm(stubOf(grant))).toBe(false)
  })

  it('is forgotten when nobody spends it', async () => {
    const grant = await freshGrant()
    expect(await runDurableObjectAlarm(stubOf(grant))).toBe(true)
    expect(await tablesOf(grant)).toEqual([])
  })

  it('is over at its time, also where the alarm is late', async () => {
    const person = await signedIn()
    const [login, passkey, grant] = [
      await beginLogin(person.identifier, person.password),
      await requestOptions(),
      await creationOptions(await freshGrant()),
    ]
    const authenticator = await Authenticator.create()
    const [created, got] = [await authenticator.create(grant), await authenticator.get(passkey)]
    const now = Date.now()
    vi.spyOn(Date, 'now').mockReturnValue(now + 120_000)
    expectRefusal(await finishLogin(login), 'sign_in_rejected')
    expectRefusal(await verifyRequest(passkey, got), 'sign_in_rejected')
    vi.spyOn(Date, 'now').mockReturnValue(now + 600_000)
    expectRefusal(await verifyCreation(grant, created), 'code_unusable')
  })

  it('of one kind is none of another', async () => {
    const [grant, login] = [await freshGrant(), await beginLogin('nobody', 'x')]
    const noise = encodeBase64url(new Uint8Array(64))
    expectRefusal(await finishLogin({ ceremonyId: grant, finishLoginRequest: noise }), 'sign_in_rejected')
    expectRefusal(await register('x', 'x', { grant: login.ceremonyId }), 'invalid_request')
    expect((await register('kind-of', 'x', { grant })).status).toBe(200)
  })
})

describe('a login', () => {
  it('touches no object until somebody finishes it', async () => {
    const person = await signedIn()
    // Counted by their identifiers, which is another class.
    const before = await objects()
    for (let i = 0; i < 5; i++) {
      await beginLogin(person.identifier, person.password)
      await beginLogin('nobody', 'x')
      await requestOptions()
    }
    expect(await objects()).toEqual(before)
  })

  it('is finished once, of twenty at once', async () => {
    const person = await signedIn()
    const begun = await beginLogin(person.identifier, person.password)
    const answers = await Promise.all(Array.from({ length: 20 }, () => finishLogin(begun)))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(19)
    for (const answer of refused) expectRefusal(answer, 'sign_in_rejected')
  })

  it('that was spent is remembered beyond its end, and then forgotten with the whole object', async () => {
    const share = stubOf('spent-test')
    const spent = (name: number, expiresAt: number) => share.spend(new Uint8Array(12).fill(name), expiresAt)
    const now = Date.now()
    vi.spyOn(Date, 'now').mockReturnValue(now)
    expect([await spent(1, now + 1_000), await spent(1, now + 1_000), await spent(2, now + 90_000)]).toEqual([
      true,
      false,
      true,
    ])
    expect(await spent(3, now)).toBe(false)
    const rows = () => runInDurableObject(share, (_, { storage }) => storage.sql.exec('SELECT * FROM spent').toArray())
    vi.spyOn(Date, 'now').mockReturnValue(now + 60_999)
    expect(await runDurableObjectAlarm(share)).toBe(true)
    expect(await rows()).toHaveLength(2)
    vi.spyOn(Date, 'now').mockReturnValue(now + 61_000)
    expect(await runDurableObjectAlarm(share)).toBe(true)
    expect(await rows()).toHaveLength(1)
    expect(await spent(2, now + 90_000)).toBe(false)
    vi.spyOn(Date, 'now').mockReturnValue(now + 150_000)
    expect(await runDurableObjectAlarm(share)).toBe(true)
    expect(await tablesOf('spent-test', 'spent')).toEqual([])
    expect(await runDurableObjectAlarm(share)).toBe(false)
  })
})
