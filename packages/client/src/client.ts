import type { Realms } from '@svc/protocol/base/realm'
import type { PendingChange } from '@svc/protocol/chain/pending'
import { type Capabilities, capabilitiesSchema, healthDataSchema } from '@svc/protocol/http/discovery'
import type { ServiceKeyName } from '@svc/protocol/http/service-keys'
import type { NoteHeader, PreparedHeader } from '@svc/protocol/notes/headers'
import type { VerifyRequest } from '@svc/protocol/provenance/verification'
import type * as z from 'zod'
import { Chain } from './chain/chain.ts'
import { Security } from './chain/hold.ts'
import { KeyHistory } from './chain/key-history.ts'
import { Rotation } from './chain/rotation.ts'
import { Consent } from './consent/consent.ts'
import { Devices } from './devices/devices.ts'
import { Authorization, Pairing } from './devices/rendezvous.ts'
import { Did } from './did/did.ts'
import { Members } from './did/members.ts'
import { Membership } from './did/membership.ts'
import { Organization } from './did/organization.ts'
import { addressesOf, type DiscoverOptions, type Discovery, discover } from './discovery/discover.ts'
import { trustedKeyOf, trustedKeys, trustedListOf } from './discovery/trusted-keys.ts'
import { Account } from './identity/account.ts'
import type { Device } from './identity/device.ts'
import { Identity } from './identity/identity.ts'
import { Contact } from './inbox/contact.ts'
import { Inbox } from './inbox/inbox.ts'
import { KeyDirectory } from './keys/directory.ts'
import { Epochs } from './keys/epochs.ts'
import { Guardians } from './keys/guardians.ts'
import { Transparency, type TransparencyOptions } from './keys/transparency.ts'
import { Anchors } from './ledger/anchors.ts'
import { type AppInfo, Assets } from './ledger/assets.ts'
import { Governance } from './ledger/governance.ts'
import { Memory } from './memory/memory.ts'
import type { MemoryValue } from './memory/memory-value.ts'
import { NoteKeys } from './notes/keys.ts'
import { Notes } from './notes/notes.ts'
import { Entitlements } from './pay/entitlements.ts'
import { Pay } from './pay/pay.ts'
import { Quota } from './pay/quota.ts'
import { Provenance } from './provenance/provenance.ts'
import { Recovery } from './recovery/recovery.ts'
import { Transport, type TransportOptions } from './transport/transport.ts'
import { askHeader, askSignature } from './verification/ask-core.ts'
import { safeTwin } from './verification/safe.ts'

export interface ClientOptions extends Omit<TransportOptions, 'realm'> {
  /** The deployment that statements are signed for; default: the origin of `core`. */
  readonly realm?: string
  /** Origins of the services, without a trailing slash: `https://core.example`. */
  readonly core: string
  readonly did: string
  /** Origin of pay. Without it, payments, entitlements and quota throw a TypeError. */
  readonly pay?: string
  /** Origin of the key directory. Without it, `keyDirectory` and `transparency` throw a TypeError. */
  readonly keys?: string
  /** The keys of the signed list of logs, from another source. Otherwise those that `discovery` pins, or the first seen. */
  readonly logListKeys?: TransparencyOptions['listKeys']
  /** Origin of provenance. Without it, `provenance` throws a TypeError. */
  readonly provenance?: string
  /** Origin of consent. Without it, `consent` throws a TypeError. */
  readonly consent?: string
  /** Consent's snapshot key, base64url. `consent.snapshotKey()` fetches it; store it. */
  readonly consentKeyB64u?: string
  /** Without an identity or a device, you can call only what needs no credential. */
  readonly identity?: Identity
  /** A device of an identity; it can do what its capabilities allow. */
  readonly device?: Device
  /** The identity with earlier keys, to open what was encrypted to them. */
  readonly former?: readonly Identity[]
  /**
   * The key that signs resolution results, base64url. `did.resolverKey()` fetches it; store it. If set, results
   * without a valid proof are rejected.
   */
  readonly resolverKey?: string
  /** Core's key for deletion receipts and export manifests, from another source; capabilities name it. */
  readonly receiptKeyB64u?: string
  /** What `discover` found. `Client.connect` passes it; its keys verify what services sign. */
  readonly discovery?: Discovery
  /** The software that creates records, as named in their headers. */
  readonly app?: AppInfo
  /** What an earlier client remembered: the result of `client.memory.export()`. */
  readonly memory?: MemoryValue
}

/** The options of a client that finds its services by itself. */
export type ConnectOptions = DiscoverOptions &
  Omit<ClientOptions, 'did' | 'pay' | 'keys' | 'provenance' | 'consent' | 'discovery'>

const DEFAULT_APP: AppInfo = { name: 'svc-client', version: '0.1.0' }

/** The platform as seen by one identity or one of its devices. Methods create the credentials that their calls need. */
export class Client {
  // As results: see `safely`.
  readonly safeVerifySignature = safeTwin(this, 'verifySignature')
  readonly safePrepareHeader = safeTwin(this, 'prepareHeader')

  readonly did: Did
  /** What this client has seen and signed, which no service can take back. Export it for the next client. */
  readonly memory: Memory
  /** Verified root keys of any identity. Needs no credential. */
  readonly keyHistory: KeyHistory
  /** Adds another device, from either side. The new device needs no identity for it. */
  readonly pairing: Pairing
  /** Licence and pins. Redeeming a code and reading content need no identity. */
  readonly account: Account
  /** Roots in the anchor log. Reading and verifying need no identity. */
  readonly anchors: Anchors
  /** Memberships in organizations. Verifying, and reading officers, need no identity. */
  readonly membership: Membership
  /** Messages to the owner of an asset. Needs no identity. */
  readonly contact: Contact
  /** Authorizes another device through the relay, from either side. */
  readonly authorization: Authorization
  readonly #options: ClientOptions
  readonly #transport: Transport
  readonly #owned: Owned | undefined
  #quota: Quota | undefined
  #transparency: Transparency | undefined

  constructor(options: ClientOptions) {
    const { core, did, identity, device } = options
    const owner = identity ?? device
    this.#options = options
    this.#transport = new Transport({ ...options, realm: options.realm ?? new URL(core).origin }, owner)
    this.memory = new Memory(this.#transport.realms, options.memory)
    this.keyHistory = new KeyHistory(this.#transport, core, this.memory)
    this.did = new Did(
      this.#transport,
      did,
      identity,
      this.keyHistory,
      this.#trusted(options.resolverKey, 'did', 'resolution'),
    )
    this.membership = new Membership(this.#transport, did, this.keyHistory, owner)
    this.#owned = owner && ownedBy(owner, this.#transport, options, this)
    const parts = { transport: this.#transport, core, keys: this.keyHistory, identity, devices: this.#owned?.devices }
    this.pairing = new Pairing(parts)
    this.authorization = new Authorization(parts)
    this.account = new Account(this.#transport, core)
    this.contact = new Contact(this.#transport, core, this.keyHistory)
    this.anchors = new Anchors(this.#transport, core, owner, { ...trustedListOf(options), memory: this.memory })
  }

  /** What this client signs statements for. */
  get realm(): string {
    return this.#transport.realm
  }

  /** What the statements that this client accepts are for: its own realm first. */
  get realms(): Realms {
    return this.#transport.realms
  }

  /**
   * A client for the deployment whose core is at this address: reads the discovery document and compares it with `pinned`.
   * Throws `DiscoveryError` if they disagree, or if the document names a realm that is neither core's origin nor `realm`.
   */
  static async connect(options: ConnectOptions): Promise<Client> {
    const discovery = await discover(options)
    return new Client({ ...options, ...addressesOf(discovery), discovery })
  }

  /** What `connect` found, how it was trusted, and the pin to store; undefined for a client with given addresses. */
  get discovery(): Discovery | undefined {
    return this.#options.discovery
  }

  #trusted(given: string | undefined, service: ServiceKeyName['service'], use: ServiceKeyName['use']) {
    return trustedKeys(given, this.#options.discovery?.pin.keys, { service, use })
  }

  /** The chain of this client's identity. Like the getters below, throws a TypeError without an identity. */
  get chain(): Chain {
    return this.#mine.chain
  }

  /** Security hold and deactivation of this client's identity. */
  get security(): Security {
    return this.#mine.security
  }

  /** Replaces the root key of this client's identity. */
  get rotation(): Rotation {
    return this.#mine.rotation
  }

  /**
   * Recovers an identity, not necessarily this client's, with what `identity.prepareRecovery` kept. Needs a credential of
   * any identity or device to send.
   */
  recovery(kept: unknown): Recovery {
    return new Recovery(this.#transport, this.#options.core, this.keyHistory, kept)
  }

  /** The devices of this client's identity. */
  get devices(): Devices {
    return this.#mine.devices
  }

  /** Assets that this client's identity minted or owns. */
  get assets(): Assets {
    const { assets } = this.#mine
    if (!assets) throw new TypeError('Only the root key can mint and transfer assets')
    return assets
  }

  /** Messages to this client's identity. */
  get inbox(): Inbox {
    return this.#mine.inbox
  }

  /** The encrypted notes of this client's identity. */
  get notes(): Notes {
    return this.#mine.notes
  }

  /** What machines may do with content. Reading needs no identity. */
  get consent(): Consent {
    const { consent, consentKeyB64u, identity, device } = this.#options
    if (consent === undefined) throw new TypeError('This client has no consent service: pass its origin as `consent`')
    const snapshotKeys = this.#trusted(consentKeyB64u, 'consent', 'snapshot')
    const parts = { transport: this.#transport, base: consent, keys: this.keyHistory, snapshotKeys }
    return new Consent({ ...parts, owner: identity ?? device })
  }

  /** Offers and payments. Reading offers needs no identity. */
  get pay(): Pay {
    return new Pay(this.#transport, this.#payOrigin)
  }

  /** The tier of this client's identity. */
  get entitlement(): Entitlements {
    return new Entitlements(this.#transport, this.#payOrigin)
  }

  /** Metered use of this client's identity. */
  get quota(): Quota {
    const origin = this.#payOrigin
    this.#quota ??= new Quota(
      this.#transport,
      origin,
      this.#mine.owner,
      this.#trusted(undefined, 'pay', 'quota-receipt'),
    )
    return this.#quota
  }

  /** Device packages and prekeys of this identity and others. */
  get keyDirectory(): KeyDirectory {
    const { transparency } = this
    const { owner } = this.#mine
    const keys = this.#keysOrigin
    return new KeyDirectory({ transport: this.#transport, keys, owner, history: this.keyHistory, transparency })
  }

  /** Requests attestations from guardians, and attests as one. */
  get guardians(): Guardians {
    const { owner } = this.#mine
    const keys = this.#keysOrigin
    return new Guardians({ transport: this.#transport, keys, owner, history: this.keyHistory })
  }

  /** Epochs of the key directory. */
  get epochs(): Epochs {
    return new Epochs(this.#transport, this.#keysOrigin, this.#mine.owner)
  }

  /** The log of everything the key directory published. Needs no identity. */
  get transparency(): Transparency {
    const receiptKeys = this.#trusted(undefined, 'keys', 'reservation')
    const trust = { ...trustedListOf(this.#options), receiptKeys, memory: this.memory }
    this.#transparency ??= new Transparency(this.#transport, this.#keysOrigin, trust)
    return this.#transparency
  }

  /** Capsules, commitments, proofs and verification. Reading and verifying need no identity. */
  get provenance(): Provenance {
    const { provenance, identity, device } = this.#options
    if (provenance === undefined)
      throw new TypeError('This client has no provenance service: pass its origin as `provenance`')
    return new Provenance(this.#transport, provenance, identity ?? device, this.keyHistory)
  }

  /** Governance policies of the deployment. */
  get governance(): Governance {
    return this.#mine.governance
  }

  /** This client's identity as an organization, or as an officer. */
  get organization(): Organization {
    const { organization } = this.#mine
    if (!organization) throw new TypeError('Organizations and officers act with their root keys')
    return organization
  }

  /** Members of the organization that this client's identity is, or is an officer of. */
  get members(): Members {
    return this.#mine.members
  }

  /**
   * The rotation or deactivation of this client's identity that the last answer showed to be pending, or null. Core tells
   * with the head of the chain, sync status, devices, the inception log and holds; nothing is polled. `onPending` in the
   * options is called once for each.
   */
  get pending(): PendingChange | null {
    return this.#transport.pending.current
  }

  get #payOrigin(): string {
    const { pay } = this.#options
    if (pay === undefined) throw new TypeError('This client has no payment service: pass its origin as `pay`')
    return pay
  }

  get #keysOrigin(): string {
    const { keys } = this.#options
    if (keys === undefined) throw new TypeError('This client has no key directory: pass its origin as `keys`')
    return keys
  }

  get #mine(): Owned {
    if (!this.#owned) throw new TypeError('This client has no identity: pass `identity` or `device`')
    return this.#owned
  }

  /** Liveness of core; does not prove readiness. */
  health(): Promise<z.output<typeof healthDataSchema>> {
    return this.#transport.data({ method: 'GET', url: `${this.#options.core}/health` }, healthDataSchema)
  }

  /** What this deployment of core supports. */
  capabilities(): Promise<Capabilities> {
    return this.#transport.json({ method: 'GET', url: `${this.#options.core}/api/capabilities` }, capabilitiesSchema)
  }

  /**
   * Asks core whether a signature verifies, and throws a `VerificationError` if not. Prefer to verify locally:
   * `mlDsa65.verify` gives the same answer without trusting anyone.
   */
  verifySignature(request: VerifyRequest): Promise<void> {
    return askSignature(this.#transport, this.#options.core, request)
  }

  /**
   * The canonical header and its digest, as computed by core. `header.userId` must be this identity's. Throws if the
   * answer differs from the local `prepareHeader`.
   */
  prepareHeader(header: NoteHeader): Promise<PreparedHeader> {
    return askHeader(this.#transport, this.#options.core, header)
  }
}

/** What needs an identity or one of its devices. */
interface Owned {
  readonly owner: Identity | Device
  readonly chain: Chain
  readonly security: Security
  readonly rotation: Rotation
  readonly devices: Devices
  readonly governance: Governance
  readonly inbox: Inbox
  readonly notes: Notes
  readonly assets: Assets | null
  readonly organization: Organization | null
  readonly members: Members
}

function ownedBy(
  owner: Identity | Device,
  transport: Transport,
  { core, did, former = [], app = DEFAULT_APP, receiptKeyB64u, discovery }: ClientOptions,
  directories: Pick<Client, 'keyHistory' | 'did' | 'memory'>,
): Owned {
  const { keyHistory, memory } = directories
  const receiptKeyOf = trustedKeyOf(receiptKeyB64u, discovery?.pin.keys, { service: 'core', use: 'receipt' })
  const chain = new Chain(transport, core, owner, memory)
  const devices = new Devices({ transport, core, owner, chain, keys: keyHistory, memory })
  const keys = new NoteKeys({
    owner,
    former,
    history: keyHistory,
    devices,
    did: directories.did,
    transport,
  })
  return {
    owner,
    chain,
    security: new Security(transport, core, owner),
    rotation: new Rotation(transport, { core, did }, owner, keyHistory),
    devices,
    notes: new Notes({ transport, core, owner, app, keys, receiptKeyB64u, receiptKeyOf, memory }),
    governance: new Governance(transport, core, owner),
    inbox: new Inbox(transport, core, owner, former),
    assets: owner instanceof Identity ? new Assets(transport, core, { identity: owner, app, keys: keyHistory }) : null,
    organization: owner instanceof Identity ? new Organization(transport, core, owner) : null,
    members: new Members(transport, did, owner, keyHistory, memory),
  }
}
