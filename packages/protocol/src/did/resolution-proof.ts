/**
 * The resolver's proof in `didResolutionMetadata` (W3C DID Resolution allows one and leaves its form open): a statement
 * over the query, the time, and the hashes of document and metadata, signed with a key the resolver publishes. It proves
 * to third parties what this resolver returned. It does not prove that the keys are right; the key history does.
 *
 * @module
 */
import { bytesOf } from '../base/base64url.ts'
import { hashHexAsync } from '../base/hash.ts'
import { type Json, jcsBytes } from '../base/jcs.ts'
import type { Realms } from '../base/realm.ts'
import { verifyStatement } from '../base/statement.ts'
import type { ResolutionResult } from './did.ts'
import type { ResolutionStatement } from './resolution-statement.ts'

/** The fragment of the resolver's key in its own document. */
export const RESOLVER_KEY_FRAGMENT = '#resolver-key'

/** SHA3-384 hex over JCS of a part of a result. */
export const resolvedHashOf = (value: unknown): Promise<string> => hashHexAsync(jcsBytes(value as Json))

/** Builds the statement for a result, without the realm. `issuedAt` is `retrieved` in epoch milliseconds. */
export async function resolutionStatementOf(
  result: ResolutionResult,
  asked: { readonly resolver: string; readonly did: string; readonly version: string | null },
  hashOf: (value: unknown) => Promise<string> = resolvedHashOf,
): Promise<Omit<ResolutionStatement, 'realm'>> {
  const { didDocument, didDocumentMetadata, didResolutionMetadata } = result
  const { retrieved, error } = didResolutionMetadata
  return {
    type: 'svc/resolution/v1',
    resolver: asked.resolver,
    did: asked.did,
    version: asked.version,
    retrieved,
    error: error?.type ?? null,
    documentHash: await hashOf(didDocument),
    metadataHash: await hashOf(didDocumentMetadata),
    issuedAt: Date.parse(retrieved),
  }
}

/** Whether the resolver with this key returned exactly this result for exactly this query. */
export async function verifyResolutionProof(
  result: ResolutionResult,
  expected: {
    readonly did: string
    readonly version: string | null
    readonly resolverKeyB64u: string
    readonly realms: Realms
  },
): Promise<boolean> {
  const { proof } = result.didResolutionMetadata
  if (!proof) return false
  const { statement, signatureB64u } = proof
  // Rebuilt from the result, so that the comparison covers every member; one that this version does not know is signed.
  const made = await resolutionStatementOf(result, { ...expected, resolver: statement.resolver })
  const isOfResult = Object.entries(made).every(([name, value]) => statement[name as keyof typeof made] === value)
  return isOfResult && verifyStatement({ statement, signatureB64u }, bytesOf(expected.resolverKeyB64u), expected.realms)
}
