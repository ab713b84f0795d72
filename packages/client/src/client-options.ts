import type { HybridKey } from '#protocol/base/key-agreement'
import type { DiscoverOptions, Discovery } from './discovery/discover.ts'
import type { SocketClass } from './events/socket.ts'
import type { Device } from './identity/device.ts'
import type { Identity } from './identity/identity.ts'
import type { TransparencyOptions } from './keys/transparency.ts'
import type { AppInfo } from './ledger/assets.ts'
import type { MemoryValue } from './memory/memory-value.ts'
import type { TrustStore } from './memory/trust-store.ts'
import type { Reader } from './notes/cipher.ts'
import { ConfigurationError } from './transport/configuration-error.ts'
import { originOf } from './transport/origin.ts'
import type { TransportOptions } from './transport/transport.ts'

export interface ClientOptions extends Omit<TransportOptions, 'realm'> {
  /** The deployment that statements are signed for; default: the origin of `core`. */
  readonly realm?: string
  /** Origins of the services: `https://core.example`. Anything else throws a `ConfigurationError`. */
  readonly core: string
  readonly did: string
  /** Origin of pay. Without it, payments, entitlements and quota throw a `ConfigurationError`. */
  readonly pay?: string
  /** Origin of the key directory. Without it, `keyDirectory` and `transparency` throw a `ConfigurationError`. */
  readonly keys?: string
  /**
   * The keys of the signed list, from another source. Otherwise those that `discovery` pins. Without either, and without
   * the key of a service by name, what needs that key throws a `VerificationError` with reason `no_key`.
   */
  readonly logListKeys?: TransparencyOptions['listKeys']
  /**
   * The witnesses that you trust, and how many of them have to agree: for `keyDirectory.reserve` to have verified the map of
   * accounts, for `transparency.checkpoint` to have cosigned the log, and for `anchors.cosigned` to tell when they saw an
   * anchor. Without it, none is asked for.
   */
  readonly witnesses?: TransparencyOptions['witnesses']
  /** How often a map of accounts that must have an update is asked for, and after how many ms: by default 25 times, a second apart. */
  readonly mapPatience?: TransparencyOptions['patience']
  /** Origin of provenance. Without it, `provenance` throws a `ConfigurationError`. */
  readonly provenance?: string
  /** Origin of consent. Without it, `consent` throws a `ConfigurationError`. */
  readonly consent?: string
  /**
   * Origin of the sign-in service. A client does not call it, and takes it so that the addresses of all eight services can
   * be passed as they are printed: `new Client({ ...urls, identity })`. `SignIn` of `@svc/client/sign-in` calls it.
   */
  readonly auth?: string
  /** Consent's key for snapshots, base64url, from another source; otherwise those of the signed list. */
  readonly consentKeyB64u?: string
  /**
   * Tells `events.watch` when to read: the runtime's `WebSocket` by default, unless `fetch` is given; null for none. Only
   * a ticket that is used once goes over it.
   */
  readonly WebSocket?: SocketClass | null
  /** Without an identity or a device, you can call only what needs no credential. */
  readonly identity?: Identity
  /** A device of an identity; it can do what its capabilities allow. */
  readonly device?: Device
  /** The identity with earlier keys, to open what was encrypted to them. */
  readonly former?: readonly Identity[]
  /**
   * The records of the sheets of words, for a client of the root key. The client encrypts notes to them, so that the
   * words can open the notes, and `did.register` publishes their keys. Default: the sheets that the root key has
   * published. A client of a device always uses those.
   */
  readonly sheets?: readonly HybridKey[]
  /** Opens notes that were encrypted to a sheet. Pass `sheet.reader(scope)` after a recovery. */
  readonly sheetReaders?: readonly Reader[]
  /**
   * The key that signs resolution results, base64url, from another source; otherwise those of the signed list. With one of
   * them, results without a valid proof are rejected.
   */
  readonly resolverKey?: string
  /** Core's key for deletion receipts, export manifests and events, from another source; otherwise those of the signed list. */
  readonly receiptKeyB64u?: string
  /** Pay's key for quota receipts, base64url, from another source; otherwise those of the signed list. */
  readonly quotaReceiptKeyB64u?: string
  /** The directory's key for reservation receipts, base64url, from another source; otherwise those of the signed list. */
  readonly reservationKeyB64u?: string
  /** The key of the publisher of anchors, base64url, from another source; otherwise those of the signed list. */
  readonly publisherKeyB64u?: string
  /** What `discover` found. `Client.connect` passes it; the keys of its list verify what services sign. */
  readonly discovery?: Discovery
  /** The software that creates records, as named in their headers. */
  readonly app?: AppInfo
  /** Keeps what this client sees and signs. Without one, it lasts as long as the client. One store per deployment. */
  readonly trustStore?: TrustStore
  /** What an earlier client remembered: the result of `client.memory.export()`. */
  readonly memory?: MemoryValue
}

/** The options of a client that finds its services by itself. */
export type ConnectOptions = DiscoverOptions &
  Omit<ClientOptions, 'did' | 'pay' | 'keys' | 'provenance' | 'consent' | 'docs' | 'auth' | 'discovery'>

const SERVICES = ['core', 'did', 'pay', 'keys', 'provenance', 'consent', 'docs'] as const

/** The options with each address as the origin that it names. Throws a `ConfigurationError` if it names none. */
export function withOrigins(options: ClientOptions): ClientOptions {
  const given = SERVICES.filter((name) => name === 'core' || name === 'did' || options[name] !== undefined)
  return { ...options, ...Object.fromEntries(given.map((name) => [name, originOf(name, options[name])])) }
}

/** The error for a service that the client was not told of. */
export function missing(option: string, service: string): ConfigurationError {
  return new ConfigurationError(option, `This client has no ${service}: pass its origin as \`${option}\``)
}

export function withoutIdentity(): ConfigurationError {
  return new ConfigurationError('identity', 'This client has no identity: pass `identity` or `device`')
}
