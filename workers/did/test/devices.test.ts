import { env } from 'cloudflare:workers'
import { PURPOSE, signPayload } from '@svc/assertion'
import { mlDsa65 } from '@svc/pqc'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { signStatement } from '@svc/protocol/base/statement'
import { ALLOWED_ORIGIN, coreAnswering, expectRefusal, Prober } from '@svc/service/testing'
import { callerOf, REALM, signerOf, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, caller, device, send, sendToCore, toEachHost } from './harness.ts'

const OPERATOR_SEED = new Uint8Array(32).fill(7)
const prober = new Prober({ service, send, base: BASE })

const read = (authorization: string, by = prober) =>
  by.send({ method: 'GET', path: '/api/rotation/request', headers: { authorization } })
const mutate = (authorization: string, path: string, body: object) =>
  prober.send({ method: 'POST', path, headers: { authorization, origin: ALLOWED_ORIGIN }, body: JSON.stringify(body) })

/** Hands an identity over to a successor, by an operator's approval. */
async function rotated({ identity, client }: TestCaller): Promise<TestCaller> {
  const successor = await identity.successor()
  const { rotationId } = await client.rotation.request(await client.rotation.makeRequest(successor, { version: 1 }))
  const act = { type: 'svc/operator-rotation-approve/v1', realm: REALM, service: 'core' } as const
  const approval = { ...act, did: identity.did, rotationId, nonce: crypto.randomUUID(), issuedAt: Date.now() }
  const approved = await sendToCore(
    new Request('https://core.test/api/operator/acts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(await signStatement(approval, (message) => mlDsa65.sign(OPERATOR_SEED, message))),
    }),
  )
  expect(approved.status).toBe(200)
  expect(await client.rotation.activate({ rotationId, version: 1 })).toMatchObject({ status: 'active' })
  return callerOf(successor, toEachHost)
}

describe('a device at the DID service', () => {
  it('with rotation:request sends a request that both keys have signed, and one without may not', async () => {
    const { owner, client } = await device({ capabilities: ['rotation:request'] })
    const signed = await owner.client.rotation.makeRequest(await owner.identity.successor(), { version: 2 })
    expect(await client.rotation.request(signed)).toMatchObject({ status: 'pending', version: 2 })
    const reader = await device({ capabilities: ['account:read'] })
    const other = await reader.owner.client.rotation.makeRequest(await reader.owner.identity.successor(), {
      version: 2,
    })
    await expect(reader.client.rotation.request(other)).rejects.toMatchObject({
      status: 403,
      error: 'capability_required',
    })
    await expect(reader.client.rotation.newest()).rejects.toMatchObject({ status: 404, error: 'not_found' })
  })

  it('reads with account:read, in one call of core', async () => {
    const { owner, assertion } = await device({ capabilities: ['account:read'] })
    await owner.client.rotation.request(
      await owner.client.rotation.makeRequest(await owner.identity.successor(), { version: 2 }),
    )
    const asked: string[] = []
    const CORE = coreAnswering(async (request) => {
      asked.push(`${request.method} ${request.url.split('?')[0]}`)
      return env.CORE.fetch(request)
    })
    const recorded = async (request: Request) => service.app.fetch(request, { ...env, CORE })
    expect((await read(await assertion('identity'), new Prober({ service, send: recorded, base: BASE }))).status).toBe(
      200,
    )
    expect(asked[0]).toBe('POST https://internal/api/internal/assertion/spend')
  })

  it('registers nothing: that is the root key’s alone', async () => {
    const { owner, assertion } = await device({ capabilities: ['rotation:request', 'account:read'] })
    const { did } = owner.identity
    expectRefusal(await mutate(await assertion('identity'), '/1.0/register', { did }), 'capability_required')
    const short = await assertion('identity', { nonce: 'short' })
    expectRefusal(await mutate(short, '/1.0/register', { did }), 'invalid_nonce')
    expect((await send(new Request(`${BASE}/1.0/identifiers/${did}`))).status).toBe(404)
  })

  it('does not get in by an assertion of version 1 over its own key', async () => {
    const { device: keys, owner } = await device({ capabilities: ['account:read'] })
    const now = Date.now()
    const asRoot = async (key: typeof keys, userId: string) =>
      signPayload(
        { sign: signerOf(key) },
        {
          version: 1,
          purpose: PURPOSE,
          userId,
          chainId: key.devicePublicKeyB64u,
          publicChainKey: key.devicePublicKeyB64u,
          issuedAt: now,
          expiresAt: now + 60_000,
          nonce: crypto.randomUUID(),
          aud: 'identity',
        },
      )
    expectRefusal(await read(await asRoot(keys, userIdOfKey(keys.devicePublicKeyB64u))), 'unauthorized')
    expectRefusal(await read(await asRoot(keys, owner.identity.userId)), 'unauthorized')
  })

  it('is stale after its owner’s rotation, whatever it claims, until the new key attests it', async () => {
    const { owner, device: keys, assertion } = await device({ capabilities: ['account:read'] })
    expect((await read(await assertion('identity'))).status).toBe(404)
    const heir = await rotated(owner)
    const { userId } = heir.identity
    for (const claim of [{}, { rootEpoch: 1 }, { rootEpoch: 1, userId }]) {
      expectRefusal(await read(await assertion('identity', claim)), 'attestation_unverifiable')
      const noted = await mutate(await assertion('identity', claim), '/api/rotation/activated', {
        rotationId: 'a'.repeat(96),
      })
      expectRefusal(noted, 'attestation_unverifiable')
    }
    await heir.client.devices.attest(await keys.acceptance(heir.identity.did, { realm: REALM, now: Date.now() }))
    expectRefusal(await read(await assertion('identity')), 'unauthorized')
    expect((await read(await assertion('identity', { rootEpoch: 1, userId }))).status).toBe(200)
  })

  it('of an identity that has no device by that name is nobody', async () => {
    const { assertion } = await device({ capabilities: ['account:read'], attested: false })
    expectRefusal(await read(await assertion('identity')), 'unauthorized')
    const stranger = await caller()
    const { userId, scope, did } = stranger.identity
    const { assertion: ofAnother } = await device({ capabilities: ['account:read'] })
    expectRefusal(await read(await ofAnother('identity', { userId, scope, did })), 'unauthorized')
  })
})
