import { ok } from '@svc/protocol/base/result'
import type { Imported } from '@svc/protocol/operator/imports'
import type { DisputePage, DisputeReadStatement } from '@svc/protocol/operator/reads'
import {
  InternalClient,
  internalSecretsOf,
  limiterOf,
  OperatorActs,
  OperatorStore,
  type Runtime,
  readConfig,
  StandingClient,
  signerOf,
} from '@svc/service'
import { AuthorityClient } from './authority/client.ts'
import { ConsentBudget } from './consent/budget.ts'
import { ClaimStore } from './consent/claim-store.ts'
import { DisputeList } from './consent/dispute-list.ts'
import { ImportService } from './consent/import-service.ts'
import { PublishingService } from './consent/publishing-service.ts'
import { RecordCache } from './consent/record-cache.ts'
import { ConsentService } from './consent/service.ts'
import { type SettlementRefusal, SettlementService } from './consent/settlement-service.ts'
import { ConsentStore } from './consent/store.ts'
import { UsageStore } from './consent/usage-store.ts'
import { type Config, configSchema } from './env.ts'
import { type ConsentActStatement, performerOf } from './operator/performer.ts'
import { SnapshotService } from './snapshot/service.ts'

export interface Services {
  readonly config: Config
  readonly consent: ConsentService
  readonly publishing: PublishingService
  readonly snapshots: SnapshotService
  readonly operator: OperatorActs<ConsentActStatement, SettlementRefusal, Imported | object>
  readonly disputeReads: OperatorActs<DisputeReadStatement, never, Pick<DisputePage, 'disputes' | 'next'>>
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(configSchema, env)
  const [origin = ''] = config.PUBLIC_ORIGINS
  const databases = [env.DB] as const
  const store = new ConsentStore(databases)
  const claims = new ClaimStore(databases)
  const disputes = new DisputeList(databases)
  const acts = new OperatorStore(env.CONTROL_DB)
  const usage = new UsageStore(databases)
  const budget = new ConsentBudget(usage, new StandingClient(env.PAY))
  const cache = new RecordCache(caches.default, origin)
  const authority = new AuthorityClient(new InternalClient(env.PROVENANCE, internalSecretsOf(config)))
  const settlements = new SettlementService(store, cache, () => Date.now())
  return {
    config,
    limiter: limiterOf('consent', env),
    deps: {
      config,
      consent: new ConsentService({ store, claims, usage, cache }),
      publishing: new PublishingService({ store, claims, authority, budget, cache, now: () => Date.now() }),
      snapshots: new SnapshotService(store, signerOf(env, { service: 'consent', use: 'snapshot' })),
      operator: new OperatorActs(
        config,
        acts,
        performerOf(settlements, new ImportService(databases, cache), config.OPERATOR_PUBLIC_KEY),
      ),
      disputeReads: new OperatorActs(config, acts, async ({ after }) => ok(await disputes.page(after))),
    },
  }
}
