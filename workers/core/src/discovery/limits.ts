import { MAX_LIFETIME_MS } from '@svc/assertion'
import { MAX_PAGE_BLOCKS } from '@svc/protocol/chain/api'
import { MAX_PAYLOAD_BYTES } from '@svc/protocol/chain/chain'
import { MAX_PAGE_KEYS } from '@svc/protocol/chain/rotation'
import { MAX_BATCH_BYTES as MAX_CONSENT_BYTES, MAX_BATCH as MAX_IDENTIFIERS } from '@svc/protocol/consent/consent'
import { MAX_HISTORY_PAGE } from '@svc/protocol/consent/history-page'
import { MAX_CREATOR_PAGE } from '@svc/protocol/consent/queries'
import { SNAPSHOT_PAGE } from '@svc/protocol/consent/snapshot'
import { MAX_PAGE_EVENTS } from '@svc/protocol/devices/api'
import { MAX_DEVICES } from '@svc/protocol/devices/inception'
import { MAX_OFFICERS } from '@svc/protocol/devices/officers'
import { MAX_SEALED_BYTES } from '@svc/protocol/devices/rendezvous'
import { MAX_PAGE_MEMBERS, MAX_PAGE_ORG_EVENTS } from '@svc/protocol/did/organizations'
import type { DiscoveredLimits } from '@svc/protocol/http/discovery-document'
import { MAX_INBOX_MESSAGES, MAX_INBOX_PAGE } from '@svc/protocol/inbox/inbox'
import { MAX_PAGE_RESERVATIONS, MAX_PAGE_UPDATES, MAX_POOL } from '@svc/protocol/keys/directory'
import { MAX_GUARDIANS } from '@svc/protocol/keys/guardians'
import { MAX_BATCH as MAX_PREKEYS } from '@svc/protocol/keys/packages'
import { MAX_CONTACTS } from '@svc/protocol/keys/reserving'
import { MAX_PAGE_ANCHORS } from '@svc/protocol/ledger/anchors'
import { MAX_MINT_BYTES, MAX_RECEIPTS, MAX_TRANSFERS } from '@svc/protocol/ledger/assets'
import { MAX_ATTESTATIONS, MAX_ATTESTED_BYTES } from '@svc/protocol/ledger/attestations'
import { MAX_PAGE_AUDIT, MAX_SIGNERS } from '@svc/protocol/ledger/governance'
import { MAX_EXPORT_PAGE, MAX_INDEX_PAGE, MAX_VERSIONS_PAGE } from '@svc/protocol/notes/api'
import { MAX_ATTACHMENT_BYTES, MAX_NOTE_BODY_BYTES, MAX_NOTE_CIPHERTEXT_BYTES } from '@svc/protocol/notes/notes'
import { TIER_BUDGETS, TIER_LIMITS } from '@svc/protocol/pay/tiers'
import { MAX_CAPSULE_BYTES } from '@svc/protocol/provenance/capsules'
import { MAX_COMMITMENTS } from '@svc/protocol/provenance/commitments'
import { MAX_KEYPOINT_BYTES } from '@svc/protocol/provenance/model-files'
import { MAX_BATCH_BYTES, MAX_BATCH_ITEMS } from '@svc/protocol/provenance/signature-check'
import { MAX_REGISTRATION_BYTES } from '@svc/protocol/provenance/text-assets'
import { MAX_MATCHES } from '@svc/protocol/provenance/vector-services'
import { DEFAULT_MAX_BODY_BYTES, quotasOf, SERVICE_AUDIENCES, type Service, SIBLING_SKEW_MS } from '@svc/service'
import { CORE_SKEW_MS } from '../env.ts'
import { MAX_PINS } from '../ipfs/pin-store.ts'

const REQUESTS_PER_MINUTE = Object.fromEntries(
  (Object.keys(SERVICE_AUDIENCES) as Service[]).map((service) => [
    service,
    Object.fromEntries(quotasOf(service).map(({ tier, limit }) => [tier, limit])),
  ]),
)

/** The constants that services enforce, by name. */
export function limitsOf({ notesQuotaBytes }: { readonly notesQuotaBytes: number }): DiscoveredLimits {
  return {
    bodyBytes: {
      default: DEFAULT_MAX_BODY_BYTES,
      chainPayload: MAX_PAYLOAD_BYTES,
      note: MAX_NOTE_BODY_BYTES,
      noteCiphertext: MAX_NOTE_CIPHERTEXT_BYTES,
      attachment: MAX_ATTACHMENT_BYTES,
      sealedDelivery: MAX_SEALED_BYTES,
      attestations: MAX_ATTESTED_BYTES,
      assetMint: MAX_MINT_BYTES,
      capsule: MAX_CAPSULE_BYTES,
      consentBatch: MAX_CONSENT_BYTES,
      keypoints: MAX_KEYPOINT_BYTES,
      signatureBatch: MAX_BATCH_BYTES,
      textRegistration: MAX_REGISTRATION_BYTES,
    },
    pageItems: {
      accountUpdates: MAX_PAGE_UPDATES,
      anchors: MAX_PAGE_ANCHORS,
      blocks: MAX_PAGE_BLOCKS,
      consentActs: MAX_HISTORY_PAGE,
      consentRecords: MAX_CREATOR_PAGE,
      deviceEvents: MAX_PAGE_EVENTS,
      governanceEntries: MAX_PAGE_AUDIT,
      matches: MAX_MATCHES,
      members: MAX_PAGE_MEMBERS,
      messages: MAX_INBOX_PAGE,
      notes: MAX_INDEX_PAGE,
      notesExported: MAX_EXPORT_PAGE,
      noteVersions: MAX_VERSIONS_PAGE,
      organizationEvents: MAX_PAGE_ORG_EVENTS,
      reservations: MAX_PAGE_RESERVATIONS,
      rootKeys: MAX_PAGE_KEYS,
      snapshotEntries: SNAPSHOT_PAGE,
    },
    batchItems: { identifiers: MAX_IDENTIFIERS, prekeys: MAX_PREKEYS, signatures: MAX_BATCH_ITEMS },
    keptItems: {
      assetAttestations: MAX_ATTESTATIONS,
      assetReceipts: MAX_RECEIPTS,
      assetTransfers: MAX_TRANSFERS,
      commitments: MAX_COMMITMENTS,
      devices: MAX_DEVICES,
      guardians: MAX_GUARDIANS,
      messages: MAX_INBOX_MESSAGES,
      officers: MAX_OFFICERS,
      pins: MAX_PINS,
      policySigners: MAX_SIGNERS,
      prekeyContacts: MAX_CONTACTS,
      prekeys: MAX_POOL,
    },
    keptBytes: { notes: notesQuotaBytes },
    assertionMs: { lifetime: MAX_LIFETIME_MS, coreSkew: CORE_SKEW_MS, skew: SIBLING_SKEW_MS },
    requestsPerMinute: REQUESTS_PER_MINUTE,
    unitsPerMonth: TIER_LIMITS,
    keptByTier: TIER_BUDGETS,
  }
}
