import type { DiscoveryDocument } from '#protocol/http/discovery-document'
import { VerificationError } from '../verification/verification-error.ts'
import type { Pin } from './pin.ts'

export type DiscoveryFault =
  /** The document names a realm that is neither core's origin, nor the one that was passed or pinned, nor one that it moved to. */
  | 'foreign_realm'
  /** The keys of the list have another fingerprint than the one that was passed. */
  | 'wrong_fingerprint'

const REASONS: Readonly<Record<DiscoveryFault, string>> = {
  foreign_realm: 'the deployment claims a realm that is not its own; pass `realm` if you know that it is',
  wrong_fingerprint: 'the keys of its signed list have another fingerprint; compare it with the operator',
}

/** The document contradicts what is known of the deployment. Carries both. */
export class DiscoveryError extends VerificationError {
  override readonly name = 'DiscoveryError'
  readonly document: DiscoveryDocument
  /** Null on first contact. */
  readonly pinned: Pin | null

  constructor(fault: DiscoveryFault, document: DiscoveryDocument, pinned: Pin | null) {
    const message = `The discovery document of ${document.services.core.url} is refused: ${REASONS[fault]}`
    super(message, { subject: 'discovery', reason: fault, evidence: { document, pinned } })
    this.document = document
    this.pinned = pinned
  }
}
