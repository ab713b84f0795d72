import { createHash } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'
import { cpuUsage } from 'node:process'

/**
 * CPU seconds that each step may use on the machine of reference: what a whole run on an otherwise idle machine used, and a
 * third more, because a busy machine adds up to a quarter. Raise one together with the tests that need it, so that growth
 * is seen.
 */
export const CPU_BUDGETS: Readonly<Record<string, number>> = {
  scripts: 740,
  identity: 350,
  records: 410,
  packages: 350,
  platform: 380,
  core: 200,
  'core-rotation': 240,
  lint: 220,
  'core-notes': 110,
  biome: 45,
  // 10 in a new checkout; 27 to 34 after a change in the SDK, when what it had built before is compared.
  types: 45,
  openapi: 20,
  pages: 20,
  boundaries: 20,
  limits: 20,
  sizes: 20,
  'long-tests': 20,
  words: 20,
}

/** CPU seconds of `work` on the machine of reference, two cores of an x64 server. */
const REFERENCE_SECONDS = 0.16

/** Whether other work competes for the cores: the same step then uses up to three times the CPU, which says nothing. */
export function isBusy(): boolean {
  const [lastMinute = 0] = loadavg()
  return lastMinute > 1.5 * availableParallelism()
}

/** How many times as long as on the machine of reference the same work takes here; at least 1. */
export function slowness(): number {
  const begun = cpuUsage()
  work()
  const { user, system } = cpuUsage(begun)
  return Math.max(1, (user + system) / 1e6 / REFERENCE_SECONDS)
}

/** Native code and JavaScript, about as much of each as tests have. */
function work(): void {
  const block = new Uint8Array(1 << 20)
  const hash = createHash('sha512')
  for (let i = 0; i < 60; i++) hash.update(block)
  const counts = new Map<number, number>()
  for (let i = 0; i < 2_000_000; i++) counts.set(i & 4095, (counts.get(i & 4095) ?? 0) + Math.imul(i, i))
}
