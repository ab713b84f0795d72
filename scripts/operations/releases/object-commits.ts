/**
 * Which code the Durable Objects of a deployment run. Objects change to a version after their Worker, and while traffic
 * moves, each has one version or the other.
 *
 * @module
 */
import { readApi } from '@svc/platform/documented-api'
import { WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'

export const OBJECTS_PATH = '/health/objects'
const TIMEOUT_MS = 15_000
/** After the time that Cloudflare has for the change. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 2_000

/** What a service answers: a commit by binding, null for an object that did not answer. */
export interface ObjectCommits {
  readonly objects: Readonly<Record<string, string | null>>
}

const ASKABLE = new Set(
  readApi().operations.flatMap(({ service, template }) => (template === OBJECTS_PATH ? [service] : [])),
)

export function hasObjects(worker: WorkerName): boolean {
  return ASKABLE.has(worker)
}

export function silentOf({ objects }: ObjectCommits): string[] {
  return Object.entries(objects).flatMap(([binding, commit]) => (commit === null ? [binding] : []))
}

/** Those that run another commit. */
export function othersOf({ objects }: ObjectCommits, commit: string): string[] {
  return Object.entries(objects).flatMap(([binding, found]) =>
    found === null || found === commit ? [] : [`${binding} is build ${found}`],
  )
}

export interface ObjectReport {
  readonly urls: Readonly<Record<WorkerName, string>>
  readonly workers?: readonly WorkerName[] | undefined
  readonly sha: string
  readonly sleep: (ms: number) => Promise<unknown>
  readonly fetch?: typeof fetch | undefined
  readonly print: (line: string) => void
}

/**
 * Prints how many classes run the new commit. At 100 % it waits for them first, and names those that do not follow. It
 * fails for none of them, because old objects serve new Workers.
 */
export async function reportObjects(
  report: ObjectReport,
  percentage: number,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  let [asked, current] = [0, 0]
  for (const worker of (report.workers ?? WORKER_NAMES).filter(hasObjects)) {
    const found = await settled(report, worker, headers, percentage === 100)
    if (found === null) {
      report.print(`${percentage} %: ${worker} does not tell which code its objects run`)
      continue
    }
    const [silent, others] = [silentOf(found), othersOf(found, report.sha)]
    const total = Object.keys(found.objects).length
    asked += total
    current += total - silent.length - others.length
    if (percentage < 100) continue
    const late = [...others, ...silent.map((binding) => `${binding} did not answer`)]
    if (late.length > 0) report.print(`100 %: ${worker}: ${late.join(', ')}`)
  }
  report.print(`${percentage} %: objects run the new commit in ${current} of ${asked} classes`)
}

async function settled(
  report: ObjectReport,
  worker: WorkerName,
  headers: Readonly<Record<string, string>>,
  waits: boolean,
): Promise<ObjectCommits | null> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    const found = await objectCommitsOf(report, worker, headers)
    const isDone = found && silentOf(found).length === 0 && othersOf(found, report.sha).length === 0
    if (isDone || !waits || waited >= PATIENCE_MS) return found
    await report.sleep(PAUSE_MS)
  }
}

/** Null if the service does not say. */
async function objectCommitsOf(
  { urls, fetch: send = fetch }: ObjectReport,
  worker: WorkerName,
  headers: Readonly<Record<string, string>>,
): Promise<ObjectCommits | null> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await send(urls[worker] + OBJECTS_PATH, { headers, redirect: 'manual', signal })
    return response.status === 200 ? ((await response.json()) as ObjectCommits) : null
  } catch {
    return null
  }
}
