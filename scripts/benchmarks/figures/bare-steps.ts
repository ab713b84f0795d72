import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadRequest } from '@svc/platform/callers/send'
import { localRateLimits } from '@svc/platform/local/rate-limits'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { sendAll } from './load.ts'
import { runtimeWorker } from './runtime-worker.ts'

/** The steps that a consumption requires. */
export const STEPS = ['limit', 'verify', 'spend', 'count', 'sign'] as const
type Step = (typeof STEPS)[number]

const OWNERS = 100

/** Milliseconds per request, for a number of requests that do these steps. */
export type TakeSteps = (steps: readonly Step[], requests: number, concurrency: number) => Promise<number>

/**
 * The cost of a consumption's steps alone: two Workers without parsing, checks and documents do them over the same
 * HTTP, with objects in the same Workers and storage on the same disk.
 */
export async function withBareSteps<T>(work: (take: TakeSteps) => Promise<T>): Promise<T> {
  const storage = mkdtempSync(join(tmpdir(), 'bare-steps-'))
  const miniflare = new Miniflare(await optionsOf(storage))
  try {
    const { href } = await miniflare.unsafeGetDirectURL('front')
    return await work(async (steps, requests, concurrency) => {
      const all = Array.from({ length: requests }, (_, n) => requestOf(href, steps, n % OWNERS))
      const startedAt = performance.now()
      await sendAll(all, concurrency, 200)
      return (performance.now() - startedAt) / requests
    })
  } finally {
    await miniflare.dispose()
    rmSync(storage, { recursive: true, force: true })
  }
}

function requestOf(href: string, steps: readonly Step[], owner: number): LoadRequest {
  const url = `${href}?${new URLSearchParams([['owner', String(owner)], ...steps.map((step) => ['step', step])])}`
  return { method: 'POST', url, body: new Uint8Array(60), headers: { authorization: 'x'.repeat(11_900) } }
}

async function optionsOf(storage: string) {
  const worker = await runtimeWorker('benchmarks/runtime/bare-steps-worker.ts', 'pay')
  const object = (className: string, scriptName?: string) => ({
    className,
    useSQLite: true,
    ...(scriptName === undefined ? {} : { scriptName }),
  })
  // Divided like pay, provenance and core: the front has the meters, another Worker the nonces.
  return convertV4MiniflareOptions({
    cf: false,
    resourcePersistencePath: storage,
    workers: [
      {
        name: 'front',
        unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
        ...worker,
        durableObjects: { METERS: object('Meter') },
        serviceBindings: { CORE: { name: 'core', entrypoint: 'Core' } },
        unsafeBindings: localRateLimits({ LIMIT: { namespace_id: '1', simple: { limit: 1_000_000, period: 60 } } }),
      },
      { name: 'core', ...worker, durableObjects: { IDENTITIES: object('Identity') } },
    ],
  })
}
