import { decodeBase64url } from '@svc/protocol/base/base64url'
import { type NoteHeader, prepareHeader } from '@svc/protocol/notes/headers'
import { describe, expect, it } from 'vitest'
import { CORE, FakeCore } from '../test/fake-core.ts'
import { fetchOf } from '../test/fetch.ts'
import { Client } from './client.ts'
import { Identity } from './identity/identity.ts'
import { ConfigurationError } from './transport/configuration-error.ts'

const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(1) })
const header: NoteHeader = {
  userId: alice.userId,
  noteId: 'n1',
  deviceId: 'laptop',
  operation: 'create',
  contentType: 'text/plain',
  contentLength: 12,
  timestamp: '2026-10-23T10:00:00Z',
  app: { name: 'notes', version: '1.2.0' },
}

function clientAnswered(body: unknown) {
  const requests: Request[] = []
  const fetch = (request: Request) => {
    requests.push(request)
    return Promise.resolve(Response.json(body))
  }
  return {
    requests,
    client: new Client({ core: CORE, did: 'https://did.test', identity: alice, fetch: fetchOf(fetch) }),
  }
}

describe('Client', () => {
  it('has no chain without an identity', () => {
    const client = new Client({ core: CORE, did: 'https://did.test' })
    expect(() => client.chain).toThrow(
      new ConfigurationError('identity', 'This client has no identity: pass `identity` or `device`'),
    )
  })

  it.each([
    ['no key', { threshold: 1, publicKeysB64u: [] }],
    ['a threshold of none', { threshold: 0, publicKeysB64u: [alice.publicKeyB64u] }],
    ['a higher threshold than there are keys', { threshold: 2, publicKeysB64u: [alice.publicKeyB64u] }],
    ['one key twice', { threshold: 1, publicKeysB64u: [alice.publicKeyB64u, alice.publicKeyB64u] }],
    ['something else than a key', { threshold: 1, publicKeysB64u: ['key'] }],
  ])('trusts no witnesses with %s', async (_, witnesses) => {
    const options = { core: CORE, did: 'https://did.test', keys: 'https://keys.test', witnesses }
    await expect(new Client(options).transparency.checkpoint()).rejects.toMatchObject({ option: 'witnesses' })
  })

  it('takes nobody for a witness without a policy', async () => {
    const { transparency } = new Client({ core: CORE, did: 'https://did.test', keys: 'https://keys.test' })
    const account = { map: { position: { log: 'l', index: 0 } } } as Awaited<ReturnType<typeof transparency.account>>
    await expect(transparency.witnessed(account)).rejects.toMatchObject({ option: 'witnesses' })
  })

  it('sends what its assertions are bound to', async () => {
    const core = new FakeCore()
    const options = {
      core: CORE,
      did: 'https://did.test',
      identity: alice,
      fetch: fetchOf(core.fetch),
      now: () => core.now,
    }
    const client = new Client(options)
    await client.chain.genesis()
    await client.chain.page({ from: 0, limit: 2, contentType: 'text/plain; charset=utf-8' })
    const { url, headers } = core.requests.at(-1)!
    expect(url).toBe(`${CORE}/api/chain/blocks?from=0&limit=2&contentType=text%2Fplain%3B+charset%3Dutf-8`)
    const [, text = ''] = /ServiceAssertion ([^.]+)/.exec(headers.get('authorization') ?? '') ?? []
    expect(new TextDecoder().decode(decodeBase64url(text) ?? undefined)).toContain(`"htu":"${url}"`)
  })

  it('compares the digest of a header with its own', async () => {
    const good = prepareHeader(header)
    const { client, requests } = clientAnswered({ success: true, data: good, timestamp: 1 })
    expect(await client.prepareHeader(header)).toEqual(good)
    expect(await requests[0]?.json()).toEqual({ header })
    expect(requests[0]?.headers.has('authorization')).toBe(true)
    await expect(client.prepareHeader({ ...header, noteId: 'n2' })).rejects.toThrow(
      'Core returned the digest of a different header',
    )
  })

  it('asks for a verdict without a credential', async () => {
    const { client, requests } = clientAnswered({ valid: false })
    const request = { alg: 'ml-dsa-65', messageB64u: '', signatureB64u: '', publicKeyB64u: '' } as const
    await expect(client.verifySignature(request)).rejects.toMatchObject({
      subject: 'signature',
      reason: 'invalid_signature',
    })
    expect(requests[0]?.url).toBe(`${CORE}/api/pqc/verify`)
    expect(requests[0]?.headers.has('authorization')).toBe(false)
  })
})
