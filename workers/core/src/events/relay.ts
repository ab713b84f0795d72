import { PING, SOCKET_CLOSED } from '@svc/protocol/events/socket'

const NORMAL = 1000
/** What a client is told of an end without a code that may be sent. */
const LOST = 1011

/**
 * The client's end of a socket that an object holds. Between them stands the Worker that the client reached: a runtime
 * goes on reading from a client that does not stop when it is told to, and that client must not keep the object busy,
 * which its owner may need to stop a thief.
 */
export function relayed(inner: WebSocket): WebSocket {
  const { 0: client, 1: outer } = new WebSocketPair()
  let isOver = false
  const end = (code: number, reason: string) => {
    if (isOver) return
    isOver = true
    inner.close(NORMAL)
    outer.close(code, reason)
  }
  outer.addEventListener('message', ({ data }) => {
    if (isOver) return
    if (data === PING) inner.send(PING)
    else end(SOCKET_CLOSED.misused, 'Send nothing but ping')
  })
  outer.addEventListener('close', () => end(NORMAL, ''))
  outer.addEventListener('error', () => end(LOST, ''))
  inner.addEventListener('message', ({ data }) => {
    if (!isOver) outer.send(String(data))
  })
  inner.addEventListener('close', ({ code, reason }) =>
    end(code >= 4000 || code === SOCKET_CLOSED.misused ? code : LOST, reason),
  )
  inner.addEventListener('error', () => end(LOST, ''))
  inner.accept()
  outer.accept()
  return client
}
