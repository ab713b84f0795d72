import { didTime, rootKeyMultibase } from '@svc/protocol/did/did'
import { callerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller, send, sendToCore, toEachHost } from '../harness.ts'
import { rotated } from './rotation.fixture.ts'

const site = { id: '#site', type: 'LinkedDomains', serviceEndpoint: 'https://a.example' }

describe('the DID of a rotated identity', () => {
  it('resolves to the new key, and names the old one in its history', async () => {
    const by = await caller()
    const { did, scope } = by.identity
    await by.client.did.register({ services: [site] })
    const { next, rotation } = await rotated(by)
    const { didDocument, didDocumentMetadata } = await next.client.did.resolve(did)
    const multibase = rootKeyMultibase(next.identity.publicKeyB64u)
    expect(didDocument?.verificationMethod).toMatchObject([
      { id: `${did}#root-1`, controller: did, publicKeyMultibase: multibase },
      {
        id: `${did}#root-1-jwk`,
        controller: did,
        publicKeyJwk: { pub: next.identity.publicKeyB64u, kid: `${scope}.1` },
      },
    ])
    expect(didDocument?.authentication).toEqual([`${did}#root-1`, `${did}#root-1-jwk`])
    expect(didDocument?.service).toEqual([{ ...site, id: `${did}#site` }])
    expect(JSON.stringify(didDocument)).not.toContain(by.identity.publicKeyB64u)
    const at = rotation.activatedAt ?? 0
    expect(didDocumentMetadata).toMatchObject({ versionId: '1', updated: didTime(at) })
    expect(didDocumentMetadata.previousKeys).toEqual([
      {
        id: `${did}#root-0`,
        publicKeyMultibase: rootKeyMultibase(by.identity.publicKeyB64u),
        activated: expect.any(String),
        superseded: didTime(at),
      },
    ])
  })

  it('has the keys of every epoch in its history, the newest first', async () => {
    const by = await caller()
    const { did } = by.identity
    await by.client.did.register()
    const first = await rotated(by)
    const second = await rotated(first.next)
    const { didDocument, didDocumentMetadata } = await second.next.client.did.resolve(did)
    expect(didDocument?.verificationMethod[0]?.id).toBe(`${did}#root-2`)
    expect(didDocumentMetadata.previousKeys?.map(({ id, publicKeyMultibase }) => [id, publicKeyMultibase])).toEqual([
      [`${did}#root-1`, rootKeyMultibase(first.next.identity.publicKeyB64u)],
      [`${did}#root-0`, rootKeyMultibase(by.identity.publicKeyB64u)],
    ])
  })

  it('carries no key agreement of the old key, and that of the new one once it is stated', async () => {
    const by = await caller()
    const { did } = by.identity
    await by.client.did.register()
    expect((await by.client.did.resolve(did)).didDocument?.keyAgreement).toHaveLength(1)
    const { next } = await rotated(by)
    expect((await next.client.did.resolve(did)).didDocument).not.toHaveProperty('keyAgreement')
    await next.client.did.register()
    const { didDocument } = await next.client.did.resolve(did)
    expect(didDocument?.keyAgreement?.[0]?.signedStatement?.statement.publicKeyB64u).toBe(
      next.identity.kemPublicKeyB64u,
    )
  })

  it('resolves the same whether the activation was noted or not', async () => {
    const by = await caller()
    const { did } = by.identity
    await by.client.did.register()
    const { next, rotation } = await rotated(by)
    const before = await next.client.did.resolve(did)
    await next.client.rotation.noteActivation(rotation.rotationId)
    const after = await next.client.did.resolve(did)
    expect(after.didDocument).toEqual(before.didDocument)
    expect(after.didDocumentMetadata).toEqual(before.didDocumentMetadata)
  })

  it('shows a rotation that is pending or taken back nowhere', async () => {
    const by = await caller()
    const { did } = by.identity
    await by.client.did.register()
    const { didDocument } = await by.client.did.resolve(did)
    const signed = await by.client.rotation.makeRequest(await by.identity.successor(), { version: 2 })
    const { rotationId } = await by.client.rotation.request(signed)
    expect((await by.client.did.resolve(did)).didDocument).toEqual(didDocument)
    await by.client.rotation.cancel(rotationId)
    const resolved = await by.client.did.resolve(did)
    expect(resolved.didDocument).toEqual(didDocument)
    expect(resolved.didDocumentMetadata).not.toHaveProperty('previousKeys')
  })

  it('is 410 once the new key has ended it, and the old one could not', async () => {
    const by = await caller()
    const { did } = by.identity
    await by.client.did.register()
    const { next } = await rotated(by)
    await expect(by.client.security.deactivate()).rejects.toMatchObject({ status: 401 })
    expect((await next.client.did.resolve(did)).didDocument).not.toBeNull()
    await next.client.security.deactivate()
    expect((await next.client.did.resolve(did)).didDocumentMetadata).toEqual({ deactivated: true })
  })

  it('takes no registration by the old key', async () => {
    const by = await caller()
    await by.client.did.register()
    const { next } = await rotated(by)
    await expect(by.client.did.register({ services: [site] })).rejects.toMatchObject({
      status: 401,
      error: 'unauthorized',
    })
    expect((await next.client.did.resolve(by.identity.did)).didDocument).not.toHaveProperty('service')
  })
})

describe('a reader of a rotated DID', () => {
  it('is not taken in by a resolver that names a key without a history', async () => {
    const [by, stranger] = [await caller(), await caller()]
    const { did } = by.identity
    await by.client.did.register()
    const { next } = await rotated(by)
    for (const foreign of [stranger.identity.publicKeyB64u, (await by.identity.successor()).publicKeyB64u]) {
      const lying = async (request: Request) => {
        if (new URL(request.url).host === 'core.test') return sendToCore(request)
        const text = JSON.stringify(await (await send(request)).json())
        const changed = text
          .replaceAll(next.identity.publicKeyB64u, foreign)
          .replaceAll(rootKeyMultibase(next.identity.publicKeyB64u), rootKeyMultibase(foreign))
        expect(changed).not.toBe(text)
        return new Response(changed)
      }
      const { client } = callerOf(stranger.identity, { ...toEachHost, fetch: lying })
      await expect(client.did.resolve(did)).rejects.toThrow('The root key does not match the DID')
    }
  })

  it('does not take a superseded key that came by a rotation for the current one', async () => {
    const by = await caller()
    const { did } = by.identity
    await by.client.did.register()
    const first = await rotated(by)
    const stale: unknown = await (await send(new Request(`https://did.test/1.0/identifiers/${did}`))).json()
    const second = await rotated(first.next)
    const replaying = async (request: Request) =>
      new URL(request.url).host === 'did.test' ? Response.json(stale) : toEachHost.fetch(request)
    const { client } = callerOf(second.next.identity, { ...toEachHost, fetch: replaying })
    await expect(client.did.resolve(did)).rejects.toThrow('The root key does not match the DID')
  })
})
