/** A constant of the code, as its file writes it. */
export interface CodeConstant {
  readonly file: string
  readonly name: string
}

export interface PlatformLimit {
  readonly what: string
  /** What Cloudflare allows. */
  readonly allowed: number
  readonly unit: string
  /** The most that the code uses: the product of these constants. */
  readonly constants: readonly CodeConstant[]
  readonly by: string
}

const MB = 1_000_000
const GB = 1_000 * MB

/**
 * Limits of the platform that the code comes near to, of the paid plan. Where Cloudflare has raised a limit, the lower one
 * stands here: 1,000 subrequests have become 10,000.
 */
export const PLATFORM_LIMITS: readonly PlatformLimit[] = [
  {
    what: 'subrequests of a request',
    allowed: 1_000,
    unit: '',
    constants: [
      { file: 'workers/provenance/src/vectors/vector-index.ts', name: 'MAX_QUERY_VECTORS' },
      { file: 'workers/provenance/src/vectors/indexes.ts', name: 'MAX_GENERATIONS' },
    ],
    by: 'a search of 100 vectors in eight generations of an index',
  },
  {
    what: 'connections at a time',
    allowed: 6,
    unit: '',
    constants: [{ file: 'workers/provenance/src/vectors/vectorize-index.ts', name: 'AT_ONCE' }],
    by: 'queries of Vectorize; more would only queue',
  },
  {
    what: 'memory of an isolate',
    allowed: 128 * MB,
    unit: 'bytes',
    constants: [
      { file: 'workers/provenance/src/vectors/index-object.ts', name: 'MAX_VECTORS' },
      { file: 'workers/provenance/src/vectors/vector-index.ts', name: 'PACKED_BYTES' },
    ],
    by: 'the exact index, which an object keeps in memory',
  },
  {
    what: 'memory of an isolate',
    allowed: 128 * MB,
    unit: 'bytes',
    constants: [{ file: 'workers/core/src/ipfs/unixfs-file.ts', name: 'MAX_FILE_BYTES' }],
    by: 'a file from IPFS, if none of it could be passed on while the rest arrives',
  },
  {
    what: 'headers of a request',
    allowed: 128_000,
    unit: 'bytes',
    constants: [{ file: 'packages/assertion/src/payload.ts', name: 'MAX_CREDENTIAL_CHARS' }],
    by: 'an assertion; those of the SDK have 12 to 17 kB',
  },
  {
    what: 'a row of SQLite in an object',
    allowed: 2 * MB,
    unit: 'bytes',
    constants: [{ file: 'workers/core/src/chain/payload-store.ts', name: 'MAX_INLINE_PAYLOAD_BYTES' }],
    by: 'a payload of a chain; a larger one is in R2',
  },
  {
    what: 'storage of an object',
    allowed: 10 * GB,
    unit: 'bytes',
    constants: [
      { file: 'workers/provenance/src/verification/open-nonces.ts', name: 'MAX_NONCES' },
      { file: 'workers/provenance/src/verification/name-table.ts', name: 'NAME_BYTES' },
    ],
    by: 'nonces of verified signatures in one shard',
  },
  {
    what: 'vectors of a Vectorize index',
    allowed: 10 * MB,
    unit: '',
    constants: [{ file: 'workers/provenance/src/vectors/vectorize-index.ts', name: 'MAX_VECTORS' }],
    by: 'a generation; a full one is read, and the next one is written',
  },
  {
    what: 'vectors of one upsert',
    allowed: 1_000,
    unit: '',
    constants: [{ file: 'workers/provenance/src/vectors/vectorize-index.ts', name: 'UPSERT_LIMIT' }],
    by: 'a registration, in as many calls as it takes',
  },
  {
    what: 'matches of a query',
    allowed: 100,
    unit: '',
    constants: [{ file: 'workers/provenance/src/vectors/vectorize-index.ts', name: 'TOP_K' }],
    by: 'a search, without values and metadata',
  },
  {
    what: 'keys of one deletion in R2',
    allowed: 1_000,
    unit: '',
    constants: [{ file: 'workers/core/src/notes/blob-store.ts', name: 'MAX_DELETE' }],
    by: 'the collection of bodies of notes',
  },
]

/** The value of a constant from the text of its file; null if it is not a product of numbers. */
export function valueIn(text: string, name: string): number | null {
  const [, expression] = new RegExp(`^(?:export )?const ${name} = ([0-9_ *]+)$`, 'm').exec(text) ?? []
  if (expression === undefined) return null
  return expression.split(/ \* /).reduce((product, part) => {
    const [base = '', exponent = '1'] = part.split(' ** ')
    return product * Number(base.replaceAll('_', '')) ** Number(exponent)
  }, 1)
}

/** The most that the code uses of a limit. `read` returns the text of a file. */
export function usedOf({ constants }: PlatformLimit, read: (file: string) => string): number {
  return constants.reduce((product, { file, name }) => {
    const value = valueIn(read(file), name)
    if (value === null) throw new Error(`${file} has no constant ${name} that is a number`)
    return product * value
  }, 1)
}
