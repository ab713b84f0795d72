import { ok } from '@svc/protocol/base/result'
import type { ProvenanceOperatorAct } from '@svc/protocol/operator/acts'
import type { RegistrantPage, TextReadStatement } from '@svc/protocol/operator/reads'
import {
  backlogIn,
  CounterService,
  InternalClient,
  internalGate,
  internalSecretsOf,
  LOOSE_MS,
  LooseObjects,
  limiterOf,
  type ObjectCommits,
  ObjectRebuild,
  OperatorActs,
  OperatorStore,
  objectCommitsOf,
  objectsIn,
  Queues,
  type Runtime,
  readConfig,
  SiblingGate,
  StandingClient,
  StaticFiles,
  seedVersionsOf,
  TakedownList,
  type TakedownReads,
} from '@svc/service'
import { BodyStore } from './capsules/body-store.ts'
import { ChainBinder } from './capsules/chain-binder.ts'
import { CapsuleService } from './capsules/service.ts'
import { SignerService } from './capsules/signer-service.ts'
import { CapsuleStore } from './capsules/store.ts'
import { importCommitments } from './commitments/import-store.ts'
import { CommitmentStore } from './commitments/store.ts'
import { ConsentAuthority } from './consent-authority/service.ts'
import { type Config, configSchema } from './env.ts'
import { KeypointStore } from './files/keypoint-store.ts'
import { FileStore } from './files/store.ts'
import { checksOf } from './health/checks.ts'
import { HealthService } from './health/service.ts'
import { type ActDone, type ActRefusal, performerOf } from './operator/performer.ts'
import { KeptBudget } from './quota/budget.ts'
import { QuotaClient } from './quota/client.ts'
import { UnitNames } from './quota/unit-names.ts'
import { SearchService } from './search/service.ts'
import { TakedownService } from './takedowns/service.ts'
import { TakedownStore } from './takedowns/store.ts'
import { Claimants } from './text/claimants.ts'
import { RegistrantList } from './text/registrant-list.ts'
import { type TextParts, TextService } from './text/service.ts'
import { TextStore } from './text/store.ts'
import { indexesOf } from './vectors/indexes.ts'
import { VectorSetService } from './vectors/set-service.ts'
import { VectorSetStore } from './vectors/set-store.ts'
import { IndexUpkeep } from './vectors/upkeep.ts'
import { UpkeepStore } from './vectors/upkeep-store.ts'
import { KeyStatusService } from './verification/key-status-service.ts'
import { OpenNonces } from './verification/open-nonces.ts'
import { VerificationService } from './verification/service.ts'

export interface Services {
  readonly config: Config
  readonly description: StaticFiles
  readonly objectCommits: ObjectCommits
  readonly queues: Queues
  readonly health: HealthService
  readonly consentAuthority: ConsentAuthority
  readonly quota: QuotaClient
  readonly texts: TextService
  readonly search: SearchService
  readonly vectorSets: VectorSetService
  readonly files: FileStore
  readonly keypoints: KeypointStore
  readonly operator: OperatorActs<ProvenanceOperatorAct['statement'], ActRefusal, ActDone>
  readonly takedownReads: TakedownReads
  readonly textReads: OperatorActs<TextReadStatement, never, Pick<RegistrantPage, 'texts' | 'next'>>
  readonly takedowns: TakedownList
  readonly verification: VerificationService
  readonly capsules: CapsuleService
  readonly commitments: CommitmentStore
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(configSchema, env)
  const core = new InternalClient(env.CORE, internalSecretsOf(config))
  const pay = new InternalClient(env.PAY, internalSecretsOf(config))
  const quota = new QuotaClient(pay, new UnitNames(seedVersionsOf(env, 'CLAIMANTS_SEED')))
  const budget = new KeptBudget(new StandingClient(env.PAY))
  const keys = new KeyStatusService(core)
  const acts = new OperatorStore(env.CONTROL_DB)
  const takedowns = new TakedownList(env.DB, acts)
  const loose = new LooseObjects(env.DB, env.BLOBS)
  const capsules = capsulesOf(env)
  const takingDown = new TakedownService(new TakedownStore(env.DB, env.BLOBS), capsules)
  const registrants = new RegistrantList(env.DB)
  const claimants = new Claimants(seedVersionsOf(env, 'CLAIMANTS_SEED'))
  const vectors = vectorServicesOf(env, loose, { quota, budget, takedowns, claimants })
  return {
    config,
    limiter: limiterOf('provenance', env),
    windows: new CounterService(objectsIn(env, env.COUNTERS)),
    gate: new SiblingGate(core),
    internal: internalGate(internalSecretsOf(config)),
    deps: {
      config,
      description: new StaticFiles(env.API_DESCRIPTION, 'API description'),
      objectCommits: objectCommitsOf('provenance', env),
      queues: queuesOf(env),
      consentAuthority: new ConsentAuthority(core),
      health: new HealthService(checksOf(env, { core, pay, vectors: vectors.vectorSets }), Date.now),
      quota,
      ...vectors,
      operator: new OperatorActs(
        config,
        acts,
        performerOf(
          vectors.vectorSets,
          takingDown,
          (list) => importCommitments(env.DB, list),
          new ObjectRebuild(env, {
            'capsule-buckets': objectsIn(env, env.CAPSULE_BUCKETS),
            'capsule-owners': objectsIn(env, env.CAPSULE_OWNERS),
          }),
        ),
      ),
      textReads: new OperatorActs(config, acts, async ({ assetId, after }) =>
        ok(await registrants.page(assetId, after)),
      ),
      takedownReads: new OperatorActs(config, acts, async ({ after }) => ok(await takedowns.operatorPage(after))),
      takedowns,
      files: new FileStore(env.BLOBS),
      keypoints: new KeypointStore({ db: env.DB, blobs: env.BLOBS, loose, budget }),
      verification: new VerificationService(new OpenNonces(objectsIn(env, env.OPEN_NONCES)), keys),
      capsules: new CapsuleService({
        store: capsules,
        bodies: new BodyStore(env.BLOBS),
        signers: new SignerService(core),
        keys,
        quota,
        budget,
        takedowns,
        binder: config.CHAIN_BINDING === 'on' ? new ChainBinder(core) : null,
        realms: config.REALMS,
      }),
      commitments: new CommitmentStore(env.DB),
    },
  }
}

function capsulesOf(env: Env): CapsuleStore {
  return new CapsuleStore({
    buckets: objectsIn(env, env.CAPSULE_BUCKETS),
    owners: objectsIn(env, env.CAPSULE_OWNERS),
  })
}

function vectorServicesOf(
  env: Env,
  loose: LooseObjects,
  parts: TextParts,
): Pick<Services, 'texts' | 'search' | 'vectorSets'> {
  const store = new VectorSetStore(env.DB, env.BLOBS, loose)
  const vectorSets = new VectorSetService(store, indexesOf(env, readConfig(configSchema, env).VECTOR_GENERATIONS))
  const texts = new TextStore(env.DB, store, loose)
  return {
    texts: new TextService(texts, vectorSets, parts),
    search: new SearchService(vectorSets, store, texts),
    vectorSets,
  }
}

/**
 * What the hourly cron trigger does: deletes claims of texts that never completed and objects that no row names, and keeps the
 * indexes in step with what is stored.
 */
export async function sweep(env: Env, now: number): Promise<void> {
  await queuesOf(env).measure(now)
  const loose = new LooseObjects(env.DB, env.BLOBS)
  const sets = new VectorSetStore(env.DB, env.BLOBS, loose)
  const { VECTOR_GENERATIONS: generations } = readConfig(configSchema, env)
  await new TextStore(env.DB, sets, loose).dropAbandoned(now - LOOSE_MS)
  await loose.sweep(now)
  await new TakedownStore(env.DB, env.BLOBS).sweep()
  await new IndexUpkeep(new VectorSetService(sets, indexesOf(env, generations)), new UpkeepStore(env.DB)).run(now)
}

/** What a search does not find yet, or still finds. A set that was just stored is due at once, so it has no age. */
function queuesOf({ DB }: Env): Queues {
  return new Queues('provenance', {
    'vector checks': backlogIn(
      DB,
      'SELECT count(*) AS depth, min(nullif(check_at, 0)) AS oldestAt FROM vector_sets WHERE check_at <= ?1',
    ),
    'vector removals': backlogIn(
      DB,
      'SELECT count(*) AS depth, min(removed_at) AS oldestAt FROM vector_removals WHERE ?1 > 0',
    ),
  })
}
