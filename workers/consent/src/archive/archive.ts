import { encodeBase64url } from '@svc/protocol/base/base64url'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { segmentKey } from '../object-keys.ts'
import type { Archived } from '../store/rows.ts'
import { rangeOf, rowOf, rowsOf, segmentOf } from './segment.ts'

interface Signable {
  readonly signature_b64u: string | Archived
}
type Complete<T> = T extends Signable ? Omit<T, 'signature_b64u'> & { readonly signature_b64u: string } : never

/** Signatures that the stores keep no more, in R2. */
export class Archive {
  readonly #bucket: Pick<R2Bucket, 'get'>

  constructor(bucket: Pick<R2Bucket, 'get'>) {
    this.#bucket = bucket
  }

  /** The same items with their signatures. Those of one segment are read at once. */
  async complete<T extends Signable>(bucket: number, items: readonly T[]): Promise<Complete<T>[]> {
    const places = items.flatMap(({ signature_b64u: at }) => (typeof at === 'string' ? [] : [at.place]))
    const found = new Map<number, string>()
    await Promise.all(
      [...Map.groupBy(places, segmentOf)].map(async ([segment, some]) => {
        const rows = some.map(rowOf)
        const [first, last] = [Math.min(...rows), Math.max(...rows)]
        const read = await this.#read(bucket, segment, first, last)
        for (const place of some) {
          const row = read[rowOf(place) - first]
          if (row) found.set(place, encodeBase64url(row.signature))
        }
      }),
    )
    return items.map((item) => {
      const at = item.signature_b64u
      const signature = typeof at === 'string' ? at : found.get(at.place)
      return { ...item, signature_b64u: signature } as unknown as Complete<T>
    })
  }

  async #read(bucket: number, segment: number, first: number, last: number) {
    return reaching('consent archive', async () => {
      const object = await this.#bucket.get(segmentKey(bucket, segment), { range: rangeOf(first, last) })
      if (!object) throw new Error(`segment ${segment} of bucket ${bucket} is missing`)
      const rows = rowsOf(new Uint8Array(await object.arrayBuffer()))
      if (rows.length !== last - first + 1) throw new Error(`segment ${segment} of bucket ${bucket} is too short`)
      return rows
    })
  }
}
