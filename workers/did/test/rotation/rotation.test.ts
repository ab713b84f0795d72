import { env } from 'cloudflare:workers'
import { type StatementType, signStatement } from '@svc/protocol/base/statement'
import { ALLOWED_ORIGIN, coreAnswering, expectRefusal, FOREIGN_ORIGIN, Prober } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { PASSED_ON } from '../../src/rotation/service.ts'
import { BASE, caller } from '../harness.ts'
import { ACTIVATED, approve, post, prober, REQUEST, requestOf, rotated } from './rotation.fixture.ts'

const poll = async (by: TestCaller, to = prober) =>
  to.send({ method: 'GET', path: REQUEST, headers: { authorization: await by.assertion('identity') } })
const without = (replaced: { CORE?: Fetcher; DB?: unknown }) =>
  new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, { ...env, ...replaced }) })
/** Core’s internal side with rotation answered as told. */
const coreSaying = (answer: () => Promise<Response>) =>
  without({
    CORE: coreAnswering(async (request) =>
      request.url.includes('/internal/rotation/') ? answer() : env.CORE.fetch(request),
    ),
  })
const signedBy = <S extends { type: StatementType; realm: string }>({ identity }: TestCaller, statement: S) =>
  signStatement(statement, signerOf(identity))
const notes = async (did: string) =>
  (await env.DB.prepare('SELECT epoch, rotation_id FROM rotations WHERE did = ?').bind(did).all()).results

const NO_ANSWERS: [string, () => Promise<Response>][] = [
  ['throws', () => Promise.reject(new Error('gone'))],
  ['answers 500', async () => Response.json({ error: 'internal_error' }, { status: 500 })],
  ['answers 503', async () => Response.json({ error: 'dependency_unavailable' }, { status: 503 })],
  ['answers nonsense', async () => Response.json({ status: 'active' })],
  ['answers what is not JSON', async () => new Response('<html>')],
  ['does not know the caller', async () => Response.json({ error: 'forbidden' }, { status: 403 })],
  ['finds the request wrong', async () => Response.json({ error: 'invalid_request' }, { status: 400 })],
]

describe('a rotation request', () => {
  it('is kept by core, public at once, and polled here', async () => {
    const by = await caller()
    const signed = await requestOf(by, 2)
    const opened = await by.client.rotation.request(signed)
    expect(opened).toMatchObject({ status: 'pending', version: 2, epoch: 1, request: signed })
    expect(await by.client.rotation.newest()).toEqual(opened)
    expect((await by.client.chain.root(by.identity.did)).rotation?.rotationId).toBe(opened.rotationId)
    expect((await by.client.rotation.current()).latest).toEqual(opened)
  })

  it('that is sent again gives the same rotation', async () => {
    const by = await caller()
    const signed = await requestOf(by)
    const first = await by.client.rotation.request(signed)
    expect(await by.client.rotation.request(signed)).toEqual(first)
  })

  it.each(['identity', 'console'])('is taken with the audience %s', async (audience) => {
    const by = await caller()
    const headers = { origin: ALLOWED_ORIGIN, authorization: await by.assertion(audience) }
    expect((await post(by, REQUEST, await requestOf(by), { headers })).status).toBe(200)
  })

  it.each(['chain', 'core', 'genesis', 'keys', 'provenance'])('is refused with the audience %s', async (audience) => {
    const by = await caller()
    const headers = { origin: ALLOWED_ORIGIN, authorization: await by.assertion(audience) }
    expectRefusal(await post(by, REQUEST, await requestOf(by), { headers }), 'invalid_audience')
    expectRefusal(await poll(by), 'not_found')
  })

  it('needs an allowlisted Origin, and without one the assertion is not spent', async () => {
    const by = await caller()
    const authorization = await by.assertion('identity')
    const signed = await requestOf(by)
    for (const headers of [{ authorization }, { authorization, origin: FOREIGN_ORIGIN }]) {
      const refused = await post(by, REQUEST, signed, { headers })
      expectRefusal(refused, 'cors_denied')
      expect(refused.body).toMatchObject({ error: 'cors_denied', status: 403 })
    }
    expectRefusal(await poll(by), 'not_found')
    const headers = { authorization, origin: ALLOWED_ORIGIN }
    expect((await post(by, REQUEST, signed, { headers })).status).toBe(200)
  })

  it('needs an assertion, which serves once', async () => {
    const by = await caller()
    const signed = await requestOf(by)
    expectRefusal(await post(by, REQUEST, signed, { headers: { origin: ALLOWED_ORIGIN } }), 'unauthorized')
    const headers = { origin: ALLOWED_ORIGIN, authorization: await by.assertion('identity') }
    expect((await post(by, REQUEST, signed, { headers })).status).toBe(200)
    expectRefusal(await post(by, REQUEST, signed, { headers }), 'assertion_replay')
  })

  it('about the DID of another is refused, although both keys have signed it', async () => {
    const [alice, bob] = [await caller(), await caller()]
    const signed = await requestOf(alice)
    expectRefusal(await post(bob, REQUEST, signed), 'owner_mismatch')
    expectRefusal(await poll(alice), 'not_found')
    expectRefusal(await poll(bob), 'not_found')
  })

  it('that core refuses is refused by the name that core gave', async () => {
    const [alice, bob] = [await caller(), await caller()]
    const signed = await requestOf(alice)
    const forged = { ...signed, newKeySignatureB64u: signed.signatureB64u }
    expectRefusal(await post(alice, REQUEST, forged), 'invalid_signature')
    const statement = { ...signed.statement, newPublicKeyB64u: bob.identity.publicKeyB64u }
    const [byAlice, byBob] = [await signedBy(alice, statement), await signedBy(bob, statement)]
    const taken = { ...byAlice, newKeySignatureB64u: byBob.signatureB64u }
    expectRefusal(await post(alice, REQUEST, taken), 'key_in_use')
    await alice.client.rotation.request(signed)
    expectRefusal(await post(alice, REQUEST, await requestOf(alice)), 'rotation_pending')
    const { next } = await rotated(bob)
    expectRefusal(await post(next, REQUEST, await requestOf(bob)), 'stale_epoch')
  })

  it.each(PASSED_ON)('passes on %s', async (name) => {
    const by = await caller()
    const to = coreSaying(async () => Response.json({ success: false, error: name }, { status: 409 }))
    expectRefusal(await post(by, REQUEST, await requestOf(by), { to }), name)
  })

  it.each(NO_ANSWERS)('is refused and not kept when core %s', async (_, answer) => {
    const by = await caller()
    const signed = await requestOf(by)
    expectRefusal(await post(by, REQUEST, signed, { to: coreSaying(answer) }), 'dependency_unavailable')
    expectRefusal(await poll(by, coreSaying(answer)), 'dependency_unavailable')
    expectRefusal(await poll(by), 'not_found')
    expect((await post(by, REQUEST, signed)).status).toBe(200)
  })
})

describe('the poll', () => {
  it('gives the newest rotation, whatever became of it, to its owner alone', async () => {
    const [alice, bob] = [await caller(), await caller()]
    const { rotationId } = await alice.client.rotation.request(await requestOf(alice, 2))
    await alice.client.rotation.cancel(rotationId)
    expect(await alice.client.rotation.newest()).toMatchObject({ rotationId, status: 'cancelled' })
    expectRefusal(await poll(bob), 'not_found')
    expectRefusal(await prober.send({ method: 'GET', path: REQUEST }), 'unauthorized')
  })

  it('is refused to a key that was superseded, and answers the new one', async () => {
    const by = await caller()
    const { next, rotation } = await rotated(by)
    expectRefusal(await poll(by), 'unauthorized')
    expect(await next.client.rotation.newest()).toEqual(rotation)
  })
})

describe('noting an activation', () => {
  it('records it once, and again gives the same answer', async () => {
    const by = await caller()
    const { did } = by.identity
    const { next, rotation } = await rotated(by)
    const { rotationId } = rotation
    const noted = await next.client.rotation.noteActivation(rotationId)
    expect(noted).toEqual({ did, rotationId, epoch: 1, recordedAt: expect.any(Number) })
    expect(await next.client.rotation.noteActivation(rotationId)).toEqual(noted)
    expect(await notes(did)).toEqual([{ epoch: 1, rotation_id: rotationId }])
  })

  it('keeps a row for each epoch', async () => {
    const by = await caller()
    const first = await rotated(by)
    await first.next.client.rotation.noteActivation(first.rotation.rotationId)
    const second = await rotated(first.next)
    await second.next.client.rotation.noteActivation(second.rotation.rotationId)
    expect(await notes(by.identity.did)).toEqual([
      { epoch: 1, rotation_id: first.rotation.rotationId },
      { epoch: 2, rotation_id: second.rotation.rotationId },
    ])
  })

  it('is refused for what core does not say is active', async () => {
    const [by, other] = [await caller(), await caller()]
    const elsewhere = await rotated(other)
    expectRefusal(await post(by, ACTIVATED, { rotationId: 'a'.repeat(96) }), 'rotation_not_active')
    const { rotationId } = await by.client.rotation.request(await requestOf(by))
    const ids = [rotationId, 'a'.repeat(96), elsewhere.rotation.rotationId]
    for (const id of ids) expectRefusal(await post(by, ACTIVATED, { rotationId: id }), 'rotation_not_active')
    await by.client.rotation.cancel(rotationId)
    expectRefusal(await post(by, ACTIVATED, { rotationId }), 'rotation_not_active')
    await approve(by.identity.did, rotationId)
    expectRefusal(await post(by, ACTIVATED, { rotationId }), 'rotation_not_active')
    expect(await notes(by.identity.did)).toEqual([])
  })

  it('takes an active rotation also after the next was requested', async () => {
    const { next, rotation } = await rotated(await caller())
    await next.client.rotation.request(await requestOf(next))
    expect((await post(next, ACTIVATED, { rotationId: rotation.rotationId })).status).toBe(200)
    expect(await notes(next.identity.did)).toHaveLength(1)
  })

  it('is the new key’s to do, from an allowlisted Origin', async () => {
    const by = await caller()
    const { next, rotation } = await rotated(by)
    const { rotationId } = rotation
    expectRefusal(await post(by, ACTIVATED, { rotationId }), 'unauthorized')
    const headers = { authorization: await next.assertion('identity') }
    expectRefusal(await post(next, ACTIVATED, { rotationId }, { headers }), 'cors_denied')
    expect(await notes(by.identity.did)).toEqual([])
  })

  it.each(NO_ANSWERS)('is refused when core %s, and can be made up for', async (_, answer) => {
    const { next, rotation } = await rotated(await caller())
    const { rotationId } = rotation
    expectRefusal(await post(next, ACTIVATED, { rotationId }, { to: coreSaying(answer) }), 'dependency_unavailable')
    expect(await notes(next.identity.did)).toEqual([])
    expect((await post(next, ACTIVATED, { rotationId })).status).toBe(200)
  })

  it('is refused when the database fails, and tells nothing of why', async () => {
    const { next, rotation } = await rotated(await caller())
    const failing = { first: () => Promise.reject(new Error('D1_ERROR: canary')) }
    const to = without({ DB: { prepare: () => ({ bind: () => failing }) } })
    const refused = await post(next, ACTIVATED, { rotationId: rotation.rotationId }, { to })
    expectRefusal(refused, 'dependency_unavailable')
    expect(JSON.stringify(refused.body)).not.toContain('canary')
  })
})
