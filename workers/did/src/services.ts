import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import {
  InternalClient,
  internalSecretsOf,
  limiterOf,
  OperatorActs,
  OperatorStore,
  type Runtime,
  readConfig,
  SiblingGate,
} from '@svc/service'
import { type DidConfig, didConfigSchema } from './env.ts'
import { OperatorService } from './operator/operator-service.ts'
import { LicenceStore } from './organizations/licence-store.ts'
import { OfficerCache } from './organizations/officer-cache.ts'
import { OfficerService } from './organizations/officer-service.ts'
import { OrgStore } from './organizations/org-store.ts'
import { OrganizationService } from './organizations/organization-service.ts'
import { RosterService } from './organizations/roster-service.ts'
import { RegistrationService } from './registration/registration-service.ts'
import { ResolutionService } from './resolution/resolution-service.ts'
import { ResolverSigner } from './resolution/resolver-signer.ts'
import { RotationService } from './rotation/rotation-service.ts'
import { RotationStore } from './rotation/rotation-store.ts'

export interface Services {
  readonly config: DidConfig
  readonly registrations: RegistrationService
  readonly resolution: ResolutionService
  readonly resolver: ResolverSigner
  readonly rotations: RotationService
  readonly officers: OfficerService
  readonly officerCache: OfficerCache
  readonly organizations: OrganizationService
  readonly rosters: RosterService
  readonly operator: OperatorService
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(didConfigSchema, env)
  const core = new InternalClient(env.CORE, internalSecretsOf(config))
  const resolver = new ResolverSigner(config.RESOLVER_SEED, config.PUBLIC_ORIGINS[0] ?? '')
  const orgs = new OrgStore(env.DB)
  const licences = new LicenceStore(env.DB)
  const officers = new OfficerService(core)
  return {
    config,
    limiter: limiterOf('did', env),
    gate: new SiblingGate(core, new NonceGuardClient(env.NONCES)),
    deps: {
      config,
      registrations: new RegistrationService(core),
      resolver,
      resolution: new ResolutionService(core, resolver),
      rotations: new RotationService(core, new RotationStore(env.DB)),
      officers,
      officerCache: new OfficerCache(officers, config.PUBLIC_ORIGINS[0] ?? ''),
      organizations: new OrganizationService(orgs, licences, officers, core),
      rosters: new RosterService(orgs),
      operator: new OperatorService(new OperatorActs(config.OPERATOR_PUBLIC_KEY, new OperatorStore(env.DB)), licences),
    },
  }
}
