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
const tablesOf = (id: string) =>
  runInDurableObject(stubOf(id), (_, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'ceremony'").toArray(),
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
    const person = await signedIn()
    const begun = await beginLogin(person.identifier, person.password)
    expect(await tablesOf(begun.ceremonyId)).toHaveLength(1)
    expect((await finishLogin(begun)).status).toBe(200)
    expect(await tablesOf(begun.ceremonyId)).toEqual([])
    expect(await runDurableObjectAlarm(stubOf(begun.ceremonyId))).toBe(false)
  })

  it('is forgotten when nobody spends it', async () => {
    const { ceremonyId } = await beginLogin('nobody', 'x')
    expect(await runDurableObjectAlarm(stubOf(ceremonyId))).toBe(true)
    expect(await tablesOf(ceremonyId)).toEqual([])
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
    expectRefusal(await register('x', 'x', { grant: login.ceremonyId }), 'code_unusable')
    expect((await register('kind-of', 'x', { grant })).status).toBe(200)
  })
})
