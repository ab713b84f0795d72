import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError, type WorkerName } from '@svc/platform/workspace'
import type { CloudflareApi } from './cloudflare-api.ts'
import { unlistedKeyFaults } from './logs/unlisted-keys.ts'
import { sentSecrets } from './provision.ts'
import { bundleHash, bundleHashIn } from './releases/bundle-hash.ts'
import { type RaisedStep, type Rising, raise } from './releases/gradual.ts'
import { changesClasses, versionBefore } from './releases/release-plan.ts'
import { buildAssets } from './releases/static-assets.ts'
import { compressedKib, sizeFault } from './releases/upload-size.ts'
import { keptNameOf, secretNamesOf } from './secrets.ts'
import { keyFaults } from './service-keys.ts'
import { checkObjects } from './settings/check-settings.ts'
import { tagOf } from './uploads/commit.ts'
import {
  configFor,
  type Deploying,
  emptyBundleFolder,
  faultsOfConsole,
  labelsOf,
  type Step,
  writeConfig,
  writeConsole,
} from './uploads/files.ts'
import { firstOfEach, notesOf, stepsOf } from './uploads/steps.ts'
import { wrangler } from './uploads/wrangler.ts'
import { faultsOf } from './worker-deployment.ts'

/** Bundles all eight as for an upload to an empty account. Makes no request. */
export async function deployDryly(deploying: Deploying): Promise<void> {
  const { print, configs, deployment } = deploying
  const steps = stepsOf(deploying, new Set())
  const tooLarge: string[] = []
  await buildAssets(configs)
  for (const [index, step] of steps.entries()) {
    const path = writeConfig(deploying, step, [])
    const script = (configs.get(step.worker)?.name ?? '') + deployment.suffix
    // The second upload has the same code with more bindings.
    const repeated = steps.findIndex(({ worker }) => worker === step.worker) < index
    const bundle = repeated ? '' : emptyBundleFolder(deploying, step.worker)
    const output = repeated ? '' : await wrangler(['deploy', '--dry-run', '--config', path, '--outdir', bundle], null)
    const kib = compressedKib(output)
    const facts = kib === null ? '' : `  ${kib.toFixed(2)} KiB compressed, sha256 ${bundleHashIn(bundle)}`
    print(`${index + 1}. ${script}${notesOf(step, repeated)}${facts}`)
    const fault = kib === null ? null : sizeFault(script, kib)
    if (fault !== null) tooLarge.push(fault)
  }
  if (tooLarge.length > 0) throw new SetupError(`Too large to deploy:\n  ${tooLarge.join('\n  ')}`)
  const config = await writeConsole(deploying)
  if (config === null) return
  await wrangler(['deploy', '--dry-run', '--config', config], null)
  print(`${steps.length + 1}. ${deploying.consoleConfig.name}${deployment.suffix}  static files`)
}

/**
 * Runs the migrations and uploads the Workers in binding order. With `check`, the new versions get their traffic in steps,
 * if the account has all Workers; otherwise each upload is deployed at once, and again at the end if it lacked a binding.
 */
export async function deploy(deploying: Deploying, api: CloudflareApi, check: StepCheck | null = null): Promise<void> {
  const { deployment, configs, secrets, sha, print } = deploying
  secrets.requireOwn()
  await checkObjects(api, configs, deployment)
  const sent = await sentSecrets(deploying, api)
  const scriptOf = (worker: WorkerName) => (configs.get(worker)?.name ?? '') + deployment.suffix
  const existing = new Set([...sent].flatMap(([worker, names]) => (names === null ? [] : [scriptOf(worker)])))
  const steps = stepsOf(deploying, existing)
  const missing = new Map<WorkerName, string[]>()
  for (const [worker, config] of configs)
    missing.set(
      worker,
      secretNamesOf(worker, config, secrets).filter((name) => sent.get(worker)?.has(name) !== true),
    )
  const absentOf = (worker: WorkerName) =>
    (missing.get(worker) ?? []).filter((name) => !secrets.has(keptNameOf(worker, name)))
  await refuseWhereFaulty(deploying, steps, absentOf, api)
  await buildAssets(configs)

  const migrated = new Set<string>()
  for (const { worker } of firstOfEach(steps))
    for (const { binding, database_name } of configs.get(worker)?.d1_databases ?? []) {
      // Several Workers share the database of control.
      if (migrated.has(database_name)) continue
      migrated.add(database_name)
      const path = writeConfig(deploying, { worker, without: [] }, absentOf(worker))
      await wrangler(['d1', 'migrations', 'apply', binding, '--remote', '--config', path], api)
      print(`${database_name}${deployment.suffix}: migrated`)
    }
  const send: Send = async (step, command, done) => {
    const { worker } = step
    const path = writeConfig(deploying, step, absentOf(worker))
    const folder = emptyBundleFolder(deploying, worker)
    const first = missing.get(worker)?.filter((name) => secrets.has(keptNameOf(worker, name))) ?? []
    const secretsFile = first.length === 0 ? null : join(deploying.folder, `${worker}.secrets.json`)
    if (secretsFile !== null) {
      const values = Object.fromEntries(first.map((name) => [name, secrets.get(keptNameOf(worker, name))]))
      writeFileSync(secretsFile, JSON.stringify(values), { mode: 0o600 })
    }
    let output: string
    try {
      const withSecrets = secretsFile === null ? [] : ['--secrets-file', secretsFile]
      const args = ['--config', path, '--outdir', folder, ...labelsOf(deploying), ...withSecrets]
      output = await wrangler([...command, ...args], api)
      missing.set(worker, [])
    } finally {
      if (secretsFile !== null) rmSync(secretsFile)
    }
    const sending = first.length === 0 ? '' : `, with ${first.length} secrets`
    const bundle = bundleHashIn(folder)
    print(`${scriptOf(worker)}: ${done}${notesOf(step, false)}${sending}, sha256 ${bundle}`)
    return { output, bundle }
  }
  const isWhole = [...configs.keys()].every((worker) => existing.has(scriptOf(worker)))
  if (check === null || !isWhole) for (const step of steps) await send(step, ['deploy'], 'deployed')
  else {
    const rising = await uploadVersions(steps, api, scriptOf, configs, send)
    if (rising.length === 0) await check({ percentage: 100, toNew: {}, toOld: null }, deploying)
    else await raise(rising, { api, check: (step) => check(step, deploying), print, message: tagOf(sha) })
    for (const { worker } of steps.filter((step) => rising.some(({ script }) => script === scriptOf(step.worker)))) {
      const { observability } = configs.get(worker) ?? {}
      if (observability) await api.changeSettings(scriptOf(worker), { observability })
      const path = writeConfig(deploying, { worker, without: [] }, absentOf(worker))
      await wrangler(['triggers', 'deploy', '--config', path], api)
    }
  }
  // After the services, which must know its origin.
  const config = await writeConsole(deploying)
  if (config === null) return
  await wrangler(['deploy', '--config', config, ...labelsOf(deploying)], api)
  print(`${deploying.consoleConfig.name}${deployment.suffix}: deployed`)
}

/**
 * Bundles the checked-out commit again and compares it with what Cloudflare has. Returns the Workers that differ; their
 * bindings and variables, and static files, are not compared.
 */
export async function compareBundles(deploying: Deploying, api: CloudflareApi): Promise<WorkerName[]> {
  const { configs, deployment, print } = deploying
  await buildAssets(configs)
  const different: WorkerName[] = []
  for (const [worker, { name }] of configs) {
    const [script, bundle] = [name + deployment.suffix, emptyBundleFolder(deploying, worker)]
    const path = writeConfig(deploying, { worker, without: [] }, [])
    await wrangler(['deploy', '--dry-run', '--config', path, '--outdir', bundle], null)
    const [made, found] = [bundleHashIn(bundle), bundleHash(await api.modules(script))]
    if (made !== found) different.push(worker)
    print(
      made === found
        ? `${script}: sha256 ${made}, as uploaded`
        : `${script}: DIFFERS: sha256 ${made} here, ${found} at Cloudflare`,
    )
  }
  return different
}

export type StepCheck = (step: RaisedStep, deploying: Deploying) => Promise<void>

/**
 * Uploads a version of each Worker without traffic, callees first. Those that change their classes are deployed before,
 * at once, because the others bind to their classes.
 */
async function uploadVersions(
  steps: readonly Step[],
  api: CloudflareApi,
  scriptOf: (worker: WorkerName) => string,
  configs: Deploying['configs'],
  send: Send,
): Promise<Rising[]> {
  const later: Step[] = []
  for (const step of steps) {
    const applied = await api.classMigration(scriptOf(step.worker))
    if (changesClasses(configs.get(step.worker) ?? {}, applied))
      await send(step, ['deploy'], 'deployed at once, because it changes its Durable Object classes')
    else later.push(step)
  }
  const rising: Rising[] = []
  for (const step of later) {
    const script = scriptOf(step.worker)
    const before = versionBefore(await api.shares(script))
    const { output, bundle } = await send(step, ['versions', 'upload'], 'uploaded')
    const after = /Worker Version ID: (\S+)/.exec(output)?.[1]
    if (before === null || after === undefined)
      throw new SetupError(`${script} has no ${before === null ? 'deployed version' : 'new version'}. Use --at-once.`)
    rising.push({ script, before, after, bundle })
  }
  return rising
}

type Send = (
  step: Step,
  command: readonly string[],
  done: string,
) => Promise<{ readonly output: string; readonly bundle: string }>

/** Fails if a generated secret is missing: the Worker would start with a feature silently off. */
async function refuseWhereFaulty(
  deploying: Deploying,
  steps: readonly Step[],
  absentOf: (worker: WorkerName) => readonly string[],
  api: CloudflareApi,
): Promise<void> {
  const { deployment, secrets } = deploying
  const unlisted = await unlistedKeyFaults(deploying, api)
  const faults = await Promise.all(
    firstOfEach(steps).map(async ({ worker }) => {
      const absent = absentOf(worker).filter((name) => name.endsWith('_SEED') || name.startsWith('SVC_'))
      return [
        ...faultsOf(configFor(deploying, { worker, without: [] }, [])),
        ...absent.map((name) => `${worker}: has no ${name}: run scripts/provision`),
        ...(await keyFaults(worker, deployment, secrets, Date.now())),
      ]
    }),
  )
  const all = [
    ...faults.flat(),
    ...unlisted,
    ...(deployment.console ? faultsOfConsole(deploying, deployment.console) : []),
  ]
  if (all.length > 0) throw new SetupError(`Not deployed to ${deployment.name}:\n  ${all.join('\n  ')}`)
}
