import { join } from 'node:path'
import { SIBLING_NAMES } from '@svc/protocol/http/discovery-document'
import type { ServiceKey } from '@svc/protocol/http/service-keys'
import { buildSite } from '@svc/site/build'
import { sdkReference } from '@svc/site/sdk-reference'
import type { RunningWitness } from '@svc/witnessing/running-witness'
import type { Json, Miniflare, V4WorkerOptions } from 'miniflare'
import { bundleModules } from './bundles/bundle.ts'
import { waitUntilHealthy } from './callers/health.ts'
import { buildConsole } from './console.ts'
import { migrateDatabases } from './d1-migrations.ts'
import { writeDescription } from './documented/description.ts'
import { type DevSecrets, loadDevSecrets, publicKeyOf } from './keys/dev-secrets.ts'
import { listedServiceKeys, listedWitnessKey } from './keys/listed-keys.ts'
import { firstKeys, logListKeyVars, serviceKeyVars } from './keys/service-keys.ts'
import { consoleWorker } from './local/console-worker.ts'
import { LocalGateway } from './local/gateway.ts'
import { LocalIdentityProvider } from './local/identity-provider/identity-provider.ts'
import { LocalLogLists, type LogListParts } from './local/local-log-lists.ts'
import { addLocalModel } from './local/local-model.ts'
import { followDeployment, startLocalWitness } from './local/local-witness.ts'
import { localLogs } from './local/log-list.ts'
import { LocalMail, type Mail, mailFolder } from './local/mail.ts'
import { withLocalMetrics } from './local/metrics.ts'
import { allowPages, localConsole } from './local/pages.ts'
import { requireFreePorts } from './ports.ts'
import { type FileTarget, modelFiles, provisionFiles, runtimeFiles } from './provision-files.ts'
import { repeatWhenClosed } from './state/closed-connections.ts'
import { requireSameRealm } from './state/realm.ts'
import { claimStateDir } from './state/state-dir.ts'
import { injectDeclared, readAllWorkerConfigs, type WorkerConfig } from './worker-config.ts'
import {
  consolePortOf,
  DEFAULT_PORT_BASE,
  gatewayPortOf,
  identityProviderPortOf,
  portOf,
  SetupError,
  WORKER_NAMES,
  type WorkerName,
  witnessPortOf,
} from './workspace.ts'

export interface PlatformOptions {
  portBase?: number
  /** 3000 on the default ports; beside the services on others. */
  consolePort?: number
  stateDir: string
  /** Receives every line that the Workers or the runtime print. */
  onLog: (line: string) => void
  /** Overrides declared vars, by Worker. */
  vars?: Partial<Record<WorkerName, Record<string, Json>>>
  /** Optional secrets, which the configuration does not declare, by Worker; they replace those of the state. */
  secrets?: Partial<Record<WorkerName, Record<string, string>>>
  /** The published keys, if they are not the first ones of the state's seeds. */
  serviceKeys?: readonly ServiceKey[]
  /** Puts the model runtime into provenance's bucket, and the models of the state, one of which stands for a real one. */
  modelFiles?: boolean
  /** Serves the SDK reference with the pages. Without it, a start saves the seconds that making it takes. */
  sdkReference?: boolean
  /** The seeds of the logs that the log list announces, if they are not those of the open ones. */
  nextLogSeeds?: LogListParts['nextSeeds']
  /** Runs a witness that cosigns the logs. */
  witness?: boolean
  /** Whether rows of metrics are stored; default true. Otherwise the runtime drops them, which takes no time. */
  keepsMetrics?: boolean
  /** Changes the Workers before they start: for tests in which two releases run together. */
  arrange?: (workers: readonly V4WorkerOptions[]) => V4WorkerOptions[]
  /** Replaces the entry of each Worker before it is bundled. */
  wrap?: (config: WorkerConfig) => WorkerConfig
  /** Receives each mail, with the codes in it. For the developer at this machine; the log has none of it. */
  onMail?: (mail: Mail) => void
  /** Where the runtime lets itself be debugged and profiled. */
  inspectorPort?: number
  /** Receives one line for each completed step of the start. */
  onStep?: (line: string) => void
  /** Aborts the start between two steps, and stops what is already running. */
  signal?: AbortSignal
}

export interface Platform {
  urls: Record<WorkerName, string>
  /** Where the console is. */
  consoleUrl: string
  /** The providers that stand in for Google and Microsoft. */
  identityProviderUrl: string
  secrets: DevSecrets
  miniflare: Miniflare
  /** The IPFS gateway that core fetches content from. */
  gateway: LocalGateway
  /** The mail that core has sent. */
  mail: LocalMail
  /** Publishes the log list that reports logs that were rolled since the last one. A start does it too. */
  reportRolls(): Promise<void>
  stop(): Promise<void>
}

const HOST = '127.0.0.1'
const ALWAYS = { validFrom: 0, validUntil: null } as const

/** Starts all eight Workers in one runtime, each on its own port, from their production configuration. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { portBase = DEFAULT_PORT_BASE, stateDir, onStep = () => {}, signal } = options
  const { consolePort = consolePortOf(portBase) } = options
  const claim = await claimStateDir(stateDir)
  let miniflare: Miniflare | undefined
  let gateway: LocalGateway | undefined
  let identityProvider: LocalIdentityProvider | undefined
  let witness: RunningWitness | undefined
  const stop = async () => {
    // A runtime that failed to start reports the failure again on disposal.
    await miniflare?.dispose().catch(() => {})
    await gateway?.stop()
    await identityProvider?.stop()
    await witness?.stop()
    claim.release()
  }
  try {
    if (claim.clearedPreviousRun) onStep('cleaned up after a killed run')
    const urls = urlsOf(portBase)
    await requireFreePorts(portBase, consolePort)
    // After the ports: a start that another program keeps from them has made nothing yet.
    requireSameRealm(stateDir, urls.core)
    gateway = await LocalGateway.start(HOST, gatewayPortOf(portBase))
    identityProvider = await LocalIdentityProvider.start(HOST, identityProviderPortOf(portBase), urls.auth)
    const IPFS_GATEWAY = gateway.url
    const consoleUrl = `http://localhost:${consolePort}`
    const secrets = loadDevSecrets(stateDir)
    const configs = readAllWorkerConfigs()
    const keys = {
      operator: await publicKeyOf(secrets.operatorSeed),
      publisher: await publicKeyOf(secrets.publisherSeed),
      witness: await publicKeyOf(secrets.witnessSeed),
    }
    const seeds: Record<string, string> = {
      ANCHOR_LOG_SEED: Buffer.from(secrets.anchorLogSeed).toString('hex'),
      RECEIPT_SEED: Buffer.from(secrets.receiptSeed).toString('hex'),
      QUOTA_RECEIPT_SEED: Buffer.from(secrets.quotaReceiptSeed).toString('hex'),
      DIRECTORY_LOG_SEED: Buffer.from(secrets.directoryLogSeed).toString('hex'),
      DIRECTORY_RECEIPT_SEED: Buffer.from(secrets.directoryReceiptSeed).toString('hex'),
      CONSENT_SEED: Buffer.from(secrets.consentSeed).toString('hex'),
      RESOLVER_SEED: Buffer.from(secrets.resolverSeed).toString('hex'),
    }
    const recordsSeeds = new Map<string, Uint8Array>(Object.entries(secrets.recordsSeeds))
    const recordsSeedOf = (name: string) => Buffer.from(recordsSeeds.get(name) ?? []).toString('hex')
    const serviceKeys = options.serviceKeys ?? (await firstKeys((name) => seeds[name]))
    if (options.witness)
      witness = await startLocalWitness({
        stateDir,
        host: HOST,
        port: witnessPortOf(portBase),
        seed: secrets.witnessSeed,
        realm: urls.core,
        logs: localLogs(configs, { anchors: secrets.anchorLogSeed, transparency: secrets.directoryLogSeed }, urls),
        onLog: options.onLog,
      })
    const logListKeys = { threshold: 1, publicKeysB64u: [await publicKeyOf(secrets.logListSeed)] }
    for (const config of configs)
      injectDeclared(config, {
        ...seeds,
        PUBLIC_ORIGINS: originsOf(config.name, portBase),
        REALMS: [urls.core],
        CORE_ORIGIN: urls.core,
        SERVICES: siblingsOf(urls),
        DOCS_URL: `http://localhost:${portOf('docs', portBase)}`,
        CONSOLE_ORIGIN: consoleUrl,
        OPERATOR_PUBLIC_KEY: keys.operator,
        PUBLISHER_PUBLIC_KEY: keys.publisher,
        IPFS_GATEWAY,
        WITNESS_KEYS: [keys.witness],
        BEACON_WITNESSES: witness ? [{ url: witness.url, verifierKeys: [...witness.verifierKeys] }] : [],
        // Without a Stripe key, pay uses its embedded provider, which signs with this secret.
        STRIPE_WEBHOOK_SECRET: secrets.webhookSecret,
        KEY_LABELS_SEED: Buffer.from(secrets.keyLabelsSeed).toString('hex'),
        INVITE_SEED: Buffer.from(secrets.inviteSeed).toString('hex'),
        CODES_SEED: Buffer.from(secrets.codesSeed).toString('hex'),
        CLAIMANTS_SEED: Buffer.from(secrets.claimantsSeed).toString('hex'),
        RECORDS_SEED: recordsSeedOf(config.name),
        OPAQUE_SERVER_SEED: Buffer.from(secrets.opaqueServerSeed).toString('hex'),
        ...identityProvider.settings.vars,
        // A day and a week on other deployments; the walk-through waits for them.
        ROTATION_WINDOW_SECONDS: 3,
        ROTATION_CONTEST_SECONDS: 6,
        SVC_INTERNAL_SECRET: secrets.svcInternalSecret,
        ...options.vars?.[config.name],
      })
    for (const { name, options: worker } of configs)
      Object.assign(
        worker.bindings,
        name === 'auth' ? identityProvider.settings.secrets : {},
        allowPages(worker.bindings, consoleUrl),
        serviceKeyVars(name, serviceKeys),
        logListKeyVars(name, logListKeys),
        options.secrets?.[name],
      )
    const assetsOf = (name: WorkerName) => join(stateDir, name === 'docs' ? 'docs-site' : `assets/${name}`)
    for (const { name, options: worker } of configs) if (worker.assets) worker.assets.directory = assetsOf(name)
    const consoleFolder = join(stateDir, 'console')
    const [bundled, sdk, host] = await Promise.all([
      bundleAll(configs, portBase, options),
      options.sdkReference ? sdkReference(signal) : undefined,
      consoleWorker(consoleFolder, HOST, consolePort),
      buildConsole(consoleFolder, localConsole(urls)),
    ])
    await buildSite(assetsOf('docs'), sdk)
    for (const name of WORKER_NAMES) writeDescription(name, assetsOf(name))
    const workers = options.arrange?.(bundled) ?? bundled
    workers.push(host)
    onStep('Workers built')
    signal?.throwIfAborted()

    const mail = new LocalMail(mailFolder(stateDir))
    const { newRuntime, startedRuntime } = await import('./state/runtime.ts')
    const record = () => claim.recordRuntime()
    miniflare = newRuntime(workers, { ...options, host: HOST, mail, onRestart: record })
    await startedRuntime(miniflare, record)
    onStep('runtime started')
    signal?.throwIfAborted()

    const applied = await migrateDatabases(miniflare, configs)
    onStep(applied === 0 ? 'databases up to date' : `databases migrated (${applied} files)`)
    const logLists = await localLogLists(miniflare, {
      stateDir,
      realm: urls.core,
      logs: localLogs(configs, { anchors: secrets.anchorLogSeed, transparency: secrets.directoryLogSeed }, urls),
      labelsSeed: secrets.keyLabelsSeed,
      listSeed: secrets.logListSeed,
      keys: {
        services: listedServiceKeys([
          ...serviceKeys,
          { service: 'core', use: 'publication', publicKeyB64u: keys.publisher, ...ALWAYS },
          { service: 'core', use: 'operation', publicKeyB64u: keys.operator, ...ALWAYS },
        ]),
        witnesses: { threshold: 1, keys: [listedWitnessKey(keys.witness, 0)] },
      },
      nextSeeds: options.nextLogSeeds,
      urls,
    })
    await logLists.publish(Date.now())
    if (options.modelFiles) onStep(await putModelFiles(miniflare, stateDir))
    await waitUntilHealthy(urls, signal)
    await logLists.reportRolls(Date.now())
    onStep('all eight answer /health')
    if (witness)
      followDeployment(witness, { keys: urls.keys, core: urls.core, realm: urls.core, listKeys: logListKeys })
    const identityProviderUrl = identityProvider.url
    const reportRolls = () => logLists.reportRolls(Date.now())
    return { urls, consoleUrl, identityProviderUrl, secrets, miniflare, gateway, mail, reportRolls, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The services serve the list of logs from their buckets, where a deployment's operator puts it. */
async function localLogLists(miniflare: Miniflare, parts: Omit<LogListParts, 'put'>): Promise<LocalLogLists> {
  const buckets = await Promise.all([
    miniflare.getR2Bucket('BLOBS', 'svc-core'),
    miniflare.getR2Bucket('TILES', 'svc-keys'),
  ])
  const put = async (key: string, text: string) => {
    for (const bucket of buckets) await repeatWhenClosed(() => bucket.put(key, text))
  }
  return new LocalLogLists({ ...parts, put })
}

/** Idempotent: files that are already in the bucket are not written again. */
async function putModelFiles(miniflare: Miniflare, stateDir: string): Promise<string> {
  const bucket = await miniflare.getR2Bucket('BLOBS', 'svc-provenance')
  const target: FileTarget = {
    read: (key) =>
      repeatWhenClosed(async () => {
        const object = await bucket.get(key)
        return object && new Uint8Array(await object.arrayBuffer())
      }),
    write: (key, bytes) => repeatWhenClosed(() => bucket.put(key, bytes)),
  }
  const { written } = await provisionFiles(target, runtimeFiles())
  const folder = join(stateDir, 'models')
  addLocalModel(folder)
  await provisionFiles(target, modelFiles(folder))
  return written === 0 ? 'runtime files up to date' : `runtime files written (${written})`
}

export function urlsOf(portBase: number): Record<WorkerName, string> {
  const entries = WORKER_NAMES.map((name) => [name, `http://localhost:${portOf(name, portBase)}`])
  return Object.fromEntries(entries) as Record<WorkerName, string>
}

function originsOf(name: WorkerName, portBase: number): string[] {
  const port = portOf(name, portBase)
  return [`http://localhost:${port}`, `http://${HOST}:${port}`]
}

function bundleAll(
  configs: WorkerConfig[],
  portBase: number,
  { wrap = (config) => config, keepsMetrics = true }: Pick<PlatformOptions, 'wrap' | 'keepsMetrics'>,
): Promise<V4WorkerOptions[]> {
  return Promise.all(
    configs.map(async (config) => ({
      ...(keepsMetrics ? withLocalMetrics(config.options) : config.options),
      modules: await bundleModules(wrap(config)).catch((error: Error) => {
        throw new SetupError(`${config.name} does not build.\n${error.message}`)
      }),
      unsafeDirectSockets: [{ host: HOST, port: portOf(config.name, portBase) }],
    })),
  )
}

function siblingsOf(urls: Record<WorkerName, string>): Record<string, string> {
  return Object.fromEntries(SIBLING_NAMES.map((name) => [name, urls[name]]))
}
