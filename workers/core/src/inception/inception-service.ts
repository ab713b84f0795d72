import type { SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import { bytesOf } from '@svc/protocol/base64url'
import { userIdOfKey } from '@svc/protocol/identity'
import { type InceptionEvent, type InceptOrg, isAttestation, type RotateOfficers } from '@svc/protocol/inception'
import type { InceptionAppended, InceptionEvents, InceptionHeadAnswer } from '@svc/protocol/inception-api'
import { verifyEventSignatures } from '@svc/protocol/inception-verifier'
import type { OfficersRecord } from '@svc/protocol/internal'
import { err, ok, type Result } from '@svc/protocol/result'
import type { Alias } from '../identity/identity.ts'
import type { IdentityService } from '../identity/identity-service.ts'
import type { DeviceService } from './device-service.ts'
import type { InceptionRefusal } from './inception-session.ts'

/** What is wrong with an event before any storage decides about it. */
export type EventFault = { readonly reason: 'invalid_signature' | 'officer_unverifiable' | 'key_in_use' | 'not_found' }
export type AppendFailure = SpendRefusal | InceptionRefusal | EventFault

/** Appends to and reads of one caller's inception log. */
export class InceptionService {
  readonly #identities: IdentityService
  readonly #devices: DeviceService

  constructor(identities: IdentityService, devices: DeviceService) {
    this.#identities = identities
    this.#devices = devices
  }

  head(
    assertion: VerifiedAssertion,
    scope: string,
  ): Promise<Result<InceptionHeadAnswer, SpendRefusal | { reason: 'owner_mismatch' }>> {
    return this.#identities.act(assertion, async (object) => object.inceptionHead(assertion, scope))
  }

  events(assertion: VerifiedAssertion, from: number): Promise<Result<InceptionEvents, SpendRefusal>> {
    return this.#identities.act(assertion, async (object) => object.inceptionEvents(assertion, from))
  }

  /**
   * Devices and their events, in three steps: the assertion is spent and the events are judged, then their signatures are
   * verified and the attested keys reserved, each in its own object, then they are judged again and appended. A stranger
   * costs no verification; a crash in between leaves keys that only this identity can use.
   */
  async append(
    assertion: VerifiedAssertion,
    events: readonly InceptionEvent[],
  ): Promise<Result<InceptionAppended, AppendFailure>> {
    const checked = await this.#identities.act(assertion, async (object) => object.checkInception(assertion, events))
    if (!checked.ok) return checked
    const fault = (await this.#faultOf(events, assertion.publicKeyB64u)) ?? (await this.#reserve(events))
    return fault ? err(fault) : this.#commit(assertion, events)
  }

  /** Officers accept with the root keys of their own identities, which are asked. */
  async inceptOrg(assertion: VerifiedAssertion, event: InceptOrg): Promise<Result<InceptionAppended, AppendFailure>> {
    const checked = await this.#identities.act(assertion, async (object) => object.checkInception(assertion, [event]))
    if (!checked.ok) return checked
    const fault = (await this.#faultOf([event], assertion.publicKeyB64u)) ?? (await this.#officerFault(event))
    return fault ? err(fault) : this.#commit(assertion, [event])
  }

  /** All keys are looked at before the first is reserved: a batch that fails leaves none behind. */
  async #reserve(events: readonly InceptionEvent[]): Promise<EventFault | null> {
    const aliases = events.filter(isAttestation).map(({ statement }): Alias => {
      const { devicePublicKeyB64u, did, scope } = statement
      return { kind: 'device', userId: userIdOfKey(devicePublicKeyB64u), did, scope }
    })
    const standings = await Promise.all(aliases.map((alias) => this.#identities.isFree(alias)))
    if (standings.includes(false)) return { reason: 'key_in_use' }
    for (const alias of aliases) if (!(await this.#identities.reserve(alias))) return { reason: 'key_in_use' }
    return null
  }

  /** No assertion: the organization's key, a quorum of the outgoing officers and the incoming ones have all signed. */
  async rotateOfficers(event: RotateOfficers): Promise<Result<InceptionAppended, InceptionRefusal | EventFault>> {
    const { did } = event.statement
    const identity = await this.#identities.ask(did, async (object) => object.read())
    if (!identity || identity.deactivatedAt !== null) return err({ reason: 'not_found' })
    const { current } = identity
    // The organization's own signature is checked first, and the officers are looked up for nobody who lacks its key.
    if (!(await verifyEventSignatures(event, current.publicKey))) return err({ reason: 'invalid_signature' })
    const fault = await this.#officerFault(event)
    if (fault) return err(fault)
    return this.#identities.ask(did, async (object) => object.rotateOfficers(event, current.userId))
  }

  /** A roster of officers; null for what is no organization, or was none then. */
  async officers(
    did: string,
    wanted: { readonly version: number | null; readonly at: number | null },
    withEvent: boolean,
  ): Promise<OfficersRecord | null> {
    const reading = await this.#identities.ask(did, async (object) => object.roster(wanted, withEvent))
    if (!reading) return null
    const { identity, held, roster, since, until, event } = reading
    const { scope, deactivatedAt, current } = identity
    const standing = { deactivatedAt, rootEpoch: current.epoch, held }
    return { did, scope, ...roster, officers: [...roster.officers], since, until, ...standing, event }
  }

  async #commit(
    assertion: VerifiedAssertion,
    events: readonly InceptionEvent[],
  ): Promise<Result<InceptionAppended, AppendFailure>> {
    const appended = await this.#identities.act(assertion, async (object) =>
      object.appendInception({ spentBy: assertion }, events),
    )
    if (!appended.ok) return appended
    await this.#devices.forget(events.flatMap(({ statement }) => ('deviceId' in statement ? [statement.deviceId] : [])))
    return ok(appended.value)
  }

  async #faultOf(events: readonly InceptionEvent[], rootKeyB64u: string): Promise<EventFault | null> {
    const rootKey = bytesOf(rootKeyB64u)
    for (const event of events) {
      if (!(await verifyEventSignatures(event, rootKey))) return { reason: 'invalid_signature' }
    }
    return null
  }

  /** Every officer who signed did so with the root key that is current for that DID now. */
  async #officerFault(event: InceptOrg | RotateOfficers): Promise<EventFault | null> {
    const signers = [
      ...event.acceptances.map(({ statement, publicKeyB64u }) => ({ did: statement.officerDid, publicKeyB64u })),
      ...('approvals' in event ? event.approvals : []).map(({ officerDid: did, publicKeyB64u }) => ({
        did,
        publicKeyB64u,
      })),
    ]
    for (const { did, publicKeyB64u } of signers) {
      const officer = await this.#identities.ask(did, async (object) => object.read())
      const isCurrent = officer?.deactivatedAt === null && officer.current.userId === userIdOfKey(publicKeyB64u)
      if (!isCurrent) return { reason: 'officer_unverifiable' }
    }
    return null
  }
}
