import { mlDsa65 } from '@svc/pqc'
import {
  bannerSchema,
  capabilitiesSchema,
  healthDataSchema,
  metaDataSchema,
  versionDataSchema,
} from '@svc/protocol/http/discovery'
import { DISCOVERY_PATH, discoveryDocumentSchema } from '@svc/protocol/http/discovery-document'
import { defineOperation, objectCommitsRoute, queuesMember } from '@svc/service'
import type { Config } from '../env.ts'
import { CORE_DESCRIPTION, coreRoute } from '../service.ts'
import { capabilitiesOf, originOf } from './capabilities.ts'
import { documentOf } from './document.ts'

const banner = (id: string, path: string) =>
  defineOperation({
    id,
    method: 'get',
    path,
    summary: 'Read the service banner',
    description:
      'A first answer for somebody who opens the host: the service, its version, and where its API description and ' +
      'the documentation are.',
    auth: 'none',
    answer: { status: 200, description: 'The service and the location of its description', schema: bannerSchema },
  })
export const readBanner = banner('readBanner', '/')
export const readIndex = banner('readIndex', '/index.html')

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Check liveness; does not prove readiness or external publication',
  description:
    'The Worker answers by itself: a dependency that fails only leaves out `queues`. `timestamp` is the server’s time in epoch ms, and ' +
    '`environment` names the deployment, such as `production`.',
  auth: 'none',
  documentsHead: true,
  answer: { status: 200, description: 'Alive', schema: healthDataSchema },
})

export const readVersion = defineOperation({
  id: 'readVersion',
  method: 'get',
  path: '/api/version',
  summary: 'Read the version and commit of this deployment',
  description:
    'To compare a deployment with a release. `buildAt` is the time of the request, not of the build: use `commit` to ' +
    'tell which code runs.',
  auth: 'none',
  answer: { status: 200, description: 'The version', schema: versionDataSchema, bare: true },
})

export const readCapabilities = defineOperation({
  id: 'readCapabilities',
  method: 'get',
  path: '/api/capabilities',
  summary: 'Read what this deployment supports (authoritative)',
  description:
    'Read it before you rely on an optional feature: device keys, version-2 rotations, pinning and block profiles ' +
    'depend on the deployment. Sizes are in bytes, and `windowMs` is the waiting period of a version-2 rotation in ' +
    'milliseconds. `receiptKeyB64u` verifies deletion receipts and export manifests.',
  auth: 'none',
  answer: { status: 200, description: 'Capabilities', schema: capabilitiesSchema, bare: true },
})

export const readMeta = defineOperation({
  id: 'readMeta',
  method: 'get',
  path: '/api/meta',
  summary: 'Find the API description, the documentation and the authentication scheme',
  description: 'A short pointer for tools. For everything a client needs, read `/.well-known/svc`.',
  auth: 'none',
  answer: { status: 200, description: 'Meta data', schema: metaDataSchema },
})

export const readRobots = defineOperation({
  id: 'readRobots',
  method: 'get',
  path: '/robots.txt',
  summary: 'Crawler directives',
  description: 'Allows `/health` and `/openapi.json`, and nothing else. May be cached for a day.',
  auth: 'none',
  cacheControl: 'public, max-age=86400',
  answer: { status: 200, description: 'Directives', contentType: 'text/plain' },
})

export const readDiscovery = defineOperation({
  id: 'readDiscovery',
  method: 'get',
  path: DISCOVERY_PATH,
  summary: 'Read what a client must know about this deployment: realm, services, keys, limits',
  description:
    'The one document to start a client from. It is not signed and as trustworthy as the TLS connection, so pin it: ' +
    'a client takes a new key from it only if an earlier document announced that key as `next`. Any origin may read ' +
    'it. May be cached for 300 seconds.',
  auth: 'none',
  cacheControl: 'public, max-age=300',
  answer: { status: 200, description: 'The discovery document', schema: discoveryDocumentSchema, bare: true },
})

const ROBOTS = 'User-agent: *\nAllow: /health\nAllow: /openapi.json\nDisallow: /\n'

function bannerOf(config: Config) {
  return {
    service: 'core',
    version: CORE_DESCRIPTION.version,
    openapi: `${originOf(config)}/openapi.json`,
    docs: config.DOCS_URL,
  }
}

export const discoveryRoutes = [
  coreRoute(readBanner, ({ deps }) => bannerOf(deps.config)),
  coreRoute(readIndex, ({ deps }) => bannerOf(deps.config)),
  coreRoute(readHealth, async ({ deps, now }) => ({
    service: 'core',
    version: CORE_DESCRIPTION.version,
    timestamp: now,
    environment: deps.config.ENVIRONMENT,
    buildSha: deps.config.BUILD_SHA,
    cryptography: mlDsa65.backend,
    ...queuesMember(await deps.queues.recent(now)),
  })),
  objectCommitsRoute('core'),
  coreRoute(readVersion, ({ deps, now }) => ({
    version: CORE_DESCRIPTION.version,
    buildAt: new Date(now).toISOString(),
    commit: deps.config.COMMIT,
  })),
  coreRoute(readCapabilities, async ({ deps, now }) => capabilitiesOf(deps.config, await deps.receipts.publicKey(now))),
  coreRoute(readDiscovery, ({ deps, now }) => documentOf(deps.config, deps.serviceKeys, now)),
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
