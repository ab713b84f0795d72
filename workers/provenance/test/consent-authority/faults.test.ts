import { env } from 'cloudflare:workers'
import { deviceIdOf } from '@svc/protocol/base/device'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { coreAnswering } from '@svc/service/testing'
import { signerOf } from '@svc/testing'
import { describe, expect, it, vi } from 'vitest'
import { caller, device } from '../harness.ts'
import { ask, declaring, questionOf } from './consent-authority.fixture.ts'

type Answer = (request: Request) => Promise<Response>
const json =
  (body: unknown, status = 200): Answer =>
  async () =>
    Response.json(body, { status })
const refusal = (error: string, status: number) => json({ success: false, error }, status)

async function rootQuestion() {
  const { identity } = await caller()
  const key = { key: identity.publicKeyB64u, sign: signerOf(identity) }
  return { identity, question: await questionOf(key, declaring(identity.did)) }
}

const NO_ANSWERS: readonly [string, Answer][] = [
  ['throws', () => Promise.reject(new Error('gone'))],
  ['answers 500', refusal('internal_error', 500)],
  ['answers 503', refusal('not_found', 503)],
  ['answers 404 without a name', async () => new Response('nothing here', { status: 404 })],
  ['answers what is not JSON', async () => new Response('<html>')],
  ['answers null', json(null)],
  ['answers yes', json({ ok: true, authorized: true })],
  ['does not know the caller', refusal('forbidden', 403)],
  ['finds the request wrong', refusal('invalid_request', 400)],
  ['names a refusal that is not of a key', refusal('rate_limited', 429)],
]

describe('while core cannot be relied on', () => {
  it.each(NO_ANSWERS)('there is no verdict on a root key: core %s', async (_, answer) => {
    const { question } = await rootQuestion()
    const told = await ask(question, { bindings: { CORE: coreAnswering(answer) } })
    expect(told).toMatchObject({ status: 503, body: { error: 'dependency_unavailable' } })
    const forged = { ...question, signatureB64u: 'A'.repeat(4412) }
    expect((await ask(forged, { bindings: { CORE: coreAnswering(answer) } })).status).toBe(503)
  })

  it.each([...NO_ANSWERS, ['has lost its index', refusal('device_index_unavailable', 503)] as const])(
    'there is no verdict on a device: core %s',
    async (_, answer) => {
      const own = await device({ capabilities: ['consent:write'] })
      const key = { key: own.device.devicePublicKeyB64u, sign: signerOf(own.device) }
      const question = await questionOf(key, declaring(own.owner.identity.did))
      const CORE = coreAnswering((request) =>
        request.url.includes('/device/') ? answer(request) : env.CORE.fetch(request),
      )
      expect(await ask(question, { bindings: { CORE } })).toMatchObject({ status: 503 })
    },
  )

  it('a verdict does not come from an answer about another key', async () => {
    const { identity, question } = await rootQuestion()
    const { identity: other } = await caller()
    const scope = { did: identity.did, scope: identity.scope, epoch: 0 }
    for (const named of [
      { userId: other.userId, publicKeyB64u: other.publicKeyB64u },
      { userId: identity.userId, publicKeyB64u: other.publicKeyB64u },
      { userId: other.userId, publicKeyB64u: identity.publicKeyB64u },
    ]) {
      const CORE = coreAnswering(json({ ...scope, ...named }))
      expect((await ask(question, { bindings: { CORE } })).status).toBe(503)
    }
  })

  it('nor from a record of another device', async () => {
    const [own, other] = [await device({ capabilities: ['consent:write'] }), await device()]
    const { did, scope, userId, publicKeyB64u } = own.owner.identity
    const key = own.device.devicePublicKeyB64u
    const question = await questionOf({ key, sign: signerOf(own.device) }, declaring(did))
    const record = {
      deviceId: deviceIdOf(key),
      did,
      scope,
      userId,
      publicKeyB64u: key,
      rootEpoch: 0,
      currentEpoch: 0,
      rootPublicKeyB64u: publicKeyB64u,
      origin: 'app:testing',
      capabilities: ['consent:write'],
      expiresAt: null,
      status: 'active',
    }
    const asking = async (changed: object) => {
      const CORE = coreAnswering((request) =>
        request.url.includes('/device/')
          ? json({ ...record, ...changed })(request)
          : refusal('not_found', 404)(request),
      )
      const { status, body } = await ask(question, { bindings: { CORE } })
      return status === 200 ? (body as { authorized: boolean; reason?: string }) : status
    }
    expect(await asking({})).toMatchObject({ authorized: true })
    expect(await asking({ deviceId: other.device.deviceId })).toBe(503)
    expect(await asking({ publicKeyB64u: other.device.devicePublicKeyB64u })).toBe(503)
    const refused = { authorized: false, reason: 'key_not_entitled' }
    expect(await asking({ did: other.owner.identity.did })).toMatchObject(refused)
    expect(await asking({ currentEpoch: 1 })).toMatchObject(refused)
    expect(await asking({ expiresAt: 1 })).toMatchObject(refused)
    expect(await asking({ capabilities: ['notes:read'] })).toMatchObject(refused)
    expect(userIdOfKey(key)).not.toBe(userId)
  })

  it.each([
    ['key_superseded', 409],
    ['did_deactivated', 409],
    ['device_keys_disabled', 403],
    ['attestation_unverifiable', 403],
  ])('the refusal %s is a verdict on the key', async (error, status) => {
    const { question } = await rootQuestion()
    const { body } = await ask(question, { bindings: { CORE: coreAnswering(refusal(error, status)) } })
    expect(body).toMatchObject({ authorized: false, reason: 'key_not_entitled' })
  })

  it('an answer that comes too late is none', async () => {
    const { question } = await rootQuestion()
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort(new Error('too late')))
    const CORE = coreAnswering(({ signal }) => new Promise((_, reject) => reject(signal.reason as Error)))
    expect((await ask(question, { bindings: { CORE } })).status).toBe(503)
  })
})
