import { send } from '@svc/platform/callers/send'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { IdentityCounts } from '../runtime/core/identity-counts.ts'
import { measureAccountMap } from './account-map.ts'
import type { Figure } from './figure.ts'
import { runtimeWorker } from './runtime-worker.ts'

const READS = 200

/** What grows with identities, requests and accounts, by counters that a busy machine does not blur. */
export async function measureScale(accounts: number): Promise<Figure[]> {
  return [...(await measureIdentity()), ...(await measureAccountMap(accounts))]
}

/** The object of an identity in a Worker that only calls it: its assertions are not verified. */
async function measureIdentity(): Promise<Figure[]> {
  const { emptyBytes, newBytes, readBytes, rowsWritten, trees } = await countsOf<IdentityCounts>(
    'benchmarks/runtime/core/identity-worker.ts',
    { IDENTITIES: 'IdentityObject' },
    `reads=${READS}`,
  )
  return [
    {
      name: 'bytes of a new identity / of an empty SQLite file',
      ratio: newBytes / emptyBytes,
      bar: { limit: 4, good: 'at most' },
      detail: `${newBytes} / ${emptyBytes}, ${trees} tables and indexes`,
    },
    {
      name: 'bytes of an identity with one nonce / of an empty SQLite file',
      ratio: readBytes / emptyBytes,
      bar: { limit: 5, good: 'at most' },
      detail: `${readBytes} / ${emptyBytes}`,
    },
    {
      name: 'rows written / authenticated reads',
      ratio: rowsWritten / READS,
      bar: { limit: 1.1, good: 'at most' },
      detail: `${rowsWritten} / ${READS}, in the object of the identity`,
    },
  ]
}

async function countsOf<T>(file: string, classes: Readonly<Record<string, string>>, query: string): Promise<T> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(await runtimeWorker(file, 'core')),
      durableObjects: Object.fromEntries(
        Object.entries(classes).map(([binding, className]) => [binding, { className, useSQLite: true }]),
      ),
      cf: false,
    }),
  )
  try {
    const { status, body } = await send({ method: 'GET', url: `${(await miniflare.ready).origin}/?${query}` })
    if (status !== 200) throw new Error(`${file}: ${status} ${body.toString()}`)
    return JSON.parse(body.toString()) as T
  } finally {
    await miniflare.dispose()
  }
}
