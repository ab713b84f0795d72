/**
 * Verifies the binding log of an organization incrementally, trusting only the organization's DID and the evidence for
 * its root keys and those of its members, and folds it into the current roster.
 *
 * @module
 */
import { bytesOf } from '../base/base64url.ts'
import { didOf } from '../base/identity.ts'
import type { KnownInception } from '../base/inception-head.ts'
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
  #inception: KnownInception = null

  constructor(orgScope: string) {
    this.#orgScope = orgScope
    this.#orgDid = didOf(orgScope)
  }

  get head(): OrgHead {
    return this.#head
  }

  /** The event of the organization's inception log that the newest event names. */
  get inception(): KnownInception {
    return this.#inception
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
      inception: this.#inception,
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
    this.#inception = event.statement.inception
    return ok(this.#head)
  }
}

const subjectKey = (provider = '', subjectHash = '') => `${provider} ${subjectHash}`

export type OrgLogFault =
  | BindingFault
  | { readonly reason: 'unknown_epoch' | 'invalid_signature' | 'acceptance_unverifiable' }

/** Where an acceptance is in the log, and which root key of the member signed it. */
export interface PlacedAcceptance {
  readonly epoch: number
  /** Of the event that carries it. */
  readonly sequence: number
}

/** Use one instance per log. Stop after a fault. */
export class OrgRosterVerifier {
  readonly roster: OrgRoster
  readonly #keys: readonly [EpochKey, ...EpochKey[]]
  readonly #keysOf: (memberDid: string) => Promise<readonly EpochKey[]>
  readonly #realms: Realms
  readonly #acceptances = new Map<string, PlacedAcceptance>()
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

  /** Root epoch of the key that signed the newest event; 0 for an empty log. */
  get epoch(): number {
    return this.#epoch
  }

  /** The newest acceptance of each member, by DID. */
  get acceptances(): ReadonlyMap<string, PlacedAcceptance> {
    return this.#acceptances
  }

  async next(event: OrgEvent): Promise<Result<OrgHead, OrgLogFault>> {
    const { rootEpoch, memberDid, sequence } = event.statement
    const key = this.#keys[rootEpoch]
    // A superseded root key may no longer sign.
    if (!key || rootEpoch < this.#epoch) return err({ reason: 'unknown_epoch' })
    const isSigned = await verifyOrgEvent(event, bytesOf(key.publicKeyB64u), this.#realms)
    if (!isSigned) return err({ reason: 'invalid_signature' })
    const accepting = await this.#acceptingKey(event)
    if (accepting === 'unknown') return err({ reason: 'acceptance_unverifiable' })
    const applied = this.roster.apply(event, rootEpoch)
    if (!applied.ok) return applied
    this.#epoch = rootEpoch
    if (accepting) this.#acceptances.set(memberDid, { epoch: accepting.epoch, sequence })
    return applied
  }

  /** Returns the member's root key that signed the acceptance. It cannot be one from before the newest acceptance's. */
  async #acceptingKey({ statement: { memberDid }, acceptance }: OrgEvent): Promise<EpochKey | null | 'unknown'> {
    if (!acceptance) return null
    const keys = await this.#keysOf(memberDid)
    const key = keys.find(({ publicKeyB64u }) => publicKeyB64u === acceptance.publicKeyB64u)
    const earliest = this.#acceptances.get(memberDid)?.epoch ?? 0
    return key && key.epoch >= earliest ? key : 'unknown'
  }
}
