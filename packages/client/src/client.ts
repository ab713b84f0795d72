import type { Realms } from '#protocol/base/realm'
import type { PendingChange } from '#protocol/chain/pending'
import type { StandingChange } from '#protocol/chain/watch'
import { checkOptions, optionsFor } from './arguments/check.ts'
import { CALL_OPTIONS, CLIENT_OPTIONS, NEW_IDENTITY_OPTIONS } from './arguments/client-options.ts'
import { type ClientOptions, type ConnectOptions, withOrigins } from './client-options.ts'
import type { Discovery } from './discovery/discover.ts'
import type { Pin } from './discovery/pin.ts'
import type { NewIdentity, NewIdentityOptions } from './identity/create-identity.ts'
import { Memory } from './memory/memory.ts'
import { ClientServices } from './services/client-services.ts'
import { type Asserter, type CallOptions, TRANSPORT_OPTIONS, Transport } from './transport/transport.ts'

/** Key of the pin in a trust store. */
const PIN = 'pin'

/**
 * The platform as seen by one identity or one of its devices. Methods create the credentials that their calls need. The
 * code of a service is loaded with its first call.
 */
export class Client extends ClientServices {
  readonly #options: ClientOptions
  readonly #transport: Transport

  /** `shared` is what `with` passes on. */
  constructor(given: ClientOptions, shared?: { readonly transport: Transport; readonly memory: Memory }) {
    checkOptions<Partial<ClientOptions | ConnectOptions>>('new Client', 'options', given, CLIENT_OPTIONS)
    const options = withOrigins(given)
    const { core, identity, device } = options
    const owner = identity ?? device
    const asserter: Asserter | undefined = owner && {
      assertion: (request) => owner.assertion(request),
      known: async () => (await import('./devices/known-inception.ts')).knownInception(memory, owner),
    }
    const transport: Transport =
      shared?.transport ??
      new Transport(optionsFor(TRANSPORT_OPTIONS, { ...options, realm: options.realm ?? core }), asserter)
    const memory: Memory =
      shared?.memory ?? new Memory(transport.realms, { store: options.trustStore, value: options.memory })
    super(transport, memory, options)
    this.#options = options
    this.#transport = transport
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
   * A client for the deployment whose core is at this address: reads the discovery document and the signed list
   * of keys, and compares them with `pinned`, `logListKeys` and `fingerprint`.
   * With a `trustStore`, the pin is kept there. Throws `DiscoveryError` if they disagree, or if the document names a realm that is neither core's origin nor `realm`.
   *
   * With `mirrors` and a pin, it also connects while core cannot be reached or answers with a 5xx. Then `discovery.source`
   * is `pin`: realm, addresses and keys are those of the pin. What mirrors show counts only if it is signed by a log that
   * the list of the pinned list keys names, by a pinned key, or by one that you pass (`logListKeys`, `consentKeyB64u`).
   * Without a pin, use `new Client` with the addresses and these keys.
   */
  static async connect(options: ConnectOptions): Promise<Client> {
    checkOptions<Partial<ClientOptions | ConnectOptions>>('Client.connect', 'options', options, CLIENT_OPTIONS)
    const { addressesOf, DISCOVER_OPTIONS, discover } = await import('./discovery/discover.ts')
    const { trustStore } = options
    const pinned = options.pinned ?? ((await trustStore?.get(PIN)) as Pin | undefined)
    const discovery = await discover(optionsFor(DISCOVER_OPTIONS, { ...options, ...(pinned && { pinned }) }))
    await trustStore?.set(PIN, discovery.pin)
    const acceptedRealms = [...(options.acceptedRealms ?? []), ...discovery.pin.formerRealms]
    return new Client({ ...options, ...addressesOf(discovery), acceptedRealms, discovery })
  }

  /**
   * The same client for some calls: with a signal that ends them, another timeout, or other retries. It shares the
   * memory, and whatever else this client has learned.
   */
  with(options: CallOptions): Client {
    const known = checkOptions('client.with', 'options', options, CALL_OPTIONS)
    return new Client(this.#options, { transport: this.#transport.with(known), memory: this.memory })
  }

  /** What `connect` found, how it was trusted, and the pin to store; undefined for a client with given addresses. */
  get discovery(): Discovery | undefined {
    return this.#options.discovery
  }

  /**
   * Creates an identity with its first device, and the requests of a recovery, in one call. `keep` stores the keys before
   * anything is sent. If sending fails, call it again with the same `identity` and `device`. It does not matter whose
   * client this is.
   */
  async createIdentity(options: NewIdentityOptions): Promise<NewIdentity<Client>> {
    checkOptions('client.createIdentity', 'options', options, NEW_IDENTITY_OPTIONS)
    const { createIdentity } = await import('./identity/create-identity.ts')
    const { identity: _, device: __, former: ___, sheets: ____, sheetReaders: _____, ...rest } = this.#options
    return createIdentity(options, {
      root: (identity, sheets) => new Client({ ...rest, identity, sheets }),
      device: (member) => new Client({ ...rest, device: member }),
    })
  }

  /**
   * The rotation or deactivation of this client's identity that the last answer showed to be pending, or null. Core tells
   * with the head of the chain, sync status, devices, the inception log and holds; nothing is polled. `onPending` in the
   * options is called once for each.
   */
  get pending(): PendingChange | null {
    return this.#transport.pending.current
  }

  /**
   * Devices of this client's identity that gained or lost standing in the last 24 hours, from the last response that
   * reports pending changes. `onPending` is called once for each.
   */
  get changes(): readonly StandingChange[] {
    return this.#transport.pending.changes
  }
}
