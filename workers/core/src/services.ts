import type { Caller, SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import type { Result } from '@svc/protocol/result'
import { type Gate, internalGate, limiterOf, type Runtime, readConfig } from '@svc/service'
import { ChainService } from './chain/chain-service.ts'
import { PayloadStore } from './chain/payload-store.ts'
import { type CoreConfig, coreConfigSchema } from './env.ts'
import { IdentityService } from './identity/identity-service.ts'
import { DeviceService } from './inception/device-service.ts'
import { InceptionService } from './inception/inception-service.ts'
import { INTERNAL_ROUTES } from './internal-routes.ts'
import { OperatorService } from './operator/operator-service.ts'
import { OperatorStore } from './operator/operator-store.ts'
import { OfferCodes } from './rendezvous/offer-code.ts'
import { RendezvousService } from './rendezvous/rendezvous-service.ts'
import { RotationService } from './rotation/rotation-service.ts'

/** Document 1 section 8: two minutes of clock skew on core. */
const CORE_SKEW_MS = 120_000

export interface Services {
  readonly config: CoreConfig
  readonly identities: IdentityService
  readonly chain: ChainService
  readonly devices: DeviceService
  readonly inception: InceptionService
  readonly rotations: RotationService
  readonly rendezvous: RendezvousService
  readonly operator: OperatorService
}

/** Core spends an assertion in the object of the identity itself, which knows its keys and devices as they are now. */
class CoreGate implements Gate {
  readonly skewMs = CORE_SKEW_MS
  readonly acceptsDevices: boolean
  readonly #identities: IdentityService

  constructor(identities: IdentityService, acceptsDevices: boolean) {
    this.#identities = identities
    this.acceptsDevices = acceptsDevices
  }

  spend(assertion: VerifiedAssertion): Promise<Result<Caller, SpendRefusal>> {
    return this.#identities.spend(assertion)
  }
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(coreConfigSchema, env)
  const identities = new IdentityService(env.IDENTITIES)
  const devices = new DeviceService(identities, env.CACHE)
  const rotations = new RotationService(identities, devices, {
    acceptsV2: config.ROTATION_V2 === 'on',
    windowMs: config.ROTATION_WINDOW_SECONDS * 1000,
  })
  const codes = new OfferCodes(config.SVC_INTERNAL_SECRET)
  return {
    config,
    limiter: limiterOf('core', env),
    gate: new CoreGate(identities, config.DEVICE_KEYS === 'on'),
    internal: internalGate(config.SVC_INTERNAL_SECRET, INTERNAL_ROUTES),
    deps: {
      config,
      identities,
      chain: new ChainService(identities, new PayloadStore(env.BLOBS), config.CHAIN_V4 === 'on'),
      devices,
      inception: new InceptionService(identities, devices),
      rotations,
      rendezvous: new RendezvousService(env.RENDEZVOUS, codes, identities, devices),
      operator: new OperatorService(config.OPERATOR_PUBLIC_KEY, new OperatorStore(env.DB), identities, rotations),
    },
  }
}
