import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { SIZE_TYPE } from '@svc/tlog/add-checkpoint'
import type { Witness } from './witness.ts'

/** 63 hashes, and a checkpoint with 64 signatures of 5 kB. */
const MAX_BODY_BYTES = 384 * 1024
const TEXT = 'text/plain; charset=utf-8'

interface Answer {
  readonly status: number
  readonly type?: string
  readonly body: string
}

/** What a witness says of itself at its address. */
export interface WitnessDescription {
  readonly name: string
  readonly verifierKeys: readonly string[]
  /** Of its cosignatures for logs of svc. */
  readonly publicKeyB64u: string
  readonly origins: readonly string[]
}

/** The routes of c2sp.org/tlog-witness below one address. */
export function witnessServer(witness: Witness, description: WitnessDescription): Server {
  const originOf = new Map(
    description.origins.map((origin) => [createHash('sha256').update(origin).digest('hex'), origin]),
  )
  const server = createServer((request, response) => {
    void answerOf(request)
      .catch((): Answer => ({ status: 500, body: 'The witness failed.\n' }))
      .then((answer) => send(response, answer))
  })
  server.requestTimeout = 30_000
  return server

  async function answerOf(request: IncomingMessage): Promise<Answer> {
    const { pathname } = new URL(request.url ?? '/', 'http://witness')
    if (pathname === '/add-checkpoint') return request.method === 'POST' ? added(request) : notAllowed('POST')
    if (request.method !== 'GET') return notAllowed('GET')
    if (pathname === '/') return { status: 200, type: 'application/json', body: `${JSON.stringify(description)}\n` }
    const [, hash = ''] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(pathname) ?? []
    const origin = originOf.get(hash)
    const checkpoint = origin === undefined ? null : witness.checkpoint(origin)
    return checkpoint === null ? { status: 404, body: 'Not found.\n' } : { status: 200, body: checkpoint }
  }

  async function added(request: IncomingMessage): Promise<Answer> {
    const body = await bodyOf(request)
    if (!body) return { status: 413, body: `A request has at most ${MAX_BODY_BYTES} bytes.\n` }
    const answer = await witness.addCheckpoint(body)
    if (answer.status === 200) return { status: 200, body: answer.lines }
    if (answer.status === 409) return { status: 409, type: SIZE_TYPE, body: `${answer.size}\n` }
    return { status: answer.status, body: `${answer.fault}\n` }
  }
}

function notAllowed(method: string): Answer {
  return { status: 405, body: `Only ${method} is allowed.\n` }
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

function send(response: ServerResponse, { status, type = TEXT, body }: Answer): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
  response.end(body)
}
