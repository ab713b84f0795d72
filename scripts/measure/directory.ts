import { join } from 'node:path'
import { encodeBase64url } from '@svc/protocol/base64url'
import { fromHex } from '@svc/protocol/hash'
import { verifyConsistency } from '@svc/protocol/merkle'
import { directoryLeafSchema, inclusionAnswerSchema, verifyLeaf } from '@svc/protocol/transparency'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { bundleModules } from '../lib/bundle.ts'
import { readWorkerConfig } from '../lib/worker-config.ts'
import type { Figure } from './figure.ts'
import { median, send } from './load.ts'

const [SMALL, LARGE] = [10_000, 1_000_000] as const
const PROOFS = 400
const ACCOUNTS = 200
const PUBLICATIONS = 5_000
const CONCURRENCY = 64
const SEED = '11'.repeat(32)

interface Head {
  readonly size: number
  readonly root: string
}

/**
 * The objects of the key directory and the log over R2, in a Worker that drives them alone: no assertion is spent, no
 * signature of a publication is checked and core is not asked. A proof is the whole answer, its checkpoint signed.
 */
export async function measureDirectory(): Promise<Figure[]> {
  const publishing = await withWorker(measurePublications)
  return [...(await withWorker(measureProofs)), ...publishing]
}

async function withWorker(measure: (url: string) => Promise<Figure[]>): Promise<Figure[]> {
  const config = readWorkerConfig('keys')
  const main = join(import.meta.dirname, '../runtime/directory-worker.ts')
  const { compatibilityDate, compatibilityFlags } = config.options
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: await bundleModules({ ...config, main }),
      ...(compatibilityDate === undefined ? {} : { compatibilityDate }),
      ...(compatibilityFlags === undefined ? {} : { compatibilityFlags }),
      durableObjects: {
        ACCOUNT_DIRECTORIES: { className: 'AccountDirectoryObject', useSQLite: true },
        TRANSPARENCY_LOG: { className: 'TransparencyLogObject', useSQLite: true },
      },
      r2Buckets: ['TILES'],
      bindings: { DIRECTORY_LOG_SEED: SEED, PUBLIC_ORIGINS: ['https://keys.bench'] },
      cf: false,
    }),
  )
  try {
    return await measure((await miniflare.ready).origin)
  } finally {
    await miniflare.dispose()
  }
}

async function json<T>(url: string): Promise<T> {
  const { status, body } = await send({ method: 'GET', url })
  if (status !== 200) throw new Error(`${url}: ${status} ${body.toString()}`)
  return JSON.parse(body.toString() || 'null') as T
}

async function measureProofs(url: string): Promise<Figure[]> {
  const key = await logKey()
  const times = { [SMALL]: 0, [LARGE]: 0 }
  let most = 0
  for (const size of [SMALL, LARGE]) {
    await fill(url, size)
    const rounds: number[] = []
    for (let i = 0; i <= PROOFS; i++) {
      const leaf = Math.floor((size * (i + 0.5)) / (PROOFS + 1))
      const answer = await send({ method: 'GET', url: `${url}/proof?leaf=${leaf}` })
      const { reads, found } = JSON.parse(answer.body.toString()) as { reads: number; found: { value: unknown } }
      if (i % 100 === 0) await check(leaf, found.value, key)
      most = Math.max(most, reads)
      if (i > 0) rounds.push(answer.milliseconds) // the first warms up
    }
    times[size] = median(rounds)
  }
  return [
    {
      name: `inclusion proof in a log of ${LARGE} / of ${SMALL} leaves, p50`,
      ratio: times[LARGE] / times[SMALL],
      bar: { limit: 1.5, good: 'at most' },
      detail: `${times[LARGE].toFixed(2)} ms / ${times[SMALL].toFixed(2)} ms, ${PROOFS} each, one at a time`,
    },
    {
      name: `tiles read for an inclusion proof in ${LARGE} leaves, at most`,
      ratio: most,
      bar: { limit: 5, good: 'at most' },
      detail: `${PROOFS} proofs over the whole log`,
    },
  ]
}

async function check(index: number, found: unknown, key: string): Promise<void> {
  const answer = inclusionAnswerSchema.parse(found)
  const leaf = directoryLeafSchema.parse({
    kind: 'credential',
    did: `did:svc:${'A'.repeat(32)}`,
    deviceId: 'B'.repeat(32),
    statementHash: index.toString(16).padStart(96, '0'),
  })
  if (answer.index !== index || !(await verifyLeaf(leaf, answer, key))) throw new Error('a proof does not hold')
}

async function logKey(): Promise<string> {
  const { mlDsa65 } = await import('@svc/pqc')
  return encodeBase64url(await mlDsa65.publicKeyOf(fromHex(SEED)))
}

async function fill(url: string, size: number): Promise<void> {
  const step = 40_960
  for (let from = (await json<Head>(`${url}/head`)).size; from < size; from += step) {
    await json(`${url}/fill?from=${from}&to=${Math.min(size, from + step)}`)
    while ((await json<Head>(`${url}/head`)).size < Math.min(size, from + step)) await pause(20)
  }
}

async function measurePublications(url: string): Promise<Figure[]> {
  const leafIds: string[] = []
  const heads: Head[] = []
  let next = 0
  const ended = new AbortController()
  const publisher = async () => {
    for (let mine = next++; mine < PUBLICATIONS; mine = next++) {
      const [account, version] = [mine % ACCOUNTS, 1 + Math.floor(mine / ACCOUNTS)]
      // One account publishes one after the other: the versions of a device grow.
      const published = await json<{ leafId?: string }>(`${url}/publish?account=${account}&version=${version}`)
      if (published.leafId !== undefined) leafIds.push(published.leafId)
    }
  }
  const watcher = async () => {
    for (; !ended.signal.aborted; await pause(200)) heads.push(await json<Head>(`${url}/head`))
  }
  const startedAt = performance.now()
  const watching = watcher()
  await Promise.all(Array.from({ length: CONCURRENCY }, publisher))
  const seconds = (performance.now() - startedAt) / 1000
  while ((heads.at(-1)?.size ?? 0) < leafIds.length && performance.now() - startedAt < 120_000) await pause(200)
  const logged = (performance.now() - startedAt) / 1000
  ended.abort()
  await watching
  const lost = await countMissing(url, leafIds)
  const batches = await countConsistent(url, heads)
  const rate = PUBLICATIONS / seconds
  return [
    {
      name: `publications in a second over ${ACCOUNTS} accounts / 500`,
      ratio: rate / 500,
      bar: { limit: 1, good: 'at least' },
      detail: `${rate.toFixed(0)} acknowledged per second at concurrency ${CONCURRENCY}, all in the log after ${logged.toFixed(1)} s`,
    },
    {
      name: `acknowledged publications that the log lacks / ${PUBLICATIONS}`,
      ratio: (PUBLICATIONS - leafIds.length + lost) / PUBLICATIONS,
      bar: { limit: 0, good: 'at most' },
      detail: `${lost} lost, ${PUBLICATIONS - leafIds.length} refused; ${batches} states seen meanwhile, each a prefix of the next`,
    },
  ]
}

async function countMissing(url: string, leafIds: readonly string[]): Promise<number> {
  let missing = 0
  for (let i = 0; i < leafIds.length; i += 500) {
    const body = new TextEncoder().encode(JSON.stringify(leafIds.slice(i, i + 500)))
    const answer = await send({ method: 'POST', url: `${url}/missing`, body })
    missing += Number(answer.body.toString())
  }
  return missing
}

async function countConsistent(url: string, heads: readonly Head[]): Promise<number> {
  const states = heads.filter(({ size }, i) => size > 0 && size !== heads[i - 1]?.size)
  for (const [i, first] of states.entries()) {
    const second = states[i + 1]
    if (!second) break
    const { value } = await json<{ value: { proof: string[] } }>(
      `${url}/audit?first=${first.size}&second=${second.size}`,
    )
    const holds = verifyConsistency(
      first.size,
      fromHex(first.root),
      second.size,
      fromHex(second.root),
      value.proof.map(fromHex),
    )
    if (!holds) throw new Error(`the log of ${second.size} leaves does not extend that of ${first.size}`)
  }
  return states.length
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
