import { LeafCourier } from '@svc/log'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { DirectoryCheckpoint } from '@svc/protocol/keys/transparency'
import type { KeysOperatorAct } from '@svc/protocol/operator/acts'
import {
  BotChallenge,
  doneOrDelayed,
  FormChallenge,
  InceptionLogClient,
  InternalClient,
  internalSecretsOf,
  type KeptLogs,
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
  StaticFiles,
  signerOf,
} from '@svc/service'
import { accountMap, mapBucket } from './account-map/bindings.ts'
import { AccountMapService } from './account-map/service.ts'
import { BeaconService } from './beacon/service.ts'
import { Accounts } from './directory/accounts.ts'
import { AttestedDeviceClient } from './directory/attested-device-client.ts'
import { PrekeyService } from './directory/prekey-service.ts'
import { DirectoryService } from './directory/service.ts'
import { type Config, configSchema } from './env.ts'
import { EpochService } from './epochs/service.ts'
import { EpochStore } from './epochs/store.ts'
import { GuardianService } from './guardians/service.ts'
import { GuardianStore } from './guardians/store.ts'
import { type Labels, labelsOf } from './labels/labels.ts'
import { InventoryStore } from './migration/store.ts'
import { type KeysActRefusal, performerOf } from './operator/performer.ts'
import { directoryLogs } from './transparency/logs.ts'
import { ProofCache } from './transparency/proof-cache.ts'
import { TransparencyService } from './transparency/service.ts'

export interface Services {
  readonly config: Config
  readonly description: StaticFiles
  readonly objectCommits: ObjectCommits
  readonly queues: Queues
  /** Which bindings this deployment has. */
  readonly bindings: Readonly<Record<string, boolean>>
  readonly directory: DirectoryService
  readonly prekeys: PrekeyService
  readonly transparency: TransparencyService
  readonly accountMap: AccountMapService
  readonly labels: Labels
  readonly beacon: BeaconService
  readonly guardians: GuardianService
  readonly epochs: EpochService
  readonly operator: OperatorActs<KeysOperatorAct['statement'], KeysActRefusal>
  readonly inventory: InventoryStore
  /** Signs receipts of reservations. */
  readonly receipts: DeploymentSigner
  readonly logs: KeptLogs<DirectoryCheckpoint>
}

/** The only place where bindings meet services. */
export function createRuntime(env: Env): Runtime<Services> {
  const config = readConfig(configSchema, env)
  const epochs = new EpochStore(env.DB)
  const core = new InternalClient(env.CORE, internalSecretsOf(config))
  const receipts = signerOf(env, { service: 'keys', use: 'reservation' })
  const logs = directoryLogs(env)
  const labels = labelsOf(env)
  const accounts = new Accounts(objectsIn(env, env.ACCOUNT_DIRECTORIES), labels)
  const devices = new AttestedDeviceClient(core)
  const cache = new ProofCache(config.PUBLIC_ORIGINS[0] ?? '')
  return {
    config,
    limiter: limiterOf('keys', env),
    gate: new SiblingGate(core),
    deps: {
      config,
      description: new StaticFiles(env.API_DESCRIPTION, 'API description'),
      objectCommits: objectCommitsOf('keys', env),
      queues: queuesOf(env),
      bindings: bindingsOf(env, config),
      directory: new DirectoryService({
        accounts,
        devices,
        inceptionLogs: new InceptionLogClient(core),
        logs: logs.all,
        courier: new LeafCourier((log, sentAt, leaves) =>
          doneOrDelayed({ service: 'keys', delayed: 'directory updates', waiting: leaves.length }, async () =>
            objectsIn(env, env.TRANSPARENCY_LOG).getByName(log).submit(log, sentAt, leaves),
          ),
        ),
        realms: config.REALMS,
      }),
      prekeys: new PrekeyService({
        accounts,
        devices,
        receipts,
        challenge: new FormChallenge(
          new BotChallenge({
            secret: config.TURNSTILE_SECRET,
            isLocal: config.ENVIRONMENT === 'local',
            fetch: (url, init) => fetch(url, init),
          }),
          [...config.PUBLIC_ORIGINS, ...config.ALLOWED_ORIGINS],
        ),
        realms: config.REALMS,
      }),
      transparency: new TransparencyService({
        objects: objectsIn(env, env.TRANSPARENCY_LOG),
        logs,
        accounts: objectsIn(env, env.ACCOUNT_DIRECTORIES),
        cache,
        witnesses: config.WITNESS_KEYS,
        realms: config.REALMS,
      }),
      accountMap: new AccountMapService({
        map: () => accountMap(env),
        bucketOf: (bucket) => mapBucket(env, bucket),
        logs,
        labels,
        cache,
      }),
      labels,
      beacon: new BeaconService(objectsIn(env, env.BEACON), config, logs.seed),
      guardians: new GuardianService(new GuardianStore(env.DB), config.REALMS),
      epochs: new EpochService(epochs),
      operator: new OperatorActs(
        config,
        new OperatorStore(env.CONTROL_DB),
        performerOf({
          epochs,
          logs,
          rebuild: new ObjectRebuild(env, { accounts: objectsIn(env, env.ACCOUNT_DIRECTORIES) }),
        }),
      ),
      inventory: new InventoryStore(env.DB),
      receipts,
      logs,
    },
  }
}

/** What the hourly cron trigger does: deletes rows that nothing reads any more. One failure leaves the others to their work. */
export async function sweep(env: Env, now: number): Promise<void> {
  const stores = [new EpochStore(env.DB), new InventoryStore(env.DB)]
  // Reading the checkpoint starts the beacon, and wakes it up if its alarm was dropped.
  const config = readConfig(configSchema, env)
  const beacon = new BeaconService(objectsIn(env, env.BEACON), config, directoryLogs(env).seed)
  await Promise.all([queuesOf(env).measure(now), ...stores.map((store) => store.sweep(now)), beacon.checkpoint()])
}

/** The outboxes of accounts are in their own objects, which cannot be counted. */
function queuesOf(env: Env): Queues {
  return new Queues('keys', { 'account map': async () => accountMap(env).backlog() })
}

/** The members of `/health`. A false one turns the status to `degraded`. */
function bindingsOf(env: Env, config: Config): Record<string, boolean> {
  return {
    core: 'CORE' in env,
    accountDirectories: 'ACCOUNT_DIRECTORIES' in env,
    transparencyLog: 'TRANSPARENCY_LOG' in env,
    accountMap: 'ACCOUNT_MAP' in env,
    mapBuckets: 'MAP_BUCKETS' in env,
    beacon: 'BEACON' in env,
    tiles: 'TILES' in env,
    database: 'DB' in env,
    internalSecret: Boolean(config.SVC_INTERNAL_SECRET),
    logKey: Boolean(directoryLogs(env).seed),
    labelKey: Boolean(config.KEY_LABELS_SEED),
    receiptKey: Boolean(config.DIRECTORY_RECEIPT_SEED),
  }
}
