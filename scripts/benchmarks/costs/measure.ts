import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { RECORD_DELAY_MS } from '@svc/objects/records/delay'
import { startPlatform } from '@svc/platform'
import { type LoadRequest, send } from '@svc/platform/callers/send'
import { type Counts, RESOURCES, type Resource } from '@svc/site/costs/prices'
import { createActors } from '../traffic/actor.ts'
import { countedWorker } from './counted-worker.ts'
import { type CostedOperation, OPERATIONS } from './operations.ts'

const ACTORS = 3
/** Sent before, to make tables that the first of its kind makes. */
const WARM_UP = 3
const SENT = 12
/** Alarms are due five seconds after a write at the latest, and what they tell others takes a moment. */
const QUIET_MS = 6_500
/** After that, what a change of an object left to be recorded is. */
const RECORDED_MS = RECORD_DELAY_MS + 1_000

/** What one operation of each kind uses, on average, with the work that follows its answer. */
export async function measureCounts(portBase: number, onStep: (line: string) => void): Promise<Map<string, Counts>> {
  const folder = mkdtempSync(join(tmpdir(), 'costs-'))
  const meter = new Meter()
  const platform = await startPlatform({
    portBase,
    stateDir: join(folder, 'state'),
    onLog: (line) => meter.take(line),
    wrap: (config) => countedWorker(config, join(folder, 'workers')),
  })
  try {
    const actors = await createActors(platform, ACTORS)
    const measured = new Map<string, Counts>()
    for (const operation of OPERATIONS) {
      onStep(operation.name)
      measured.set(operation.name, await measure(operation, actors, meter))
    }
    return measured
  } finally {
    await platform.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(
  operation: CostedOperation,
  actors: Awaited<ReturnType<typeof createActors>>,
  meter: Meter,
): Promise<Counts> {
  const { warmUp = WARM_UP, atOnce = false } = operation
  const requests: LoadRequest[] = []
  for (let i = 0; i < warmUp + SENT; i++) {
    const actor = actors[i % actors.length]
    if (actor) requests.push(await operation.request(actor))
  }
  const sendOnce = async (request: LoadRequest) => {
    const { status, body } = await send(request)
    if (status !== 200 && status !== 201) throw new Error(`${operation.name}: ${status} ${body.toString()}`)
  }
  for (const request of requests.slice(0, warmUp)) await sendOnce(request)
  const settled = async () => {
    if (operation.isRecorded) await setTimeout(RECORDED_MS)
    await meter.quiet()
  }
  await settled()
  meter.clear()
  if (atOnce) await Promise.all(requests.slice(warmUp).map(sendOnce))
  else for (const request of requests.slice(warmUp)) await sendOnce(request)
  await settled()
  const { cpuMilliseconds, queriedDimensions = 0 } = operation
  return meter.perOperation(SENT, { requests: 1, cpuMilliseconds, queriedDimensions })
}

/** Adds up what the counted Workers print, and the lines that they log. */
class Meter {
  #counts = new Map<Resource, number>()
  #lastAt = 0

  take(line: string): void {
    const [, resource, amount = '0'] = /@count (\w+) (\d+)/.exec(line) ?? []
    if (resource) this.#add(resource as Resource, Number(amount))
    else if (/^\s*\{.*"service":/.test(line)) this.#add('logLines', 1)
  }

  clear(): void {
    this.#counts = new Map()
  }

  /** Waits until nothing was used for a while. */
  async quiet(): Promise<void> {
    const startedAt = Date.now()
    do await setTimeout(200)
    while (Date.now() - Math.max(startedAt, this.#lastAt) < QUIET_MS)
  }

  perOperation(operations: number, assumed: Counts): Counts {
    const counted = RESOURCES.map((resource) => {
      const each = assumed[resource] ?? (this.#counts.get(resource) ?? 0) / operations
      return [resource, Math.round(each * 100) / 100] as const
    })
    return Object.fromEntries(counted.filter(([, each]) => each > 0))
  }

  #add(resource: Resource, amount: number): void {
    this.#counts.set(resource, (this.#counts.get(resource) ?? 0) + amount)
    this.#lastAt = Date.now()
  }
}
