import type { DiscoveryDocument } from '#protocol/http/discovery-document'
import { VerificationError } from '../verification/verification-error.ts'
import type { DiscoveryFault, Pin } from './pin.ts'

const REASONS: Readonly<Record<DiscoveryFault, string>> = {
  foreign_realm: 'the deployment claims a realm that is not its own; pass `realm` if you know that it is',
  unannounced_key:
    'a service signs with a key that was neither announced nor handed over; get a new pin from a source that you trust',
  revived_key: 'a service signs with a key that had ended; get a new pin from a source that you trust',
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
