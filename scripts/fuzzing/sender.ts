import { Agent, request } from 'node:http'
import type { Identity } from '@svc/client'
import { freshAddress } from '@svc/platform/callers/send'
import type { WorkerName } from '@svc/platform/workspace'
import type { Answer } from './judge.ts'
import { type FuzzRequest, OWN_DID } from './requests.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 32 })
const TIMEOUT_MS = 30_000

/** Sends a generated request byte for byte, as one of several existing identities. */
export class Sender {
  readonly #urls: Readonly<Record<WorkerName, string>>
  readonly #identities: readonly Identity[]
  #sent = 0

  constructor(urls: Readonly<Record<WorkerName, string>>, identities: readonly Identity[]) {
    this.#urls = urls
    this.#identities = identities
  }

  /** The response, and the path of the request. */
  async send(service: WorkerName, audience: string | undefined, wanted: FuzzRequest): Promise<[Answer, string]> {
    this.#sent += 1
    const identity = this.#identities[this.#sent % this.#identities.length]
    if (!identity) throw new Error('nobody sends')
    const base = this.#urls[service]
    const path = wanted.path.replaceAll(OWN_DID, identity.did)
    const authorization = await this.#authorization(identity, audience, base + path, wanted)
    const headers = { ...wanted.headers, ...(authorization === null ? {} : { authorization }) }
    const ask = () => exchange(base, path, wanted, headers)
    if (wanted.credential === 'spent') await ask()
    return [await ask(), new URL(base + path).pathname]
  }

  async #authorization(
    identity: Identity,
    audience: string | undefined,
    url: string,
    { method, body, credential }: FuzzRequest,
  ): Promise<string | null> {
    if (credential === 'none' || audience === undefined) return null
    if (credential === 'garbled') return 'ServiceAssertion AAAA.BBBB'
    const aud = credential === 'other audience' ? 'elsewhere' : audience
    return identity.assertion({ audience: aud, method, url, body, now: Date.now() })
  }
}

/** Plain node:http, because fetch would correct what must arrive malformed. */
function exchange(
  base: string,
  path: string,
  { method, body }: FuzzRequest,
  headers: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const length = body === undefined ? {} : { 'content-length': String(body.length) }
    const sender = { 'cf-connecting-ip': freshAddress(), ...length, ...headers }
    const outgoing = request(
      { hostname, port, path, method, agent, headers: sender, timeout: TIMEOUT_MS },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const received: [string, string][] = Object.entries(incoming.headers).map(([name, value]) => [
            name,
            String(value),
          ])
          resolve({
            status: incoming.statusCode ?? 0,
            headers: Object.fromEntries<string>(received),
            body: Buffer.concat(chunks),
          })
        })
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error('no response within 30 seconds')))
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
