/** What the consent service says of itself, and of the site that it is (document 2 sections 2.1 and 4.2). */
import * as z from 'zod'
import { publicKeySchema } from './identity.ts'

const url = z.string().meta({ description: 'A URL; members in braces are filled in, percent-encoded' })

export const aiConsentSchema = z
  .strictObject({
    service: z.literal('consent'),
    version: z.string(),
    vocabulary: z.strictObject({
      draft: z.string(),
      tokens: z
        .strictObject({ 'train-ai': z.string(), search: z.string() })
        .meta({ description: 'The member each comes from' }),
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
    snapshot_key_b64u: publicKeySchema.nullable().meta({ description: 'Signs snapshots; null where nothing does' }),
    conventions: z
      .array(z.string())
      .meta({ description: 'How this site says it; none of them is a standard for attachment' }),
    evidence: z.string(),
  })
  .meta({ id: 'AiConsent' })

export const tdmRepSchema = z
  .array(
    z.strictObject({
      location: z.string(),
      'tdm-reservation': z.union([z.literal(0), z.literal(1)]).meta({ description: '1: rights are reserved' }),
    }),
  )
  .meta({ id: 'TdmRep', description: 'TDMRep: the first rule whose location matches applies. There is no policy yet' })
