import { ANCHOR_AUDITOR } from './anchors/auditor.ts'
import { ANCHOR_BUNDLES } from './anchors/bundles.ts'
import { COSIGNED_ANCHORS } from './anchors/cosigned.ts'
import { ANCHOR_LOG } from './anchors/log.ts'
import { ANCHOR_RECORDS } from './anchors/records.ts'
import { ASSETS } from './assets.ts'
import { AUDITOR } from './auditor.ts'
import { CHAIN } from './chain.ts'
import { CONSENT_HISTORY } from './consent/history.ts'
import { CONSENT_RECORDS } from './consent/records.ts'
import { CONSENT_SNAPSHOT } from './consent/snapshot.ts'
import { DEVICES } from './devices.ts'
import { LISTINGS } from './directory/listings.ts'
import { RESERVATIONS } from './directory/reservations.ts'
import { EVENTS } from './events.ts'
import { GUARDIANS } from './guardians.ts'
import { KEYS } from './keys.ts'
import { AGREEMENTS } from './meetings/agreements.ts'
import { CONTACTS } from './meetings/contacts.ts'
import { RECOVERIES } from './meetings/recoveries.ts'
import { RELAYS } from './meetings/relays.ts'
import { ENDED_NOTES } from './notes/ended-keys.ts'
import { NOTES } from './notes/notes.ts'
import { ORGANIZATION_ORDER } from './organization-order.ts'
import { ORGANIZATIONS } from './organizations.ts'
import { CAPSULES } from './provenance/capsules.ts'
import { COMMITMENTS } from './provenance/commitments.ts'
import { HASHED_FILES } from './provenance/files.ts'
import { CHECKED_SIGNATURES } from './provenance/signatures.ts'
import { RECEIPTS } from './receipts.ts'
import { RESOLUTION } from './resolution.ts'
import { SERVICE_KEYS } from './service-keys.ts'
import { SIMPLE } from './simple.ts'
import type { VerifyingMethod } from './situation.ts'
import { TRANSPARENCY } from './transparency.ts'
import { TRUSTED_LOGS } from './trusted-logs.ts'
import { WATCH } from './watch.ts'

/** Every public method that verifies. The page on verification has the same table. */
export const LIES: readonly VerifyingMethod[] = [
  ...CHAIN,
  ...WATCH,
  ...EVENTS,
  ...KEYS,
  ...DEVICES,
  ...RELAYS,
  ...CONTACTS,
  ...AGREEMENTS,
  ...RECOVERIES,
  ...SIMPLE,
  ...RECEIPTS,
  ...SERVICE_KEYS,
  ...RESOLUTION,
  ...NOTES,
  ...ENDED_NOTES,
  ...ORGANIZATIONS,
  ...ORGANIZATION_ORDER,
  ...ASSETS,
  ...ANCHOR_RECORDS,
  ...ANCHOR_BUNDLES,
  ...COSIGNED_ANCHORS,
  ...ANCHOR_LOG,
  ...TRUSTED_LOGS,
  ...TRANSPARENCY,
  ...AUDITOR,
  ...ANCHOR_AUDITOR,
  ...LISTINGS,
  ...RESERVATIONS,
  ...GUARDIANS,
  ...CONSENT_RECORDS,
  ...CONSENT_HISTORY,
  ...CONSENT_SNAPSHOT,
  ...CAPSULES,
  ...COMMITMENTS,
  ...HASHED_FILES,
  ...CHECKED_SIGNATURES,
]
