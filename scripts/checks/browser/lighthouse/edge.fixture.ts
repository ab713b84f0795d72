import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGzip } from 'node:zlib'

const TEXT = /^(?:text\/|application\/(?:javascript|json|manifest\+json|xml)|image\/svg\+xml)/

/** A proxy that compresses text on its way to the browser, as the network of a deployment does. */
export class Edge {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async begin(): Promise<Edge> {
    const server = createServer(forward).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Edge(server)
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async end(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** The browser asks a proxy for complete addresses. Nothing but this machine is reached. */
function forward(asked: IncomingMessage, answer: ServerResponse): void {
  const url = URL.parse(asked.url ?? '')
  if (url?.protocol !== 'http:' || url.hostname !== 'localhost') {
    answer.writeHead(502).end()
    return
  }
  const { method, headers } = asked
  const sent = request(url, { method, headers: { ...headers, 'accept-encoding': 'identity' } }, (received) => {
    const isText = TEXT.test(received.headers['content-type'] ?? '') && received.statusCode === 200
    const { 'content-length': _, ...others } = received.headers
    if (!isText) {
      answer.writeHead(received.statusCode ?? 502, received.headers)
      received.pipe(answer)
      return
    }
    answer.writeHead(200, { ...others, 'content-encoding': 'gzip' })
    received.pipe(createGzip()).pipe(answer)
  })
  sent.on('error', () => answer.destroy())
  asked.pipe(sent)
}
