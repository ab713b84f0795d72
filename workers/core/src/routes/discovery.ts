import { MAX_PAYLOAD_BYTES } from '@svc/protocol/chain'
import { MAX_PAGE_BLOCKS } from '@svc/protocol/chain-api'
import {
  bannerSchema,
  type Capabilities,
  capabilitiesSchema,
  healthDataSchema,
  metaDataSchema,
  versionDataSchema,
} from '@svc/protocol/discovery'
import { HASH_ALG, KEM_ALG, SIGNATURE_ALG } from '@svc/protocol/labels'
import { MAX_ATTACHMENT_BYTES, MAX_NOTE_CIPHERTEXT_BYTES } from '@svc/protocol/notes'
import { defineOperation } from '@svc/service'
import type { CoreConfig } from '../env.ts'
import { coreRoute } from '../route.ts'
import { CORE_VERSION } from '../version.ts'

const banner = (id: string, path: string) =>
  defineOperation({
    id,
    method: 'get',
    path,
    summary: 'Service banner',
    auth: 'none',
    answer: { status: 200, description: 'What this is and where it is described', schema: bannerSchema },
  })
export const readBanner = banner('readBanner', '/')
export const readIndex = banner('readIndex', '/index.html')

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Liveness; no proof of readiness or of external publication',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Alive', schema: healthDataSchema },
})

export const readVersion = defineOperation({
  id: 'readVersion',
  method: 'get',
  path: '/api/version',
  summary: 'Version and commit of this deployment',
  auth: 'none',
  answer: { status: 200, description: 'The version', schema: versionDataSchema, bare: true },
})

export const readCapabilities = defineOperation({
  id: 'readCapabilities',
  method: 'get',
  path: '/api/capabilities',
  summary: 'What this deployment supports; the authoritative statement',
  auth: 'none',
  answer: { status: 200, description: 'Capabilities', schema: capabilitiesSchema, bare: true },
})

export const readMeta = defineOperation({
  id: 'readMeta',
  method: 'get',
  path: '/api/meta',
  summary: 'Where the description and the documentation are, and how to authenticate',
  auth: 'none',
  answer: { status: 200, description: 'Meta data', schema: metaDataSchema },
})

export const readRobots = defineOperation({
  id: 'readRobots',
  method: 'get',
  path: '/robots.txt',
  summary: 'Crawler directives',
  auth: 'none',
  cacheControl: 'public, max-age=86400',
  answer: { status: 200, description: 'Directives', contentType: 'text/plain' },
})

const ROBOTS = 'User-agent: *\nAllow: /health\nAllow: /openapi.json\nDisallow: /\n'
const LEGACY_RECOVERY = 'Legacy recovery is not accepted by native v4.'

function bannerOf(config: CoreConfig) {
  return { service: 'core', version: CORE_VERSION, openapi: `${originOf(config)}/openapi.json`, docs: config.DOCS_URL }
}

/** The first public origin is the canonical one; the others are aliases. */
function originOf({ PUBLIC_ORIGINS }: CoreConfig): string {
  return PUBLIC_ORIGINS[0] ?? ''
}

export function capabilitiesOf(config: CoreConfig, receiptKeyB64u: string | null): Capabilities {
  const devices = config.DEVICE_KEYS === 'on'
  return {
    version: CORE_VERSION,
    commit: config.COMMIT,
    authSchemes: ['ServiceAssertion'],
    features: {
      headerPrepare: true,
      pqc: { mlKem: [KEM_ALG], mlDsa: [SIGNATURE_ALG], legacyRecovery: LEGACY_RECOVERY },
      assertions: { versions: devices ? [1, 2] : [1], bindings: ['htm', 'htu', 'bodyHash'], deviceKeys: devices },
      rotation: {
        versions: config.ROTATION_V2 === 'on' ? [1, 2] : [1],
        windowMs: config.ROTATION_WINDOW_SECONDS * 1000,
      },
      notes: {
        version: 2,
        maxCiphertextBytes: MAX_NOTE_CIPHERTEXT_BYTES,
        maxAttachmentBytes: MAX_ATTACHMENT_BYTES,
        quotaBytes: config.NOTES_QUOTA_BYTES,
        receiptKeyB64u,
      },
      chain: {
        profiles: config.CHAIN_V4 === 'on' ? [2, 3, 4] : [2, 3],
        maxPayloadBytes: MAX_PAYLOAD_BYTES,
        maxPage: MAX_PAGE_BLOCKS,
      },
    },
    storage: {
      default: 'ipfs',
      gateway: `${originOf(config)}/ipfs/`,
      pinning: config.PINNING_PROVIDER !== 'off',
      provider: config.PINNING_PROVIDER === 'external-http' ? 'external-http' : 'object-store',
      providers: ['object-store', 'external-http'],
    },
    policy: {
      headerCanonicalization: 'v2',
      aadHashAlg: HASH_ALG,
      anchorHashAlg: HASH_ALG,
      anchorHashAlgs: [HASH_ALG],
      dekWrap: {
        hkdf: { kdf: 'hkdf-sha3-384', salt: 'svc/dek-wrap/v2', info: 'svc/dek-wrap/v2', L: 32 },
        supported: ['aes-kwp', 'aes-gcm'],
        recommended: 'aes-kwp',
      },
    },
  }
}

export const discoveryRoutes = [
  coreRoute(readBanner, ({ deps }) => bannerOf(deps.config)),
  coreRoute(readIndex, ({ deps }) => bannerOf(deps.config)),
  coreRoute(readHealth, ({ deps, now }) => ({
    service: 'core',
    version: CORE_VERSION,
    timestamp: now,
    environment: deps.config.ENVIRONMENT,
    buildSha: deps.config.BUILD_SHA,
  })),
  coreRoute(readVersion, ({ deps, now }) => ({
    version: CORE_VERSION,
    buildAt: new Date(now).toISOString(),
    commit: deps.config.COMMIT,
  })),
  coreRoute(readCapabilities, async ({ deps }) => capabilitiesOf(deps.config, await deps.receipts.publicKey())),
  coreRoute(readMeta, ({ deps }) => ({
    openapi: `${originOf(deps.config)}/openapi.json`,
    docs: deps.config.DOCS_URL,
    auth: {
      header: 'Authorization',
      scheme: 'ServiceAssertion',
      format: 'ServiceAssertion <assertionB64u>.<signatureB64u>',
    },
  })),
  coreRoute(readRobots, () => new Response(ROBOTS, { headers: { 'content-type': 'text/plain; charset=utf-8' } })),
]
