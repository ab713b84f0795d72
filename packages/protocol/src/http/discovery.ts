/** What a service reports about itself: health, version, metadata, banner and capabilities. */
import * as z from 'zod'
import { publicKeySchema } from '../base/identity.ts'
import { HASH_ALG, KEM_ALG, SIGNATURE_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import { cryptographySchema, queuesSchema } from './health.ts'

export const healthDataSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      service: z.string(),
      version: z.string(),
      timestamp: z.number(),
      environment: z.string().optional(),
      buildSha: z.string().optional().meta({ description: '`unknown` when the build recorded no commit' }),
      cryptography: cryptographySchema.optional(),
      queues: queuesSchema.optional(),
    })
    .meta({ id: 'HealthData' }),
)

export const versionDataSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      version: z.string(),
      buildAt: z.string().meta({ description: 'RFC 3339 time of the request, not of the build' }),
      commit: z.string().optional().meta({ description: '`unknown` when the build recorded no commit' }),
    })
    .meta({ id: 'VersionData' }),
)

export const metaDataSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      openapi: z.url(),
      docs: z.url(),
      auth: z.strictObject({ header: z.string(), scheme: z.string(), format: z.string() }),
    })
    .meta({ id: 'ApiMetaData' }),
)

export const bannerSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ service: z.string(), version: z.string(), openapi: z.url(), docs: z.url() }).meta({ id: 'Banner' }),
)

export const capabilitiesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      version: z.string(),
      commit: z.string().optional(),
      authSchemes: z.array(z.string()),
      features: z.strictObject({
        headerPrepare: z.boolean(),
        pqc: z.strictObject({
          mlKem: z.array(z.literal(KEM_ALG)),
          mlDsa: z.array(z.literal(SIGNATURE_ALG)),
          legacyRecovery: z.string(),
        }),
        assertions: z.strictObject({
          versions: z.array(z.int()),
          bindings: z.array(z.enum(['htm', 'htu', 'bodyHash'])),
          deviceKeys: z.boolean(),
        }),
        rotation: z.strictObject({ versions: z.array(z.int()), windowMs: z.int() }),
        notes: z.strictObject({
          version: z.literal(2),
          maxCiphertextBytes: z.int(),
          maxAttachmentBytes: z.int(),
          quotaBytes: z.int().meta({ description: 'Maximum ciphertext per vault, in bytes' }),
          receiptKeyB64u: publicKeySchema
            .nullable()
            .meta({ description: 'Verifies deletion receipts and export manifests; null if they are not signed' }),
        }),
        chain: z.strictObject({ profiles: z.array(z.int()), maxPayloadBytes: z.int(), maxPage: z.int() }),
      }),
      storage: z.strictObject({
        default: z.literal('ipfs'),
        gateway: z.string(),
        pinning: z.boolean(),
        provider: z.enum(['object-store', 'external-http']),
        providers: z.array(z.enum(['object-store', 'external-http'])),
      }),
      policy: z.strictObject({
        headerCanonicalization: z.literal('v2'),
        aadHashAlg: z.literal(HASH_ALG),
        anchorHashAlg: z.literal(HASH_ALG),
        anchorHashAlgs: z.array(z.literal(HASH_ALG)),
        dekWrap: z.strictObject({
          hkdf: z.strictObject({ kdf: z.string(), salt: z.string(), info: z.string(), L: z.literal(32) }),
          supported: z.array(z.enum(['aes-kwp', 'aes-gcm'])),
          recommended: z.literal('aes-kwp'),
        }),
      }),
    })
    .meta({ id: 'CapabilitiesData', description: 'What this deployment supports. Authoritative' }),
)
export type Capabilities = z.infer<typeof capabilitiesSchema>
