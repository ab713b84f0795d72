import { Agent, request } from 'node:http'

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly headers?: Record<string, string>
  readonly body?: Uint8Array
}

export interface LoadAnswer {
  readonly status: number
  readonly body: Buffer
  readonly milliseconds: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 128 })

/**
 * The limiter counts addresses, five a minute at its strictest, and its local stand-in reads the whole table of them for
 * each new one: so five requests share an address. 2001:db8::/32 holds 2^32 of its keys.
 */
const REQUESTS_OF_AN_ADDRESS = 5
let address = Math.floor(Math.random() * 2 ** 31)
let sent = 0
export function freshAddress(): string {
  if (sent % REQUESTS_OF_AN_ADDRESS === 0) address += 1
  sent += 1
  return `2001:db8:${((address >>> 16) & 0xffff).toString(16)}:${(address & 0xffff).toString(16)}::1`
}

/** One request over a kept connection; plain node:http, because its own cost is the smallest there is. */
export function send(
  { method, url, headers = {}, body }: LoadRequest,
  options: { readonly signal?: AbortSignal } = {},
): Promise<LoadAnswer> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const outgoing = request(
      url,
      {
        method,
        agent,
        ...options,
        headers: {
          'cf-connecting-ip': freshAddress(),
          ...(body ? { 'content-type': 'application/json', 'content-length': String(body.length) } : {}),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            body: Buffer.concat(chunks),
            milliseconds: performance.now() - startedAt,
          }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Sends everything with at most `concurrency` under way, and fails when an answer has another status. */
export async function sendAll(
  requests: readonly LoadRequest[],
  concurrency: number,
  status: number,
): Promise<LoadAnswer[]> {
  const answers: LoadAnswer[] = []
  let next = 0
  const worker = async () => {
    for (let mine = next++; mine < requests.length; mine = next++) {
      const wanted = requests[mine]
      if (!wanted) return
      const answer = await send(wanted)
      if (answer.status !== status)
        throw new Error(`${wanted.method} ${wanted.url}: ${answer.status} ${answer.body.toString()}`)
      answers.push(answer)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return answers
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)
