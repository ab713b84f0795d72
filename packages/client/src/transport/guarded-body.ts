import type { Deadline } from './deadline.ts'
import type { OnProgress } from './progress.ts'

/** The response with a body that ends with the deadline, counts what arrived, and moves the deadline as long as it does. */
export function guarded(response: Response, deadline: Deadline, onReceived?: OnProgress): Response {
  if (response.body === null) {
    deadline.end()
    return response
  }
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>
  let count = 0
  const total = lengthOf(response)
  onReceived?.({ done: count, total })
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await deadline.race(reader.read())
          if (done) {
            deadline.end()
            controller.close()
            return
          }
          deadline.touch()
          count += value.length
          onReceived?.({ done: count, total })
          controller.enqueue(value)
        } catch (error) {
          deadline.end()
          controller.error(error)
          reader.cancel(error).catch(() => {})
        }
      },
      cancel(reason) {
        deadline.end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

/** The response with its whole body received, so that reading it cannot fail later. */
export async function received(response: Response): Promise<Response> {
  if (response.body === null) return response
  const { status, statusText, headers } = response
  return new Response(await response.arrayBuffer(), { status, statusText, headers })
}

/** Of the body as it is read: what a header says of a compressed one is something else. */
function lengthOf({ headers }: Response): number | null {
  const declared = headers.get('content-length')
  return declared === null || headers.has('content-encoding') ? null : Number(declared)
}
