import type { Fault } from '../fault.ts'
import { ANCHOR_BUNDLE_FAULTS } from './anchor-bundles.ts'
import { ASSERTION_FAULTS } from './assertions.ts'
import { AUTH_FAULTS } from './auth.ts'
import { BUDGET_FAULTS } from './budgets.ts'
import { ANSWER_FAULTS } from './clients/answers.ts'
import { COMMAND_LINE_FAULTS } from './clients/command-line.ts'
import { CONSOLE_FAULTS } from './clients/console.ts'
import { EDGE_FAULTS } from './clients/edges.ts'
import { ENCRYPTION_FAULTS } from './clients/encryption.ts'
import { KEEPING_FAULTS } from './clients/keeping.ts'
import { SHEET_FAULTS } from './clients/sheets.ts'
import { CONSENT_FAULTS } from './consent.ts'
import { DID_FAULTS } from './did.ts'
import { FINGERPRINT_FAULTS } from './fingerprint.ts'
import { HOOK_FAULTS } from './hooks.ts'
import { IDENTITY_FAULTS } from './identity.ts'
import { KEYS_FAULTS } from './keys.ts'
import { LEDGER_FAULTS } from './ledger.ts'
import { LIMIT_FAULTS } from './limits.ts'
import { LOG_FAULTS } from './log.ts'
import { MESSAGING_FAULTS } from './messaging.ts'
import { NOTES_FAULTS } from './notes.ts'
import { OBJECTS_FAULTS } from './objects.ts'
import { OPERATIONS_FAULTS } from './operations.ts'
import { ENDED_KEY_FAULTS } from './order/ended-keys.ts'
import { KEY_AGREEMENT_FAULTS } from './order/key-agreements.ts'
import { LOCK_OUT_FAULTS } from './order/lock-outs.ts'
import { NAMED_EVENT_FAULTS } from './order/named-events.ts'
import { PAY_FAULTS } from './pay.ts'
import { PROTOCOL_FAULTS } from './protocol.ts'
import { PROVENANCE_FAULTS } from './provenance.ts'
import { REQUEST_FAULTS } from './requests.ts'
import { STRANGER_FAULTS } from './strangers.ts'
import { REPLACEMENT_FAULTS } from './theft/replacement.ts'
import { SUCCESSION_FAULTS } from './theft/succession.ts'
import { WATCH_FAULTS } from './theft/watch.ts'
import { TRUST_FAULTS } from './trust.ts'

export const FAULTS: readonly Fault[] = [
  ...REQUEST_FAULTS,
  ...LIMIT_FAULTS,
  ...BUDGET_FAULTS,
  ...STRANGER_FAULTS,
  ...TRUST_FAULTS,
  ...ASSERTION_FAULTS,
  ...HOOK_FAULTS,
  ...IDENTITY_FAULTS,
  ...NOTES_FAULTS,
  ...ENCRYPTION_FAULTS,
  ...LOG_FAULTS,
  ...MESSAGING_FAULTS,
  ...LEDGER_FAULTS,
  ...ANCHOR_BUNDLE_FAULTS,
  ...CONSENT_FAULTS,
  ...PROVENANCE_FAULTS,
  ...DID_FAULTS,
  ...KEYS_FAULTS,
  ...AUTH_FAULTS,
  ...ENDED_KEY_FAULTS,
  ...NAMED_EVENT_FAULTS,
  ...KEY_AGREEMENT_FAULTS,
  ...LOCK_OUT_FAULTS,
  ...REPLACEMENT_FAULTS,
  ...SUCCESSION_FAULTS,
  ...WATCH_FAULTS,
  ...PAY_FAULTS,
  ...OBJECTS_FAULTS,
  ...PROTOCOL_FAULTS,
  ...ANSWER_FAULTS,
  ...KEEPING_FAULTS,
  ...SHEET_FAULTS,
  ...COMMAND_LINE_FAULTS,
  ...EDGE_FAULTS,
  ...CONSOLE_FAULTS,
  ...FINGERPRINT_FAULTS,
  ...OPERATIONS_FAULTS,
]
