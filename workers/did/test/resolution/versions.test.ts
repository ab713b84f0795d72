import { env } from 'cloudflare:workers'
import type { RotationRecord } from '@svc/protocol/chain/rotation'
import { didTime, type ResolutionResult, rootKeyMultibase } from '@svc/protocol/did/did'
import { callerOf, type TestCaller } from '@svc/testing'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { caller, send, sendToCore, toEachHost } from '../harness.ts'
import { coreWithout, NO_ANSWERS, prober, without } from '../organizations/organization.fixture.ts'
import { rotated } from '../rotation/rotation.fixture.ts'

// Every identity is made, and every event signed, on a machine that does other things, too.

afterEach(() => {
  vi.useRealTimers()
})

const ERROR = 'https://www.w3.org/ns/did#'
const site = { id: '#site', type: 'LinkedDomains', serviceEndpoint: 'https://a.example' }
const resolve = async (did: string, query: string, by = prober, headers: Record<string, string> = {}) => {
  const { status, body } = await by.send({ method: 'GET', path: `/1.0/identifiers/${did}?${query}`, headers })
  return { status, result: body as ResolutionResult }
}
const errorOf = ({ result }: { result: ResolutionResult }) => result.didResolutionMetadata.error?.type
const keyOf = ({ didDocument }: ResolutionResult) => didDocument?.verificationMethod[0]?.publicKeyMultibase
const multibase = ({ identity }: TestCaller) => rootKeyMultibase(identity.publicKeyB64u)

interface Made {
  readonly did: string
  readonly keys: readonly TestCaller[]
  readonly rotations: readonly RotationRecord[]
}

/** An identity that has registered and was handed over twice. */
async function thrice(): Promise<Made> {
  const first = await caller()
  await first.client.did.register({ services: [site] })
  const one = await rotated(first)
  const two = await rotated(one.next)
  return { did: first.identity.did, keys: [first, one.next, two.next], rotations: [one.rotation, two.rotation] }
}

let made: Made
beforeAll(async () => {
  made = await thrice()
})

describe('a version of a document', () => {
  it('is found by its epoch, and says what followed it', async () => {
    const { did, keys, rotations } = made
    for (const [epoch, key] of keys.entries()) {
      const { status, result } = await resolve(did, `versionId=${epoch}`)
      expect(status).toBe(200)
      expect(keyOf(result)).toBe(multibase(key))
      expect(result.didDocument?.authentication[0]).toBe(`${did}#root-${epoch}`)
      const next = rotations[epoch]
      const { versionId, nextVersionId, nextUpdate } = result.didDocumentMetadata
      expect({ versionId, nextVersionId, nextUpdate }).toEqual({
        versionId: String(epoch),
        nextVersionId: next && String(epoch + 1),
        nextUpdate: next && didTime(next.activatedAt ?? 0),
      })
    }
  })

  it('has its root key alone, and the current one is the whole document', async () => {
    const { did } = made
    const past = (await resolve(did, 'versionId=0')).result.didDocument
    expect(past).not.toHaveProperty('service')
    expect(past).not.toHaveProperty('keyAgreement')
    const { result } = await resolve(did, 'versionId=2')
    const current = (await resolve(did, '')).result
    expect(result.didDocument).toEqual(current.didDocument)
    expect(result.didDocumentMetadata).toEqual(current.didDocumentMetadata)
    expect(result.didDocument?.service).toEqual([{ ...site, id: `${did}#site` }])
  })

  it('is found by a time that an answer gave, whatever its time zone or fraction', async () => {
    const { did, keys } = made
    const current = (await resolve(did, '')).result.didDocumentMetadata
    const updated = current.updated ?? ''
    for (const time of [updated, updated.replace('Z', '.999Z'), updated.replace('Z', '+00:00')]) {
      const { status, result } = await resolve(did, `versionTime=${encodeURIComponent(time)}`)
      expect([status, keyOf(result)]).toEqual([200, multibase(keys[2]!)])
    }
    expect((await resolve(did, `versionTime=${current.created}`)).status).toBe(200)
  })

  it('of a time is the one whose key was in force, the current one for a clock that is ahead, and none before the registration or later', async () => {
    const by = await caller()
    const { did } = by.identity
    await by.client.did.register()
    const now = Date.now()
    vi.useFakeTimers({ now: now + 10_000, toFake: ['Date'] })
    for (const time of [now + 5_000, now + 12_000]) {
      expect((await resolve(did, `versionTime=${didTime(time)}`)).status).toBe(200)
    }
    for (const time of [now + 312_000, now - 10_000, 0]) {
      const answer = await resolve(did, `versionTime=${didTime(time)}`)
      expect([answer.status, errorOf(answer)]).toEqual([404, `${ERROR}NOT_FOUND`])
    }
  })

  it.each(['versionId=1', 'versionId=00', 'versionId=-1', 'versionId=x', 'versionId=', 'versionId=999999999999'])(
    'that nobody knows is not found: %s',
    async (query) => {
      const by = await caller()
      await by.client.did.register()
      const answer = await resolve(by.identity.did, query)
      expect([answer.status, errorOf(answer)]).toEqual([404, `${ERROR}NOT_FOUND`])
    },
  )

  it.each([
    'versionTime=',
    'versionTime=yesterday',
    'versionTime=1790000000',
    'versionTime=2026-02-31T99:00:00Z',
    'versionTime=2026-01-01',
    'versionId=0&versionTime=2026-01-01T00:00:00Z',
  ])('cannot be asked for by %s', async (query) => {
    const answer = await resolve(`did:svc:${'A'.repeat(32)}`, query)
    expect([answer.status, errorOf(answer)]).toEqual([400, `${ERROR}INVALID_OPTIONS`])
  })

  it('that ended before the registration is none', async () => {
    const by = await caller()
    const { next } = await rotated(by)
    await next.client.did.register()
    expect((await resolve(by.identity.did, 'versionId=0')).status).toBe(404)
    expect((await resolve(by.identity.did, 'versionId=1')).status).toBe(200)
  })

  it('outlives the identity, and says that it has ended', async () => {
    const by = await caller()
    const { did } = by.identity
    await by.client.did.register()
    await by.client.security.deactivate()
    const { status, result } = await resolve(did, 'versionId=0')
    expect([status, keyOf(result), result.didDocumentMetadata.deactivated]).toEqual([200, multibase(by), true])
    expect((await resolve(did, '')).status).toBe(410)
    expect((await resolve(did, `versionTime=${didTime(Date.now())}`)).status).toBe(410)
  })

  it('comes alone where the document alone is asked for', async () => {
    const { did, keys } = made
    const { result } = await resolve(did, 'versionId=1', prober, { accept: 'application/did' })
    expect(result).toMatchObject({ id: did, verificationMethod: [{ publicKeyMultibase: multibase(keys[1]!) }, {}] })
  })

  it('that was superseded between the two questions to core is not shown as the current one', async () => {
    const { did, keys } = made
    const overtaken = coreWithout(/\/root-key\//, async (request) => {
      const answer = await (await env.CORE.fetch(request)).json<object>()
      return Response.json({ ...answer, supersededAt: Date.now() })
    })
    const { status, result } = await resolve(did, 'versionId=2', without({ CORE: overtaken }))
    expect([status, keyOf(result)]).toEqual([200, multibase(keys[2]!)])
    expect(result.didDocumentMetadata).toMatchObject({ versionId: '2', nextVersionId: '3' })
    expect(result.didDocument).not.toHaveProperty('service')
  })

  it.each(NO_ANSWERS)('is an internal error when core %s, and never the current document', async (_, answer) => {
    const { did } = made
    for (const cut of [/\/root-key\//, /\/authority\//]) {
      const refused = await resolve(did, 'versionId=0', without({ CORE: coreWithout(cut, answer) }))
      expect([refused.status, errorOf(refused)]).toEqual([500, `${ERROR}INTERNAL_ERROR`])
    }
  })
})

describe('a reader of a version', () => {
  it('takes the key of that epoch in the history of the DID, and no other', async () => {
    const { did, keys } = made
    const reader = await caller()
    for (const [epoch, key] of keys.entries()) {
      const result = await reader.client.did.resolve(did, { versionId: String(epoch) })
      expect(keyOf(result)).toBe(multibase(key))
    }
    const { didDocumentMetadata } = await reader.client.did.resolve(did)
    const versionTime = didDocumentMetadata.updated ?? ''
    expect(keyOf(await reader.client.did.resolve(did, { versionTime }))).toBe(multibase(keys[2]!))
  })

  it.each([
    ['another version', (url: string) => url.replace('versionId=0', 'versionId=1'), 'of another version'],
    ['the current one', (url: string) => url.replace('?versionId=0', ''), 'of another version'],
  ])('does not take %s for the one that was asked for', async (_, rewrite, fault) => {
    const { did } = made
    const lying = async (request: Request) =>
      new URL(request.url).host === 'core.test' ? sendToCore(request) : send(new Request(rewrite(request.url), request))
    const { client } = callerOf((await caller()).identity, { ...toEachHost, fetch: lying })
    await expect(client.did.resolve(did, { versionId: '0' })).rejects.toThrow(fault)
  })

  it('does not take a genesis key whose document names no version', async () => {
    const { did } = made
    const past: ResolutionResult = (await resolve(did, 'versionId=0')).result
    const stripped = { ...past, didDocumentMetadata: {} }
    const lying = async (request: Request) =>
      new URL(request.url).host === 'core.test' ? sendToCore(request) : Response.json(stripped)
    const { client } = callerOf((await caller()).identity, { ...toEachHost, fetch: lying })
    const versionTime = didTime(Date.now())
    await expect(client.did.resolve(did, { versionTime })).rejects.toThrow('The document is of another version')
  })
})
