import { encodeBase64url } from '@svc/protocol/base/base64url'
import { didDocumentOf, rootKeyMultibase } from '@svc/protocol/did/did'
import type { Authority, RootKeyVersion } from '@svc/protocol/internal/core'
import { describe, expect, it } from 'vitest'
import { deactivated, refusal, represented, resolved, resolvedVersion } from './rules.ts'

/** 2026-09-21T14:13:20Z. */
const NOW = 1_790_000_000_000
const HOUR = 3_600_000
const did = `did:svc:${'PDw8'.repeat(8)}`
const key = encodeBase64url(new Uint8Array(1952).fill(1))
const former = encodeBase64url(new Uint8Array(1952).fill(2))
const CONTEXT = 'https://w3id.org/did-resolution/v1'

const authority: Authority = {
  did,
  scope: '3c'.repeat(48),
  epoch: 1,
  publicKeyB64u: key,
  createdAt: NOW - 9 * HOUR,
  updatedAt: NOW - 2 * HOUR,
  keyAgreement: null,
  deactivated: false,
  registration: null,
  previousKeys: [],
}
const registration = { services: [], registeredAt: NOW - 5 * HOUR, updatedAt: NOW - 3 * HOUR } as never
const version: RootKeyVersion = {
  did,
  scope: authority.scope,
  epoch: 1,
  publicKeyB64u: key,
  activatedAt: NOW - 2 * HOUR,
  supersededAt: null,
  deactivatedAt: null,
}

describe('a refusal', () => {
  it('is a resolution result with an error of the W3C', () => {
    expect(refusal('NOT_FOUND', NOW)).toEqual({
      status: 404,
      contentType: 'application/did-resolution',
      error: 'NOT_FOUND',
      reason: 'NOT_FOUND',
      body: {
        '@context': CONTEXT,
        didDocument: null,
        didResolutionMetadata: {
          error: {
            type: 'https://www.w3.org/ns/did#NOT_FOUND',
            title: 'Not found',
            detail: 'The DID is not registered, or it has no such version.',
          },
          retrieved: '2026-09-21T14:13:20Z',
        },
        didDocumentMetadata: {},
      },
    })
  })

  it('names its cause for the log alone', () => {
    const { reason, ...answer } = refusal('INTERNAL_ERROR', NOW, 'core timed out')
    expect(reason).toBe('INTERNAL_ERROR: core timed out')
    expect(JSON.stringify(answer)).not.toContain('core timed out')
  })
})

it('says of a deactivated DID that it is, without a document', () => {
  expect(deactivated(NOW)).toEqual({
    status: 410,
    contentType: 'application/did-resolution',
    error: 'DEACTIVATED',
    reason: 'deactivated',
    body: {
      '@context': CONTEXT,
      didDocument: null,
      didResolutionMetadata: { retrieved: '2026-09-21T14:13:20Z' },
      didDocumentMetadata: { deactivated: true },
    },
  })
})

describe('the current document', () => {
  it('comes with when it was registered and last changed, by the owner or by a rotation', () => {
    expect(resolved(authority, registration, NOW)).toEqual({
      status: 200,
      contentType: 'application/did-resolution',
      body: {
        '@context': CONTEXT,
        didDocument: didDocumentOf(authority, []),
        didResolutionMetadata: { contentType: 'application/did', retrieved: '2026-09-21T14:13:20Z' },
        didDocumentMetadata: {
          created: '2026-09-21T09:13:20Z',
          updated: '2026-09-21T12:13:20Z',
          versionId: '1',
        },
      },
    })
    const earlier = { ...authority, updatedAt: NOW - 4 * HOUR }
    expect(resolved(earlier, registration, NOW).body.didDocumentMetadata).toMatchObject({
      updated: '2026-09-21T11:13:20Z',
    })
  })

  it('lists the keys before it, if there are any', () => {
    const previousKeys = [
      { epoch: 0, publicKeyB64u: former, activatedAt: NOW - 9 * HOUR, supersededAt: NOW - 2 * HOUR },
    ] as Authority['previousKeys']
    expect(resolved({ ...authority, previousKeys }, registration, NOW).body.didDocumentMetadata).toMatchObject({
      previousKeys: [
        {
          id: `${did}#root-0`,
          publicKeyMultibase: rootKeyMultibase(former),
          activated: '2026-09-21T05:13:20Z',
          superseded: '2026-09-21T12:13:20Z',
        },
      ],
    })
    expect(resolved(authority, registration, NOW).body.didDocumentMetadata).not.toHaveProperty('previousKeys')
  })
})

describe('the document of a version', () => {
  const metadata = (changed: Partial<RootKeyVersion>) =>
    resolvedVersion({ ...version, ...changed }, registration, NOW).body.didDocumentMetadata

  it('has the root key of that epoch, and no services', () => {
    const keys = { did, scope: authority.scope, epoch: 1, publicKeyB64u: key, keyAgreement: null }
    expect(resolvedVersion(version, registration, NOW).body.didDocument).toEqual(didDocumentOf(keys, []))
  })

  it('says which version follows it and when, and whether the identity has ended', () => {
    expect(metadata({})).toEqual({
      created: '2026-09-21T09:13:20Z',
      updated: '2026-09-21T12:13:20Z',
      versionId: '1',
    })
    expect(metadata({ supersededAt: NOW - HOUR })).toMatchObject({
      versionId: '1',
      nextVersionId: '2',
      nextUpdate: '2026-09-21T13:13:20Z',
    })
    expect(metadata({ deactivatedAt: NOW })).toMatchObject({ deactivated: true })
  })

  it('is as old as the registration at most', () => {
    expect(metadata({ activatedAt: NOW - 9 * HOUR })).toMatchObject({ updated: '2026-09-21T09:13:20Z' })
  })

  it('was never one if the key ended before the registration', () => {
    const early = { ...version, supersededAt: NOW - 5 * HOUR - 1 }
    expect(resolvedVersion(early, registration, NOW)).toEqual(refusal('NOT_FOUND', NOW, 'before its registration'))
    expect(resolvedVersion({ ...early, supersededAt: NOW - 5 * HOUR }, registration, NOW).status).toBe(200)
    expect(resolvedVersion({ ...early, supersededAt: 0 }, registration, NOW).reason).toBe(
      'NOT_FOUND: before its registration',
    )
  })
})

describe('an answer', () => {
  const found = resolved(authority, registration, NOW)

  it('is the document alone, if that is asked for', () => {
    expect(represented(found, 'application/did')).toEqual({
      status: 200,
      contentType: 'application/did',
      body: found.body.didDocument,
    })
  })

  it('is the whole result otherwise, and always without a document', () => {
    expect(represented(found, 'application/did-resolution')).toBe(found)
    const gone = deactivated(NOW)
    expect(represented(gone, 'application/did')).toBe(gone)
    expect(represented(gone, 'application/did-resolution')).toBe(gone)
  })
})
