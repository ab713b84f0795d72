import type * as z from 'zod'
import type { Capabilities, healthDataSchema } from '#protocol/http/discovery'
import type { NoteHeader, PreparedHeader } from '#protocol/notes/headers'
import type { VerifyRequest } from '#protocol/provenance/verification'
import { checkCall } from '../arguments/check.ts'
import { METHODS } from '../arguments/methods.ts'
import type { Chain } from '../chain/chain.ts'
import type { Security } from '../chain/hold.ts'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Rotation } from '../chain/rotation.ts'
import { type ClientOptions, withoutIdentity } from '../client-options.ts'
import type { Consent } from '../consent/consent.ts'
import type { Devices } from '../devices/devices.ts'
import type { Authorization, Pairing } from '../devices/relays.ts'
import type { Did } from '../did/did.ts'
import type { Members } from '../did/members.ts'
import type { Membership } from '../did/membership.ts'
import type { Organization } from '../did/organization.ts'
import type { Events } from '../events/events.ts'
import type { Account } from '../identity/account.ts'
import type { Contact } from '../inbox/contact.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { KeyDirectory } from '../keys/directory.ts'
import type { Epochs } from '../keys/epochs.ts'
import type { Guardians } from '../keys/guardians.ts'
import type { Transparency } from '../keys/transparency.ts'
import type { Anchors } from '../ledger/anchors.ts'
import type { Assets } from '../ledger/assets.ts'
import type { Governance } from '../ledger/governance.ts'
import type { Memory } from '../memory/memory.ts'
import type { Notes } from '../notes/notes.ts'
import type { Entitlements } from '../pay/entitlements.ts'
import type { Pay } from '../pay/pay.ts'
import type { Quota } from '../pay/quota.ts'
import type { Provenance } from '../provenance/provenance.ts'
import type { Recovery } from '../recovery/recovery.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import type { Watch } from '../watch/watch.ts'
import { lazy } from './lazy.ts'
import type { Lazy } from './lazy-service.ts'
import { once } from './once.ts'
import { Services } from './services.ts'

/** The parts of the platform that a client reaches. The code of each is loaded with its first call. */
export class ClientServices {
  // As results: see `safely`.
  readonly safeVerifySignature = safeTwin(this, 'verifySignature')
  readonly safePrepareHeader = safeTwin(this, 'prepareHeader')

  /** What this client has seen and signed, which no service can take back. Export it for the next client. */
  readonly memory: Memory
  readonly did: Lazy<Did>
  /** Verified root keys of any identity. Needs no credential. */
  readonly keyHistory: Lazy<KeyHistory>
  /** Adds another device, from either side. The new device needs no identity for it. */
  readonly pairing: Lazy<Pairing>
  /** Authorizes another device through the relay, from either side. */
  readonly authorization: Lazy<Authorization>
  /** Licence and pins. Redeeming a code and reading content need no identity. */
  readonly account: Lazy<Account>
  /** Roots in the anchor log. Reading and verifying need no identity. */
  readonly anchors: Lazy<Anchors>
  /** Memberships in organizations. Verifying, and reading officers, need no identity. */
  readonly membership: Lazy<Membership>
  /** Messages to the owner of an asset. Needs no identity. */
  readonly contact: Lazy<Contact>
  /** Watch tokens, pending rotations and device changes. Looking with a token needs no identity. */
  readonly watch: Lazy<Watch>
  readonly #identified: Pick<ClientOptions, 'identity' | 'device'>
  readonly #services: Services
  readonly #made = new Map<keyof Services, object>()

  constructor(transport: Transport, memory: Memory, options: ClientOptions) {
    this.#identified = options
    this.memory = memory
    this.#services = new Services({ transport, memory, options })
    this.did = this.#lazy('did')
    this.keyHistory = this.#lazy('keyHistory')
    this.pairing = this.#lazy('pairing')
    this.authorization = this.#lazy('authorization')
    this.account = this.#lazy('account')
    this.anchors = this.#lazy('anchors')
    this.membership = this.#lazy('membership')
    this.contact = this.#lazy('contact')
    this.watch = this.#lazy('watch')
  }

  /** The chain of this client's identity. Like the getters below, throws a `ConfigurationError` without an identity. */
  get chain(): Lazy<Chain> {
    return this.#mine('chain')
  }

  /** Security hold and deactivation of this client's identity. */
  get security(): Lazy<Security> {
    return this.#mine('security')
  }

  /** What happened to this client's identity at core. */
  get events(): Lazy<Events> {
    return this.#mine('events')
  }

  /** Replaces the root key of this client's identity. */
  get rotation(): Lazy<Rotation> {
    return this.#mine('rotation')
  }

  /**
   * Recovers an identity, not necessarily this client's, with what `identity.prepareRecovery` kept. Needs a credential of
   * any identity or device to send.
   */
  recovery(kept: unknown): Lazy<Recovery> {
    checkCall('client.recovery', [kept], ['kept'])
    return lazy(
      'recovery',
      METHODS.recovery,
      once(() => this.#services.recovery(kept)),
    )
  }

  /** The devices of this client's identity. */
  get devices(): Lazy<Devices> {
    return this.#mine('devices')
  }

  /** Assets that this client's identity minted or owns. A device reads them; the root key mints and transfers. */
  get assets(): Lazy<Assets> {
    return this.#mine('assets')
  }

  /** Messages to this client's identity. */
  get inbox(): Lazy<Inbox> {
    return this.#mine('inbox')
  }

  /** The encrypted notes of this client's identity. */
  get notes(): Lazy<Notes> {
    return this.#mine('notes')
  }

  /** What machines may do with content. Reading needs no identity. */
  get consent(): Lazy<Consent> {
    return this.#at('consent', 'consent')
  }

  /** Offers and payments. Reading offers needs no identity. */
  get pay(): Lazy<Pay> {
    return this.#at('pay', 'pay')
  }

  /** The tier of this client's identity. */
  get entitlement(): Lazy<Entitlements> {
    return this.#at('pay', 'entitlement')
  }

  /** Metered use of this client's identity. */
  get quota(): Lazy<Quota> {
    this.#services.originOf('pay')
    return this.#mine('quota')
  }

  /** Device packages and prekeys of this identity and others. */
  get keyDirectory(): Lazy<KeyDirectory> {
    this.#services.originOf('keys')
    return this.#mine('keyDirectory')
  }

  /** Requests attestations from guardians, and attests as one. */
  get guardians(): Lazy<Guardians> {
    this.#services.originOf('keys')
    return this.#mine('guardians')
  }

  /** Epochs of the key directory. */
  get epochs(): Lazy<Epochs> {
    this.#services.originOf('keys')
    return this.#mine('epochs')
  }

  /** The log of everything the key directory published. Needs no identity. */
  get transparency(): Lazy<Transparency> {
    return this.#at('keys', 'transparency')
  }

  /** Capsules, commitments, proofs and verification. Reading and verifying need no identity. */
  get provenance(): Lazy<Provenance> {
    return this.#at('provenance', 'provenance')
  }

  /** Governance policies of the deployment. */
  get governance(): Lazy<Governance> {
    return this.#mine('governance')
  }

  /** This client's identity as an organization, or as an officer. */
  get organization(): Lazy<Organization> {
    return this.#rooted('organization', 'Organizations and officers act with their root keys')
  }

  /** Members of the organization that this client's identity is, or is an officer of. */
  get members(): Lazy<Members> {
    return this.#mine('members')
  }

  /** The same object each time, so that what a service remembers lasts. */
  #lazy<Name extends Exclude<keyof Services, 'recovery' | 'originOf'>>(name: Name) {
    type Service = Awaited<ReturnType<Services[Name]>>
    const load = this.#services[name] as () => Promise<Service>
    const made = this.#made.get(name) ?? lazy<Service>(name === 'deployment' ? 'client' : name, METHODS[name], load)
    this.#made.set(name, made)
    return made as Lazy<Service>
  }

  #mine<Name extends Exclude<keyof Services, 'recovery' | 'originOf'>>(name: Name) {
    const { identity, device } = this.#identified
    if (!identity && !device) throw withoutIdentity()
    return this.#lazy(name)
  }

  #rooted<Name extends 'organization'>(name: Name, otherwise: string) {
    const service = this.#mine(name)
    if (!this.#identified.identity) throw new ConfigurationError('identity', otherwise)
    return service
  }

  #at<Name extends Exclude<keyof Services, 'recovery' | 'originOf'>>(
    origin: Parameters<Services['originOf']>[0],
    name: Name,
  ) {
    this.#services.originOf(origin)
    return this.#lazy(name)
  }

  /** Liveness of core; does not prove readiness. */
  health(): Promise<z.output<typeof healthDataSchema>> {
    return this.#lazy('deployment').health()
  }

  /** What this deployment of core supports. */
  capabilities(): Promise<Capabilities> {
    return this.#lazy('deployment').capabilities()
  }

  /**
   * Asks core whether a signature verifies, and throws a `VerificationError` if not. Prefer to verify locally:
   * `mlDsa65.verify` gives the same answer without trusting anyone.
   */
  verifySignature(request: VerifyRequest): Promise<void> {
    return this.#lazy('deployment').verifySignature(request)
  }

  /**
   * The canonical header and its digest, as computed by core. `header.userId` must be this identity's. Throws if the
   * answer differs from the local `prepareHeader`.
   */
  prepareHeader(header: NoteHeader): Promise<PreparedHeader> {
    return this.#lazy('deployment').prepareHeader(header)
  }
}
