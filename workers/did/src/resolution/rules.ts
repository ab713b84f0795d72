/**
 * The rules of resolution: what a request asks for, and which answer it gets (W3C DID Resolution).
 *
 * @module
 */

import { isDid } from '@svc/protocol/base/identity'
import {
  didDocumentOf,
  didTime,
  RESOLUTION_ERROR_BASE,
  RESOLUTION_ERRORS,
  type ResolutionErrorName,
  type ResolutionResult,
  rootKeyMultibase,
} from '@svc/protocol/did/did'
import type { StandingRegistration } from '@svc/protocol/did/registration'
import type { Authority, RootKeyVersion } from '@svc/protocol/internal/core'

export const RESULT_TYPE = 'application/did-resolution'
export const DOCUMENT_TYPES = ['application/did', 'application/did+ld+json'] as const
const OFFERED: readonly string[] = [RESULT_TYPE, ...DOCUMENT_TYPES]
/** What other resolvers' clients ask for, and the nearest type offered here. */
const NEAREST = new Map([
  ['application/json', RESULT_TYPE],
  ['application/did+json', DOCUMENT_TYPES[0]],
  ['application/ld+json', DOCUMENT_TYPES[1]],
])

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: ResolutionResult | ResolutionResult['didDocument']
  /** Of an error: its W3C name, or that the DID is deactivated. */
  readonly error?: ResolutionErrorName | 'DEACTIVATED'
  /** For the log: which error, and its cause. */
  readonly reason?: string
}

/** An answer that is a whole resolution result. */
export type ResultAnswer = Answer & { readonly body: ResolutionResult }

/** DID Core section 3.1: idchars, percent-encoded octets and colons, not ending in a colon. */
const DID_SYNTAX = /^did:([a-z0-9]+):(?:(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})*:)*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})+$/

/** Why an identifier cannot be resolved, whatever is registered, or null. */
export function checkIdentifier(did: string): ResolutionErrorName | null {
  if (isDid(did)) return null
  const [, method] = DID_SYNTAX.exec(did) ?? []
  return method === undefined || method === 'svc' ? 'INVALID_DID' : 'METHOD_NOT_SUPPORTED'
}

/**
 * The media type to answer in (RFC 9110 section 12.5.1): the offered type with the highest weight, taken
 * from the most specific range that covers it or is nearest to it; the whole result if there is no preference, null if none
 * is acceptable.
 */
export function negotiate(accept: string | undefined): string | null {
  if (accept === undefined || accept.trim() === '') return RESULT_TYPE
  const ranges = new Map(accept.split(',').map(readRange))
  const qualityOf = (type: string) => {
    const named = [...ranges].filter(([range]) => range === type || NEAREST.get(range) === type)
    if (named.length > 0) return Math.max(...named.map(([, quality]) => quality))
    return ranges.get('application/*') ?? ranges.get('*/*') ?? 0
  }
  const best = OFFERED.map((type) => ({ type, quality: qualityOf(type) })).reduce((a, b) =>
    b.quality > a.quality ? b : a,
  )
  return best.quality > 0 ? best.type : null
}

/** A range and its weight; an invalid weight counts as absent. */
function readRange(part: string): [range: string, quality: number] {
  const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim())
  const [, q] = parameters.map((parameter) => /^q=([01](?:\.[0-9]{0,3})?)$/i.exec(parameter)).find(Boolean) ?? []
  return [range.toLowerCase(), q === undefined ? 1 : Number(q)]
}

export function refusal(name: ResolutionErrorName, now: number, cause?: string): ResultAnswer {
  const { status, title, detail } = RESOLUTION_ERRORS[name]
  const error = { type: RESOLUTION_ERROR_BASE + name, title, detail }
  return {
    status,
    contentType: RESULT_TYPE,
    error: name,
    reason: cause === undefined ? name : `${name}: ${cause}`,
    body: {
      '@context': 'https://w3id.org/did-resolution/v1',
      didDocument: null,
      didResolutionMetadata: { error, retrieved: didTime(now) },
      didDocumentMetadata: {},
    },
  }
}

/** A deactivated DID: no document, and the metadata says why. */
export function deactivated(now: number): ResultAnswer {
  return {
    status: 410,
    contentType: RESULT_TYPE,
    error: 'DEACTIVATED',
    reason: 'deactivated',
    body: {
      '@context': 'https://w3id.org/did-resolution/v1',
      didDocument: null,
      didResolutionMetadata: { retrieved: didTime(now) },
      didDocumentMetadata: { deactivated: true },
    },
  }
}

/** The current document, as a whole result. */
export function resolved(authority: Authority, registration: StandingRegistration, now: number): ResultAnswer {
  const { did } = authority
  return resultOf(now, didDocumentOf(authority, registration.services), {
    created: didTime(registration.registeredAt),
    updated: didTime(Math.max(registration.updatedAt, authority.updatedAt)),
    versionId: String(authority.epoch),
    ...(authority.previousKeys.length > 0 ? { previousKeys: authority.previousKeys.map(previousKeyOf(did)) } : {}),
  })
}

/**
 * The document of another version: its root key. Services and key agreement are not versioned, so it has none. A version
 * superseded before the registration was never a document of this DID.
 */
export function resolvedVersion(
  { did, scope, epoch, publicKeyB64u, activatedAt, supersededAt, deactivatedAt }: RootKeyVersion,
  { registeredAt }: StandingRegistration,
  now: number,
): ResultAnswer {
  if (supersededAt !== null && supersededAt < registeredAt) return refusal('NOT_FOUND', now, 'before its registration')
  const key = { did, scope, epoch, publicKeyB64u, keyAgreement: null }
  return resultOf(now, didDocumentOf(key, []), {
    created: didTime(registeredAt),
    updated: didTime(Math.max(activatedAt, registeredAt)),
    versionId: String(epoch),
    ...(supersededAt === null ? {} : { nextVersionId: String(epoch + 1), nextUpdate: didTime(supersededAt) }),
    ...(deactivatedAt === null ? {} : { deactivated: true }),
  })
}

function resultOf(
  now: number,
  didDocument: ResolutionResult['didDocument'],
  didDocumentMetadata: ResolutionResult['didDocumentMetadata'],
): ResultAnswer {
  return {
    status: 200,
    contentType: RESULT_TYPE,
    body: {
      '@context': 'https://w3id.org/did-resolution/v1',
      didDocument,
      didResolutionMetadata: { contentType: DOCUMENT_TYPES[0], retrieved: didTime(now) },
      didDocumentMetadata,
    },
  }
}

/** The answer in the requested media type: everything except a document is a whole result. */
export function represented(answer: ResultAnswer, contentType: string): Answer {
  if (answer.status !== 200 || contentType === RESULT_TYPE) return answer
  return { status: 200, contentType, body: answer.body.didDocument }
}

/** A superseded root key: no longer a method of the document, but listed for anyone who checks its old signatures. */
const previousKeyOf = (did: string) => (key: Authority['previousKeys'][number]) => ({
  id: `${did}#root-${key.epoch}`,
  publicKeyMultibase: rootKeyMultibase(key.publicKeyB64u),
  activated: didTime(key.activatedAt),
  superseded: didTime(key.supersededAt),
})
