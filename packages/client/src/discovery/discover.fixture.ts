import type { DiscoveryDocument } from '@svc/protocol/http/discovery-document'
import { published, type ServiceKey } from '@svc/protocol/http/service-keys'
import type { SignedLogList } from '@svc/protocol/merkle/log-list'
import { type DiscoverOptions, discover } from './discover.ts'
import { DiscoveryError } from './discovery-error.ts'
import { LIST_URL, listAnswer, listKeys, listWith } from './lists.fixture.ts'
import { CORE, NOW } from './service-keys.fixture.ts'

export const DAY = 86_400_000
const service = (name: string) => ({ url: `https://${name}.test`, audiences: [], openapi: `https://${name}.test/o` })

/** A document with members that a later version has. */
export function documentOf(keys: readonly ServiceKey[], now = NOW, changes: Partial<DiscoveryDocument> = {}): object {
  const names = ['core', 'provenance', 'consent', 'did', 'keys', 'auth', 'pay', 'docs']
  return {
    version: 1,
    issuedAt: now,
    realm: CORE,
    realms: [CORE],
    services: Object.fromEntries(names.map((name) => [name, { ...service(name), later: true }])),
    keys: published(keys, now),
    logs: { listUrl: LIST_URL, keys: listKeys },
    anchors: { publisherKeyB64u: null, operatorKeyB64u: null },
    capabilities: {
      chainProfiles: [4],
      assertionVersions: [1],
      rotationVersions: [1],
      rotationWindowMs: DAY,
      pinning: false,
      url: `${CORE}/api/capabilities`,
    },
    limits: {
      bodyBytes: {},
      pageItems: {},
      batchItems: {},
      keptItems: {},
      keptBytes: {},
      assertionMs: {},
      requestsPerMinute: {},
      unitsPerMonth: {},
      keptByTier: {},
    },
    later: { kept: true },
    ...changes,
  }
}

interface Shown extends Omit<Partial<DiscoverOptions>, 'now'> {
  readonly now?: number
  readonly document?: Partial<DiscoveryDocument>
  /** By default one that has the keys of the document. */
  readonly lists?: readonly SignedLogList[]
}

/** Discovers a deployment that answers with these keys at a time. */
export async function found(keys: readonly ServiceKey[], { now = NOW, document = {}, lists, ...options }: Shown = {}) {
  const shown = lists ?? [await listWith(keys)]
  const fetch = async (url: string) =>
    url.startsWith(LIST_URL) ? listAnswer(shown, url) : Response.json(documentOf(keys, now, document))
  return discover({ core: CORE, fetch, now: () => now, retries: false, ...options })
}

export const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof DiscoveryError ? error : Promise.reject(error as Error)),
  )
