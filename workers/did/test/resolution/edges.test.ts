import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { BASE, caller, send } from '../harness.ts'

const ERROR_BASE = 'https://www.w3.org/ns/did#'
const UNKNOWN = `did:svc:${'A'.repeat(32)}`

async function get(path: string): Promise<{ status: number; type: string | null; body: Record<string, unknown> }> {
  const response = await send(new Request(BASE + path, { headers: { 'cf-connecting-ip': '2001:db8:e:d::1' } }))
  return { status: response.status, type: response.headers.get('content-type'), body: await response.json() }
}

const errorOf = (name: string) => ({ didDocument: null, didResolutionMetadata: { error: { type: ERROR_BASE + name } } })

describe('a deactivated DID', () => {
  it('resolves to 410 without a document, and its owner can no longer register', async () => {
    const { client, identity } = await caller()
    await client.did.register()
    expect((await get(`/1.0/identifiers/${identity.did}`)).status).toBe(200)
    await client.security.deactivate()
    expect(await get(`/1.0/identifiers/${identity.did}`)).toMatchObject({
      status: 410,
      type: 'application/did-resolution',
      body: { didDocument: null, didDocumentMetadata: { deactivated: true } },
    })
    await expect(client.did.register()).rejects.toMatchObject({ status: 401, error: 'unauthorized' })
    expect((await client.did.resolve(identity.did)).didDocumentMetadata.deactivated).toBe(true)
  })
})

describe('below /1.0/identifiers/', () => {
  it.each(['', `${UNKNOWN}/`, `${UNKNOWN}/path`, `${UNKNOWN}/a/b`, `/bindings`, `${UNKNOWN}/a/bindings`])(
    '"%s" is malformed, and not unregistered',
    async (rest) => {
      expect(await get(`/1.0/identifiers/${rest}`)).toMatchObject({
        status: 400,
        type: 'application/did-resolution',
        body: errorOf('INVALID_DID'),
      })
    },
  )
})

describe('a key agreement that nobody could use', () => {
  it('is refused before anybody relies on it', async () => {
    const { client, identity, assertion, address } = await caller()
    await client.did.register()
    const signed = await identity.keyAgreement({ realm: REALM, now: Date.now() + 1 })
    const publicKeyB64u = `${'_'.repeat(1578)}8`
    const body = { did: identity.did, keyAgreement: { ...signed, statement: { ...signed.statement, publicKeyB64u } } }
    const response = await send(
      new Request(`${BASE}/1.0/register`, {
        method: 'POST',
        headers: {
          authorization: await assertion('identity'),
          origin: 'http://localhost:3000',
          'content-type': 'application/json',
          'cf-connecting-ip': address,
        },
        body: JSON.stringify(body),
      }),
    )
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: 'invalid_request',
      message: expect.stringContaining('ML-KEM'),
    })
  })

  it.each(['https://[', 'https://a.example/"><script>', 'javascript:alert(1)'])(
    'nor does a service at %s',
    async (serviceEndpoint) => {
      const { client } = await caller()
      await expect(
        client.did.register({ services: [{ id: '#s', type: 'Thing', serviceEndpoint }] }),
      ).rejects.toMatchObject({ status: 400 })
    },
  )
})
