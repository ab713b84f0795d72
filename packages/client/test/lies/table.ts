import { ANCHORS } from './anchors.ts'
import { ASSETS } from './assets.ts'
import { AUDITOR } from './auditor.ts'
import { CHAIN } from './chain.ts'
import { CONSENT } from './consent.ts'
import { DEVICES } from './devices.ts'
import { DIRECTORY } from './directory.ts'
import { EVENTS } from './events.ts'
import { KEYS } from './keys.ts'
import { MEETINGS } from './meetings.ts'
import { NOTES } from './notes.ts'
import { ORGANIZATIONS } from './organizations.ts'
import { PROVENANCE } from './provenance.ts'
import { RECEIPTS } from './receipts.ts'
import { RESOLUTION } from './resolution.ts'
import { SIMPLE } from './simple.ts'
import type { VerifyingMethod } from './situation.ts'
import { TRANSPARENCY } from './transparency.ts'
import { TRUSTED_LOGS } from './trusted-logs.ts'

/** Every public method that verifies. The page on verification has the same table. */
export const LIES: readonly VerifyingMethod[] = [
  ...CHAIN,
  ...EVENTS,
  ...KEYS,
  ...DEVICES,
  ...MEETINGS,
  ...SIMPLE,
  ...RECEIPTS,
  ...RESOLUTION,
  ...NOTES,
  ...ORGANIZATIONS,
  ...ASSETS,
  ...ANCHORS,
  ...TRUSTED_LOGS,
  ...TRANSPARENCY,
  ...AUDITOR,
  ...DIRECTORY,
  ...CONSENT,
  ...PROVENANCE,
]
