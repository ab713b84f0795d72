/**
 * The inception log inside an identity's object: each method is one transaction. What an event may do is decided in
 * `@svc/protocol/devices/inception`; this file supplies the state and stores the outcome.
 *
 * @module
 */
import type { VerifiedAssertion } from '@svc/assertion'
import { ACCEPTANCE_SKEW_MS, ACCEPTANCE_VALIDITY_MS, type DeviceRecord } from '@svc/protocol/base/device'
import type { InceptionHead } from '@svc/protocol/base/inception-head'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { statementHash } from '@svc/protocol/base/statement'
import {
  type DeviceConfirmed,
  type InceptionAppended,
  type InceptionEvents,
  type InceptionHeadAnswer,
  MAX_PAGE_EVENTS,
} from '@svc/protocol/devices/api'
import {
  type AttestDevice,
  type Device,
  eventHash,
  type InceptionEffect,
  type InceptionEvent,
  type InceptionFault,
  isAttestation,
  judge,
  type RotateOfficers,
} from '@svc/protocol/devices/inception'
import type { EventKind } from '@svc/protocol/events/events'
import type { IdentityRecord } from '../identity/rules.ts'
import type { IdentityTransaction, OnceStatement, Refused, WriteAuthority } from '../identity/transaction.ts'
import { type BudgetRefusal, RECORD_BYTES, type Room } from '../storage/rules.ts'
import { recordOf } from './device-record.ts'
import type { RosterReading } from './store.ts'

/** Every new key permanently uses an object of its own, hence this limit per 30 days, including revoked keys. */
const MAX_NEW_DEVICES = 64
const ATTESTATION_PERIOD_MS = 30 * 24 * 3_600_000

/** `appended` is the receipt of this very request if it was appended before, so that a retry can tell. */
export type InceptionRefusal =
  | BudgetRefusal
  | (InceptionFault & { readonly appended?: InceptionAppended | null })
  | {
      readonly reason: 'security_hold' | 'statement_expired' | 'statement_replay'
      readonly appended: InceptionAppended | null
    }

interface Judged {
  readonly event: InceptionEvent
  readonly hash: string
  readonly effect: InceptionEffect
}

/** A roster and the current standing of its organization. */
export interface StandingRoster extends RosterReading {
  readonly identity: IdentityRecord
  readonly held: boolean
}

export interface DeviceReading {
  readonly record: DeviceRecord
  /** The statement signed by the root key and the device. Callers that rely on it must verify it. */
  readonly attestation: AttestDevice
  readonly deactivated: boolean
}

export class InceptionTransaction {
  readonly #transaction: IdentityTransaction

  constructor(transaction: IdentityTransaction) {
    this.#transaction = transaction
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
        return ok({ did, scope, ...this.#head(), rootEpoch: current.epoch, ...this.#transaction.pending() })
      },
    )
  }

  events(assertion: VerifiedAssertion, from: number): Result<InceptionEvents, Refused> {
    return this.#transaction.authorized(assertion, () => {
      const events = this.#transaction.inception.range(from, MAX_PAGE_EVENTS)
      const next = events[MAX_PAGE_EVENTS]?.statement.sequence ?? null
      const unconfirmed = this.#transaction.devices.unconfirmed()
      const page = { events: events.slice(0, MAX_PAGE_EVENTS), next, head: this.#head() }
      return ok({ ...page, ...(unconfirmed.length > 0 ? { unconfirmed } : {}), ...this.#transaction.pending() })
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

  /** Spends the assertion and checks whether the events could be appended now; reserves nothing. */
  check(assertion: VerifiedAssertion, events: readonly InceptionEvent[]): Result<void, Refused | InceptionRefusal> {
    return this.#transaction.authorized(assertion, (identity): Result<void, InceptionRefusal> => {
      const judged = this.#judgeAll(identity, events)
      return judged.ok ? ok(undefined) : judged
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
    const judged = this.#judgeAll(identity, events)
    if (!judged.ok) return judged
    const { inception, devices, storage } = this.#transaction
    const room = eventsRoom(events)
    // A device can always be revoked or suspended, whatever a thief has filled.
    const fault = events.every(isProtective) ? null : storage.fault(identity.did, room)
    if (fault) return err(fault)
    storage.countAnyway('devices', room)
    const acceptedAt = Date.now()
    for (const { event, hash, effect } of judged.value) {
      inception.append(event, hash, acceptedAt)
      if (isAttestation(event)) this.#transaction.use(onceOf(event), acceptedAt)
      if (effect.kind === 'roster') inception.putRoster(effect.roster, event.statement.sequence, acceptedAt)
      else {
        const by = { sequence: event.statement.sequence, isAttestation: isAttestation(event), wait: 'window' } as const
        devices.put(effect.device, by, acceptedAt)
        this.#transaction.events.add(deviceEventOf(event), effect.device.deviceId, acceptedAt)
        if (effect.device.status === 'revoked') this.#withdrawWatch(effect.device.deviceId, acceptedAt)
      }
    }
    const last = judged.value.at(-1)
    const head = { sequence: last?.event.statement.sequence ?? 0, hash: last?.hash ?? '' }
    return ok({ ...head, acceptedAt, ...this.#transaction.pending() })
  }

  #judgeAll(identity: IdentityRecord, events: readonly InceptionEvent[]): Result<Judged[], InceptionRefusal> {
    const { inception, devices, identities } = this.#transaction
    const last = events.at(-1)
    const appended = () => (last ? inception.receipt(last) : null)
    if (identities.hold().held) return err({ reason: 'security_hold', appended: appended() })
    const { did, scope, current } = identity
    // Later events of this request see the effect of earlier ones; nobody else does until all of them are valid.
    const changed = new Map<string, Device>()
    let head = this.#head()
    let roster = inception.roster()
    const judged: Judged[] = []
    const accepted = new Set<string>()
    for (const event of events) {
      const device = (deviceId: string) => changed.get(deviceId) ?? devices.find(deviceId)
      const countDevices = () => {
        const standing = new Map([
          ...devices.ofEpoch(current.epoch).map((one) => [one.deviceId, one] as const),
          ...changed,
        ])
        return [...standing.values()].filter((one) => one.rootEpoch === current.epoch && isCounted(one)).length
      }
      const verdict = judge({ did, scope, epoch: current.epoch, head, roster, device, countDevices }, event)
      if (!verdict.ok) return err({ ...verdict.error, appended: appended() })
      const reason = isAttestation(event) ? this.#acceptanceFault(event, accepted) : null
      if (reason) return err({ reason, appended: appended() })
      const effect = verdict.value
      if (effect.kind === 'roster') roster = effect.roster
      else changed.set(effect.device.deviceId, effect.device)
      head = { sequence: event.statement.sequence, hash: eventHash(event) }
      judged.push({ event, hash: head.hash, effect })
    }
    // A key that is renewed, or attested again after a rotation, already has its object.
    const added = [...changed.keys()].filter((deviceId) => !devices.find(deviceId)).length
    const recent = added === 0 ? 0 : devices.addedSince(Date.now() - ATTESTATION_PERIOD_MS)
    if (recent + added > MAX_NEW_DEVICES) return err({ reason: 'device_limit', appended: appended() })
    return ok(judged)
  }

  /**
   * A device's acceptance counts for an hour and for one attestation, so that a thief with the root key cannot bring back
   * a device by what it signed long ago. `accepted` are those of earlier events of the same request.
   */
  #acceptanceFault(event: AttestDevice, accepted: Set<string>): 'statement_expired' | 'statement_replay' | null {
    const now = Date.now()
    const { hash, keepUntil, ...once } = onceOf(event)
    const { issuedAt } = event.acceptance.statement
    if (now >= keepUntil || issuedAt > now + ACCEPTANCE_SKEW_MS) return 'statement_expired'
    if (accepted.has(hash) || this.#transaction.isUsed({ hash, keepUntil, ...once }, now)) return 'statement_replay'
    accepted.add(hash)
    return null
  }

  /** The device goes on looking while its standing can last. */
  #withdrawWatch(deviceId: string, now: number): void {
    this.#transaction.watch.withdraw(({ madeBy }) => madeBy === deviceId, now)
  }

  /** While the log is empty its head is the genesis block, which the first event follows. */
  #head(): InceptionHead {
    const head = this.#transaction.inception.head()
    if (head) return head
    const genesis = this.#transaction.chain.at(0)
    if (!genesis) throw new Error('Identity without a genesis block')
    return { sequence: 0, hash: genesis.hash }
  }
}

/** A device that ended unconfirmed makes room for another. */
function isCounted({ status, confirmBy }: Device): boolean {
  return status !== 'revoked' && (confirmBy === undefined || Date.now() < confirmBy)
}

const DEVICE_EVENTS = {
  revoke: 'device.revoked',
  suspend: 'device.suspended',
  resume: 'device.resumed',
  capabilities: 'device.changed',
} as const

function deviceEventOf({ statement }: InceptionEvent): EventKind {
  return 'event' in statement ? DEVICE_EVENTS[statement.event] : 'device.attested'
}

function isProtective({ statement }: InceptionEvent): boolean {
  return 'event' in statement && (statement.event === 'revoke' || statement.event === 'suspend')
}

function eventsRoom(events: readonly InceptionEvent[]): Room {
  const sizes = events.map((event) => JSON.stringify(event).length + RECORD_BYTES)
  return { bytes: sizes.reduce((sum, bytes) => sum + bytes, 0), rows: events.length }
}

function onceOf({ acceptance: { statement } }: AttestDevice): OnceStatement {
  return {
    signer: `acceptance:${statement.deviceId}`,
    hash: statementHash(statement),
    keepUntil: statement.issuedAt + ACCEPTANCE_VALIDITY_MS,
  }
}
