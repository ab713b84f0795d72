import { RecordFiles } from '@svc/objects/records'
import { toHex } from '@svc/protocol/base/hash'
import type { RecordCounts } from './record-counts.ts'

/** Of an owner in a record. */
const ROWS = 10
const ROW_BYTES = 500
const ERASURE_KEYS = { reads: 0, writes: 0 }
let written = 0

/** An R2 bucket in memory, so that only the time of the Worker is measured. */
function bucket(counted: typeof ERASURE_KEYS | null): R2Bucket {
  const files = new Map<string, Uint8Array>()
  const get = async (key: string) => {
    if (counted) counted.reads++
    const file = files.get(key)
    return file ? { etag: key, arrayBuffer: async () => file.slice().buffer } : null
  }
  const put = async (key: string, file: Uint8Array) => {
    if (counted) {
      counted.writes++
      files.set(key, file)
    } else written = file.length
    return {}
  }
  return { get, put } as unknown as R2Bucket
}

const files = new RecordFiles({
  bucket: bucket(null),
  erasureKeys: bucket(ERASURE_KEYS),
  seeds: new Map([[1, '11'.repeat(32)]]),
  prefix: 'Bench/',
})

/** Values do not repeat, as hashes and signatures do not. */
function rowsOf(owner: string): (string | number)[][] {
  return Array.from({ length: ROWS }, (_, i) => [
    i,
    toHex(crypto.getRandomValues(new Uint8Array(ROW_BYTES / 2))),
    owner,
  ])
}

function recordOf(owners: number, sequence: number) {
  const rows = Array.from({ length: owners }, (_, i) => rowsOf(`did:svc:${i}`)).flat()
  return {
    name: 'did:svc:0',
    sequence,
    previous: null,
    attempt: crypto.randomUUID(),
    base: 1,
    isWhole: true,
    writtenAt: 1_790_000_000_000,
    schema: { schema: 'bench', version: 1 },
    facts: null,
    tables: [{ table: 'rows', from: null, columns: ['id', 'value', '@owner'], rows }],
    marks: {},
  }
}

const AES = { name: 'AES-GCM', length: 256 } as const
let key: Promise<CryptoKey> | undefined

/** The floor: the same JSON, compressed and encrypted once under a key at hand. */
async function sealedOnce(record: object): Promise<number> {
  const json = new Blob([JSON.stringify(record)])
  const zipped = await new Response(json.stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
  key ??= crypto.subtle.generateKey(AES, false, ['encrypt']) as Promise<CryptoKey>
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const cipher = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await key, zipped)
  return cipher.byteLength
}

export default {
  async fetch(request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [owners, times] = [Number(searchParams.get('owners')), Number(searchParams.get('times'))]
    Object.assign(ERASURE_KEYS, { reads: 0, writes: 0 })
    const record = recordOf(owners, 1)
    let bytes = 0
    for (let i = 0; i < times; i++) {
      if (pathname === '/once') bytes = await sealedOnce(record)
      else {
        await files.create({ ...record, sequence: i + 1 })
        bytes = written
      }
    }
    return Response.json({ done: times, bytes, ...ERASURE_KEYS } satisfies RecordCounts)
  },
} satisfies ExportedHandler
