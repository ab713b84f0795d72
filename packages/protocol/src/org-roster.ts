/**
 * Checks the binding log of an organization as it arrives, trusting nothing but the organization's DID and the evidence
 * for its root keys and those of its members; and folds it into the roster that is in force.
 *
 * @module
 */
import { bytesOf } from './base64url.ts'
import type { EpochKey } from './chain.ts'
import { didOf } from './identity.ts'
import {
  type BindingFault,
  EMPTY_ORG_HEAD,
  judgeBinding,
  type Member,
  type OrgEvent,
  type OrgHead,
  orgEventHash,
} from './org-bindings.ts'
import { err, ok, type Result } from './result.ts'
import { verifyStatement } from './statement.ts'

/** Whether the organization's root key signed the event, and the key that an acceptance carries signed that. */
async function verifyOrgEvent(event: OrgEvent, rootKey: Uint8Array): Promise<boolean> {
  const { acceptance } = event
  if (!(await verifyStatement(event, rootKey))) return false
  return !acceptance || verifyStatement(acceptance, bytesOf(acceptance.publicKeyB64u))
}

/** The members of one organization, folded event by event. What an event must be is the law’s to say. */
export class OrgRoster {
  readonly #members = new Map<string, Member>()
  /** Who holds a subject; entries of revoked bindings are gone. */
  readonly #holders = new Map<string, string>()
  readonly #orgDid: string
  readonly #orgScope: string
  #head: OrgHead = EMPTY_ORG_HEAD

  constructor(orgScope: string) {
    this.#orgScope = orgScope
    this.#orgDid = didOf(orgScope)
  }

  get head(): OrgHead {
    return this.#head
  }

  /** Everyone who was ever bound, by DID, as the log leaves them. */
  get members(): ReadonlyMap<string, Member> {
    return this.#members
  }

  /** Takes the next event under the root epoch that is in force, or says which rule it breaks. */
  apply(event: OrgEvent, epoch: number): Result<OrgHead, BindingFault> {
    const { memberDid, provider, subjectHash, sequence } = event.statement
    const before = this.#members.get(memberDid) ?? null
    const state = {
      orgDid: this.#orgDid,
      orgScope: this.#orgScope,
      epoch,
      head: this.#head,
      member: before,
      holder: this.#holders.get(subjectKey(provider, subjectHash)) ?? null,
    }
    const hash = orgEventHash(event)
    const judged = judgeBinding(state, event, hash)
    if (!judged.ok) return judged
    // What a revoked binding had may be another's by now.
    if (before && !before.isRevoked) this.#holders.delete(subjectKey(before.provider, before.subjectHash))
    const after = judged.value
    if (!after.isRevoked) this.#holders.set(subjectKey(after.provider, after.subjectHash), memberDid)
    this.#members.set(memberDid, after)
    this.#head = { sequence, hash }
    return ok(this.#head)
  }
}

const subjectKey = (provider = '', subjectHash = '') => `${provider} ${subjectHash}`

export type OrgLogFault =
  | BindingFault
  | { readonly reason: 'unknown_epoch' | 'invalid_signature' | 'acceptance_unverifiable' }

/** One instance verifies one log; after a fault, stop. */
export class OrgRosterVerifier {
  readonly roster: OrgRoster
  readonly #keys: readonly [EpochKey, ...EpochKey[]]
  readonly #keysOf: (memberDid: string) => Promise<readonly EpochKey[]>
  #epoch = 0

  /** `keys` come from `verifyKeyHistory`; `keysOf` gives the same of a member, whose acceptance is checked by them. */
  constructor(keys: readonly [EpochKey, ...EpochKey[]], keysOf: (memberDid: string) => Promise<readonly EpochKey[]>) {
    this.#keys = keys
    this.#keysOf = keysOf
    this.roster = new OrgRoster(keys[0].userId)
  }

  async next(event: OrgEvent): Promise<Result<OrgHead, OrgLogFault>> {
    const { rootEpoch, memberDid } = event.statement
    const key = this.#keys[rootEpoch]
    // A root key that was superseded signs nothing any more.
    if (!key || rootEpoch < this.#epoch) return err({ reason: 'unknown_epoch' })
    if (!(await verifyOrgEvent(event, bytesOf(key.publicKeyB64u)))) return err({ reason: 'invalid_signature' })
    if (event.acceptance) {
      const { publicKeyB64u } = event.acceptance
      const keys = await this.#keysOf(memberDid)
      if (!keys.some((known) => known.publicKeyB64u === publicKeyB64u))
        return err({ reason: 'acceptance_unverifiable' })
    }
    const applied = this.roster.apply(event, rootEpoch)
    if (applied.ok) this.#epoch = rootEpoch
    return applied
  }
}
