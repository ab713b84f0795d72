/**
 * The inception log inside an identity's object: each method is one transaction. What an event may do is decided in
 * `@svc/protocol/devices/inception`; this file supplies the state and stores the outcome.
 *
 * @module
 */
import type { VerifiedAssertion } from '@svc/assertion'
import type { DeviceRecord } from '@svc/protocol/base/device'
import type { InceptionHead, KnownInception } from '@svc/protocol/base/inception-head'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  type DeviceConfirmed,
  type InceptionAppended,
  type InceptionEvents,
  type InceptionHeadAnswer,
  MAX_PAGE_EVENTS,
} from '@svc/protocol/devices/api'
import {
  type AttestDevice,
  type InceptionEvent,
  isAttestation,
  type RotateOfficers,
} from '@svc/protocol/devices/inception'
import type { IdentityRecord } from '../identity/rules.ts'
import type { IdentityTransaction, Refused, WriteAuthority } from '../identity/transaction.ts'
import type { BudgetRefusal } from '../storage/rules.ts'
import { recordOf } from './device-record.ts'
import { deviceEventOf, eventsRoom, isProtective, onceOf } from './event-facts.ts'
import { InceptionJudge, type InceptionRefusal } from './judging.ts'
import { DeviceStanding } from './standing.ts'
import type { RosterReading } from './store.ts'

/** Keys of the devices that agree to attestations, by device id. */
export type AgreeingKeys = Readonly<Record<string, string>>

/** A roster and the current standing of its organization. */
export interface StandingRoster extends RosterReading {
  readonly identity: IdentityRecord
  readonly held: boolean
}

/** An identity and the newest event of its log, or its genesis block. */
export interface OffererReading {
  readonly identity: IdentityRecord
  readonly inception: InceptionHead
}

/** An identity that has signed a statement. */
export interface SignerReading {
  readonly identity: IdentityRecord
  /** Whether its log has the event that the statement names. True if it names none. */
  readonly hasNamed: boolean
}

export interface DeviceReading {
  readonly record: DeviceRecord
  /** The statement signed by the root key and the device. Callers that rely on it must verify it. */
  readonly attestation: AttestDevice
  readonly deactivated: boolean
}

export class InceptionTransaction {
  readonly #transaction: IdentityTransaction
  readonly #judge: InceptionJudge

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
    this.#judge = new InceptionJudge(transaction)
  }

  head(
    assertion: VerifiedAssertion,
    scope: string,
  ): Result<InceptionHeadAnswer, Refused | { reason: 'owner_mismatch' }> {
    return this.#transaction.authorized(
      assertion,
      (identity): Result<InceptionHeadAnswer, { reason: 'owner_mismatch' }> => {
        if (scope !== identity.scope) return err({ reason: 'owner_mismatch' })
        const { did, current } = identity
        return ok({ did, scope, ...this.#judge.head(), rootEpoch: current.epoch, ...this.#transaction.pending() })
      },
    )
  }

  events(assertion: VerifiedAssertion, from: number): Result<InceptionEvents, Refused> {
    return this.#transaction.authorized(assertion, (identity) => {
      const events = this.#transaction.inception.range(from, MAX_PAGE_EVENTS)
      const next = events[MAX_PAGE_EVENTS]?.statement.sequence ?? null
      const unconfirmed = this.#transaction.devices.unconfirmed()
      const waiting = this.#standing(identity, Date.now()).waiting()
      return ok({
        events: events.slice(0, MAX_PAGE_EVENTS),
        next,
        head: this.#judge.head(),
        ...(unconfirmed.length > 0 ? { unconfirmed } : {}),
        ...(waiting.length > 0 ? { waiting } : {}),
        ...this.#transaction.pending(),
      })
    })
  }

  /**
   * The calling device has stored its keys. A device that did not say so in time has ended, and its assertion is refused
   * like that of any expired one.
   */
  confirm(assertion: VerifiedAssertion): Result<DeviceConfirmed, Refused | { reason: 'no_such_device' }> {
    return this.#transaction.authorized(assertion, (): Result<DeviceConfirmed, { reason: 'no_such_device' }> => {
      const { devices } = this.#transaction
      const device = assertion.device && devices.find(assertion.device.deviceId)
      const attestation = device && devices.attestation(device.deviceId)
      if (!attestation || !isAttestation(attestation)) return err({ reason: 'no_such_device' })
      const { deviceId, confirmBy } = device
      if (confirmBy !== undefined) devices.confirm(deviceId, attestation.statement.expiresAt)
      return ok({ deviceId, confirmed: true })
    })
  }

  /**
   * Checks whether the events could be appended now, and counts the keys that they attest: what follows reserves those,
   * and nothing else.
   */
  check(
    authority: WriteAuthority,
    events: readonly InceptionEvent[],
  ): Result<AgreeingKeys, Refused | InceptionRefusal> {
    return this.#transaction.write(authority, (identity): Result<AgreeingKeys, InceptionRefusal> => {
      const now = Date.now()
      const judged = this.#judge.all(identity, events, this.#standing(identity, now))
      if (!judged.ok) return judged
      const fault = this.#roomFault(identity, events)
      if (fault) return err(fault)
      this.#judge.countKeys(identity, events, now)
      const { devices } = this.#transaction
      const agreeing = events.flatMap((event) => {
        const by = isAttestation(event) && event.agreement ? devices.find(event.agreement.statement.signedBy) : null
        return by ? [[by.deviceId, by.publicKeyB64u] as const] : []
      })
      return ok(Object.fromEntries(agreeing))
    })
  }

  /** All or nothing: each event follows the one before it, and one invalid event rejects all. */
  append(
    authority: WriteAuthority,
    events: readonly InceptionEvent[],
  ): Result<InceptionAppended, Refused | InceptionRefusal> {
    return this.#transaction.write(authority, (identity) => this.#append(identity, events))
  }

  /** A change of officers carries its own credentials; `signerUserId` is the root key that was verified. */
  rotateOfficers(
    event: RotateOfficers,
    signerUserId: string,
  ): Result<InceptionAppended, InceptionRefusal | { reason: 'not_found' | 'invalid_signature' }> {
    return this.#transaction.stored.transact(
      (): Result<InceptionAppended, InceptionRefusal | { reason: 'not_found' | 'invalid_signature' }> => {
        const identity = this.#transaction.read()
        if (!identity || identity.deactivatedAt !== null) return err({ reason: 'not_found' })
        if (identity.current.userId !== signerUserId) return err({ reason: 'invalid_signature' })
        return this.#append(identity, [event])
      },
    )
  }

  /** A roster of officers with the event that set it; null if there is no such roster. */
  roster(
    wanted: { readonly version: number | null; readonly at: number | null },
    withEvent: boolean,
  ): StandingRoster | null {
    const identity = this.#transaction.read()
    const reading = identity && this.#transaction.inception.rosterAt(wanted, withEvent)
    return reading && { ...reading, identity, held: this.#transaction.identities.hold().held }
  }

  /** Returns an identity, and whether its log has the event that a statement of it names. */
  signer(named: KnownInception): SignerReading | null {
    const identity = this.#transaction.read()
    return identity && { identity, hasNamed: named === null || this.#judge.has(named) }
  }

  offerer(): OffererReading | null {
    const identity = this.#transaction.read()
    return identity && { identity, inception: this.#judge.head() }
  }

  /** A device's current record with its signed attestation. */
  device(deviceId: string): DeviceReading | null {
    const { devices } = this.#transaction
    const identity = this.#transaction.read()
    const device = identity && devices.find(deviceId)
    const attestation = device && devices.attestation(deviceId)
    if (!attestation || !isAttestation(attestation)) return null
    return { record: recordOf(identity, device), attestation, deactivated: identity.deactivatedAt !== null }
  }

  #append(identity: IdentityRecord, events: readonly InceptionEvent[]): Result<InceptionAppended, InceptionRefusal> {
    const acceptedAt = Date.now()
    const standing = this.#standing(identity, acceptedAt)
    const judged = this.#judge.all(identity, events, standing)
    if (!judged.ok) return judged
    const fault = this.#roomFault(identity, events)
    if (fault) return err(fault)
    const { inception, devices, storage } = this.#transaction
    storage.countAnyway('devices', eventsRoom(events))
    for (const { event, hash, effect } of judged.value) {
      inception.append(event, hash, acceptedAt)
      if (isAttestation(event)) this.#transaction.use(onceOf(event), acceptedAt)
      if (effect.kind === 'roster') inception.putRoster(effect.roster, event.statement.sequence, acceptedAt)
      else {
        const { device } = effect
        const wait = standing.waitAfter(event, device)
        const { sequence } = event.statement
        devices.put(device, { sequence, isAttestation: isAttestation(event), wait }, acceptedAt)
        const { deviceId } = device
        const countsAt = standing.waiting().find((one) => one.deviceId === deviceId)?.countsAt
        const pendingUntil = Math.max(countsAt ?? 0, acceptedAt + this.#transaction.times().windowMs)
        this.#transaction.events.add(deviceEventOf(event), deviceId, acceptedAt, { countsAt, pendingUntil })
        if (device.status === 'revoked') this.#withdrawWatch(deviceId, acceptedAt)
      }
    }
    const last = judged.value.at(-1)
    const head = { sequence: last?.event.statement.sequence ?? 0, hash: last?.hash ?? '' }
    return ok({ ...head, acceptedAt, ...this.#transaction.pending() })
  }

  /** A device can always be revoked or suspended, whatever a thief has filled. */
  #roomFault({ did }: IdentityRecord, events: readonly InceptionEvent[]): BudgetRefusal | null {
    return events.every(isProtective) ? null : this.#transaction.storage.fault(did, eventsRoom(events))
  }

  #standing({ current }: IdentityRecord, now: number): DeviceStanding {
    const { devices, times } = this.#transaction
    return new DeviceStanding(devices, { epoch: current.epoch, now, times: times() })
  }

  /** Withdraws the tokens of a device. They work for as long as its standing can last. */
  #withdrawWatch(deviceId: string, now: number): void {
    this.#transaction.watch.withdraw(({ madeBy }) => madeBy === deviceId, now)
  }
}
