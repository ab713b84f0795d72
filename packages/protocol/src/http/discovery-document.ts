/** What `GET /.well-known/svc` answers: on core the document, on every other host where it is. */
import * as z from 'zod'
import { publicKeySchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { realmSchema, realmsSchema } from '../base/realm.ts'
import { listKeysSchema } from '../merkle/log-list.ts'
import { publishedKeySchema } from './service-keys.ts'

export const DISCOVERY_PATH = '/.well-known/svc'

const origin = /* @__PURE__ */ pure(() => z.string().regex(/^https?:\/\/[^/?#\s]+$/, 'must be an origin'))

export const discoveryPointerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      discovery: z.url().meta({ description: 'Where the document is: on core' }),
      realm: realmSchema,
    })
    .meta({ id: 'DiscoveryPointer' }),
)

const serviceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      url: origin.meta({ description: 'The canonical origin, without a trailing slash' }),
      audiences: z.array(z.string()).meta({ description: 'What an assertion for one of its routes names as `aud`' }),
      openapi: z.url().meta({ description: 'The description of every route, with its limits' }),
    })
    .meta({ id: 'DiscoveredService' }),
)

/** Every service but core, which serves the document. */
export const SIBLING_NAMES = ['provenance', 'consent', 'did', 'keys', 'auth', 'pay', 'docs'] as const
const siblings = /* @__PURE__ */ pure(
  () =>
    Object.fromEntries(SIBLING_NAMES.map((name) => [name, serviceSchema])) as Record<
      (typeof SIBLING_NAMES)[number],
      typeof serviceSchema
    >,
)

const amounts = (description: string) => z.record(z.string(), z.int().min(0)).meta({ description })

const limitsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      bodyBytes: amounts('The largest body or part of one, in bytes. `default` is for every JSON body without its own'),
      pageItems: amounts('The most items in one page'),
      batchItems: amounts('The most items in one request'),
      keptItems: amounts('The most that one identity, or one record, keeps'),
      keptBytes: amounts('The most bytes that one identity keeps'),
      assertionMs: amounts('The longest validity of an assertion and the accepted clock skew, in milliseconds'),
      requestsPerMinute: z
        .record(z.string(), amounts('By tier'))
        .meta({ description: 'By service and tier; one route may have less: see its `x-rate-limit`' }),
      unitsPerMonth: z.record(z.string(), amounts('By meter')).meta({ description: 'By tier and meter' }),
      keptByTier: z
        .record(z.string(), amounts('By budget'))
        .meta({ description: 'What one identity can keep at the same time, by tier and budget' }),
    })
    .meta({ id: 'DiscoveredLimits', description: 'The limits of this deployment. Names may be added' }),
)
export type DiscoveredLimits = z.infer<typeof limitsSchema>

export const discoveryDocumentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      version: z.literal(1),
      issuedAt: z
        .int()
        .min(0)
        .meta({ description: 'When core wrote it, epoch ms; the states of keys are as of this time' }),
      realm: realmSchema,
      realms: realmsSchema.meta({ description: 'Every realm whose statements this deployment accepts; `realm` first' }),
      services: z.strictObject({ core: serviceSchema, ...siblings }),
      keys: z.array(publishedKeySchema).meta({ description: 'Every key that a service signs with, has, or will' }),
      logs: z
        .strictObject({
          listUrl: z
            .url()
            .nullable()
            .meta({ description: 'Where the signed list of the logs is; null if there is none' }),
          keys: listKeysSchema
            .nullable()
            .meta({ description: 'The keys that sign the list; null if there are none. Pin these, not a log’s key' }),
        })
        .meta({ id: 'DiscoveredLogs' }),
      anchors: z
        .strictObject({
          publisherKeyB64u: publicKeySchema
            .nullable()
            .meta({ description: 'Verifies the reports of the publisher of anchors; null if there is none' }),
          operatorKeyB64u: publicKeySchema.nullable().meta({
            description: 'Verifies the acts by which the operator withholds anchors; null if there are none',
          }),
        })
        .meta({ id: 'DiscoveredAnchors' }),
      capabilities: z
        .strictObject({
          chainProfiles: z.array(z.int()),
          assertionVersions: z.array(z.int()).meta({ description: '2: assertions by device keys' }),
          rotationVersions: z.array(z.int()),
          rotationWindowMs: z.int(),
          pinning: z.boolean(),
          url: z.url().meta({ description: 'The complete capabilities of core' }),
        })
        .meta({ id: 'DiscoveredCapabilities' }),
      limits: limitsSchema,
    })
    .meta({
      id: 'DiscoveryDocument',
      description:
        'What a client must know about a deployment. It is as trustworthy as the TLS connection to core, and not signed: ' +
        'its keys would prove nothing to a client that has only the document. Pin it',
    }),
)
export type DiscoveryDocument = z.infer<typeof discoveryDocumentSchema>
