import type { Deadline } from './deadline.ts'

/** The response with a body that ends with the deadline, counts what arrived, and moves the deadline as long as it does. */
export function guarded(response: Response, deadline: Deadline, onReceived?: (bytes: number) => void): Response {
  if (response.body === null) {
    deadline.end()
    return response
  }
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>
  let count = 0
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
          onReceived?.(count)
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
