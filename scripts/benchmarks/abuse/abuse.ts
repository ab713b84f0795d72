import { Identity } from '@svc/client'
import type { Platform } from '@svc/platform'
import { type LoadRequest, send } from '@svc/platform/callers/send'
import type { Figure } from '../figures/figure.ts'
import { median } from '../figures/load.ts'
import { measureBystander } from './bystander.ts'
import { batchUrl, refused, refusedBodies } from './refused-bodies.ts'
import { RuntimeUsage } from './runtime-usage.ts'

const MIB = 1024 * 1024
const ROUNDS = 5
/** CPU is counted in steps of 10 ms, so each round is several requests. */
const REPEATS = 4
const MAX_REFUSED_MS = 50
const MAX_REFUSED_BYTES = 8 * MIB
const ITEMS = 10_000

interface Abuse {
  readonly name: string
  readonly status: number
  /** Made anew for each request, where an assertion is. */
  readonly request: () => Promise<LoadRequest>
}

/** What strangers can make the platform compute with bodies that it refuses, and with the largest that it accepts. */
export async function measureAbuse(
  _core: string,
  _did: string,
  _pay: string,
  { urls }: Pick<Platform, 'urls'>,
): Promise<Figure[]> {
  const abuses = await abusesOf(urls)
  const usage = new RuntimeUsage()
  const figures: Figure[] = []
  for (const abuse of abuses) figures.push(...(await costOf(abuse, usage)))
  return [...figures, await measureBystander(urls.consent), ...(await batch(urls, usage)), await query(urls, usage)]
}

async function abusesOf(urls: Platform['urls']): Promise<Abuse[]> {
  const url = batchUrl(urls.consent)
  const wrong = JSON.stringify({ vectors: Array.from({ length: 100 }, () => Array<number>(256).fill(0)) })
  const search: LoadRequest = {
    method: 'POST',
    url: `${urls.provenance}/api/search/fragment`,
    body: new TextEncoder().encode(wrong),
  }
  return [
    ...refusedBodies().map(({ name, status, body }) => ({
      name,
      status,
      request: async (): Promise<LoadRequest> => ({ method: 'POST', url, body }),
    })),
    { name: 'a search for 25,600 wrong values', status: 400, request: async () => search },
    await unknownKey(`${urls.provenance}/api/register/text`),
  ]
}

/** A text of 8 MiB, bound by the assertion of a key that core does not know. */
async function unknownKey(url: string): Promise<Abuse> {
  const identity = await Identity.create()
  const body = new TextEncoder().encode(' '.repeat(8 * MIB))
  const request = async (): Promise<LoadRequest> => {
    const asked = { audience: 'provenance', method: 'POST', url, body, now: Date.now() }
    return { method: 'POST', url, body, headers: { authorization: await identity.assertion(asked) } }
  }
  return { name: 'an 8 MiB text of an unknown key', status: 401, request }
}

/** Least of several rounds, since other load on the machine only adds. */
async function costOf({ name, status, request }: Abuse, usage: RuntimeUsage): Promise<Figure[]> {
  const requests = await Promise.all(Array.from({ length: ROUNDS * REPEATS }, request))
  const bytes = requests[0]?.body?.length ?? 0
  const costs: number[] = []
  const growths: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = usage.cpuMs()
    for (const one of requests.slice(round * REPEATS, (round + 1) * REPEATS)) {
      growths.push(await usage.growthDuring(() => refused(one, status)))
    }
    costs.push((usage.cpuMs() - startedAt) / REPEATS)
  }
  const beyond = Math.max(0, median(growths) - bytes)
  const least = Math.min(...costs)
  return [
    {
      name: `CPU of ${name} / ${MAX_REFUSED_MS} ms`,
      ratio: least / MAX_REFUSED_MS,
      bar: { limit: 1, good: 'at most' },
      detail: `${least.toFixed(0)} ms of the whole runtime, answered ${status}; least of ${ROUNDS} rounds`,
    },
    {
      name: `memory of ${name} beyond its body / 8 MiB`,
      ratio: beyond / MAX_REFUSED_BYTES,
      bar: { limit: 1, good: 'at most' },
      detail: `${(beyond / MIB).toFixed(1)} MiB, median of the peaks of ${ROUNDS * REPEATS}`,
    },
  ]
}

/** Identifiers of the greatest length, all unknown: the body is 10 MB. */
async function batch(urls: Platform['urls'], usage: RuntimeUsage): Promise<Figure[]> {
  const hashes = Array.from({ length: ITEMS }, (_, i) => `${String(i).padStart(16, '0')}${'😀'.repeat(240)}`)
  const body = new TextEncoder().encode(JSON.stringify({ hashes }))
  const request: LoadRequest = { method: 'POST', url: `${urls.consent}/api/v1/consent/batch`, body }
  const costs: number[] = []
  const growths: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = usage.cpuMs()
    const growth = await usage.growthDuring(async () => {
      const { status } = await send(request)
      if (status !== 200) throw new Error(`a batch was ${status}`)
    })
    growths.push(growth)
    costs.push(usage.cpuMs() - startedAt)
  }
  const microseconds = (Math.min(...costs) * 1000) / ITEMS
  const bytes = median(growths) / ITEMS
  return [
    {
      name: 'CPU of an item of a batch / 45 µs',
      ratio: microseconds / 45,
      bar: { limit: 1, good: 'at most' },
      detail: `${microseconds.toFixed(1)} µs of ${ITEMS} items in ${(body.length / 1e6).toFixed(1)} MB, least of ${ROUNDS}`,
    },
    {
      name: 'memory of an item of a batch in flight / 3 kB',
      ratio: bytes / 3_000,
      bar: { limit: 1, good: 'at most' },
      detail: `${bytes.toFixed(0)} bytes, median of the peaks of ${ROUNDS}`,
    },
  ]
}

async function query(urls: Platform['urls'], usage: RuntimeUsage): Promise<Figure> {
  const vectors = Array.from({ length: 100 }, (_, i) => Array.from({ length: 256 }, (__, j) => ((i * j) % 3 ? 1 : -1)))
  const body = new TextEncoder().encode(JSON.stringify({ vectors, word_count: 5_000, chunk_count: 100 }))
  const request: LoadRequest = { method: 'POST', url: `${urls.provenance}/api/query/text`, body }
  const costs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = usage.cpuMs()
    for (let i = 0; i < REPEATS; i++) {
      const { status } = await send(request)
      if (status !== 200) throw new Error(`a query was ${status}`)
    }
    costs.push((usage.cpuMs() - startedAt) / REPEATS)
  }
  const least = Math.min(...costs)
  return {
    name: `CPU of the largest text query / ${MAX_REFUSED_MS} ms`,
    ratio: least / MAX_REFUSED_MS,
    detail: `${least.toFixed(1)} ms with 100 vectors; the section "search" has its bar`,
  }
}
