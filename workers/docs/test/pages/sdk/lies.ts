/** A service that lies: it stands between the SDK and an honest one, and changes what that answers. */
import type { Fetch } from '@svc/client'

export interface Answer {
  readonly path: string
  /** Which answer this is, from 1. */
  readonly count: number
  /** The whole body, as parsed from JSON, or its bytes. Change it in place. */
  readonly body: unknown
  /** Its member `data`. */
  readonly data: unknown
  /** Answers 200 with another body instead. */
  readonly replace: (body: object) => void
}

export type Lie = (answer: Answer) => void

export function lying(lie: Lie): { readonly tell: (fetch: Fetch) => Fetch; readonly count: () => number } {
  let count = 0
  const tell =
    (fetch: Fetch): Fetch =>
    async (url, init) => {
      const response = await fetch(url, init)
      const { pathname: path } = new URL(url)
      count += 1
      if (!response.headers.get('content-type')?.includes('json')) {
        const bytes = new Uint8Array(await response.arrayBuffer())
        lie({ path, count, body: bytes, data: undefined, replace: () => {} })
        return new Response(bytes)
      }
      let [body, status]: [unknown, number] = [await response.json(), response.status]
      const replace = (other: object) => ([body, status] = [other, 200])
      lie({ path, count, body, data: members(body)['data'], replace })
      return Response.json(body, { status })
    }
  return { tell, count: () => count }
}

/** An object of an answer, to read and change its members. */
export function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
