import { DeploymentSigner } from '@svc/protocol/deployment-signer'
import { InternalClient, internalSecretsOf, limiterOf, type Runtime, readConfig } from '@svc/service'
import { AuthorityClient } from './authority/authority-client.ts'
import { ConsentService } from './consent/consent-service.ts'
import { ConsentStore } from './consent/consent-store.ts'
import { PublishingService } from './consent/publishing-service.ts'
import { RecordCache } from './consent/record-cache.ts'
import { type Config, consentConfigSchema } from './env.ts'
import { SnapshotService } from './snapshot/snapshot-service.ts'

export interface Services {
  readonly config: Config
  readonly consent: ConsentService
  readonly publishing: PublishingService
  readonly snapshots: SnapshotService
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(consentConfigSchema, env)
  const [origin = ''] = config.PUBLIC_ORIGINS
  const store = new ConsentStore([env.DB])
  const cache = new RecordCache(caches.default, origin)
  const authority = new AuthorityClient(new InternalClient(env.PROVENANCE, internalSecretsOf(config)))
  return {
    config,
    limiter: limiterOf('consent', env),
    deps: {
      config,
      consent: new ConsentService(store, cache),
      publishing: new PublishingService(store, authority, cache, () => Date.now()),
      snapshots: new SnapshotService(store, new DeploymentSigner(config.CONSENT_SEED || undefined)),
    },
  }
}
