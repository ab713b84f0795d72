import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Platform } from '@svc/platform'
import { type LoadRequest, send } from '@svc/platform/callers/send'
import { ROOT } from '@svc/platform/workspace'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Figure } from './figure.ts'
import { measureOverFloor, withFloor } from './floor.ts'
import { median, sendAll } from './load.ts'
import { runtimeWorker } from './runtime-worker.ts'

const RECORDS = 200_000
const BATCH = 10_000
const STEP = RECORDS / BATCH
const ROUNDS = 9
const TIMES = 4
const READ_ROUNDS = 8
const READS = 200
const CONCURRENCY = 8

/** A batch against its bare query over the same number of records, and a cached read against its floor. */
export async function measureConsent(_core: string, _did: string, _pay: string, platform: Platform): Promise<Figure[]> {
  return [await measureBatch(platform), await measureRead(platform)]
}

const hashOf = (number: number) => `sha3-384:${String(number).padStart(96, '0')}`

async function measureBatch(platform: Platform): Promise<Figure> {
  const query = await queryWorker()
  try {
    await fill(platform)
    const body = new TextEncoder().encode(
      JSON.stringify({ hashes: Array.from({ length: BATCH }, (_, i) => hashOf(i * STEP)) }),
    )
    const batch: LoadRequest = { method: 'POST', url: `${platform.urls.consent}/api/v1/consent/batch`, body }
    const times = { batch: [] as number[], bare: [] as number[] }
    for (let round = 0; round <= ROUNDS; round++) {
      const [answer] = await sendAll([batch], 1, 200)
      const found = answer?.body.toString().match(/"found":true/g)?.length
      if (!answer || found !== BATCH) throw new Error(`${found} of ${BATCH} were found`)
      const bare = ((await query.time(TIMES)) - (await query.time(0))) / TIMES
      if (round === 0) continue // Warm-up.
      times.batch.push(answer.milliseconds)
      times.bare.push(bare)
    }
    const [whole, bare] = [median(times.batch), median(times.bare)]
    return {
      name: `batch of ${BATCH} over ${RECORDS} records / its bare query`,
      ratio: whole / bare,
      bar: { limit: 2.5, good: 'at most' },
      detail: `${whole.toFixed(0)} ms / ${bare.toFixed(0)} ms, one at a time, ${ROUNDS} each`,
    }
  } finally {
    await query.stop()
  }
}

async function measureRead({ urls }: Platform): Promise<Figure> {
  const read: LoadRequest = { method: 'GET', url: `${urls.consent}/api/v1/consent/${encodeURIComponent(hashOf(20))}` }
  const requests = async () => Array.from({ length: READS }, () => read)
  const run = { objectCalls: 0, limit: 3.5, concurrency: CONCURRENCY, rounds: READ_ROUNDS, requests }
  return withFloor((floor) => measureOverFloor(floor, { name: 'a record from the cache', ...run }))
}

async function fill({ miniflare, urls }: Platform): Promise<void> {
  const database = await miniflare.getD1Database('DB', 'svc-consent')
  const filling = await queryScript()
  const sql = /const SEED = `([^`]+)`/.exec(filling)?.[1] ?? ''
  for (let i = 0; i < RECORDS; i += 20_000)
    await database
      .prepare(sql)
      .bind(i, i + 19_999)
      .run()
  const answer = await send({ method: 'GET', url: `${urls.consent}/api/v1/consent/${encodeURIComponent(hashOf(20))}` })
  if (answer.status !== 200) throw new Error(`the records cannot be read: ${answer.status}`)
}

const WORKER = join(ROOT, 'scripts/benchmarks/runtime/consent-query-worker.ts')
const queryScript = async () => readFileSync(WORKER, 'utf8')

/** The same table in another runtime, with a Worker that only queries it. */
async function queryWorker() {
  const worker = await runtimeWorker('benchmarks/runtime/consent-query-worker.ts', 'consent')
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...worker,
      d1Databases: { DB: 'bench' },
      cf: false,
    }),
  )
  const url = await miniflare.ready
  const tables = readFileSync(join(ROOT, 'migrations/consent/0001_consent.sql'), 'utf8').replaceAll(/^--.*$/gm, '')
  const filled = await fetch(`${url.href}?records=${RECORDS}`, { method: 'POST', body: tables })
  if (!filled.ok) throw new Error(`the table is not filled: ${await filled.text()}`)
  return {
    time: async (times: number) => {
      const startedAt = performance.now()
      const response = await fetch(`${url.href}?times=${times}&size=${BATCH}&step=${STEP}`)
      if ((await response.text()) !== String(times * BATCH)) throw new Error('the bare query returned other records')
      return performance.now() - startedAt
    },
    stop: () => miniflare.dispose(),
  }
}
