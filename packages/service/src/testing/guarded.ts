import type { Capability } from '@svc/protocol/base/device'
import type { ErrorName } from '@svc/protocol/http/errors'
import type { ServiceApp } from '../app/service.ts'
import type { RefusalNames } from '../auth/gate.ts'
import type { Exchange } from './prober.ts'

/** Bindings that a test takes away from the service. */
export type Replaced = { readonly CORE?: unknown }

export interface GuardCaller {
  /** An Authorization value; members override what a good assertion would say. */
  assertion(audience: string, members?: Record<string, unknown>): Promise<string>
}

export interface GuardTarget {
  /** Has a route `POST path` that takes assertions: no device, unless it is the one of `openTo` too. */
  readonly service: ServiceApp
  readonly path: string
  /** What is sent to a route, by its path; nothing unless given. */
  readonly bodies?: Readonly<Record<string, string>>
  /** Another, which takes devices with this capability; absent while the service has none that does. */
  readonly openTo?: { readonly path: string; readonly capability: Capability }
  readonly base: string
  readonly send: (request: Request, replaced?: Replaced) => Promise<Response>
  /** A caller whose identity core has. */
  readonly known: () => Promise<GuardCaller>
  /** A caller whose identity core has never heard of. */
  readonly unknown: () => Promise<GuardCaller>
  readonly device: (options: GuardDeviceOptions) => Promise<GuardDevice>
  /** What stands behind the binding CORE. */
  readonly core: Fetcher
}

/** A probe as one caller sends it. */
export interface Guarded {
  readonly audience: string
  readonly names: RefusalNames
  readonly target: GuardTarget
  /** One caller for every test that does not count its objects. */
  readonly known: () => Promise<GuardCaller>
  readonly present: (
    authorization: string | undefined,
    options?: { readonly replaced?: Replaced; readonly body?: string; readonly path?: string | undefined },
  ) => Promise<Exchange>
}

/** What stands in for core. */
export type Answer = (request: Request) => Promise<Response>

export interface GuardDeviceOptions {
  readonly capabilities?: readonly Capability[]
  /** Where it signs; the Origin that its requests name unless given. */
  readonly home?: string
  /** When its attestation ends, epoch ms. */
  readonly expiresAt?: number
  /** Whether core has ever heard of it. */
  readonly attested?: boolean
}

/** A device of an owner that nobody else has, with loose assertions. */
export interface GuardDevice extends GuardCaller {
  readonly device: { readonly deviceId: string; readonly devicePublicKeyB64u: string }
  readonly owner: GuardCaller & {
    readonly identity: { readonly userId: string; readonly scope: string; readonly did: string }
    readonly client: {
      readonly devices: Record<'revoke' | 'suspend' | 'resume', (deviceId: string) => Promise<unknown>>
      readonly security: { readonly deactivate: () => Promise<unknown> }
    }
  }
}

/** The probe as devices send it, and what shows that one got through. */
export interface DeviceProbe {
  readonly guarded: Guarded
  /** A device of its own. */
  readonly fresh: (options?: GuardDeviceOptions) => Promise<GuardDevice>
  /** One device for every test that leaves it as it is. */
  readonly laptop: () => Promise<GuardDevice>
  readonly send: (authorization: string, core?: Answer) => Promise<Exchange>
  readonly expectThrough: (exchange: Exchange) => void
  /** Refused as told and nothing spent: the same nonce in a good assertion passes after it. */
  readonly expectUnspent: (members: Record<string, unknown>, name: ErrorName, core?: Answer) => Promise<void>
}
