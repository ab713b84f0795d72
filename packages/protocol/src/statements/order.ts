/**
 * How each statement of a root key or a device is placed in the history of its signer
 * (workers/docs/pages/developer/statements.md, “Order”). The table of the page is generated from this file.
 *
 * @module
 */
import { pure } from '../base/pure.ts'
import type { OwnedStatement } from './owned.ts'

/**
 * The place that a statement names itself.
 *
 * - `inception`: the newest event of the signer's inception log that the signer knew.
 * - `event`: the statement is an event of that log, and names the event before it as `previousHash`.
 * - `fixed`: none. The statement is rebuilt from a record whose format is fixed and has no member for it.
 */
export type NamedPlace = 'inception' | 'event' | 'fixed'

export interface StatementOrder {
  readonly names: NamedPlace
  /** What follows the statement and proves that it is older than the end of its key. Text of the table. */
  readonly follows: string
}

const CARRIED = 'the event that carries it'
const UPDATES = 'the updates of the account in the [log of the key directory](/developer/keys#the-log)'
const NEXT_EVENT = 'the next event of the inception log'
const ASSET = 'the export of the [asset](/developer/assets), which lists every event'
const ONCE = 'nothing: core executes it on receipt or not at all'
const RECORD = `the record of the [rotation](/developer/rotation), or ${UPDATES}`

/** Lists every kind: a kind without an entry does not compile. */
export const STATEMENT_ORDER: Readonly<Record<OwnedStatement, StatementOrder>> = /* @__PURE__ */ pure(() => ({
  'svc/anchor-submission/v1': { names: 'fixed', follows: 'the [anchor log](/developer/anchors), which records it' },
  'svc/asset-mint/v1': { names: 'fixed', follows: ASSET },
  'svc/asset-transfer/v1': { names: 'fixed', follows: ASSET },
  'svc/capsule/v1': {
    names: 'inception',
    follows: 'a block of the owner’s [chain](/developer/chain) that commits to it (`block`)',
  },
  'svc/delivery/v1': { names: 'inception', follows: 'nothing: the device accepts it for ten minutes' },
  'svc/device-acceptance/v1': { names: 'inception', follows: CARRIED },
  'svc/device-agreement/v1': { names: 'inception', follows: CARRIED },
  'svc/device-attestation/v1': { names: 'event', follows: NEXT_EVENT },
  'svc/device-credential/v1': { names: 'inception', follows: UPDATES },
  'svc/device-event/v1': { names: 'event', follows: NEXT_EVENT },
  'svc/did-deactivate/v1': { names: 'inception', follows: UPDATES },
  'svc/governance-policy/v1': { names: 'fixed', follows: 'the policy that names it as `previousPolicyId`' },
  'svc/guardian-attestation/v1': {
    names: 'inception',
    follows: 'nothing: the directory records when it accepted it (`attestedAt`), and this time decides',
  },
  'svc/guardian-request/v1': { names: 'inception', follows: 'an attestation of a guardian, which names its hash' },
  'svc/key-agreement/v1': {
    names: 'inception',
    follows: `${UPDATES}, whose [map](/developer/keys#the-map-of-accounts) proves which one is the newest`,
  },
  'svc/key-package/v1': { names: 'inception', follows: 'the credential, which names its hash and no older event' },
  'svc/message/v1': { names: 'inception', follows: 'the place that its reader stored (`followedAt`)' },
  'svc/note-gc/v1': { names: 'inception', follows: ONCE },
  'svc/note-rebuild/v1': { names: 'inception', follows: ONCE },
  'svc/note/v2': {
    names: 'inception',
    follows: 'a later version of the note, the memory of its reader, or the log of the vault',
  },
  'svc/officer-acceptance/v1': { names: 'inception', follows: CARRIED },
  'svc/org-acceptance/v1': {
    names: 'inception',
    follows: 'the event that carries it, with the time at which the service accepted this event (`acceptedAt`)',
  },
  'svc/org-binding/v1': {
    names: 'inception',
    follows:
      'the next event of the [bindings](/developer/organizations), which names it, or the time at which the service ' +
      'accepted it (`acceptedAt`)',
  },
  'svc/org-inception/v1': { names: 'event', follows: NEXT_EVENT },
  'svc/org-officers/v1': { names: 'event', follows: NEXT_EVENT },
  'svc/package-revocation/v1': { names: 'inception', follows: UPDATES },
  'svc/prekey-batch/v1': {
    names: 'inception',
    follows: 'nothing: it ends with its credential, and the directory asks core whether the device is active',
  },
  'svc/rotation-cancel/v1': { names: 'inception', follows: RECORD },
  'svc/rotation-cosign/v1': { names: 'inception', follows: RECORD },
  'svc/rotation-freeze/v1': { names: 'inception', follows: RECORD },
  'svc/rotation-rehearsal/v1': { names: 'inception', follows: ONCE },
  'svc/rotation-request/v1': { names: 'inception', follows: RECORD },
}))
