import type { KeyAgreement } from '#protocol/base/key-agreement'
import { RESOLUTION_ERROR_BASE, type ResolutionResult } from '#protocol/did/did'

interface Resolver {
  readonly resolve: (did: string) => Promise<ResolutionResult>
}

/**
 * Returns the verified key agreement of a DID's current root key; null without one, or if the DID is not registered or
 * was deactivated. Throws if the resolver failed: a failure must not look like an identity without sheets.
 */
export async function keyAgreementOf(resolver: Resolver, did: string): Promise<KeyAgreement | null> {
  const { didDocument, didResolutionMetadata } = await resolver.resolve(did)
  const { error } = didResolutionMetadata
  if (error && error.type !== `${RESOLUTION_ERROR_BASE}NOT_FOUND`)
    throw new Error(`The DID service could not resolve the identity: ${error.title}`)
  return didDocument?.keyAgreement?.[0]?.signedStatement?.statement ?? null
}
