/**
 * The law of resolution: what a request asks for and which answer it gets (W3C DID Resolution; document 2 section
 * 4.3).
 *
 * @module
 */
import {
  type DidService,
  didDocumentOf,
  didTime,
  RESOLUTION_ERROR_BASE,
  RESOLUTION_ERRORS,
  type ResolutionErrorName,
  type ResolutionResult,
} from '@svc/protocol/did'
import { isDid } from '@svc/protocol/identity'
import type { Authority } from '@svc/protocol/internal'

export const RESULT_TYPE = 'application/did-resolution'
export const DOCUMENT_TYPES = ['application/did', 'application/did+ld+json'] as const
const OFFERED: readonly string[] = [RESULT_TYPE, ...DOCUMENT_TYPES]

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: ResolutionResult | ResolutionResult['didDocument']
}

/** Why an identifier cannot be resolved whatever is registered, or null. */
export function checkIdentifier(did: string): ResolutionErrorName | null {
  if (isDid(did)) return null
  const [, method] = /^did:([a-z0-9]+):\S+$/.exec(did) ?? []
  return method === undefined || method === 'svc' ? 'INVALID_DID' : 'METHOD_NOT_SUPPORTED'
}

/** The media type to answer in: the most wanted of those offered, the whole result where the caller has no wish. */
export function negotiate(accept: string | undefined): string | null {
  if (accept === undefined || accept.trim() === '') return RESULT_TYPE
  const wishes = accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const q = parameters.find((parameter) => /^q=/i.test(parameter))
    return { type: type.toLowerCase(), quality: q === undefined ? 1 : Number(q.slice(2)) }
  })
  const best = wishes
    .filter(
      ({ type, quality }) => quality > 0 && (type === '*/*' || type === 'application/*' || OFFERED.includes(type)),
    )
    .reduce<{ type: string; quality: number } | null>((a, b) => (a && a.quality >= b.quality ? a : b), null)
  if (!best) return null
  return best.type.endsWith('/*') ? RESULT_TYPE : best.type
}

export function refusal(name: ResolutionErrorName, now: number): Answer {
  const { status, title, detail } = RESOLUTION_ERRORS[name]
  const error = { type: RESOLUTION_ERROR_BASE + name, title, detail }
  return {
    status,
    contentType: RESULT_TYPE,
    body: {
      '@context': 'https://w3id.org/did-resolution/v1',
      didDocument: null,
      didResolutionMetadata: { error, retrieved: didTime(now) },
      didDocumentMetadata: {},
    },
  }
}

export function resolved(
  authority: Authority,
  registration: { readonly services: readonly DidService[]; readonly registeredAt: number; readonly updatedAt: number },
  contentType: string,
  now: number,
): Answer {
  const didDocument = didDocumentOf(authority, registration.services)
  if (contentType !== RESULT_TYPE) return { status: 200, contentType, body: didDocument }
  return {
    status: 200,
    contentType,
    body: {
      '@context': 'https://w3id.org/did-resolution/v1',
      didDocument,
      didResolutionMetadata: { contentType: DOCUMENT_TYPES[0], retrieved: didTime(now) },
      didDocumentMetadata: {
        created: didTime(registration.registeredAt),
        updated: didTime(Math.max(registration.updatedAt, authority.updatedAt)),
        versionId: String(authority.epoch),
      },
    },
  }
}
