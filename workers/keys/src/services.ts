import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import { DeploymentSigner } from '@svc/protocol/deployment-signer'
import { InternalClient, internalSecretsOf, limiterOf, type Runtime, readConfig, SiblingGate } from '@svc/service'
import { AttestedDeviceClient } from './directory/attested-device-client.ts'
import { DirectoryService } from './directory/directory-service.ts'
import { type Config, keysConfigSchema } from './env.ts'
import { TileStore } from './transparency/tile-store.ts'
import { TransparencyService } from './transparency/transparency-service.ts'

export interface Services {
  readonly config: Config
  /** Which bindings this deployment has. */
  readonly bindings: Readonly<Record<string, boolean>>
  readonly directory: DirectoryService
  readonly transparency: TransparencyService
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
        signsReceipts: signer.isReady,
      }),
      transparency: new TransparencyService({
        logs: env.TRANSPARENCY_LOG,
        tiles: new TileStore(env.TILES),
        signer,
        origin: config.PUBLIC_ORIGINS[0] ?? '',
        witnesses: config.WITNESS_KEYS,
      }),
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
    internalSecret: Boolean(config.SVC_INTERNAL_SECRET),
    logKey: Boolean(config.DIRECTORY_LOG_SEED),
  }
}
