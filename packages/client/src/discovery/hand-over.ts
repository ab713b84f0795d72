import { bytesOf } from '#protocol/base/base64url'
import { verifyStatement } from '#protocol/base/statement'
import type { DiscoveryDocument } from '#protocol/http/discovery-document'
import { covers, keysOf, type PublishedKey, type ServiceKey, serviceKeyHash } from '#protocol/http/service-keys'

export interface Followed {
  readonly pin: { readonly realm: string; readonly keys: readonly ServiceKey[]; readonly seenAt: number }
  readonly document: DiscoveryDocument
  /** The pinned keys, and those that they led to. */
  readonly trusted: readonly ServiceKey[]
}

/** Whether a trusted key of the same use signed, while it was valid, that this key replaces it. */
export async function isHandedOver(key: PublishedKey, { pin, document, trusted }: Followed): Promise<boolean> {
  const { handOver } = key
  if (!handOver) return false
  const { service, use, keyHash, validFrom, issuedAt } = handOver.statement
  if (service !== key.service || use !== key.use || keyHash !== serviceKeyHash(key.publicKeyB64u)) return false
  // A key may begin later than its predecessor said, and never earlier.
  if (key.validFrom < validFrom) return false
  for (const signer of keysOf(trusted, key)) {
    if (signer.publicKeyB64u === key.publicKeyB64u || !covers(signer, issuedAt)) continue
    // `issuedAt` can be dated back: a key that had ended when this client last looked introduces no other.
    if (signer.validUntil !== null && signer.validUntil <= pin.seenAt) continue
    // Nor does one that was withdrawn before it signed this.
    const listed = keysOf(document.keys, key).find(({ publicKeyB64u }) => publicKeyB64u === signer.publicKeyB64u)
    if (listed && !covers(listed, issuedAt)) continue
    if (await verifyStatement(handOver, bytesOf(signer.publicKeyB64u), [pin.realm, document.realm])) return true
  }
  return false
}
