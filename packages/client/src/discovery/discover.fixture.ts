import type { DiscoveryDocument } from '@svc/protocol/http/discovery-document'
import { published, type ServiceKey } from '@svc/protocol/http/service-keys'
import { discover } from './discover.ts'
import { DiscoveryError } from './discovery-error.ts'
import type { Pin } from './pin.ts'
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
    logs: { listUrl: null, keys: null },
    anchors: { publisherKeyB64u: null },
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

/** Discovers a deployment that answers with these keys at a time. */
export function found(keys: readonly ServiceKey[], { now = NOW, pinned }: { now?: number; pinned?: Pin } = {}) {
  const fetch = () => Promise.resolve(Response.json(documentOf(keys, now)))
  return discover({ core: CORE, fetch, now: () => now, ...(pinned ? { pinned } : {}) })
}

export const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof DiscoveryError ? error : Promise.reject(error as Error)),
  )
