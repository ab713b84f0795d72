import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type LoadRequest, send } from '@svc/platform/callers/send'
import type { Figure } from '../figures/figure.ts'
import { median, percentile } from '../figures/load.ts'

const ROUNDS = 5
const REQUESTS = 300
const MAX_RATIO = 3

/**
 * What a stranger's refused bodies add to the answers that others get. They are sent by a process of their own, as a
 * stranger's are: filling a socket with 16 MiB would stall the process that measures.
 */
export async function measureBystander(consent: string): Promise<Figure> {
  const health: LoadRequest = { method: 'GET', url: `${consent}/health` }
  const flood = fork(new URL('flood.ts', import.meta.url), [consent])
  const tell = async (message: string) => {
    flood.send(message)
    await once(flood, 'message')
  }
  try {
    await ready(flood)
    for (let i = 0; i < 50; i++) await send(health)
    const ratios: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const quiet = await slowest(health)
      await tell('start')
      const busy = await slowest(health)
      await tell('stop')
      ratios.push(busy / quiet)
    }
    return figureOf(ratios)
  } finally {
    flood.kill()
  }
}

async function ready(flood: ChildProcess): Promise<void> {
  await once(flood, 'message')
}

async function slowest(health: LoadRequest): Promise<number> {
  const measured: number[] = []
  for (let i = 0; i < REQUESTS; i++) {
    measured.push((await send(health)).milliseconds)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return percentile(measured, 0.99)
}

function figureOf(ratios: readonly number[]): Figure {
  const range = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`
  return {
    name: '/health p99 beside refused bodies / quiet',
    ratio: median([...ratios]),
    bar: { limit: MAX_RATIO, good: 'at most' },
    detail: `median of ${ROUNDS} rounds, ${range}; ${REQUESTS} requests each, bodies of 16 MiB one after another`,
  }
}
