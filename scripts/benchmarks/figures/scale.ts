import { send } from '@svc/platform/callers/send'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { IdentityCounts } from '../runtime/core/identity-counts.ts'
import type { OrganizationCounts } from '../runtime/did/organization-counts.ts'
import type { Figure } from './figure.ts'
import { runtimeWorker } from './runtime-worker.ts'

const READS = 200
/** The longest log of the largest plan is of 50,000 events. */
const [SHORT, LONG] = [1_000, 49_000] as const
const EVENTS = 200
/** An event is up to 13 kB with its acceptance. */
const EVENT_BYTES = 13_000

/** What grows with identities and requests, by counters that a busy machine does not blur. */
export async function measureScale(): Promise<Figure[]> {
  return [...(await measureIdentity()), ...(await measureOrganization())]
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

/** The object of an organization, with those of its members, in a Worker that only calls them. */
async function measureOrganization(): Promise<Figure[]> {
  const [short, long] = await Promise.all(
    [SHORT, LONG].map((size) =>
      countsOf<OrganizationCounts>(
        'benchmarks/runtime/did/organization-worker.ts',
        { ORGANIZATIONS: 'OrganizationObject', MEMBERSHIPS: 'MembershipsObject' },
        `size=${size}&count=${EVENTS}`,
      ),
    ),
  )
  if (!short || !long) throw new Error('nothing was counted')
  return [
    {
      name: `rows written for an event, after ${LONG} events / ${SHORT}`,
      ratio: long.rowsWritten / short.rowsWritten,
      bar: { limit: 1, good: 'at most' },
      detail: `${long.rowsWritten / EVENTS} / ${short.rowsWritten / EVENTS} rows of ${EVENTS} binds, in organization and members`,
    },
    {
      name: 'bytes of an event in an organization / of its longest signed form',
      ratio: long.bytes / EVENTS / EVENT_BYTES,
      bar: { limit: 1.2, good: 'at most' },
      detail: `${Math.round(long.bytes / EVENTS)} / ${EVENT_BYTES}, with an acceptance and the row of the member`,
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
