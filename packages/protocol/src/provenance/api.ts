/** Capabilities of provenance, and the status of ledger anchoring. */
import * as z from 'zod'
import { HASH_ALG, SIGNATURE_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import { vectorServicesSchema } from './vector-services.ts'

const endpointSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ id: z.string(), method: z.string(), path: z.string(), auth: z.string(), summary: z.string() })
    .meta({ id: 'Endpoint' }),
)

export const provenanceCapabilitiesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      service: z.literal('provenance'),
      version: z.string(),
      commit: z.string().meta({ description: '`unknown` when the build recorded no commit' }),
      authSchemes: z.array(z.literal('ServiceAssertion')),
      algorithms: z.strictObject({
        signature: z.array(z.literal(SIGNATURE_ALG)),
        hash: z.array(z.literal(HASH_ALG)),
      }),
      features: z.strictObject({
        chainBinding: z.boolean().meta({ description: 'Whether registration appends to the owner’s chain' }),
        ledgerPublication: z.literal(false),
      }),
      search: vectorServicesSchema,
      limits: z
        .record(z.string(), z.int())
        .meta({ description: 'Sizes, counts and times; each name states its unit or what it counts' }),
      rateLimits: z
        .strictObject({
          advisory: z.literal(true),
          note: z.string(),
          windowSeconds: z.int(),
          byDid: z.record(z.string(), z.int()),
        })
        .meta({ description: 'Advisory. The enforced limit is `x-rate-limit` of each operation in /openapi.json' }),
      endpoints: z.array(endpointSchema).meta({ description: 'Every route of this deployment' }),
    })
    .meta({ id: 'ProvenanceCapabilities', description: 'What this deployment supports' }),
)
export type ProvenanceCapabilities = z.infer<typeof provenanceCapabilitiesSchema>

export const anchorStatusSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      automaticPublication: z.strictObject({
        enabled: z.literal(false),
        trigger: z.literal('off').meta({ description: 'Nothing is published on a schedule' }),
      }),
      ledgers: z.strictObject({
        first: z
          .strictObject({
            enabled: z.literal(false),
            status: z.literal('manual'),
            network: z.literal('test'),
            epochs: z
              .array(z.string())
              .meta({ description: 'Epochs an operator anchored manually on a test network, as configured' }),
          })
          .meta({ description: 'Manually anchored epochs are not evidence of any registration' }),
        second: z.strictObject({ enabled: z.literal(false), status: z.literal('not-implemented') }),
      }),
      registrationsAreLedgerBacked: z.literal(false),
    })
    .meta({ id: 'AnchorStatus', description: 'Status of ledger anchoring. No registration is backed by a ledger' }),
)
export type AnchorStatus = z.infer<typeof anchorStatusSchema>
