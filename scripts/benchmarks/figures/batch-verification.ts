import type { Platform } from '@svc/platform'
import type { LoadRequest } from '@svc/platform/callers/send'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { Figure } from './figure.ts'
import { median, sendAll } from './load.ts'
import { withVerifier } from './verification.ts'

const ITEMS = 100
const WARM_UP = 4
const ROUNDS = 61
const BATCHES = 16
/** Batches of new keys: more keys than the cache holds, so that each is evicted before it occurs again. */
const LISTS = 16
const CONCURRENCY = 4

/**
 * The share of the runtime's own verification speed that batches reach; HTTP, JSON, base64url, schemas and nonces take
 * the rest. Measured with keys that verified before, which are cached, and with new keys, which have to be expanded
 * first, as the bare verification does every time. Both use 208,000 nonces, fewer than fit in memory.
 */
export async function measureBatchVerification(
  _core: string,
  _did: string,
  _pay: string,
  { urls }: Pick<Platform, 'urls'>,
): Promise<Figure[]> {
  const lists = await Promise.all(Array.from({ length: LISTS }, signedItems))
  const [first = []] = lists
  const batches = {
    known: Array.from({ length: BATCHES }, () => new Batch(first)),
    new: lists.map((list) => new Batch(list)),
  }
  const url = `${urls.provenance}/api/verify/batch`
  const prepared = (keys: keyof typeof batches) =>
    batches[keys].map((batch): LoadRequest => ({ method: 'POST', url, body: batch.renewed() }))
  const timeOf = async (requests: readonly LoadRequest[]) => {
    const startedAt = performance.now()
    const answers = await sendAll(requests, CONCURRENCY, 200)
    const milliseconds = performance.now() - startedAt
    for (const { body } of answers) {
      const { data } = JSON.parse(body.toString()) as { data: { valid: number } }
      if (data.valid !== ITEMS) throw new Error('a batch was not valid')
    }
    return milliseconds
  }
  return withVerifier(async (verify) => {
    const raw = async () => (await verify('native', ITEMS * BATCHES)) - (await verify('native', 0))
    const rounds = { known: [] as Round[], new: [] as Round[] }
    for (const keys of ['known', 'new'] as const) {
      for (let round = 0; round < WARM_UP + ROUNDS; round++) {
        const requests = prepared(keys)
        // Directly before and after, so that other load on the machine affects both.
        const before = await raw()
        const batch = await timeOf(requests)
        const after = await raw()
        if (round >= WARM_UP) rounds[keys].push({ raw: (before + after) / 2, batch })
      }
    }
    return [figureOf('keys that have verified before', rounds.known), figureOf('new keys', rounds.new)]
  })
}

interface Round {
  readonly raw: number
  readonly batch: number
}

function figureOf(keys: string, rounds: readonly Round[]): Figure {
  const each = (kind: keyof Round) => (median(rounds.map((round) => round[kind])) / BATCHES).toFixed(1)
  return {
    name: `${ITEMS} raw native verifications / a batch by ${ITEMS} ${keys}`,
    ratio: median(rounds.map(({ raw, batch }) => raw / batch)),
    bar: { limit: 0.6, good: 'at least' },
    detail: `${each('raw')} ms, key import included / ${each('batch')} ms at concurrency ${CONCURRENCY}, ${ROUNDS} rounds of ${BATCHES}`,
  }
}

/** The body of a batch. Only its nonces change, so that the client has almost nothing to do during the measurement. */
class Batch {
  readonly #body: Uint8Array
  readonly #nonces: readonly number[]

  constructor(items: readonly object[]) {
    const nonce = crypto.randomUUID()
    const text = JSON.stringify({ items: items.map((item) => ({ ...item, nonce })) })
    this.#body = new TextEncoder().encode(text)
    this.#nonces = Array.from(text.matchAll(new RegExp(nonce, 'g')), ({ index }) => index)
  }

  renewed(): Uint8Array {
    const encoder = new TextEncoder()
    for (const at of this.#nonces) encoder.encodeInto(crypto.randomUUID(), this.#body.subarray(at))
    return this.#body
  }
}

function signedItems(): Promise<readonly object[]> {
  return Promise.all(Array.from({ length: ITEMS }, (_, i) => signedItem(i)))
}

async function signedItem(i: number) {
  const seed = crypto.getRandomValues(new Uint8Array(32))
  const message = new TextEncoder().encode(`message ${i}`)
  return {
    publicKeyB64u: encodeBase64url(await mlDsa65.publicKeyOf(seed)),
    messageB64u: encodeBase64url(message),
    signatureB64u: encodeBase64url(await mlDsa65.sign(seed, message)),
    algorithm: 'ml-dsa-65',
  }
}
