/**
 * What places the statements of root keys and devices in the history of their signer
 * (workers/docs/pages/developer/statements.md, “Order”). The page has the table that is generated from this.
 *
 * @module
 */
import { pure } from '../base/pure.ts'
import type { OwnedStatement } from './owned.ts'

/**
 * What a statement says of its place itself.
 *
 * - `inception`: the newest event of the signer's inception log that the signer knew.
 * - `event`: it is an event of that log, and names the one before as `previousHash`.
 * - `fixed`: nothing, because the interface fixes the record that it is rebuilt from, and that has no such member.
 */
export type NamedPlace = 'inception' | 'event' | 'fixed'

export interface StatementOrder {
  readonly names: NamedPlace
  /** What follows it and tells that it is from before the end of its key, in the words of the page. */
  readonly follows: string
}

const CARRIED = 'the event that carries it'
const UPDATES = 'the updates of the account in the [log of the key directory](/developer/keys#the-log)'
const NEXT_EVENT = 'the next event of the inception log'
const ASSET = 'the export of the [asset](/developer/assets), which has every event'
const ONCE = 'nothing: core carries it out when it comes, or never'
const RECORD = `the record of the [rotation](/developer/rotation); ${UPDATES}`

/** Of each kind; without one of them it does not compile. */
export const STATEMENT_ORDER: Readonly<Record<OwnedStatement, StatementOrder>> = /* @__PURE__ */ pure(() => ({
  'svc/anchor-submission/v1': { names: 'fixed', follows: 'the [anchor log](/developer/anchors), which has its place' },
  'svc/asset-mint/v1': { names: 'fixed', follows: ASSET },
  'svc/asset-transfer/v1': { names: 'fixed', follows: ASSET },
  'svc/capsule/v1': {
    names: 'inception',
    follows: 'a block of the owner’s [chain](/developer/chain) that commits to it (`block`)',
  },
  'svc/delivery/v1': { names: 'inception', follows: 'nothing: the device takes it within ten minutes, or never' },
  'svc/device-acceptance/v1': { names: 'inception', follows: CARRIED },
  'svc/device-agreement/v1': { names: 'inception', follows: CARRIED },
  'svc/device-attestation/v1': { names: 'event', follows: NEXT_EVENT },
  'svc/device-credential/v1': { names: 'inception', follows: UPDATES },
  'svc/device-event/v1': { names: 'event', follows: NEXT_EVENT },
  'svc/did-deactivate/v1': { names: 'inception', follows: UPDATES },
  'svc/governance-policy/v1': { names: 'fixed', follows: 'the policy that names it as `previousPolicyId`' },
  'svc/guardian-attestation/v1': {
    names: 'inception',
    follows: 'nothing: the time decides at which the directory took it (`attestedAt`)',
  },
  'svc/guardian-request/v1': { names: 'inception', follows: 'an attestation of a guardian, which names its hash' },
  'svc/key-agreement/v1': { names: 'inception', follows: 'nothing: it ends with its root key' },
  'svc/key-package/v1': { names: 'inception', follows: 'the credential, which names its hash' },
  'svc/message/v1': { names: 'inception', follows: 'what its reader kept (`followedAt`)' },
  'svc/note-gc/v1': { names: 'inception', follows: ONCE },
  'svc/note-rebuild/v1': { names: 'inception', follows: ONCE },
  'svc/note/v2': {
    names: 'inception',
    follows: 'a later version of the note; the memory of its reader; the log of the vault',
  },
  'svc/officer-acceptance/v1': { names: 'inception', follows: CARRIED },
  'svc/org-acceptance/v1': { names: 'inception', follows: CARRIED },
  'svc/org-binding/v1': {
    names: 'inception',
    follows: 'the next event of the [bindings](/developer/organizations), which names it',
  },
  'svc/org-inception/v1': { names: 'event', follows: NEXT_EVENT },
  'svc/org-officers/v1': { names: 'event', follows: NEXT_EVENT },
  'svc/package-revocation/v1': { names: 'inception', follows: UPDATES },
  'svc/prekey-batch/v1': { names: 'inception', follows: 'nothing: it ends with its credential' },
  'svc/rotation-cancel/v1': { names: 'inception', follows: RECORD },
  'svc/rotation-cosign/v1': { names: 'inception', follows: RECORD },
  'svc/rotation-freeze/v1': { names: 'inception', follows: RECORD },
  'svc/rotation-rehearsal/v1': { names: 'inception', follows: ONCE },
  'svc/rotation-request/v1': { names: 'inception', follows: RECORD },
}))
