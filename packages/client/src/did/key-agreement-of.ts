import type { KeyAgreement } from '#protocol/base/key-agreement'
import type { ResolutionResult } from '#protocol/did/did'

interface Resolver {
  readonly resolve: (did: string) => Promise<ResolutionResult>
}

/** Returns the verified key agreement of a DID's current root key; null without one, or if the DID does not resolve. */
export async function keyAgreementOf(resolver: Resolver, did: string): Promise<KeyAgreement | null> {
  const { didDocument } = await resolver.resolve(did)
  return didDocument?.keyAgreement?.[0]?.signedStatement?.statement ?? null
}
