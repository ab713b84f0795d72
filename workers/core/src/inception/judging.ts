/** Judges whether events may be appended to an inception log: inside a transaction, before anything is written. */
import { ACCEPTANCE_SKEW_MS } from '@svc/protocol/base/device'
import type { InceptionHead } from '@svc/protocol/base/inception-head'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { InceptionAppended } from '@svc/protocol/devices/api'
import {
  type AttestDevice,
  type Device,
  eventHash,
  type InceptionEffect,
  type InceptionEvent,
  type InceptionFault,
  isAttestation,
  judge,
} from '@svc/protocol/devices/inception'
import type { IdentityRecord } from '../identity/rules.ts'
import type { IdentityTransaction } from '../identity/transaction.ts'
import type { BudgetRefusal } from '../storage/rules.ts'
import { isBackdated, isCounted, onceOf } from './event-facts.ts'
import type { DeviceStanding } from './standing.ts'

/** Every new key permanently uses an object of its own, hence this limit per 30 days, including revoked keys. */
const MAX_NEW_DEVICES = 64
const ATTESTATION_PERIOD_MS = 30 * 24 * 3_600_000

type AttestationFault = 'agreement_without_standing' | 'statement_expired' | 'statement_replay'

/** `appended` is the receipt of the same request if it was appended before, so that a retry can recognize it. */
export type InceptionRefusal =
  | BudgetRefusal
  | (InceptionFault & { readonly appended?: InceptionAppended | null })
  | { readonly reason: 'security_hold' | AttestationFault; readonly appended: InceptionAppended | null }

export interface JudgedEvent {
  readonly event: InceptionEvent
  readonly hash: string
  readonly effect: InceptionEffect
}

export class InceptionJudge {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
  }

  /** Returns the head of the log. The head of an empty log is the genesis block, which the first event follows. */
  head(): InceptionHead {
    return this.#transaction.inception.head() ?? { sequence: 0, hash: this.#genesisHash() }
  }

  /** Returns whether the log has an event with this hash at this number, or this genesis block at 0. */
  has({ sequence, hash }: InceptionHead): boolean {
    return hash === this.#hashAt(sequence, [])
  }

  /** Returns the effects of consecutive events, or the first rule that one of them violates. */
  all(
    identity: IdentityRecord,
    events: readonly InceptionEvent[],
    standing: DeviceStanding,
  ): Result<JudgedEvent[], InceptionRefusal> {
    const { inception, devices, identities } = this.#transaction
    const last = events.at(-1)
    const appended = () => (last ? inception.receipt(last) : null)
    if (identities.hold().held) return err({ reason: 'security_hold', appended: appended() })
    const { did, scope, current } = identity
    // Later events of this request see the effect of earlier ones; nobody else does until all of them are valid.
    const changed = new Map<string, Device>()
    let head = this.head()
    let roster = inception.roster()
    const judged: JudgedEvent[] = []
    const accepted = new Set<string>()
    for (const event of events) {
      const device = (deviceId: string) => changed.get(deviceId) ?? devices.find(deviceId)
      const countDevices = () => {
        const counted = new Map([
          ...devices.ofEpoch(current.epoch).map((one) => [one.deviceId, one] as const),
          ...changed,
        ])
        return [...counted.values()].filter((one) => one.rootEpoch === current.epoch && isCounted(one)).length
      }
      const newestEventOf = (deviceId: string) => this.#newestEventOf(deviceId, judged)
      const has = (named: InceptionHead) => named.hash === this.#hashAt(named.sequence, judged)
      const acceptedBefore = (officerDid: string) => inception.acceptedBefore(officerDid)
      const verdict = judge(
        { did, scope, epoch: current.epoch, head, roster, device, has, newestEventOf, acceptedBefore, countDevices },
        event,
      )
      // An acceptance that was used is older than its own attestation. The next lines name that fault better.
      const isOlder = !verdict.ok && verdict.error.reason === 'older_head'
      if (!verdict.ok && !isOlder) return err({ ...verdict.error, appended: appended() })
      const reason = isAttestation(event) ? this.#attestationFault(event, standing, accepted) : null
      if (reason) return err({ reason, appended: appended() })
      if (!verdict.ok) return err({ ...verdict.error, appended: appended() })
      if (isBackdated(event, Date.now())) return err({ reason: 'statement_expired', appended: appended() })
      const effect = verdict.value
      if (effect.kind === 'roster') roster = effect.roster
      else changed.set(effect.device.deviceId, effect.device)
      head = { sequence: event.statement.sequence, hash: eventHash(event) }
      judged.push({ event, hash: head.hash, effect })
    }
    const added = this.#newKeys([...changed.keys()])
    if (added.length > 0 && this.#recentKeys(current.epoch, added) + added.length > MAX_NEW_DEVICES)
      return err({ reason: 'device_limit', appended: appended() })
    return ok(judged)
  }

  /** Counts the keys that are about to be reserved. Call it with events that were judged. */
  countKeys({ current }: IdentityRecord, events: readonly InceptionEvent[], now: number): void {
    const added = this.#newKeys(events.filter(isAttestation).map(({ statement }) => statement.deviceId))
    const since = now - ATTESTATION_PERIOD_MS
    this.#transaction.reservedKeys.add(added, { epoch: current.epoch, now, since })
  }

  /** A key that is renewed, or attested again after a rotation, already has its object. */
  #newKeys(deviceIds: readonly string[]): string[] {
    return deviceIds.filter((deviceId) => !this.#transaction.devices.find(deviceId))
  }

  /** How many other keys took an object: those that were attested, and those that were reserved and nothing more. */
  #recentKeys(epoch: number, added: readonly string[]): number {
    const { devices, reservedKeys } = this.#transaction
    const since = Date.now() - ATTESTATION_PERIOD_MS
    const unused = this.#newKeys(reservedKeys.since(since, epoch)).filter((deviceId) => !added.includes(deviceId))
    return devices.addedSince(since, epoch) + unused.length
  }

  /**
   * Checks the agreement and the acceptance. An acceptance is valid for an hour and for one attestation, so a thief of the
   * root key cannot use an old acceptance to bring a device back. `accepted` has those of earlier events of the request.
   */
  #attestationFault(event: AttestDevice, standing: DeviceStanding, accepted: Set<string>): AttestationFault | null {
    if (!standing.isAgreedWithStanding(event)) return 'agreement_without_standing'
    const now = Date.now()
    const { hash, keepUntil, ...once } = onceOf(event)
    const { issuedAt } = event.acceptance.statement
    if (now >= keepUntil || issuedAt > now + ACCEPTANCE_SKEW_MS) return 'statement_expired'
    if (accepted.has(hash) || this.#transaction.isUsed({ hash, keepUntil, ...once }, now)) return 'statement_replay'
    accepted.add(hash)
    return null
  }

  /** Returns the sequence number of the newest event about a device, in the log or of this request. */
  #newestEventOf(deviceId: string, judged: readonly JudgedEvent[]): number | null {
    const earlier = judged.findLast(({ effect }) => effect.kind === 'device' && effect.device.deviceId === deviceId)
    return earlier?.event.statement.sequence ?? this.#transaction.devices.newestEventOf(deviceId)
  }

  /** Returns the hash of an event in the log or of this request. */
  #hashAt(sequence: number, judged: readonly JudgedEvent[]): string | null {
    if (sequence === 0) return this.#genesisHash()
    const earlier = judged.find(({ event }) => event.statement.sequence === sequence)
    return earlier?.hash ?? this.#transaction.inception.hashAt(sequence)
  }

  #genesisHash(): string {
    const genesis = this.#transaction.chain.at(0)
    if (!genesis) throw new Error('Identity without a genesis block')
    return genesis.hash
  }
}
