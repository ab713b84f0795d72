import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import { DeploymentSigner } from '@svc/protocol/deployment-signer'
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
import { AttestedDeviceClient } from './directory/attested-device-client.ts'
import { DirectoryService } from './directory/directory-service.ts'
import { type Config, keysConfigSchema } from './env.ts'
import { EpochService } from './epochs/epoch-service.ts'
import { EpochStore } from './epochs/epoch-store.ts'
import { GuardianService } from './guardians/guardian-service.ts'
import { GuardianStore } from './guardians/guardian-store.ts'
import { InventoryStore } from './migration/inventory-store.ts'
import { LeafCourier } from './transparency/leaf-courier.ts'
import { ProofCache } from './transparency/proof-cache.ts'
import { TileStore } from './transparency/tile-store.ts'
import { TransparencyService } from './transparency/transparency-service.ts'

export interface Services {
  readonly config: Config
  /** Which bindings this deployment has. */
  readonly bindings: Readonly<Record<string, boolean>>
  readonly directory: DirectoryService
  readonly transparency: TransparencyService
  readonly guardians: GuardianService
  readonly epochs: EpochService
  readonly inventory: InventoryStore
  /** Signs checkpoints and receipts. */
  readonly signer: DeploymentSigner
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(keysConfigSchema, env)
  const core = new InternalClient(env.CORE, internalSecretsOf(config))
  const signer = new DeploymentSigner(config.DIRECTORY_LOG_SEED || undefined)
  return {
    config,
    limiter: limiterOf('keys', env),
    gate: new SiblingGate(core, new NonceGuardClient(env.NONCES)),
    deps: {
      config,
      bindings: bindingsOf(env, config),
      directory: new DirectoryService({
        accounts: env.ACCOUNT_DIRECTORIES,
        devices: new AttestedDeviceClient(core),
        courier: new LeafCourier(env.TRANSPARENCY_LOG),
        signsReceipts: signer.isReady,
      }),
      transparency: new TransparencyService({
        logs: env.TRANSPARENCY_LOG,
        tiles: new TileStore(env.TILES),
        cache: new ProofCache(config.PUBLIC_ORIGINS[0] ?? ''),
        signer,
        origin: config.PUBLIC_ORIGINS[0] ?? '',
        witnesses: config.WITNESS_KEYS,
      }),
      guardians: new GuardianService(new GuardianStore(env.DB)),
      epochs: new EpochService(
        new EpochStore(env.DB),
        new OperatorActs(config.OPERATOR_PUBLIC_KEY, new OperatorStore(env.DB)),
      ),
      inventory: new InventoryStore(env.DB),
      signer,
    },
  }
}

/** What `/health` says of each; a member that is false is why it says `degraded`. */
function bindingsOf(env: Env, config: Config): Record<string, boolean> {
  return {
    core: 'CORE' in env,
    nonces: 'NONCES' in env,
    accountDirectories: 'ACCOUNT_DIRECTORIES' in env,
    transparencyLog: 'TRANSPARENCY_LOG' in env,
    tiles: 'TILES' in env,
    database: 'DB' in env,
    internalSecret: Boolean(config.SVC_INTERNAL_SECRET),
    logKey: Boolean(config.DIRECTORY_LOG_SEED),
  }
}
