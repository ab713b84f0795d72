import type { Answer } from './answer.ts'
import type { Prepared } from './request.ts'

/** The header that a page sets by opening a WebSocket, and cannot set otherwise. */
const PROTOCOLS = 'Sec-WebSocket-Protocol'
/** For the first message. */
const PATIENCE_MS = 10_000

export const isSocket = ({ headers }: Prepared): boolean => headers[PROTOCOLS] !== undefined

/** What the socket offers, one by one. */
export const protocolsOf = ({ headers }: Prepared): readonly string[] =>
  (headers[PROTOCOLS] ?? '').split(',').map((one) => one.trim())

/** Opens a WebSocket, and ends with its first message. Rejects if it is refused: a page is not told why. */
export function openSocket(prepared: Prepared): Promise<Answer> {
  const begun = Date.now()
  const socket = new WebSocket(prepared.url.replace(/^http/, 'ws'), [...protocolsOf(prepared)])
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const timer = setTimeout(() => reject(new Error('no message')), PATIENCE_MS)
  socket.addEventListener('message', ({ data }) => resolve(String(data)))
  socket.addEventListener('close', () => reject(new Error('closed')))
  return promise
    .then((body) => ({
      status: 101,
      statusText: 'Switching Protocols',
      tookMs: Date.now() - begun,
      headers: [[PROTOCOLS, socket.protocol] as const],
      body,
      assertion: null,
    }))
    .finally(() => {
      clearTimeout(timer)
      socket.close()
    })
}
