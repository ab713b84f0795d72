import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import {
  CounterService,
  InternalClient,
  internalGate,
  internalSecretsOf,
  limiterOf,
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
import { checksOf } from './health/checks.ts'
import { HealthService } from './health/health-service.ts'
import { INTERNAL_ROUTES } from './internal-routes.ts'
import { QuotaClient } from './quota/quota-client.ts'
import { KeyStatusService } from './verification/key-status-service.ts'
import { OpenNonces } from './verification/open-nonces.ts'
import { VerificationService } from './verification/verification-service.ts'

export interface Services {
  readonly config: Config
  readonly health: HealthService
  readonly consentAuthority: ConsentAuthority
  readonly quota: QuotaClient
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
  return {
    config,
    limiter: limiterOf('provenance', env),
    windows: new CounterService(env.COUNTERS),
    gate: new SiblingGate(core, new NonceGuardClient(env.NONCES)),
    internal: internalGate(internalSecretsOf(config), INTERNAL_ROUTES),
    deps: {
      config,
      consentAuthority: new ConsentAuthority(core),
      health: new HealthService(checksOf(env, { core, pay }), Date.now),
      quota,
      verification: new VerificationService(new OpenNonces(env.NONCES), keys),
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
