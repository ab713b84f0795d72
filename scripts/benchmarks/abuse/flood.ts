import { batchUrl, refused, refusedBodies } from './refused-bodies.ts'

/** Sends refused bodies one after another between the messages `start` and `stop`, and answers each message. */
const url = batchUrl(process.argv[2] ?? '')
const bodies = refusedBodies()
let end = new AbortController()
let sending = Promise.resolve()

async function sendUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) for (const { body, status } of bodies) await refused({ method: 'POST', url, body }, status)
}

async function start(): Promise<void> {
  end = new AbortController()
  sending = sendUntil(end.signal)
}

async function stop(): Promise<void> {
  end.abort()
  await sending
}

process.on('message', (message) => {
  void (message === 'start' ? start() : stop()).then(() => process.send?.(message))
})
process.send?.('ready')
