/** What was verified of the deployment before. */
import type { Pin } from '@svc/client'
import { pinSchema } from '@svc/client/functions'
import { keysOf, listSigners, signedList } from '@svc/protocol/merkle/rolled-log.fixture'
import { keepPin } from './mirror.ts'
import type { MirrorStore } from './mirror-store.ts'
import { CORE, NOW, operatorKeyB64u, publisherKeyB64u, REALM, snapshotKeyB64u } from './signed-parts.fixture.ts'

const service = (name: string) => ({ url: `https://${name}.test`, audiences: [], openapi: `https://${name}.test/o` })

const snapshots = { service: 'consent', use: 'snapshot' } as const
const key = { ...snapshots, publicKeyB64u: snapshotKeyB64u, validFrom: 0, validUntil: null }
const services = [{ ...key, alg: 'ml-dsa-65' as const }]
const list = await signedList({ logs: [], services, realm: REALM, realms: [REALM] })

/** What a client, or the mirror, keeps of core's discovery document. */
export function pinned(): Pin {
  const names = ['core', 'provenance', 'consent', 'did', 'keys', 'auth', 'pay', 'docs']
  const logListKeys = keysOf(listSigners)
  const amounts = ['bodyBytes', 'pageItems', 'batchItems', 'keptItems', 'keptBytes', 'assertionMs']
  return pinSchema.parse({
    realm: REALM,
    formerRealms: [],
    logListKeys,
    list,
    seenAt: NOW,
    document: {
      version: 1,
      issuedAt: NOW,
      realm: REALM,
      realms: [REALM],
      services: Object.fromEntries(names.map((name) => [name, service(name)])),
      keys: [{ ...key, alg: 'ml-dsa-65', state: 'current' }],
      logs: { listUrl: null, keys: logListKeys },
      anchors: { publisherKeyB64u, operatorKeyB64u },
      capabilities: {
        chainProfiles: [4],
        assertionVersions: [1],
        rotationVersions: [1],
        rotationWindowMs: 86_400_000,
        pinning: false,
        url: `${CORE}/api/capabilities`,
      },
      limits: {
        ...Object.fromEntries(amounts.map((name) => [name, {}])),
        requestsPerMinute: {},
        unitsPerMonth: {},
        keptByTier: {},
      },
    },
  })
}

/** What the mirror would have found in the discovery document. */
export function pin(store: MirrorStore): void {
  keepPin(store, pinned())
}
