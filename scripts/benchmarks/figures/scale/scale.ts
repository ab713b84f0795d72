import type { Platform } from '@svc/platform'
import { send } from '@svc/platform/callers/send'
import { entryHash } from '@svc/protocol/merkle/entries'
import { appendLeaves } from '@svc/protocol/merkle/tiles'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { identicalEdge, LINE } from '../../runtime/core/identical-leaves.ts'
import type { IdentityCounts } from '../../runtime/core/identity-counts.ts'
import type { LogCounts } from '../../runtime/core/log-counts.ts'
import type { OrganizationCounts } from '../../runtime/did/organization-counts.ts'
import type { Figure } from '../figure.ts'
import { median } from '../load.ts'
import { runtimeWorker } from '../runtime-worker.ts'
import { measureAccountMap } from './account-map.ts'
import { measureAnchorIndex } from './anchor-index.ts'
import { measureConsentStores } from './consent-stores.ts'

const READS = 200
const BATCH = 2_048
const [SMALL, LARGE, HUGE] = [10 ** 4, 10 ** 7, 10 ** 9]
const ROUNDS = 21
const LOG_SETTINGS = {
  r2Buckets: ['BLOBS'],
  bindings: {
    ANCHOR_LOG_SEED: '09'.repeat(32),
    REALMS: ['https://core.bench'],
    LOG_PERIOD: '2027a',
    LOG_KEY_VERSION: 1,
    LOG_NAMESPACE: '',
  },
}
/** The longest log of the largest plan is of 50,000 events. */
const [SHORT, LONG] = [1_000, 49_000] as const
const EVENTS = 200
/** An event is up to 13 kB with its acceptance. */
const EVENT_BYTES = 13_000

export interface ScaleSizes {
  /** In the larger map. */
  readonly accounts: number
  /** In the larger store of consent. */
  readonly acts: number
}

/** What grows with use, mostly by counters that a busy machine does not blur: one figure after the other. */
export async function measureScale(platform: Platform, { accounts, acts }: ScaleSizes): Promise<Figure[]> {
  return [
    ...(await measureIdentity()),
    ...(await measureLog()),
    ...(await measureAccountMap(accounts)),
    ...(await measureAnchorIndex(platform)),
    ...(await measureConsentStores(acts)),
    ...(await measureOrganization()),
  ]
}

/** One batch in the object of a log of anchors, and its hashing alone, in logs of very different sizes. */
async function measureLog(): Promise<Figure[]> {
  const countsAt = (size: number) =>
    countsOf<LogCounts>(
      'benchmarks/runtime/core/log-worker.ts',
      { ANCHOR_LOG: 'AnchorLogObject' },
      `size=${size}&leaves=${BATCH}`,
      LOG_SETTINGS,
    )
  const [small, large] = [await countsAt(SMALL), await countsAt(LARGE)]
  const [cpuSmall, cpuLarge] = hashingTimes(SMALL, HUGE)
  return [
    {
      name: `bytes of the object of a log, ${LARGE} / ${SMALL} leaves`,
      ratio: large.bytes / small.bytes,
      bar: { limit: 1.5, good: 'at most' },
      detail: `${large.bytes} / ${small.bytes}, with the ids of ${BATCH} leaves`,
    },
    {
      name: 'rows written / leaves of a log',
      ratio: large.rowsWritten / BATCH,
      bar: { limit: 2, good: 'at most' },
      detail: `${large.rowsWritten} / ${BATCH}, with their acknowledgements`,
    },
    {
      name: `time to hash a batch into a log, ${HUGE} / ${SMALL} leaves`,
      ratio: cpuLarge / cpuSmall,
      bar: { limit: 1.15, good: 'at most' },
      detail: `${cpuLarge.toFixed(1)} ms / ${cpuSmall.toFixed(1)} ms for ${BATCH} leaves`,
    },
  ]
}

/** Medians, in turn, so that other load on the machine affects both. */
function hashingTimes(...sizes: readonly number[]): [number, number] {
  const hashes = Array.from({ length: BATCH }, () => entryHash(LINE))
  const edges = sizes.map(identicalEdge)
  const times = edges.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, edge] of edges.entries()) {
      const startedAt = performance.now()
      appendLeaves(edge, hashes)
      times[i]?.push(performance.now() - startedAt)
    }
  }
  return times.map(median) as [number, number]
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

async function countsOf<T>(
  file: string,
  classes: Readonly<Record<string, string>>,
  query: string,
  settings: object = {},
): Promise<T> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(await runtimeWorker(file, 'core')),
      durableObjects: Object.fromEntries(
        Object.entries(classes).map(([binding, className]) => [binding, { className, useSQLite: true }]),
      ),
      ...settings,
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
