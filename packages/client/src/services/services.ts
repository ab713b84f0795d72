import { type ClientOptions, missing, withoutIdentity } from '../client-options.ts'
import type { TrustedKeys, VerifiedKeyName } from '../discovery/trusted-keys.ts'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import type { AppInfo } from '../ledger/assets.ts'
import type { Memory } from '../memory/memory.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import type { Transport } from '../transport/transport.ts'
import { once } from './once.ts'

const DEFAULT_APP: AppInfo = { name: 'svc-client', version: '0.1.0' }

/** What every service of a client is made of. */
export interface Parts {
  readonly transport: Transport
  readonly memory: Memory
  readonly options: ClientOptions
}

/** The services of a client, each loaded and constructed once, when it is first needed. */
export class Services {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  readonly deployment = once(async () => {
    const { Deployment } = await import('./deployment.ts')
    return new Deployment(this.#transport, this.#core)
  })

  readonly keyHistory = once(async () => {
    const { KeyHistory } = await import('../chain/key-history.ts')
    return new KeyHistory(this.#transport, this.#core, this.#parts.memory, this.#activations)
  })

  readonly did = once(async () => {
    const [{ Did }, history, resolverKeys] = await Promise.all([
      import('../did/did.ts'),
      this.keyHistory(),
      this.#resolverKeys(),
    ])
    const { did, identity, sheets } = this.#parts.options
    const { memory } = this.#parts
    const logged = this.#loggedAgreements
    return new Did(this.#transport, did, { identity, keys: history, resolverKeys, sheets, memory, logged })
  })

  readonly chain = once(async () => {
    const [{ Chain }, keys] = await Promise.all([import('../chain/chain.ts'), this.keyHistory()])
    return new Chain(this.#transport, this.#core, this.#owner, { memory: this.#parts.memory, keys })
  })

  readonly devices = once(async () => {
    const [{ Devices }, chain, keys] = await Promise.all([
      import('../devices/devices.ts'),
      this.chain(),
      this.keyHistory(),
    ])
    const { memory } = this.#parts
    return new Devices({ transport: this.#transport, core: this.#core, owner: this.#owner, chain, keys, memory })
  })

  readonly watch = once(async () => {
    const [{ Watch }, keys] = await Promise.all([import('../watch/watch.ts'), this.keyHistory()])
    const { identity, device } = this.#parts.options
    return new Watch({ transport: this.#transport, core: this.#core, owner: identity ?? device, keys })
  })

  readonly security = once(async () => {
    const { Security } = await import('../chain/hold.ts')
    return new Security(this.#transport, this.#core, this.#owner)
  })

  readonly events = once(async () => {
    const [{ Events }, receiptKeys] = await Promise.all([
      import('../events/events.ts'),
      this.#trusted({ service: 'core', use: 'receipt' }),
    ])
    const { memory, options } = this.#parts
    const [transport, core, owner] = [this.#transport, this.#core, this.#owner]
    return new Events({ transport, core, owner, receiptKeys, memory, options })
  })

  readonly rotation = once(async () => {
    const [{ Rotation }, keys] = await Promise.all([import('../chain/rotation.ts'), this.keyHistory()])
    return new Rotation(this.#transport, { core: this.#core, did: this.#parts.options.did }, this.#owner, keys)
  })

  readonly notes = once(async () => {
    const [{ Notes }, { NoteKeys }, receiptKeys, chain, history, devices, did] = await Promise.all([
      import('../notes/notes.ts'),
      import('../notes/keys.ts'),
      this.#trusted({ service: 'core', use: 'receipt' }),
      this.chain(),
      this.keyHistory(),
      this.devices(),
      this.did(),
    ])
    const { memory, options } = this.#parts
    const { former = [], sheets, sheetReaders = [], app = DEFAULT_APP } = options
    const [transport, core, owner] = [this.#transport, this.#core, this.#owner]
    const identity = { owner, former, sheets, sheetReaders }
    const keys = new NoteKeys({ ...identity, chain, history, devices, did, transport, memory })
    return new Notes({ transport, core, owner, app, keys, receiptKeys, memory })
  })

  readonly governance = once(async () => {
    const { Governance } = await import('../ledger/governance.ts')
    return new Governance(this.#transport, this.#core, this.#owner)
  })

  readonly inbox = once(async () => {
    const { Inbox } = await import('../inbox/inbox.ts')
    return new Inbox(this.#transport, this.#core, this.#owner, this.#parts.options.former ?? [])
  })

  readonly assets = once(async () => {
    const [{ Assets }, keys] = await Promise.all([import('../ledger/assets.ts'), this.keyHistory()])
    const { app = DEFAULT_APP } = this.#parts.options
    return new Assets(this.#transport, this.#core, { owner: this.#owner, app, keys })
  })

  readonly organization = once(async () => {
    const { Organization } = await import('../did/organization.ts')
    return new Organization(this.#transport, this.#core, this.#identity, this.#readInceptionHead)
  })

  readonly members = once(async () => {
    const [{ Members }, keys] = await Promise.all([import('../did/members.ts'), this.keyHistory()])
    return new Members(this.#transport, this.#parts.options.did, this.#owner, keys, this.#parts.memory)
  })

  readonly membership = once(async () => {
    const [{ Membership }, keys] = await Promise.all([import('../did/membership.ts'), this.keyHistory()])
    return new Membership(this.#transport, this.#parts.options.did, keys, this.#anyone, this.#readInceptionHead)
  })

  readonly pairing = once(async () => {
    const [{ Pairing }, parts] = await Promise.all([import('../devices/relays.ts'), this.#rendezvous()])
    return new Pairing(parts)
  })

  readonly authorization = once(async () => {
    const [{ Authorization }, parts] = await Promise.all([import('../devices/relays.ts'), this.#rendezvous()])
    return new Authorization(parts)
  })

  readonly account = once(async () => {
    const { Account } = await import('../identity/account.ts')
    return new Account(this.#transport, this.#core)
  })

  readonly contact = once(async () => {
    const [{ Contact }, keys] = await Promise.all([import('../inbox/contact.ts'), this.keyHistory()])
    return new Contact(this.#transport, this.#core, keys, this.#parts.memory, this.#loggedAgreements)
  })

  readonly anchors = once(async () => {
    const [{ Anchors }, { isPinnedBy, trustedListOf }] = await Promise.all([
      import('../ledger/anchors.ts'),
      import('../discovery/trusted-keys.ts'),
    ])
    const { memory, options } = this.#parts
    const name = { service: 'core', use: 'publication' } as const
    const publisherKeys = isPinnedBy(options, name) ? await this.#trusted(name) : null
    const { witnesses } = options
    const trust = {
      ...trustedListOf(options),
      memory,
      publisherKeys,
      witnesses,
      keys: this.keyHistory,
      notes: this.notes,
    }
    return new Anchors(this.#transport, this.#core, this.#anyone, trust)
  })

  readonly consent = once(async () => {
    const [{ Consent }, keys, snapshotKeys] = await Promise.all([
      import('../consent/consent.ts'),
      this.keyHistory(),
      this.#trusted({ service: 'consent', use: 'snapshot' }),
    ])
    const base = this.originOf('consent')
    return new Consent({ transport: this.#transport, base, keys, snapshotKeys, owner: this.#anyone })
  })

  readonly provenance = once(async () => {
    const [{ Provenance }, keys] = await Promise.all([import('../provenance/provenance.ts'), this.keyHistory()])
    return new Provenance({
      transport: this.#transport,
      base: this.originOf('provenance'),
      owner: this.#anyone,
      keys,
    })
  })

  readonly pay = once(async () => {
    const { Pay } = await import('../pay/pay.ts')
    return new Pay(this.#transport, this.originOf('pay'))
  })

  readonly entitlement = once(async () => {
    const { Entitlements } = await import('../pay/entitlements.ts')
    return new Entitlements(this.#transport, this.originOf('pay'))
  })

  readonly quota = once(async () => {
    const [{ Quota }, receiptKeys] = await Promise.all([
      import('../pay/quota.ts'),
      this.#trusted({ service: 'pay', use: 'quota-receipt' }),
    ])
    return new Quota(this.#transport, this.originOf('pay'), this.#owner, receiptKeys)
  })

  readonly transparency = once(async () => {
    const [{ Transparency }, { trustedListOf }] = await Promise.all([
      import('../keys/transparency.ts'),
      import('../discovery/trusted-keys.ts'),
    ])
    const { memory, options } = this.#parts
    const { witnesses, mapPatience: patience } = options
    const trust = { ...trustedListOf(options), memory, witnesses, patience }
    return new Transparency(this.#transport, this.originOf('keys'), trust)
  })

  readonly keyDirectory = once(async () => {
    const [{ KeyDirectory }, receiptKeys, history, transparency] = await Promise.all([
      import('../keys/directory.ts'),
      this.#trusted({ service: 'keys', use: 'reservation' }),
      this.keyHistory(),
      this.transparency(),
    ])
    const keys = this.originOf('keys')
    const parts = { transport: this.#transport, keys, owner: this.#owner, devices: this.devices }
    return new KeyDirectory({ ...parts, receiptKeys, history, transparency })
  })

  readonly guardians = once(async () => {
    const [{ Guardians }, history] = await Promise.all([import('../keys/guardians.ts'), this.keyHistory()])
    return new Guardians({ transport: this.#transport, keys: this.originOf('keys'), owner: this.#owner, history })
  })

  readonly epochs = once(async () => {
    const { Epochs } = await import('../keys/epochs.ts')
    return new Epochs(this.#transport, this.originOf('keys'), this.#owner)
  })

  async recovery(kept: unknown) {
    const [{ Recovery }, keys] = await Promise.all([import('../recovery/recovery.ts'), this.keyHistory()])
    return new Recovery(this.#transport, { core: this.#core, did: this.#parts.options.did }, keys, kept)
  }

  /** The origin of a service that a client may lack. */
  originOf(name: 'pay' | 'keys' | 'provenance' | 'consent'): string {
    const origin = this.#parts.options[name]
    if (origin === undefined) throw missing(name, NAMES[name])
    return origin
  }

  /** Loaded only for an identity that has rotated. */
  readonly #activations = once(async () => {
    if (this.#parts.options.keys === undefined) return null
    const { Activations } = await import('../chain/activations.ts')
    return new Activations(
      () => this.transparency(),
      () => this.#transport.now(),
    )
  })

  readonly #loggedAgreements = once(async () => {
    if (this.#parts.options.keys === undefined) return null
    const { LoggedAgreements } = await import('../did/logged-agreements.ts')
    return new LoggedAgreements(
      () => this.transparency(),
      this.#parts.memory,
      () => this.#transport.now(),
    )
  })

  /** Reads the head of the owner's inception log, which the next statement then names. */
  readonly #readInceptionHead = async () => (await this.devices()).head()

  async #rendezvous() {
    const { identity, device } = this.#parts.options
    const devices = identity || device ? await this.devices() : undefined
    return { transport: this.#transport, core: this.#core, keys: await this.keyHistory(), identity, devices }
  }

  get #transport(): Transport {
    return this.#parts.transport
  }

  get #core(): string {
    return this.#parts.options.core
  }

  get #anyone(): Identity | Device | undefined {
    const { identity, device } = this.#parts.options
    return identity ?? device
  }

  get #owner(): Identity | Device {
    const owner = this.#anyone
    if (!owner) throw withoutIdentity()
    return owner
  }

  get #identity(): Identity {
    const { identity } = this.#parts.options
    if (!identity) throw new ConfigurationError('identity', 'Only the root key can do this: pass `identity`')
    return identity
  }

  /** The keys of services in the signed list that the pinned keys lead to. */
  readonly #listed = once(async () => {
    const { listedServices } = await import('../discovery/trusted-keys.ts')
    const known = listedServices(this.#parts.options.discovery)
    return known ?? (await (await (await this.anchors()).logs()).list()).services
  })

  async #trusted(name: VerifiedKeyName): Promise<TrustedKeys> {
    const { trustedKeys } = await import('../discovery/trusted-keys.ts')
    return trustedKeys(name, this.#parts.options, this.#listed)
  }

  /** A document is verified by the identity's own keys, so that a client without a pin can resolve. */
  async #resolverKeys(): Promise<TrustedKeys | undefined> {
    const { isPinnedBy } = await import('../discovery/trusted-keys.ts')
    const name = { service: 'did', use: 'resolution' } as const
    return isPinnedBy(this.#parts.options, name) ? this.#trusted(name) : undefined
  }
}

const NAMES = {
  pay: 'payment service',
  keys: 'key directory',
  provenance: 'provenance service',
  consent: 'consent service',
} as const
