import type { VerifiedAssertion } from '@svc/assertion'
import type { KnownInception } from '@svc/protocol/base/inception-head'
import type { Result } from '@svc/protocol/base/result'
import type {
  DeviceConfirmed,
  InceptionAppended,
  InceptionEvents,
  InceptionHeadAnswer,
} from '@svc/protocol/devices/api'
import type { InceptionEvent, RotateOfficers } from '@svc/protocol/devices/inception'
import type { Refused, WriteAuthority } from '../identity/transaction.ts'
import { RotationObject } from '../rotation/object.ts'
import type { InceptionRefusal } from './judging.ts'
import {
  type AgreeingKeys,
  type DeviceReading,
  InceptionTransaction,
  type OffererReading,
  type SignerReading,
  type StandingRoster,
} from './transaction.ts'

/** The part of an identity's object that is its inception log: its devices and officers. */
export abstract class InceptionObject extends RotationObject {
  readonly #inception: InceptionTransaction

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#inception = new InceptionTransaction(this.transaction)
  }

  inceptionHead(
    assertion: VerifiedAssertion,
    scope: string,
  ): Result<InceptionHeadAnswer, Refused | { reason: 'owner_mismatch' }> {
    return this.#inception.head(assertion, scope)
  }

  inceptionEvents(assertion: VerifiedAssertion, from: number): Result<InceptionEvents, Refused> {
    return this.#inception.events(assertion, from)
  }

  checkInception(
    authority: WriteAuthority,
    events: readonly InceptionEvent[],
  ): Result<AgreeingKeys, Refused | InceptionRefusal> {
    return this.#inception.check(authority, events)
  }

  confirmDevice(assertion: VerifiedAssertion): Result<DeviceConfirmed, Refused | { reason: 'no_such_device' }> {
    return this.#inception.confirm(assertion)
  }

  appendInception(
    authority: WriteAuthority,
    events: readonly InceptionEvent[],
  ): Result<InceptionAppended, Refused | InceptionRefusal> {
    return this.#inception.append(authority, events)
  }

  rotateOfficers(
    event: RotateOfficers,
    signerUserId: string,
  ): Result<InceptionAppended, InceptionRefusal | { reason: 'not_found' | 'invalid_signature' }> {
    return this.#inception.rotateOfficers(event, signerUserId)
  }

  roster(
    wanted: { readonly version: number | null; readonly at: number | null },
    withEvent: boolean,
  ): StandingRoster | null {
    return this.#inception.roster(wanted, withEvent)
  }

  /** Returns this identity for a statement that it has signed elsewhere; null if it does not exist. */
  signer(named: KnownInception): SignerReading | null {
    return this.#inception.signer(named)
  }

  /** Returns what a joining device has to know of this identity; null if it does not exist. */
  offerer(): OffererReading | null {
    return this.#inception.offerer()
  }

  device(deviceId: string): DeviceReading | null {
    return this.#inception.device(deviceId)
  }

  /** Devices of the current and the previous epoch: all that a cache may hold. */
  deviceIds(): string[] {
    return this.transaction.deviceIds()
  }
}
