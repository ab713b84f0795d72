import { ok } from '@svc/protocol/base/result'
import type { Imported } from '@svc/protocol/operator/imports'
import type { DisputePage, DisputeReadStatement } from '@svc/protocol/operator/reads'
import type { RebuiltObjects } from '@svc/protocol/operator/rebuild-objects'
import {
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
  StandingClient,
  StaticFiles,
  signerOf,
} from '@svc/service'
import { Archive } from './archive/archive.ts'
import { AuthorityClient } from './authority/client.ts'
import { DisputeService } from './consent/dispute-service.ts'
import { ImportService } from './consent/import-service.ts'
import { PublishingService } from './consent/publishing-service.ts'
import { RecordCache } from './consent/record-cache.ts'
import { Records } from './consent/records.ts'
import { ConsentService } from './consent/service.ts'
import { type SettlementRefusal, SettlementService } from './consent/settlement-service.ts'
import { Creators } from './creator/client.ts'
import { type Config, configSchema } from './env.ts'
import { type ConsentActStatement, performerOf } from './operator/performer.ts'
import { SnapshotMaker } from './snapshot/maker.ts'
import { PageStore } from './snapshot/page-store.ts'
import { SnapshotService } from './snapshot/service.ts'
import { Stores } from './store/client.ts'

export interface Services {
  readonly config: Config
  readonly description: StaticFiles
  readonly objectCommits: ObjectCommits
  readonly consent: ConsentService
  readonly publishing: PublishingService
  readonly snapshots: SnapshotService
  readonly operator: OperatorActs<ConsentActStatement, SettlementRefusal, Imported | RebuiltObjects | object>
  readonly disputeReads: OperatorActs<DisputeReadStatement, never, Pick<DisputePage, 'disputes' | 'next'>>
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(configSchema, env)
  const [origin = ''] = config.PUBLIC_ORIGINS
  const stores = new Stores(objectsIn(env, env.CONSENT_STORES))
  const creators = new Creators(objectsIn(env, env.CONSENT_CREATORS), new StandingClient(env.PAY))
  const records = new Records(stores, new Archive(env.BLOBS))
  const disputes = new DisputeService(stores)
  const acts = new OperatorStore(env.CONTROL_DB)
  const cache = new RecordCache(caches.default, origin)
  const authority = new AuthorityClient(new InternalClient(env.PROVENANCE, internalSecretsOf(config)))
  const settlements = new SettlementService(stores, cache, () => Date.now())
  return {
    config,
    limiter: limiterOf('consent', env),
    deps: {
      config,
      description: new StaticFiles(env.API_DESCRIPTION, 'API description'),
      objectCommits: objectCommitsOf('consent', env),
      consent: new ConsentService({ records, stores, creators, cache }),
      publishing: new PublishingService({ records, stores, authority, creators, cache, now: () => Date.now() }),
      snapshots: new SnapshotService(
        stores,
        new PageStore(env.BLOBS),
        signerOf(env, { service: 'consent', use: 'snapshot' }),
      ),
      operator: new OperatorActs(
        config,
        acts,
        performerOf(
          { settlements, imports: new ImportService(stores, cache), rebuild: rebuildOf(env) },
          config.OPERATOR_PUBLIC_KEY,
        ),
      ),
      disputeReads: new OperatorActs(config, acts, async ({ after }) => ok(await disputes.page(after))),
    },
  }
}

/** What the cron trigger does: deletes snapshots that nobody can ask for any more. */
export async function sweep(env: Env, now: number): Promise<void> {
  await new PageStore(env.BLOBS).sweep(now)
}

/** What else it does: makes pages of the newest snapshot. */
export async function makeSnapshots(env: Env, now: number): Promise<void> {
  await new SnapshotMaker(createRuntime(env).deps.snapshots, new PageStore(env.BLOBS)).run(now)
}

function rebuildOf(env: Env) {
  return new ObjectRebuild(env, {
    'consent-stores': objectsIn(env, env.CONSENT_STORES),
    'consent-creators': objectsIn(env, env.CONSENT_CREATORS),
  })
}
