import { type LoadRequest, send } from '@svc/platform/callers/send'

const MIB = 1024 * 1024
const SIZE = 16 * MIB

export interface RefusedBody {
  readonly name: string
  readonly status: number
  readonly body: Uint8Array
}

/** Bodies of the greatest size, each the worst of its kind for a reader of JSON. */
export function refusedBodies(): RefusedBody[] {
  const of = (name: string, status: number, text: string): RefusedBody => {
    return { name, status, body: new TextEncoder().encode(text) }
  }
  const members = Array.from({ length: 1_370_000 }, (_, i) => `"k${i}":1`).join(',')
  return [
    of('16 MiB of unknown members', 413, `{${members}}`),
    of('16 MiB of [', 400, '['.repeat(SIZE)),
    of('16 MiB of {}', 413, `[${'{},'.repeat(SIZE / 3 - 1)}`),
    of('16 MiB of strings', 413, `[${'"",'.repeat(SIZE / 3 - 1)}`),
    of('16 MiB of white space', 400, ' '.repeat(SIZE)),
  ]
}

/** Where they are refused. */
export const batchUrl = (consent: string) => `${consent}/api/v1/consent/batch`

/** A body that is refused while it is being sent may end with a broken connection. */
export async function refused(request: LoadRequest, status: number): Promise<void> {
  const answer = await send(request).catch((error: Error & { readonly code?: string }) => {
    if (error.code === 'EPIPE' || error.code === 'ECONNRESET') return null
    throw error
  })
  if (answer && answer.status !== status) throw new Error(`${request.url}: ${answer.status}, not ${status}`)
}
