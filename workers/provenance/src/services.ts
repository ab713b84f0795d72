import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import type { VectorService } from '@svc/protocol/vector-services'
import {
  CounterService,
  InternalClient,
  internalGate,
  internalSecretsOf,
  limiterOf,
  OperatorActs,
  OperatorStore,
  type Runtime,
  readConfig,
  SiblingGate,
} from '@svc/service'
import { BodyStore } from './capsules/body-store.ts'
import { CapsuleService } from './capsules/capsule-service.ts'
import { CapsuleStore } from './capsules/capsule-store.ts'
import { ChainBinder } from './capsules/chain-binder.ts'
import { SignerService } from './capsules/signer-service.ts'
import { CommitmentStore } from './commitments/commitment-store.ts'
import { ConsentAuthority } from './consent-authority/consent-authority-service.ts'
import { type Config, provenanceConfigSchema } from './env.ts'
import { FileStore } from './files/file-store.ts'
import { checksOf } from './health/checks.ts'
import { HealthService } from './health/health-service.ts'
import { INTERNAL_ROUTES } from './internal-routes.ts'
import { OperatorService } from './operator/operator-service.ts'
import { QuotaClient } from './quota/quota-client.ts'
import { SearchService } from './search/search-service.ts'
import { TextService } from './text/text-service.ts'
import { TextStore } from './text/text-store.ts'
import { EmbeddedIndex } from './vectors/embedded-index.ts'
import { type VectorIndexes, VectorSetService } from './vectors/vector-set-service.ts'
import { VectorSetStore } from './vectors/vector-set-store.ts'
import { type VectorizeBinding, VectorizeIndex } from './vectors/vectorize-index.ts'
import { KeyStatusService } from './verification/key-status-service.ts'
import { OpenNonces } from './verification/open-nonces.ts'
import { VerificationService } from './verification/verification-service.ts'

export interface Services {
  readonly config: Config
  readonly health: HealthService
  readonly consentAuthority: ConsentAuthority
  readonly quota: QuotaClient
  readonly texts: TextService
  readonly search: SearchService
  readonly vectorSets: VectorSetService
  readonly files: FileStore
  readonly operator: OperatorService
  readonly verification: VerificationService
  readonly capsules: CapsuleService
  readonly commitments: CommitmentStore
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(provenanceConfigSchema, env)
  const core = new InternalClient(env.CORE, internalSecretsOf(config))
  const pay = new InternalClient(env.PAY, internalSecretsOf(config))
  const quota = new QuotaClient(pay)
  const keys = new KeyStatusService(core)
  const vectors = vectorServicesOf(env, quota)
  const operators = new OperatorActs(config.OPERATOR_PUBLIC_KEY, new OperatorStore(env.DB))
  return {
    config,
    limiter: limiterOf('provenance', env),
    windows: new CounterService(env.COUNTERS),
    gate: new SiblingGate(core, new NonceGuardClient(env.NONCES)),
    internal: internalGate(internalSecretsOf(config), INTERNAL_ROUTES),
    deps: {
      config,
      consentAuthority: new ConsentAuthority(core),
      health: new HealthService(checksOf(env, { core, pay, vectors: vectors.vectorSets }), Date.now),
      quota,
      ...vectors,
      operator: new OperatorService(operators, vectors.vectorSets),
      files: new FileStore(env.BLOBS),
      verification: new VerificationService(new OpenNonces(env.OPEN_NONCES), keys),
      capsules: new CapsuleService({
        store: new CapsuleStore(env.DB),
        bodies: new BodyStore(env.BLOBS),
        signers: new SignerService(core),
        keys,
        quota,
        binder: config.CHAIN_BINDING === 'on' ? new ChainBinder(core) : null,
      }),
      commitments: new CommitmentStore(env.DB),
    },
  }
}

function vectorServicesOf(env: Env, quota: QuotaClient): Pick<Services, 'texts' | 'search' | 'vectorSets'> {
  const store = new VectorSetStore(env.DB, env.BLOBS)
  const vectorSets = new VectorSetService(store, indexesOf(env))
  const texts = new TextStore(env.DB, store)
  return {
    texts: new TextService(texts, vectorSets, quota),
    search: new SearchService(vectorSets, store, texts),
    vectorSets,
  }
}

/** Vectorize where it is bound, the embedded index where not, and nothing where neither is. */
function indexesOf(env: Partial<Env>): VectorIndexes {
  const indexOf = (service: VectorService, vectorize: VectorizeBinding | undefined) => {
    if (vectorize) return new VectorizeIndex(vectorize)
    return env.VECTOR_INDEX ? new EmbeddedIndex(env.VECTOR_INDEX, service) : null
  }
  return {
    text: indexOf('text', env.TEXT_VECTORS),
    semantic: indexOf('semantic', env.SEMANTIC_VECTORS),
    fragment: indexOf('fragment', env.FRAGMENT_VECTORS),
    video: indexOf('video', env.VIDEO_VECTORS),
  }
}
