import type { KeyAgreement } from '#protocol/base/key-agreement'
import { RESOLUTION_ERROR_BASE, type ResolutionResult } from '#protocol/did/did'
import type { KeyHistory } from '../chain/key-history.ts'
import type { LoggedAgreements } from './logged-agreements.ts'

/** What shows and proves a key agreement. */
export interface AgreementSources {
  readonly resolver: { readonly resolve: (did: string) => Promise<ResolutionResult> }
  readonly history: Pick<KeyHistory, 'of'> | undefined
  /** Null without a key directory. */
  readonly logged: () => Promise<LoggedAgreements | null>
}

/**
 * Returns the verified key agreement of a DID's current root key, which is the newest that the log has proved; null without
 * one, or if the DID is not registered or was deactivated. Throws if the resolver failed: a failure must not look like an
 * identity without sheets.
 */
export async function keyAgreementOf(
  { resolver, history, logged }: AgreementSources,
  did: string,
): Promise<KeyAgreement | null> {
  const { didDocument, didDocumentMetadata, didResolutionMetadata } = await resolver.resolve(did)
  const { error } = didResolutionMetadata
  if (error && error.type !== `${RESOLUTION_ERROR_BASE}NOT_FOUND`)
    throw new Error(`The DID service could not resolve the identity: ${error.title}`)
  if (didDocumentMetadata.deactivated) return null
  const signed = didDocument?.keyAgreement?.[0]?.signedStatement ?? null
  const agreements = await logged()
  if (agreements) {
    const epoch = Number(didDocumentMetadata.versionId ?? 0)
    const since = signed || epoch === 0 ? 0 : ((await history?.of(did))?.[epoch]?.activatedAt ?? 0)
    await agreements.check(did, { signed, since })
  }
  return signed?.statement ?? null
}
