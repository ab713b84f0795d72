/**
 * DID documents and resolution results of `did:svc` (workers/docs/pages/developer/did.md; W3C DID Resolution).
 *
 * @module
 */
import { base58 } from '@scure/base'
import * as z from 'zod'
import { bytesOf, encodeBase64url } from '../base/base64url.ts'
import { didSchema } from '../base/identity.ts'
import { kemKeyId, signedKeyAgreementSchema } from '../base/key-agreement.ts'
import { PUBLIC_KEY_BYTES } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import type { Authority } from '../internal/core.ts'
import { encodeBase58 } from './base58.ts'
import type { DidService } from './registration.ts'
import { resolutionProofSchema } from './resolution-statement.ts'

/** multicodec `mldsa-65-pub` 0x1211 and `mlkem-768-pub` 0x120c as varints. */
const ML_DSA_65_PUB = [0x91, 0x24]
const ML_KEM_768_PUB = [0x8c, 0x24]

/** Cache of key encodings: 5 kB each, 5 MB at most. A key's encoding never changes, so entries cannot go stale. */
const MAX_SPELLINGS = 1000
const spellings = /* @__PURE__ */ new Map<string, string>()

/** Multikey: `z`, then base58btc of the multicodec prefix and the raw key. */
function multibase(prefix: readonly number[], publicKeyB64u: string): string {
  // The two kinds of key differ in length, so one map serves both.
  const known = spellings.get(publicKeyB64u)
  if (known !== undefined) return known
  const spelling = spelledOut(prefix, publicKeyB64u)
  if (spellings.size >= MAX_SPELLINGS) spellings.clear()
  spellings.set(publicKeyB64u, spelling)
  return spelling
}

function spelledOut(prefix: readonly number[], publicKeyB64u: string): string {
  return `z${encodeBase58(new Uint8Array([...prefix, ...bytesOf(publicKeyB64u)]))}`
}

/** `publicKeyMultibase` of an ML-DSA-65 root key. */
export function rootKeyMultibase(publicKeyB64u: string): string {
  return multibase(ML_DSA_65_PUB, publicKeyB64u)
}

/** The ML-DSA-65 key of a `publicKeyMultibase` as base64url; null if it is not one. */
export function rootKeyOfMultibase(text: string): string | null {
  try {
    const bytes = base58.decode(text.slice(1))
    const isRoot = text.startsWith('z') && bytes.length === ML_DSA_65_PUB.length + PUBLIC_KEY_BYTES
    const isPrefixed = ML_DSA_65_PUB.every((byte, i) => bytes[i] === byte)
    return isRoot && isPrefixed ? encodeBase64url(bytes.subarray(ML_DSA_65_PUB.length)) : null
  } catch {
    return null
  }
}

/** `publicKeyMultibase` of an ML-KEM-768 key. */
export function kemKeyMultibase(publicKeyB64u: string): string {
  return multibase(ML_KEM_768_PUB, publicKeyB64u)
}

const absoluteId = /* @__PURE__ */ z.string()
const verificationMethodSchema = /* @__PURE__ */ pure(() =>
  z
    .object({
      id: absoluteId,
      type: z.enum(['Multikey', 'JsonWebKey']),
      controller: didSchema,
      publicKeyMultibase: z.string().optional(),
      publicKeyJwk: z
        .strictObject({ kty: z.literal('AKP'), alg: z.literal('ML-DSA-65'), pub: z.string(), kid: z.string() })
        .optional(),
      signedStatement: signedKeyAgreementSchema.optional(),
    })
    .meta({ id: 'VerificationMethod' }),
)
export const didDocumentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      '@context': z.array(z.union([z.string(), z.record(z.string(), z.unknown())])),
      id: didSchema,
      verificationMethod: z.array(verificationMethodSchema),
      authentication: z.array(absoluteId),
      assertionMethod: z.array(absoluteId),
      capabilityInvocation: z.array(absoluteId),
      keyAgreement: z.array(verificationMethodSchema).optional(),
      service: z.array(z.object({ id: absoluteId, type: z.string(), serviceEndpoint: z.string() })).optional(),
    })
    .meta({ id: 'DidDocument' }),
)
export type DidDocument = z.infer<typeof didDocumentSchema>

const CONTEXT = [
  'https://www.w3.org/ns/did/v1',
  'https://w3id.org/security/multikey/v1',
  'https://w3id.org/security/jwk/v1',
  // Types of services are their owner's: without a vocabulary, a processor in safe mode refuses one that it does not know.
  { '@vocab': 'urn:svc:term:', signedStatement: { '@id': 'urn:svc:signed-statement', '@type': '@json' } },
]

type DocumentKeys = Pick<Authority, 'did' | 'scope' | 'epoch' | 'publicKeyB64u' | 'keyAgreement'>

/** Builds the DID document from an identity's current authority; only the services come from the registration. */
export function didDocumentOf(authority: DocumentKeys, services: readonly DidService[]): DidDocument {
  const { did, publicKeyB64u, epoch, scope, keyAgreement } = authority
  const multikey = `${did}#root-${epoch}`
  const jwk = `${did}#root-${epoch}-jwk`
  const kem = keyAgreement?.statement.publicKeyB64u
  return {
    '@context': CONTEXT,
    id: did,
    verificationMethod: [
      { id: multikey, type: 'Multikey', controller: did, publicKeyMultibase: rootKeyMultibase(publicKeyB64u) },
      {
        id: jwk,
        type: 'JsonWebKey',
        controller: did,
        // RFC 9964 section 3: an Algorithm Key Pair carries the raw public key in `pub`.
        publicKeyJwk: { kty: 'AKP', alg: 'ML-DSA-65', pub: publicKeyB64u, kid: `${scope}.${epoch}` },
      },
    ],
    authentication: [multikey, jwk],
    assertionMethod: [multikey, jwk],
    capabilityInvocation: [multikey, jwk],
    ...(keyAgreement && kem
      ? {
          keyAgreement: [
            {
              id: `${did}#kem-${kemKeyId(kem)}`,
              type: 'Multikey' as const,
              controller: did,
              publicKeyMultibase: kemKeyMultibase(kem),
              signedStatement: keyAgreement,
            },
          ],
        }
      : {}),
    ...(services.length > 0 ? { service: services.map((service) => ({ ...service, id: did + service.id })) } : {}),
  }
}

/** The W3C error types of DID resolution and their HTTP statuses. */
export const RESOLUTION_ERRORS = {
  INVALID_DID: {
    status: 400,
    title: 'Invalid DID',
    detail: 'A did:svc identifier is did:svc: followed by 32 base64url characters.',
  },
  INVALID_OPTIONS: {
    status: 400,
    title: 'Invalid options',
    detail: 'Set at most one of versionId and versionTime; versionTime must be an RFC 3339 time.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    detail: 'The DID is not registered, or it has no such version.',
  },
  REPRESENTATION_NOT_SUPPORTED: {
    status: 406,
    title: 'Representation not supported',
    detail: 'Accept one of application/did-resolution, application/did, application/did+ld+json, application/json.',
  },
  INTERNAL_ERROR: { status: 500, title: 'Internal error', detail: 'The key authority is unavailable.' },
  METHOD_NOT_SUPPORTED: { status: 501, title: 'Method not supported', detail: 'This resolver resolves did:svc.' },
} as const
export type ResolutionErrorName = keyof typeof RESOLUTION_ERRORS

/** Prefix of error types, as in `https://www.w3.org/ns/did#NOT_FOUND`. */
export const RESOLUTION_ERROR_BASE = 'https://www.w3.org/ns/did#'

export const resolutionResultSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      '@context': z.literal('https://w3id.org/did-resolution/v1'),
      didDocument: didDocumentSchema.nullable(),
      didResolutionMetadata: z.strictObject({
        contentType: z.string().optional(),
        error: z
          .strictObject({ type: z.string(), title: z.string(), detail: z.string() })
          .optional()
          .meta({ description: 'RFC 9457 members; `type` is a URI of https://www.w3.org/ns/did#' }),
        retrieved: z.string().meta({ description: 'RFC 3339 in UTC without fractions' }),
        proof: resolutionProofSchema.optional(),
      }),
      didDocumentMetadata: z.strictObject({
        created: z.string().optional(),
        updated: z.string().optional(),
        versionId: z.string().optional().meta({ description: 'The root epoch, decimal' }),
        nextVersionId: z.string().optional().meta({ description: 'Set if a later version exists' }),
        nextUpdate: z.string().optional(),
        deactivated: z.boolean().optional(),
        previousKeys: z
          .array(
            z.strictObject({
              id: z.string(),
              publicKeyMultibase: z.string(),
              activated: z.string(),
              superseded: z.string(),
            }),
          )
          .optional()
          .meta({ description: 'Superseded root keys, newest first; their earlier signatures remain valid' }),
      }),
    })
    .meta({ id: 'ResolutionResult' }),
)
export type ResolutionResult = z.infer<typeof resolutionResultSchema>

/** Formats a time for DID resolution: UTC without fractional seconds. */
export function didTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`
}
