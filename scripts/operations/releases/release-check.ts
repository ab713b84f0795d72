/**
 * What must work at each step of a gradual deployment: every service answers with the new build, and a synthetic identity
 * writes and verifies, at the new versions and at those before, which meet the objects of each other.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import type { Deployment } from '../deployment.ts'
import { OBJECT_UPDATE_SECONDS } from '../worker-deployment.ts'
import type { RaisedStep } from './gradual.ts'
import { reportObjects } from './object-commits.ts'
import { type SyntheticPlaces, syntheticRound } from './synthetic-identity.ts'

/** Each is a new identity, so it meets other objects. */
const ROUNDS = 2
const TIMEOUT_MS = 15_000
/** A deployment is known everywhere after some seconds. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 2_000

export interface ReleaseCheck {
  readonly places: SyntheticPlaces
  /** The services whose new version must answer. */
  readonly workers?: readonly WorkerName[]
  /** The commit that they must report. */
  readonly sha: string
  readonly sleep: (ms: number) => Promise<unknown>
  readonly fetch?: typeof fetch
  readonly print: (line: string) => void
}

/** Checks one step, and throws what does not work. */
export async function checkStep(check: ReleaseCheck, { percentage, toNew, toOld }: RaisedStep): Promise<void> {
  const { places } = check
  for (const worker of check.workers ?? WORKER_NAMES) await requireBuild(check, worker, toNew)
  // Objects that run have the new code by then.
  await check.sleep(OBJECT_UPDATE_SECONDS * 1000)
  await reportObjects({ ...check, urls: places.urls }, percentage, toNew)
  const via = check.fetch === undefined ? {} : { fetch: check.fetch }
  for (let round = 0; round < ROUNDS; round += 1) await syntheticRound(places, { headers: toNew, ...via })
  if (toOld !== null) await syntheticRound(places, { headers: toOld, ...via })
}

/** Checks the public hosts of an environment. */
export async function checkDeployed(step: RaisedStep, { deployment, sha, print }: Deployed): Promise<void> {
  const { hosts, vars } = deployment
  const urls = Object.fromEntries(WORKER_NAMES.map((worker) => [worker, `https://${hosts[worker][0]}`]))
  const realms = vars.all?.['REALMS']
  const [realm = urls['core']] = Array.isArray(realms) ? (realms as string[]) : []
  const allowed = vars.core?.['ALLOWED_ORIGINS'] ?? vars.all?.['ALLOWED_ORIGINS']
  const [origin] = Array.isArray(allowed) ? (allowed as string[]) : []
  const places = { urls: urls as Record<WorkerName, string>, realm: realm ?? '', origin }
  await checkStep({ places, sha, sleep, print }, step)
}

interface Deployed {
  readonly deployment: Deployment
  readonly sha: string
  readonly print: (line: string) => void
}

/** An override applies once the location that answers knows the deployment. */
async function requireBuild(
  { places, sha, sleep: pause, fetch: send = fetch }: ReleaseCheck,
  worker: WorkerName,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    const found = await buildOf(`${places.urls[worker]}/health`, headers, send)
    if (found === sha) return
    if (waited >= PATIENCE_MS) throw new Error(`${worker} is build ${found} instead of ${sha}.`)
    await pause(PAUSE_MS)
  }
}

async function buildOf(url: string, headers: Readonly<Record<string, string>>, send: typeof fetch): Promise<string> {
  const response = await send(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>
  const facts = { ...body, ...(body['data'] as object | undefined) } as Record<string, unknown>
  return response.ok ? String(facts['commit'] ?? facts['buildSha']) : `unknown (${response.status})`
}
