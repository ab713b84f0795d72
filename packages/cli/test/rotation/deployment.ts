/** What the deployment of a `FakeCore` says about itself. */
import { newLogKey, signed } from '../evidence-files.ts'

export const REALM = 'https://core.example'
export const NOW = 1_790_000_000_000
export const DAY_MS = 86_400_000

const SERVICES = ['core', 'provenance', 'consent', 'did', 'keys', 'auth', 'pay', 'docs']
const NO_LIMITS = {
  bodyBytes: {},
  pageItems: {},
  batchItems: {},
  keptItems: {},
  keptBytes: {},
  assertionMs: {},
  requestsPerMinute: {},
  unitsPerMonth: {},
  keptByTier: {},
}
export const DISCOVERY = {
  version: 1,
  issuedAt: NOW,
  realm: REALM,
  realms: [REALM],
  services: Object.fromEntries(
    SERVICES.map((name) => [
      name,
      { url: `https://${name}.example`, audiences: [], openapi: `https://${name}.example/o` },
    ]),
  ),
  keys: [],
  logs: { listUrl: null, keys: null },
  anchors: { publisherKeyB64u: null, operatorKeyB64u: null },
  capabilities: {
    chainProfiles: [4],
    assertionVersions: [1],
    rotationVersions: [1, 2],
    rotationWindowMs: DAY_MS,
    pinning: false,
    url: `${REALM}/api/capabilities`,
  },
  limits: NO_LIMITS,
}

/** A log list without logs: the key directory has recorded nothing. */
export function emptyLogList(key = newLogKey(), members: object = {}) {
  const { privateKey, publicKeyB64u } = key
  const statement = {
    type: 'svc/log-list/v1',
    realm: REALM,
    namespace: REALM,
    labelKeyB64u: 'F8t5-ytBIPKx7GXkGY1uCLKOgT_rAeSkAIObheGAgM4',
    version: 1,
    previous: null,
    keys: { threshold: 1, publicKeysB64u: [publicKeyB64u] },
    realms: [REALM],
    logs: [],
    services: [],
    beacon: [],
    witnesses: { threshold: 0, keys: [] },
    issuedAt: NOW,
    validUntil: NOW + DAY_MS,
    ...members,
  }
  return { statement, signatures: [{ publicKeyB64u, signatureB64u: signed(privateKey, statement) }] }
}
