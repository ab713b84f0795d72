import { readFileSync } from 'node:fs'
import { packVector } from '@svc/fingerprint'
import { VECTOR_RULES } from '@svc/protocol/provenance/vector-services'
import { byRank, candidatesOf, fewOfEach, similarityOf } from '../../../workers/provenance/src/search/rules.ts'
import { readTextRegistration, type TextRegistration } from '../../../workers/provenance/src/text/rules.ts'
import { distinctVectors } from '../../../workers/provenance/src/vectors/distinct.ts'
import { MAX_TOP_K, PACKED_BYTES, unpacked } from '../../../workers/provenance/src/vectors/vector-index.ts'
import { VectorScan } from '../../../workers/provenance/src/vectors/vector-scan.ts'
import type { Chunks, Sent } from './texts.ts'

interface Text extends TextRegistration {
  readonly row: { readonly id: number }
  readonly registrant: string
  readonly unpacked: readonly Uint8Array[]
  readonly distinct: Uint8Array
  readonly isPadded: boolean
}

const KERNEL = new WebAssembly.Module(
  readFileSync(new URL('../../../workers/provenance/src/vectors/hamming.wasm', import.meta.url)),
)

/** Texts under the rules of provenance and its embedded index, in memory. */
export class TextRegistry {
  readonly #texts = new Map<string, Text>()
  #last = 0

  /** What certifies its id replaces what does not; anything else under a known id is a duplicate. */
  register({ by, ...body }: Sent): void {
    const read = readTextRegistration(body)
    if (!read.ok) throw new Error(`not registered: ${read.error.reason}`)
    const text = read.value
    const known = this.#texts.get(text.assetId)
    if (known && (known.isCertified || !text.isCertified)) return
    this.#last += 1
    const distinct = distinctVectors(text.vectors)
    this.#texts.set(text.assetId, {
      ...text,
      row: { id: this.#last },
      registrant: by,
      unpacked: unpacked(text.vectors),
      distinct,
      isPadded: distinct.length / PACKED_BYTES < text.chunkCount,
    })
  }

  /** A search of what is registered now: the id of the best match, if there is one. */
  search(): (query: Chunks) => string | undefined {
    const texts = [...this.#texts.values()].toSorted((a, b) => a.row.id - b.row.id)
    const byId = new Map(texts.map((text) => [text.row.id, text]))
    const scan = new VectorScan(KERNEL)
    const owners: { readonly id: number; readonly end: number }[] = []
    for (const { row, distinct } of texts) {
      const owner = { id: row.id, end: scan.count + distinct.length / PACKED_BYTES }
      while (owners.length < owner.end) owners.push(owner)
      scan.append(distinct)
    }
    const options = { topK: MAX_TOP_K, maxDistance: VECTOR_RULES.text.maxDistance }
    return (query) => {
      const asked = query.map(({ values }) => packVector(values))
      const places = scan.nearest(asked, options, (place) => owners[place]!.end)
      const found = places.map((of) => of.map(({ place, distance }) => ({ set: owners[place]!.id, distance })))
      const few = fewOfEach(candidatesOf(found, 'text').flatMap((id) => byId.get(id) ?? []))
      const scored = few.flatMap((text) => {
        const candidate = { places: text.places, vectors: text.unpacked, words: text.wordCount }
        const score = similarityOf('text', asked, candidate)
        return score ? [{ ...score, row: text.row, isPadded: text.isPadded, assetId: text.assetId }] : []
      })
      return scored.toSorted(byRank)[0]?.assetId
    }
  }
}
