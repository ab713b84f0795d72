/** Discovery documents of the consent service and its site (workers/docs/pages/developer/consent.md). */
import * as z from 'zod'
import { publicKeySchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'

const url = /* @__PURE__ */ pure(() =>
  z.string().meta({ description: 'A URL; replace names in braces with percent-encoded values' }),
)

export const aiConsentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      service: z.literal('consent'),
      version: z.string(),
      vocabulary: z.strictObject({
        draft: z.string(),
        tokens: z
          .strictObject({ 'train-ai': z.string(), search: z.string() })
          .meta({ description: 'The record member each token derives from' }),
        header: z.literal('X-Svc-Consent'),
        example: z.string(),
      }),
      default: z.strictObject({ policy: z.literal('opt-out'), source: z.literal('default'), statement: z.string() }),
      endpoints: z.strictObject({
        verification: url,
        history: url,
        batch: url,
        by_creator: url,
        opt_out: url,
        snapshot: url,
      }),
      snapshot_key_b64u: publicKeySchema
        .nullable()
        .meta({ description: 'Verifies snapshots; null if they are not signed' }),
      conventions: z
        .array(z.string())
        .meta({ description: 'How this site expresses preferences; none of these is a standard for attachment' }),
      evidence: z.string(),
    })
    .meta({ id: 'AiConsent' }),
)

export const tdmRepSchema = /* @__PURE__ */ pure(() =>
  z
    .array(
      z.strictObject({
        location: z.string(),
        'tdm-reservation': z.union([z.literal(0), z.literal(1)]).meta({ description: '1: rights are reserved' }),
      }),
    )
    .meta({
      id: 'TdmRep',
      description: 'TDMRep: the first rule with a matching location applies. No policy is published',
    }),
)
