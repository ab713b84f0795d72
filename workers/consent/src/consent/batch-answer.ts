import type { BatchResult } from '@svc/protocol/consent/consent'

/** Items of one piece of the answer: some 200 kB of text at once, where all ten thousand take up to 15 MB. */
const PIECE_ITEMS = 250

/**
 * The answer to a batch, `{"results": […]}`, made piece by piece as fast as the caller takes it. Everything that can
 * fail must have happened before: a stream that breaks cannot become a 503 any more.
 */
export function batchAnswer<T>(items: readonly T[], resultOf: (item: T) => BatchResult): Response {
  const encoder = new TextEncoder()
  let at = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = items.slice(at, at + PIECE_ITEMS).map((item) => JSON.stringify(resultOf(item)))
      const before = at === 0 ? '{"results":[' : ','
      at += PIECE_ITEMS
      const isLast = at >= items.length
      controller.enqueue(encoder.encode(`${before}${piece.join(',')}${isLast ? ']}' : ''}`))
      if (isLast) controller.close()
    },
  })
  return new Response(stream, { headers: { 'content-type': 'application/json' } })
}
