import { fingerprintText, toTextQuery } from '@svc/fingerprint'
import type { LoadRequest } from '@svc/platform/callers/send'
import type { Actor } from '../traffic/actor.ts'
import { newText } from '../traffic/books/texts.ts'

/** Bits of a fingerprint, which is one query of the index. */
const DIMENSIONS = 256

export interface CostedOperation {
  readonly name: string
  /** CPU milliseconds of every Worker and object together: an assumption, since the local runtime tells none. */
  readonly cpuMilliseconds: number
  /** Dimensions that Vectorize is asked for. */
  readonly queriedDimensions?: number
  /** Sent before, so that every store has its tables. */
  readonly warmUp?: number
  /** Whether all are sent at once, so that they share batches. */
  readonly atOnce?: boolean
  /** Whether it changes an object that is recorded for a restore, which happens half a minute later. */
  readonly isRecorded?: boolean
  /** US dollars per million that it may cost at most. */
  readonly limit?: number
  readonly request: (actor: Actor) => Promise<LoadRequest>
}

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

async function bookOf(planned: Promise<{ readonly request: LoadRequest } | null>): Promise<LoadRequest> {
  const next = await planned
  if (!next) throw new Error('there is nothing to send')
  return next.request
}

function consentBatch(size: number): CostedOperation['request'] {
  return async ({ stage, books, did }) => {
    const known = books.preferences.hashes.slice(-50)
    const hashes = [...known, ...Array.from({ length: size - known.length }, (_, i) => `${did}#${i}`)]
    return { method: 'POST', url: `${stage.urls.consent}/api/v1/consent/batch`, body: json({ hashes }) }
  }
}

function textSearch(chunks: number): CostedOperation['request'] {
  return async ({ stage }) => {
    const vectors: unknown[] = []
    let query = toTextQuery(fingerprintText(newText()))
    while (vectors.length < chunks) {
      query = toTextQuery(fingerprintText(newText()))
      vectors.push(...query.vectors)
    }
    const body = json({ ...query, vectors: vectors.slice(0, chunks), chunk_count: chunks, word_count: chunks * 20 })
    return { method: 'POST', url: `${stage.urls.provenance}/api/query/text`, body }
  }
}

/** The operations of the page about cost, in its order. */
export const OPERATIONS: readonly CostedOperation[] = [
  {
    name: 'public read: the root of a chain',
    cpuMilliseconds: 1,
    request: async ({ person }) => person.rootRead,
  },
  {
    name: 'authenticated read at core: the head of a chain',
    cpuMilliseconds: 3,
    limit: 4,
    request: ({ person }) => person.read('/api/chain/head'),
  },
  {
    name: 'authenticated read elsewhere: the meters',
    cpuMilliseconds: 5,
    limit: 4,
    request: ({ sealer }) => sealer.seal('GET', ({ quota }) => quota.meters()),
  },
  {
    name: 'append',
    cpuMilliseconds: 6,
    isRecorded: true,
    limit: 12,
    request: ({ books }) => bookOf(books.blocks.next()),
  },
  {
    name: 'consent write',
    cpuMilliseconds: 8,
    isRecorded: true,
    // Each of the 64 stores has its tables by then.
    warmUp: 400,
    request: ({ books }) => bookOf(books.preferences.next()),
  },
  { name: 'consent batch of 100', cpuMilliseconds: 3, request: consentBatch(100) },
  { name: 'consent batch of 10,000', cpuMilliseconds: 60, request: consentBatch(10_000) },
  {
    name: 'quota consume',
    cpuMilliseconds: 8,
    isRecorded: true,
    request: ({ books }) => bookOf(books.uses.next()),
  },
  {
    name: 'prekey reservation',
    cpuMilliseconds: 10,
    isRecorded: true,
    request: ({ books }) => bookOf(books.prekeys.next()),
  },
  {
    name: 'anchor, alone in its second',
    cpuMilliseconds: 8,
    isRecorded: true,
    request: ({ books }) => bookOf(books.roots.next()),
  },
  {
    name: 'anchor, one of twelve in a second',
    cpuMilliseconds: 8,
    isRecorded: true,
    atOnce: true,
    request: ({ books }) => bookOf(books.roots.next()),
  },
  {
    name: 'text search of 10 chunks',
    cpuMilliseconds: 5,
    queriedDimensions: 10 * DIMENSIONS,
    limit: 34,
    request: textSearch(10),
  },
  {
    name: 'text search of 100 chunks',
    cpuMilliseconds: 15,
    queriedDimensions: 100 * DIMENSIONS,
    request: textSearch(100),
  },
  {
    name: 'DID resolution',
    cpuMilliseconds: 3,
    request: async ({ stage, did }) => ({ method: 'GET', url: `${stage.urls.did}/1.0/identifiers/${did}` }),
  },
]
