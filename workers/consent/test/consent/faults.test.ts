import { env } from 'cloudflare:workers'
import { type ConsentQuestion, consentQuestionHash } from '@svc/protocol/consent/authority'
import { coreAnswering, expectRefusal } from '@svc/service/testing'
import { describe, expect, it, vi } from 'vitest'
import {
  caller,
  creation,
  DISALLOW,
  deletion,
  freshHash,
  get,
  put,
  read,
  rootKey,
  update,
  type Write,
} from '../harness.ts'
import { countRows, NO_CREATORS, NO_STORES, objectsWith } from '../stores.fixture.ts'

const owner = async () => rootKey(await caller())
const SIGNER = { kind: 'root', epoch: 0 }
const SOME_HASH = 'a7'.repeat(48)
type Answer = (request: Request) => Promise<Response>
const answering = (answer: Answer) => ({ PROVENANCE: coreAnswering(answer) })
const json =
  (body: unknown, status = 200): Answer =>
  async () =>
    Response.json(body, { status })

const rows = () => Promise.all(['records', 'acts', 'keys', 'claims'].map(countRows))

/** Answers of provenance that say nothing, whatever they look like. */
const NO_ANSWERS: readonly [string, Answer][] = [
  ['throws', () => Promise.reject(new Error('gone'))],
  ['answers 500', json({ success: false, error: 'internal_error' }, 500)],
  ['answers 503', json({ success: false, error: 'dependency_unavailable' }, 503)],
  ['answers 503 and yes', json({ authorized: true, questionHash: SOME_HASH, signer: SIGNER }, 503)],
  ['does not know the caller', json({ success: false, error: 'forbidden' }, 403)],
  ['finds the question wrong', json({ success: false, error: 'invalid_request' }, 400)],
  ['answers 403 and a verdict', json({ authorized: false, reason: 'invalid_signature' }, 403)],
  ['answers what is not JSON', async () => new Response('<html>')],
  ['answers nothing', async () => new Response(null, { status: 204 })],
  ['answers null', json(null)],
  ['answers yes', json({ ok: true, authorized: true, valid: true })],
  ['answers the text true', json('true')],
  ['answers a verdict without a signer', json({ authorized: true, questionHash: SOME_HASH })],
  ['answers a verdict on another question', json({ authorized: true, questionHash: SOME_HASH, signer: SIGNER })],
]

describe('while provenance cannot be relied on', () => {
  it.each(NO_ANSWERS)('no write is taken, and none refused for good: it %s', async (_, answer) => {
    const [by, hash, other] = [await owner(), freshHash(), freshHash()]
    await put(await creation(by, hash))
    const before = await rows()
    const writes = [await creation(by, other), await update(by, hash, { search: 'allow' }), await deletion(by, hash)]
    for (const write of writes) expectRefusal(await put(write, answering(answer)), 'dependency_unavailable')
    expect(await rows()).toEqual(before)
    expect((await read(hash)).body).toMatchObject({ preferences: DISALLOW, version: 1 })
    for (const write of writes) expect((await put(write)).status).toBe(200)
  })

  it('an answer that comes too late is none', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort(new Error('too late')))
    const silent = answering(({ signal }) => new Promise((_, reject) => reject(signal.reason as Error)))
    const write = await creation(await owner(), freshHash())
    timeout.mockClear()
    expectRefusal(await put(write, silent), 'dependency_unavailable')
    expect(timeout).toHaveBeenCalledOnce()
  })

  it('a deployment without the internal secret takes no write', async () => {
    const write = await creation(await owner(), freshHash())
    for (const SVC_INTERNAL_SECRET of ['', 'another-secret-of-the-tests-only!!']) {
      expectRefusal(await put(write, { SVC_INTERNAL_SECRET }), 'dependency_unavailable')
    }
  })

  it('a verdict for a good question on the wrong words is none', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const relayed = answering(async (request) => {
      const question = await request.json<ConsentQuestion>()
      const asked = { ...question, message: { ...question.message, content_hash: freshHash() } }
      return Response.json({ authorized: true, questionHash: consentQuestionHash(asked), signer: SIGNER })
    })
    expectRefusal(await put(await creation(by, hash), relayed), 'dependency_unavailable')
    expect((await read(hash)).status).toBe(404)
  })
})

describe('the order of the checks', () => {
  const down = answering(() => Promise.reject(new Error('gone')))
  const without = (write: Write): Write => ({ ...write, headers: {} })

  it('is 401, 400, 404, 409, 503, 403', async () => {
    const [by, other, hash] = [await owner(), await owner(), freshHash()]
    await put(await creation(by, hash))
    const missing = await update(by, freshHash(), DISALLOW)
    const held = await creation(other, hash)
    const good = await update(by, hash, { search: 'allow' })
    const forged = { ...good, headers: { 'x-svc-signature': 'A'.repeat(4412) } }
    expectRefusal(await put({ ...without(good), body: '{' }, down), 'signature_required')
    expectRefusal(await put({ ...missing, body: '{' }, down), 'invalid_request')
    expectRefusal(await put({ ...held, body: held.body.replace('"disallow"', '"never"') }, down), 'invalid_request')
    expect(await put(missing, down)).toMatchObject({ status: 404, body: { found: false } })
    expectRefusal(await put(held, down), 'consent_held')
    expectRefusal(await put(good, down), 'dependency_unavailable')
    expectRefusal(await put(forged, down), 'dependency_unavailable')
    expectRefusal(await put(forged), 'invalid_signature')
  })
})

describe('while no object can be reached', () => {
  const NO_OBJECTS = { ...NO_STORES, ...NO_CREATORS }

  it('reads are 503, and a record that is kept at the edge is still read', async () => {
    const [by, hash, other] = [await owner(), freshHash(), freshHash()]
    await put(await creation(by, hash))
    await read(hash)
    const path = `/api/v1/consent/${encodeURIComponent(hash)}`
    expect((await get(path, {}, NO_OBJECTS)).status).toBe(200)
    for (const missed of [
      `/api/v1/consent/${encodeURIComponent(other)}`,
      `${path}/history`,
      `/api/v1/consent/by-creator/${by.did}`,
      `/api/v1/partner/opt-out?hash=${other}`,
      '/api/v1/consent/snapshot?bucket=0',
    ]) {
      const refused = await get(missed, {}, NO_OBJECTS)
      expectRefusal(refused, 'dependency_unavailable')
      expect(JSON.stringify(refused.body)).not.toContain('canary')
    }
  })

  it('writes are 503 before the authority is asked', async () => {
    const asked = vi.fn<Answer>(json({}))
    const replaced = { ...NO_OBJECTS, ...answering(asked) }
    expectRefusal(await put(await creation(await owner(), freshHash()), replaced), 'dependency_unavailable')
    expect(asked).not.toHaveBeenCalled()
  })

  it('a write whose answer was lost stands, and the retry is told so', async () => {
    const [by, hash] = [await owner(), freshHash()]
    const CONSENT_STORES = objectsWith(env.CONSENT_STORES, {
      write: async (store, ...args) => {
        await store['write']?.(...args)
        throw new Error('the connection broke')
      },
    })
    const write = await creation(by, hash)
    expectRefusal(await put(write, { CONSENT_STORES }), 'dependency_unavailable')
    expect(await put(write)).toMatchObject({ status: 200, body: { data: { version: 1 } } })
  })
})
