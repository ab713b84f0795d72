import type { RebuiltObjects, rebuildSchemas } from '@svc/protocol/operator/rebuild-objects'
import {
  InceptionLogClient,
  InternalClient,
  internalSecretsOf,
  limiterOf,
  type ObjectCommits,
  ObjectRebuild,
  OperatorActs,
  OperatorStore,
  objectCommitsOf,
  objectsIn,
  type Runtime,
  readConfig,
  SiblingGate,
  StandingClient,
  StaticFiles,
  signerOf,
} from '@svc/service'
import type * as z from 'zod'
import { type Config, configSchema } from './env.ts'
import { Organizations } from './organizations/client.ts'
import { OfficerCache } from './organizations/officer-cache.ts'
import { OfficerService } from './organizations/officer-service.ts'
import { RosterService } from './organizations/roster-service.ts'
import { OrganizationService } from './organizations/service.ts'
import { RegistrationService } from './registration/service.ts'
import { ResolverSigner } from './resolution/resolver-signer.ts'
import { ResolutionService } from './resolution/service.ts'
import { RotationService } from './rotation/service.ts'
import { RotationStore } from './rotation/store.ts'

type RebuildAct = z.infer<typeof rebuildSchemas.did>['statement']

export interface Services {
  readonly config: Config
  readonly description: StaticFiles
  readonly objectCommits: ObjectCommits
  readonly registrations: RegistrationService
  readonly resolution: ResolutionService
  readonly resolver: ResolverSigner
  readonly rotations: RotationService
  readonly officers: OfficerService
  readonly officerCache: OfficerCache
  readonly organizations: OrganizationService
  readonly rosters: RosterService
  readonly operator: OperatorActs<RebuildAct, { readonly reason: 'not_found' }, RebuiltObjects>
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(configSchema, env)
  const core = new InternalClient(env.CORE, internalSecretsOf(config))
  const resolver = new ResolverSigner(
    signerOf(env, { service: 'did', use: 'resolution' }),
    config.PUBLIC_ORIGINS[0] ?? '',
  )
  const organizations = new Organizations(objectsIn(env, env.ORGANIZATIONS), objectsIn(env, env.MEMBERSHIPS))
  const officers = new OfficerService(core)
  const rebuild = new ObjectRebuild(env, {
    organizations: objectsIn(env, env.ORGANIZATIONS),
    memberships: objectsIn(env, env.MEMBERSHIPS),
  })
  return {
    config,
    limiter: limiterOf('did', env),
    gate: new SiblingGate(core),
    deps: {
      config,
      description: new StaticFiles(env.API_DESCRIPTION, 'API description'),
      objectCommits: objectCommitsOf('did', env),
      registrations: new RegistrationService(core),
      resolver,
      resolution: new ResolutionService(core, resolver),
      rotations: new RotationService(core, new RotationStore(env.DB)),
      officers,
      officerCache: new OfficerCache(officers, config.PUBLIC_ORIGINS[0] ?? ''),
      organizations: new OrganizationService({
        organizations,
        pay: new StandingClient(env.PAY),
        officers,
        core,
        inceptionLogs: new InceptionLogClient(core),
        realms: config.REALMS,
      }),
      rosters: new RosterService(organizations),
      operator: new OperatorActs(config, new OperatorStore(env.CONTROL_DB), (act: RebuildAct, now) =>
        rebuild.run(act, now),
      ),
    },
  }
}
