/**
 * Verifies the binding log of an organization incrementally, trusting only the organization's DID and the evidence for
 * its root keys and those of its members, and folds it into the current roster.
 *
 * @module
 */
import { bytesOf } from '../base/base64url.ts'
import { didOf } from '../base/identity.ts'
import type { Realms } from '../base/realm.ts'
import { err, ok, type Result } from '../base/result.ts'
import { verifyStatement } from '../base/statement.ts'
import type { EpochKey } from '../chain/chain.ts'
import {
  type BindingFault,
  EMPTY_ORG_HEAD,
  judgeBinding,
  type Member,
  type OrgEvent,
  type OrgHead,
  orgEventHash,
} from './org-bindings.ts'

/** Whether the organization's root key signed the event, and an acceptance is signed by the key it includes. */
async function verifyOrgEvent(event: OrgEvent, rootKey: Uint8Array, realms: Realms): Promise<boolean> {
  const { acceptance } = event
  if (!(await verifyStatement(event, rootKey, realms))) return false
  return !acceptance || verifyStatement(acceptance, bytesOf(acceptance.publicKeyB64u), realms)
}

/** The members of one organization, folded event by event. `judgeBinding` decides whether an event is valid. */
export class OrgRoster {
  readonly #members = new Map<string, Member>()
  /** Maps a subject to the member bound to it; revoked bindings are removed. */
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

  /** Everyone ever bound, by DID, in their current state. */
  get members(): ReadonlyMap<string, Member> {
    return this.#members
  }

  /** Applies the next event under the given root epoch, or returns the rule it violates. */
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
    // The subject of a revoked binding may belong to another member by now.
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

/** Use one instance per log. Stop after a fault. */
export class OrgRosterVerifier {
  readonly roster: OrgRoster
  readonly #keys: readonly [EpochKey, ...EpochKey[]]
  readonly #keysOf: (memberDid: string) => Promise<readonly EpochKey[]>
  readonly #realms: Realms
  #epoch = 0

  /** `keys` come from `verifyKeyHistory`; `keysOf` returns the same for a member, to verify its acceptance. */
  constructor(
    keys: readonly [EpochKey, ...EpochKey[]],
    keysOf: (memberDid: string) => Promise<readonly EpochKey[]>,
    expectedRealms: Realms,
  ) {
    this.#keys = keys
    this.#keysOf = keysOf
    this.#realms = expectedRealms
    this.roster = new OrgRoster(keys[0].userId)
  }

  async next(event: OrgEvent): Promise<Result<OrgHead, OrgLogFault>> {
    const { rootEpoch, memberDid } = event.statement
    const key = this.#keys[rootEpoch]
    // A superseded root key may no longer sign.
    if (!key || rootEpoch < this.#epoch) return err({ reason: 'unknown_epoch' })
    const isSigned = await verifyOrgEvent(event, bytesOf(key.publicKeyB64u), this.#realms)
    if (!isSigned) return err({ reason: 'invalid_signature' })
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
