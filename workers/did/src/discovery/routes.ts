import { mlDsa65 } from '@svc/pqc'
import { rootKeyMultibase } from '@svc/protocol/did/did'
import { RESOLVER_KEY_FRAGMENT } from '@svc/protocol/did/resolution-proof'
import { cryptographySchema } from '@svc/protocol/http/health'
import { defineOperation, objectCommitsRoute } from '@svc/service'
import * as z from 'zod'
import { DID_DESCRIPTION, didRoute } from '../service.ts'

export const readHealth = defineOperation({
  id: 'readHealth',
  method: 'get',
  path: '/health',
  summary: 'Liveness',
  description:
    'The Worker answers by itself and asks neither its database nor core, so this does not tell whether a DID can be ' +
    'resolved. `timestamp` is the server’s time in epoch ms.',
  auth: 'none',
  documentsHead: true,
  answer: {
    status: 200,
    description: 'Alive',
    schema: z
      .strictObject({
        status: z.literal('ok'),
        service: z.literal('did'),
        version: z.string(),
        commit: z.string(),
        cryptography: cryptographySchema,
        method: z.literal('did:svc'),
        timestamp: z.number(),
      })
      .meta({ id: 'DidHealth' }),
  },
})

export const readResolver = defineOperation({
  id: 'readResolver',
  method: 'get',
  path: '/.well-known/did.json',
  summary: 'Describe this resolver',
  description:
    'Its verification method verifies the proofs of resolution results: fetch it once and keep it. Without one, this ' +
    'deployment does not sign its results. May be cached for an hour.',
  auth: 'none',
  cacheControl: 'public, max-age=3600',
  answer: {
    status: 200,
    description: 'A DID document for the resolver’s own did:web name',
    schema: z
      .strictObject({
        '@context': z.array(z.string()),
        id: z.string(),
        verificationMethod: z
          .array(
            z.strictObject({
              id: z.string(),
              type: z.literal('Multikey'),
              controller: z.string(),
              publicKeyMultibase: z.string(),
            }),
          )
          .optional()
          .meta({ description: 'The key that signs resolution results; absent if they are not signed' }),
        assertionMethod: z.array(z.string()).optional(),
        service: z.array(z.strictObject({ id: z.string(), type: z.string(), serviceEndpoint: z.string() })),
      })
      .meta({ id: 'ResolverDescription' }),
  },
})

export const discoveryRoutes = [
  didRoute(readHealth, ({ deps, now }) => ({
    status: 'ok' as const,
    service: 'did' as const,
    version: DID_DESCRIPTION.version,
    commit: deps.config.COMMIT,
    cryptography: mlDsa65.backend,
    method: 'did:svc' as const,
    timestamp: now,
  })),
  objectCommitsRoute('did'),
  didRoute(readResolver, async ({ deps, now }) => {
    const { did: id } = deps.resolver
    const origin = deps.config.PUBLIC_ORIGINS[0] ?? ''
    const publicKey = await deps.resolver.publicKey(now)
    const key = publicKey === null ? null : { id: id + RESOLVER_KEY_FRAGMENT, multibase: rootKeyMultibase(publicKey) }
    return {
      '@context': ['https://www.w3.org/ns/did/v1', ...(key ? ['https://w3id.org/security/multikey/v1'] : [])],
      id,
      ...(key
        ? {
            verificationMethod: [
              { id: key.id, type: 'Multikey' as const, controller: id, publicKeyMultibase: key.multibase },
            ],
            assertionMethod: [key.id],
          }
        : {}),
      service: [{ id: `${id}#resolver`, type: 'DIDResolver', serviceEndpoint: `${origin}/1.0/identifiers/` }],
    }
  }),
]
