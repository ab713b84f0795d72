import { env } from 'cloudflare:workers'
import { hashHex } from '@svc/protocol/base/hash'
import { createService, defineOperation, route } from '@svc/service'
import { coreAnswering, expectRefusal, forgedAssertion, Prober, type Replaced } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { PROVENANCE_DESCRIPTION } from '../src/service.ts'
import { createRuntime, type Services } from '../src/services.ts'
import { BASE, caller, device } from './harness.ts'

const answer = {
  status: 200,
  description: 'The caller',
  schema: z.strictObject({ did: z.string().nullable() }),
} as const
const body = z.strictObject({ n: z.number() })
const searched = defineOperation({
  id: 'searched',
  method: 'post',
  path: '/api/search/probe',
  summary: 'Takes an assertion and does without',
  auth: 'optional-assertion',
  audiences: ['provenance'],
  capability: 'root',
  answer,
})
const required = defineOperation({
  id: 'required',
  method: 'post',
  path: '/api/probe',
  summary: 'Takes an assertion before the work',
  auth: 'assertion',
  audiences: ['provenance'],
  capability: 'root',
  body,
  answer,
})
const worked = defineOperation({
  id: 'worked',
  method: 'post',
  path: '/api/work',
  summary: 'Takes an assertion with the work, and forgets to spend it when n is negative',
  auth: 'assertion-with-work',
  audiences: ['provenance'],
  capability: 'root',
  body,
  answer,
})
const bind = route<Services>()
const service = createService(PROVENANCE_DESCRIPTION, createRuntime, [
  bind(searched, ({ caller: by }) => ({ did: by?.did ?? null })),
  bind(required, ({ caller: { did } }) => ({ did })),
  bind(worked, ({ assertion, body: { n } }) => ({ did: n < 0 ? 'forgotten' : assertion.take().keyDid })),
])

function post({ path }: { path: string }, authorization?: string, sent?: BodyInit, replaced: Replaced = {}) {
  const prober = new Prober({
    service,
    base: BASE,
    send: async (request) => service.app.fetch(request, { ...env, ...replaced }),
  })
  const headers = authorization === undefined ? {} : { authorization }
  return prober.send({ method: 'POST', path, headers, body: sent })
}

describe('an optional assertion', () => {
  const anonymous = { status: 200, body: { success: true, data: { did: null } } }

  it('names the caller and is spent', async () => {
    const by = await caller()
    const assertion = await by.assertion('provenance')
    expect(await post(searched, assertion)).toMatchObject({ status: 200, body: { data: { did: by.identity.did } } })
    expect(await post(searched, assertion)).toMatchObject(anonymous)
    expectRefusal(await post(required, assertion, '{"n":1}'), 'assertion_replay')
  })

  it('is anonymous when it is missing, broken or of an unknown identity', async () => {
    const [by, stranger] = [await caller(), await caller({ genesis: false })]
    const expired = { issuedAt: 1, expiresAt: 2 }
    for (const assertion of [
      undefined,
      'Bearer x',
      forgedAssertion('provenance'),
      await by.assertion('provenance', expired),
      await by.assertion('provenance', { version: 2 }),
      await stranger.assertion('provenance'),
    ]) {
      expect(await post(searched, assertion)).toMatchObject(anonymous)
    }
  })

  it('is anonymous for another audience, and is not spent', async () => {
    const by = await caller()
    const nonce = crypto.randomUUID()
    expect(await post(searched, await by.assertion('chain', { nonce }))).toMatchObject(anonymous)
    expect((await post(required, await by.assertion('provenance', { nonce }), '{"n":1}')).status).toBe(200)
  })

  it('is anonymous while core cannot be reached, and is not spent', async () => {
    const assertion = await (await caller()).assertion('provenance')
    const gone = { CORE: coreAnswering(() => Promise.reject(new Error('gone'))) }
    expect(await post(searched, assertion, undefined, gone)).toMatchObject(anonymous)
    expect((await post(required, assertion, '{"n":1}')).status).toBe(200)
  })
})

describe('an optional assertion by a device', () => {
  const anonymous = { status: 200, body: { success: true, data: { did: null } } }

  it('is anonymous where no capability stands for the route, and is spent', async () => {
    const assertion = await (await device({ capabilities: ['account:read'] })).assertion('provenance')
    expect(await post(searched, assertion)).toMatchObject(anonymous)
    expectRefusal(await post(required, assertion, '{"n":1}'), 'assertion_replay')
  })

  it('takes one call of core, like one on a route that needs it', async () => {
    const { assertion } = await device()
    const asked: string[] = []
    const CORE = coreAnswering(async (request) => {
      asked.push(request.url.replace(/\?signedAgoMs=-?\d+$/, ''))
      return env.CORE.fetch(request)
    })
    await post(searched, await assertion('provenance'), undefined, { CORE })
    await post(required, await assertion('provenance'), '{"n":1}', { CORE })
    const spend = 'https://internal/api/internal/assertion/spend'
    expect(asked).toEqual([spend, spend])
  })

  it.each([
    ['device_keys_disabled', 403],
    ['attestation_unverifiable', 403],
    ['device_index_unavailable', 503],
  ])('is anonymous when core says %s, and is not spent', async (error, status) => {
    const assertion = await (await device()).assertion('provenance')
    const CORE = coreAnswering(async () => Response.json({ success: false, error }, { status }))
    expect(await post(searched, assertion, undefined, { CORE })).toMatchObject(anonymous)
    expectRefusal(await post(required, assertion, '{"n":1}'), 'capability_required')
  })

  it('is anonymous when it is broken, of another audience or of a device that was revoked', async () => {
    const { assertion, device: keys, owner } = await device()
    await owner.client.devices.revoke(keys.deviceId)
    for (const members of [{}, { purpose: 'x' }, { rootEpoch: 1 }, { aud: 'chain' }]) {
      expect(await post(searched, await assertion('provenance', members))).toMatchObject(anonymous)
    }
  })
})

describe('an assertion that is spent with the work', () => {
  it('withholds the answer of a handler that forgot to spend it', async () => {
    const refused = await post(worked, await (await caller()).assertion('provenance'), '{"n":-1}')
    expectRefusal(refused, 'internal_error')
    expect(JSON.stringify(refused.body)).not.toContain('forgotten')
  })

  it('is handed to the handler unspent', async () => {
    const by = await caller()
    const { status, body: told } = await post(worked, await by.assertion('provenance'), '{"n":1}')
    expect(status).toBe(200)
    expect(told).toMatchObject({ data: { did: by.identity.did } })
  })

  it.each(['{', '{"n":"x"}', '{}'])('is spent by the refusal of the body %s', async (sent) => {
    const assertion = await (await caller()).assertion('provenance')
    expectRefusal(await post(worked, assertion, sent), 'invalid_request')
    expectRefusal(await post(worked, assertion, sent), 'assertion_replay')
  })
})

describe('an assertion that binds its body', () => {
  const bound = async (bytes: Uint8Array) => ({ bodyHash: hashHex(bytes), nonce: crypto.randomUUID() })
  const bytesOf = (text: string) => new TextEncoder().encode(text)

  it('passes with exactly that body', async () => {
    const by = await caller()
    const [sent, other] = [bytesOf('{"n":1}'), bytesOf('{"n":2}')]
    const members = await bound(sent)
    expectRefusal(await post(required, await by.assertion('provenance', members), other), 'unauthorized')
    expect((await post(required, await by.assertion('provenance', members), sent)).status).toBe(200)
  })

  it('spends nothing with another body, and is refused for its key first', async () => {
    const by = await caller()
    const [sent, other] = [bytesOf('{"n":1}'), bytesOf('{"n":2}')]
    const assertion = await by.assertion('provenance', await bound(sent))
    expectRefusal(await post(required, assertion, other), 'unauthorized')
    expect((await post(required, assertion, sent)).status).toBe(200)
    const gone = { CORE: coreAnswering(() => Promise.reject(new Error('gone'))) }
    const late = await by.assertion('provenance', await bound(sent))
    expectRefusal(await post(required, late, other, gone), 'dependency_unavailable')
  })

  it('is told that the body is too large rather than that it is not its own', async () => {
    const sent = bytesOf(' '.repeat(256 * 1024 + 1))
    const assertion = await (await caller()).assertion('provenance', await bound(sent))
    expectRefusal(await post(required, assertion, sent), 'payload_too_large')
    expectRefusal(await post(required, forgedAssertion('provenance', await bound(sent)), sent), 'unauthorized')
  })
})
