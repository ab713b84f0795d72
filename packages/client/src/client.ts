import { type Capabilities, capabilitiesSchema, healthDataSchema } from '@svc/protocol/discovery'
import { type NoteHeader, type PreparedHeader, preparedHeaderSchema, prepareHeader } from '@svc/protocol/headers'
import { type VerifyRequest, verifyResultSchema } from '@svc/protocol/verification'
import type * as z from 'zod'
import { Account } from './account.ts'
import { Anchors } from './anchors.ts'
import { type AppInfo, Assets } from './assets.ts'
import { Chain } from './chain.ts'
import { Consent } from './consent.ts'
import { Contact } from './contact.ts'
import type { Device } from './device.ts'
import { Devices } from './devices.ts'
import { Did } from './did.ts'
import { Entitlements } from './entitlements.ts'
import { Epochs } from './epochs.ts'
import { Governance } from './governance.ts'
import { Guardians } from './guardians.ts'
import { Identity } from './identity.ts'
import { Inbox } from './inbox.ts'
import { KeyDirectory } from './key-directory.ts'
import { KeyHistory } from './key-history.ts'
import { Members } from './members.ts'
import { Membership } from './membership.ts'
import { NoteKeys } from './note-keys.ts'
import { Notes } from './notes.ts'
import { Organization } from './organization.ts'
import { Pay } from './pay.ts'
import { Provenance } from './provenance.ts'
import { Quota } from './quota.ts'
import { Authorization, Pairing } from './rendezvous.ts'
import { Rotation } from './rotation.ts'
import { Security } from './security.ts'
import { Transparency } from './transparency.ts'
import { Transport, type TransportOptions } from './transport.ts'

export interface ClientOptions extends TransportOptions {
  /** Origins of the services, without a trailing slash: `https://core.example`. */
  readonly core: string
  readonly did: string
  /** Where payments, entitlements and quota are; without it those throw a TypeError. */
  readonly pay?: string
  /** Where the key directory is; without it `keyDirectory` and `transparency` throw a TypeError. */
  readonly keys?: string
  /** The key directory's key for checkpoints and receipts, where it is known from elsewhere. */
  readonly directoryKeyB64u?: string
  /** Where capsules are registered; without it `provenance` throws a TypeError. */
  readonly provenance?: string
  /** Where preferences are declared; without it those throw a TypeError. */
  readonly consent?: string
  /** Consent's key for snapshots, as base64url: `consent.snapshotKey()` asks for it once, to be kept. */
  readonly consentKeyB64u?: string
  /** Without an identity or a device only what needs no credential can be called. */
  readonly identity?: Identity
  /** A device that belongs to an identity; it can do what its capabilities allow. */
  readonly device?: Device
  /** The identity with earlier keys: what was sealed to one of them is opened with it. */
  readonly former?: readonly Identity[]
  /**
   * The key that signs resolution results, as base64url: `did.resolverKey()` asks for it once, to be kept. Given, a
   * result without a good proof is refused.
   */
  readonly resolverKey?: string
  /** Core's key for receipts of deletions and manifests of exports, where it is known from elsewhere; capabilities name it. */
  readonly receiptKeyB64u?: string
  /** The software that makes records, as their headers name it. */
  readonly app?: AppInfo
}

const DEFAULT_APP: AppInfo = { name: 'svc-client', version: '0.1.0' }

/** The platform as one identity, or one of its devices, sees it. Every method makes the credentials that its call needs. */
export class Client {
  readonly did: Did
  /** The root keys of any identity, verified. Needs no credential. */
  readonly keyHistory: KeyHistory
  /** Taking in another device, from either side. The new device needs no identity for it. */
  readonly pairing: Pairing
  /** Licence and pins. Redeeming a code and reading content need no identity. */
  readonly account: Account
  /** Roots in the log of all anchors. Reading and verifying need no identity. */
  readonly anchors: Anchors
  /** Belonging to organizations. Verifying and officers need no identity. */
  readonly membership: Membership
  /** Writing to the owner of an asset. Needs no identity. */
  readonly contact: Contact
  /** Authorizing another device through the relay, from either side. */
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
    this.#transport = new Transport(options, owner)
    this.keyHistory = new KeyHistory(this.#transport, core)
    this.did = new Did(this.#transport, did, identity, this.keyHistory, options.resolverKey)
    this.membership = new Membership(this.#transport, did, this.keyHistory, owner)
    this.#owned = owner && ownedBy(owner, this.#transport, options, { keyHistory: this.keyHistory, did: this.did })
    const parts = { transport: this.#transport, core, keys: this.keyHistory, identity, devices: this.#owned?.devices }
    this.pairing = new Pairing(parts)
    this.authorization = new Authorization(parts)
    this.account = new Account(this.#transport, core)
    this.contact = new Contact(this.#transport, core, this.keyHistory)
    this.anchors = new Anchors(this.#transport, core, owner)
  }

  /** The chain of this client's identity. Throws a TypeError for a client without one, as the next ones do. */
  get chain(): Chain {
    return this.#mine.chain
  }

  /** Hold and end of this client's identity. */
  get security(): Security {
    return this.#mine.security
  }

  /** Handing this client's identity over to another root key. */
  get rotation(): Rotation {
    return this.#mine.rotation
  }

  /** The devices of this client's identity. */
  get devices(): Devices {
    return this.#mine.devices
  }

  /** What this client's identity has minted and owns. */
  get assets(): Assets {
    const { assets } = this.#mine
    if (!assets) throw new TypeError('assets are minted and moved by the root key')
    return assets
  }

  /** What others have written to this client's identity. */
  get inbox(): Inbox {
    return this.#mine.inbox
  }

  /** The encrypted notes of this client's identity. */
  get notes(): Notes {
    return this.#mine.notes
  }

  /** What may be done with content by machines. Reading needs no identity. */
  get consent(): Consent {
    const { consent, consentKeyB64u, identity, device } = this.#options
    if (consent === undefined) throw new TypeError('this client was not told where consent is')
    const parts = { transport: this.#transport, base: consent, keys: this.keyHistory, snapshotKeyB64u: consentKeyB64u }
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

  /** The metered use of this client's identity. */
  get quota(): Quota {
    const origin = this.#payOrigin
    this.#quota ??= new Quota(this.#transport, origin, this.#mine.owner)
    return this.#quota
  }

  /** Device packages and prekeys, this identity's own and others'. */
  get keyDirectory(): KeyDirectory {
    const { transparency } = this
    const { owner } = this.#mine
    const keys = this.#keysOrigin
    return new KeyDirectory({ transport: this.#transport, keys, owner, history: this.keyHistory, transparency })
  }

  /** Asking guardians to attest something, and attesting as one. */
  get guardians(): Guardians {
    const { owner } = this.#mine
    const keys = this.#keysOrigin
    return new Guardians({ transport: this.#transport, keys, owner, history: this.keyHistory })
  }

  /** Epochs of the key directory. */
  get epochs(): Epochs {
    return new Epochs(this.#transport, this.#keysOrigin, this.#mine.owner)
  }

  /** The log of everything that the key directory has published. Needs no identity. */
  get transparency(): Transparency {
    const { directoryKeyB64u: expectedKeyB64u } = this.#options
    this.#transparency ??= new Transparency(this.#transport, this.#keysOrigin, { expectedKeyB64u })
    return this.#transparency
  }

  /** Capsules, commitments, proofs and verification. Reading and verifying need no identity. */
  get provenance(): Provenance {
    const { provenance, identity, device } = this.#options
    if (provenance === undefined) throw new TypeError('this client was not told where provenance is')
    return new Provenance(this.#transport, provenance, identity ?? device, this.keyHistory)
  }

  /** The policies of the deployment. */
  get governance(): Governance {
    return this.#mine.governance
  }

  /** This client's identity as an organization, or as an officer of one. */
  get organization(): Organization {
    const { organization } = this.#mine
    if (!organization) throw new TypeError('organizations and officers act by their root keys')
    return organization
  }

  /** The members of an organization that this client's identity is, or is an officer of. */
  get members(): Members {
    return this.#mine.members
  }

  get #payOrigin(): string {
    const { pay } = this.#options
    if (pay === undefined) throw new TypeError('this client was not told where payments are')
    return pay
  }

  get #keysOrigin(): string {
    const { keys } = this.#options
    if (keys === undefined) throw new TypeError('this client was not told where the key directory is')
    return keys
  }

  get #mine(): Owned {
    if (!this.#owned) throw new TypeError('this client has no identity')
    return this.#owned
  }

  /** Liveness of core; no proof of readiness. */
  health(): Promise<z.output<typeof healthDataSchema>> {
    return this.#transport.data({ method: 'GET', url: `${this.#options.core}/health` }, healthDataSchema)
  }

  /** What this deployment of core supports. */
  capabilities(): Promise<Capabilities> {
    return this.#transport.json({ method: 'GET', url: `${this.#options.core}/api/capabilities` }, capabilitiesSchema)
  }

  /**
   * Asks core whether a signature verifies. A client that can verify locally should: `mlDsa65.verify` gives the
   * same answer without trusting anybody.
   */
  async verifySignature(request: VerifyRequest): Promise<boolean> {
    const call = { method: 'POST', url: `${this.#options.core}/api/pqc/verify`, body: request } as const
    return (await this.#transport.json(call, verifyResultSchema)).valid
  }

  /**
   * The canonical header and its digest, as core computes them. `header.userId` must be this identity's. The local
   * `prepareHeader` gives the same; the two are compared, and a difference throws.
   */
  async prepareHeader(header: NoteHeader): Promise<PreparedHeader> {
    const url = `${this.#options.core}/api/headers/prepare`
    const call = { method: 'POST', url, audience: 'chain', body: { header } } as const
    const prepared = await this.#transport.data(call, preparedHeaderSchema)
    if (prepareHeader(header).aadB64u !== prepared.aadB64u) throw new Error('core digested another header')
    return prepared
  }
}

/** What there is for an identity or a device of one. */
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
  { core, did, former = [], app = DEFAULT_APP, receiptKeyB64u }: ClientOptions,
  directories: { readonly keyHistory: KeyHistory; readonly did: Did },
): Owned {
  const { keyHistory } = directories
  const chain = new Chain(transport, core, owner)
  const devices = new Devices(transport, core, owner, chain, keyHistory)
  const keys = new NoteKeys({
    owner,
    former,
    history: keyHistory,
    devices,
    did: directories.did,
    now: () => transport.now(),
  })
  return {
    owner,
    chain,
    security: new Security(transport, core, owner),
    rotation: new Rotation(transport, { core, did }, owner, keyHistory),
    devices,
    notes: new Notes({ transport, core, owner, app, keys, receiptKeyB64u }),
    governance: new Governance(transport, core, owner),
    inbox: new Inbox(transport, core, owner, former),
    assets: owner instanceof Identity ? new Assets(transport, core, owner, app) : null,
    organization: owner instanceof Identity ? new Organization(transport, core, owner) : null,
    members: new Members(transport, did, owner, keyHistory),
  }
}
