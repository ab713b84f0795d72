import { send } from '@svc/platform/callers/send'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { fromHex } from '@svc/protocol/base/hash'
import { updateLine } from '@svc/protocol/keys/account-updates'
import { inclusionAnswerSchema } from '@svc/protocol/keys/transparency'
import { entryHash } from '@svc/protocol/merkle/entries'
import { verifyConsistency, verifyInclusion } from '@svc/protocol/merkle/tree'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Figure } from './figure.ts'
import { median } from './load.ts'
import { runtimeWorker } from './runtime-worker.ts'

const [SMALL, LARGE] = [10_000, 1_000_000] as const
const PROOFS = 400
const ACCOUNTS = 200
const PUBLICATIONS = 5_000
const CONCURRENCY = 64
const SEED = '11'.repeat(32)

interface State {
  readonly size: number
  readonly root: string
}

/**
 * The objects of the key directory and the log in R2, in a Worker that calls only them: it spends no assertion, checks
 * no signature of a publication and does not call core. A proof is the full response with a signed checkpoint.
 */
export async function measureDirectory(): Promise<Figure[]> {
  const publishing = await withWorker(measurePublications)
  const proving = await withWorker((small) => withWorker((large) => measureProofs({ [SMALL]: small, [LARGE]: large })))
  return [...proving, ...publishing]
}

async function withWorker(measure: (url: string) => Promise<Figure[]>): Promise<Figure[]> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(await runtimeWorker('benchmarks/runtime/directory-worker.ts', 'keys')),
      durableObjects: {
        ACCOUNT_DIRECTORIES: { className: 'AccountDirectoryObject', useSQLite: true },
        TRANSPARENCY_LOG: { className: 'TransparencyLogObject', useSQLite: true },
        ACCOUNT_MAP: { className: 'AccountMapObject', useSQLite: true },
        MAP_BUCKETS: { className: 'MapBucketObject', useSQLite: true },
      },
      r2Buckets: ['TILES'],
      bindings: {
        DIRECTORY_LOG_SEED: SEED,
        KEY_LABELS_SEED: SEED,
        PUBLIC_ORIGINS: ['https://keys.bench'],
        REALMS: ['https://core.bench'],
        LOG_PERIOD: '2027a',
        LOG_KEY_VERSION: 1,
        LOG_NAMESPACE: '',
      },
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

/** In turn, so that other load on the machine affects both logs. */
async function measureProofs(urls: Readonly<Record<typeof SMALL | typeof LARGE, string>>): Promise<Figure[]> {
  const key = await logKey()
  for (const size of [SMALL, LARGE]) await fill(urls[size], size)
  const times = { [SMALL]: [] as number[], [LARGE]: [] as number[] }
  const reads = { [SMALL]: [] as number[], [LARGE]: [] as number[] }
  for (let i = 0; i <= PROOFS; i++) {
    for (const size of [SMALL, LARGE]) {
      // Consecutive proofs are far apart in the log: 151 and the number of proofs are coprime.
      const leaf = Math.floor((size * (((i * 151) % (PROOFS + 1)) + 0.5)) / (PROOFS + 1))
      const answer = await send({ method: 'GET', url: `${urls[size]}/proof?leaf=${leaf}` })
      const proved = JSON.parse(answer.body.toString()) as { reads: number; found: { value: unknown } }
      if (i % 100 === 0) check(leaf, proved.found.value, key)
      if (i === 0) continue // The first is warm-up.
      reads[size].push(proved.reads)
      times[size].push(answer.milliseconds)
    }
  }
  const [small, large] = [median(times[SMALL]), median(times[LARGE])]
  return [
    {
      name: `inclusion proof in a log of ${LARGE} / of ${SMALL} leaves, p50`,
      ratio: large / small,
      bar: { limit: 1.5, good: 'at most' },
      detail: `${large.toFixed(2)} ms / ${small.toFixed(2)} ms, ${PROOFS} each in turn, one at a time`,
    },
    {
      name: `tiles read for an inclusion proof in ${LARGE} leaves, at most`,
      ratio: Math.max(...reads[LARGE]),
      bar: { limit: 5, good: 'at most' },
      detail: `${PROOFS} proofs over the whole log; ${Math.max(...reads[SMALL])} in ${SMALL} leaves`,
    },
  ]
}

/** Leaf 0 opens the log, so the leaf with number i is at i + 1. */
function check(i: number, found: unknown, key: string): void {
  const { position, proof, checkpoint } = inclusionAnswerSchema.parse(found)
  const { size, root } = checkpoint.statement
  const statementHash = i.toString(16).padStart(96, '0')
  const leaf = entryHash(updateLine({ label: statementHash.slice(32), seq: 1, statementHash }))
  const isThere = verifyInclusion(leaf, position.index, size, proof.map(fromHex), fromHex(root))
  if (position.index !== i + 1 || !isThere || checkpoint.publicKeyB64u !== key) throw new Error('a proof is invalid')
}

async function logKey(): Promise<string> {
  const { mlDsa65 } = await import('@svc/pqc')
  return encodeBase64url(await mlDsa65.publicKeyOf(fromHex(SEED)))
}

const sizeOf = async (url: string) => (await json<{ size: number }>(`${url}/head`)).size

async function fill(url: string, size: number): Promise<void> {
  const step = 40_960
  for (let from = await sizeOf(url); from < size; from += step) {
    await json(`${url}/fill?from=${from}&to=${Math.min(size, from + step)}`)
    while ((await sizeOf(url)) < Math.min(size, from + step)) await pause(20)
  }
}

async function measurePublications(url: string): Promise<Figure[]> {
  const leafIds: string[] = []
  let next = 0
  const publisher = async () => {
    for (let mine = next++; mine < PUBLICATIONS; mine = next++) {
      const [account, version] = [mine % ACCOUNTS, 1 + Math.floor(mine / ACCOUNTS)]
      // Sequential within an account, because the versions of a device must increase.
      const published = await json<{ leafId?: string }>(`${url}/publish?account=${account}&version=${version}`)
      if (published.leafId !== undefined) leafIds.push(published.leafId)
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: CONCURRENCY }, publisher))
  const seconds = (performance.now() - startedAt) / 1000
  while ((await sizeOf(url)) < leafIds.length && performance.now() - startedAt < 120_000) await pause(200)
  const logged = (performance.now() - startedAt) / 1000
  const lost = await countMissing(url, leafIds)
  const batches = await countConsistent(url)
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
      detail: `${lost} lost, ${PUBLICATIONS - leafIds.length} refused; ${batches} batches, the log after each a prefix of the next`,
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

/** Every batch of the run, not only those that a reader saw. */
async function countConsistent(url: string): Promise<number> {
  const states = await json<State[]>(`${url}/states`)
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
