/**
 * What Wrangler reads and writes for a deployment: configurations, bundles and the console, in one folder.
 *
 * @module
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from '@svc/platform/console'
import { SetupError, type WorkerName } from '@svc/platform/workspace'
import {
  consoleConfigOf,
  consoleConfiguration,
  consoleFaults,
  type RawConsoleConfig,
} from '../console/console-deployment.ts'
import type { ConsoleDeployment, Deployment } from '../deployment.ts'
import type { SecretsFile } from '../secrets.ts'
import { configOf, type RawConfig } from '../worker-deployment.ts'
import { tagOf } from './commit.ts'

export interface Deploying {
  readonly deployment: Deployment
  readonly configs: ReadonlyMap<WorkerName, RawConfig>
  readonly consoleConfig: RawConsoleConfig
  readonly secrets: SecretsFile
  /** The commit to deploy. */
  readonly sha: string
  /** The folder for configurations and bundles. */
  readonly folder: string
  readonly print: (line: string) => void
}

/** An upload of a Worker. */
export interface Step {
  readonly worker: WorkerName
  readonly without: readonly string[]
}

export function configFor(
  { configs, deployment, sha }: Deploying,
  { worker, without }: Step,
  absentSecrets: readonly string[],
) {
  const base = configs.get(worker)
  if (base === undefined) throw new SetupError(`${worker} has no configuration.`)
  return configOf(worker, base, deployment, { sha, without, absentSecrets })
}

export function writeConfig(deploying: Deploying, step: Step, absentSecrets: readonly string[]): string {
  mkdirSync(deploying.folder, { recursive: true })
  const path = join(deploying.folder, `${step.worker}.json`)
  writeFileSync(path, `${JSON.stringify(configFor(deploying, step, absentSecrets), null, 2)}\n`)
  return path
}

/** Where to bundle to: a folder that has nothing of an earlier bundle, whose modules had other names. */
export function emptyBundleFolder({ folder }: Deploying, worker: WorkerName): string {
  const path = join(folder, 'bundles', worker)
  rmSync(path, { recursive: true, force: true })
  return path
}

export function labelsOf({ deployment, sha }: Deploying): string[] {
  return ['--tag', tagOf(sha), '--message', `${deployment.name} ${sha}`]
}

/** Builds the console for this deployment, and returns the path of its configuration; null if it is left out. */
export async function writeConsole(deploying: Deploying): Promise<string | null> {
  const { deployment, consoleConfig, folder } = deploying
  if (!deployment.console) return null
  const files = join(folder, 'console')
  const { vars } = configFor(deploying, { worker: 'auth', without: [] }, [])
  await buildConsole(files, consoleConfiguration(deployment, deployment.console, vars))
  const path = join(folder, 'console.json')
  const config = consoleConfigOf(consoleConfig, deployment, deployment.console, files)
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`)
  return path
}

export function faultsOfConsole(deploying: Deploying, console: ConsoleDeployment): string[] {
  return consoleFaults(console, configFor(deploying, { worker: 'auth', without: [] }, []).vars)
}
