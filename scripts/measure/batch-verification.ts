import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base64url'
import type { Platform } from '../lib/platform.ts'
import type { Figure } from './figure.ts'
import { median, sendAll } from './load.ts'
import { withVerifier } from './verification.ts'

const ITEMS = 100
const ROUNDS = 9
const BATCHES = 8
const CONCURRENCY = 4

/** How much of the runtime's own speed is left of batches: HTTP, JSON, base64url, schemas and nonces take the rest. */
export async function measureBatchVerification(
  _core: string,
  _did: string,
  _pay: string,
  { urls }: Pick<Platform, 'urls'>,
): Promise<Figure[]> {
  const signed = await Promise.all(Array.from({ length: ITEMS }, (_, i) => signedItem(i)))
  const url = `${urls.provenance}/api/verify/batch`
  const batches = async () => {
    const requests = Array.from({ length: BATCHES }, () => ({ method: 'POST', url, body: bodyOf(signed) }) as const)
    const startedAt = performance.now()
    const answers = await sendAll(requests, CONCURRENCY, 200)
    const milliseconds = performance.now() - startedAt
    for (const { body } of answers) {
      const { data } = JSON.parse(body.toString()) as { data: { valid: number } }
      if (data.valid !== ITEMS) throw new Error('a batch was not valid')
    }
    return milliseconds
  }
  // In turn, so that whatever else the machine does falls on both.
  return withVerifier(async (verify) => {
    const ratios: number[] = []
    const times = { raw: [] as number[], batch: [] as number[] }
    for (let round = 0; round <= ROUNDS; round++) {
      const raw = (await verify('native', ITEMS * BATCHES)) - (await verify('native', 0))
      const batch = await batches()
      if (round === 0) continue // the first warms up
      ratios.push(raw / batch)
      times.raw.push(raw / BATCHES)
      times.batch.push(batch / BATCHES)
    }
    return [
      {
        name: `${ITEMS} raw native verifications / a batch of ${ITEMS} by ${ITEMS} keys`,
        ratio: median(ratios),
        bar: { limit: 0.6, good: 'at least' },
        detail: `${median(times.raw).toFixed(1)} ms / ${median(times.batch).toFixed(1)} ms at concurrency ${CONCURRENCY}, ${ROUNDS} rounds of ${BATCHES}`,
      },
    ]
  })
}

function bodyOf(signed: readonly object[]): Uint8Array {
  const items = signed.map((item) => ({ ...item, nonce: crypto.randomUUID() }))
  return new TextEncoder().encode(JSON.stringify({ items }))
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
