/**
 * The proof that a resolver puts into `didResolutionMetadata` (W3C DID Resolution allows one there and leaves its form
 * open): a statement over what was asked, when, and the hashes of document and metadata, signed with a key that the
 * resolver publishes. It proves what this resolver said, to whoever was not there; that the keys are right, the key
 * history proves.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from './base64url.ts'
import type { ResolutionResult } from './did.ts'
import { hashHex, hashSchema } from './hash.ts'
import { didSchema, signatureSchema } from './identity.ts'
import { type Json, jcsBytes } from './jcs.ts'
import { statementSchema, verifyStatement } from './statement.ts'

export const resolutionStatementSchema = statementSchema('svc/resolution/v1', {
  resolver: z.string().meta({ description: 'The resolver’s own DID', example: 'did:web:did.example' }),
  did: didSchema,
  version: z
    .string()
    .nullable()
    .meta({ description: 'The version that was asked for, as in the query: `versionId=0`; null for the current one' }),
  retrieved: z.string().meta({ description: 'As in the resolution metadata' }),
  error: z.string().nullable().meta({ description: '`type` of the error, or null' }),
  documentHash: hashSchema.meta({ description: 'SHA3-384 over JCS of `didDocument`, which may be null' }),
  metadataHash: hashSchema.meta({ description: 'SHA3-384 over JCS of `didDocumentMetadata`' }),
}).meta({ id: 'ResolutionStatement', description: 'What a resolver said of a DID' })
export type ResolutionStatement = z.infer<typeof resolutionStatementSchema>

export const resolutionProofSchema = z
  .strictObject({
    type: z.enum(['SvcResolutionProof']),
    verificationMethod: z.string().meta({ description: 'In the resolver’s own document, /.well-known/did.json' }),
    proofPurpose: z.literal('assertionMethod'),
    statement: resolutionStatementSchema,
    signatureB64u: signatureSchema,
  })
  .meta({ id: 'ResolutionProof', description: 'Absent where the resolver has no key' })

/** The fragment of the resolver's key in its own document. */
export const RESOLVER_KEY_FRAGMENT = '#resolver-key'

/** SHA3-384 hex over JCS of a part of a result. */
export const resolvedHashOf = (value: unknown): string => hashHex(jcsBytes(value as Json))

/** The statement that a result amounts to. `issuedAt` is the second that `retrieved` names. */
export function resolutionStatementOf(
  result: ResolutionResult,
  asked: { readonly resolver: string; readonly did: string; readonly version: string | null },
  hashOf: (value: unknown) => string = resolvedHashOf,
): ResolutionStatement {
  const { didDocument, didDocumentMetadata, didResolutionMetadata } = result
  const { retrieved, error } = didResolutionMetadata
  return {
    type: 'svc/resolution/v1',
    resolver: asked.resolver,
    did: asked.did,
    version: asked.version,
    retrieved,
    error: error?.type ?? null,
    documentHash: hashOf(didDocument),
    metadataHash: hashOf(didDocumentMetadata),
    issuedAt: Date.parse(retrieved),
  }
}

/** Whether the resolver of this key said exactly this result, for exactly this question. */
export async function verifyResolutionProof(
  result: ResolutionResult,
  expected: { readonly did: string; readonly version: string | null; readonly resolverKeyB64u: string },
): Promise<boolean> {
  const { proof } = result.didResolutionMetadata
  if (!proof) return false
  const { statement, signatureB64u } = proof
  // Made anew from the result: what is compared is what was signed, member for member.
  const made = resolutionStatementOf(result, { ...expected, resolver: statement.resolver })
  return (
    statement.issuedAt === made.issuedAt &&
    resolvedHashOf(statement) === resolvedHashOf(made) &&
    (await verifyStatement({ statement: made, signatureB64u }, bytesOf(expected.resolverKeyB64u)))
  )
}
