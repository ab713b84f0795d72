/** What was verified of the deployment before. */
import type { Pin } from '@svc/client'
import { pinSchema } from '@svc/client/functions'
import type { ListedServiceKey } from '@svc/protocol/merkle/listed-keys'
import { keysOf, listSigners, signedList } from '@svc/protocol/merkle/rolled-log.fixture'
import type { MirrorStore } from './mirror-store.ts'
import { CORE, NOW, operatorKeyB64u, publisherKeyB64u, REALM, snapshotKeyB64u } from './signed-parts.fixture.ts'

const service = (name: string) => ({ url: `https://${name}.test`, audiences: [], openapi: `https://${name}.test/o` })

const ALWAYS = { validFrom: 0, validUntil: null, alg: 'ml-dsa-65' } as const
const key = { service: 'consent', use: 'snapshot', publicKeyB64u: snapshotKeyB64u, ...ALWAYS } as const
const services: readonly ListedServiceKey[] = [
  key,
  { service: 'core', use: 'publication', publicKeyB64u: publisherKeyB64u, ...ALWAYS },
  { service: 'core', use: 'operation', publicKeyB64u: operatorKeyB64u, ...ALWAYS },
]
export const listWith = (listed = services) =>
  signedList({ logs: [], services: [...listed], realm: REALM, realms: [REALM] })
const own = await listWith()

/** The list of a deployment whose publisher replaced its key, which another one had before. */
export const listAfter = (earlier: string, replacedAt: number) =>
  listWith([
    ...services.filter(({ use }) => use !== 'publication'),
    { ...ALWAYS, service: 'core', use: 'publication', publicKeyB64u: earlier, validUntil: replacedAt },
    { ...ALWAYS, service: 'core', use: 'publication', publicKeyB64u: publisherKeyB64u, validFrom: replacedAt },
  ])

/** What a client, or the mirror, keeps of core's discovery document. */
export function pinned(list = own): Pin {
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
      keys: [{ ...key, state: 'current' }],
      logs: { listUrl: null, keys: logListKeys },
      anchors: { publisherKeyB64u: null, operatorKeyB64u: null },
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
export function pin(store: MirrorStore, list = own): void {
  store.setFact('pin', pinned(list))
}
