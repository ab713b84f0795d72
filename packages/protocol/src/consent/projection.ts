/**
 * Projects a record into other vocabularies. Publishes only what is declared, only in forms that express no more than
 * that, and never the retained members (`generative_ai_training`, `automated_processing`, `conditional`).
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { type AiPref, writeAiPref } from './ai-pref.ts'

type Choice = 'allow' | 'disallow'
interface Declared {
  readonly ai_training?: Choice | undefined
  readonly search?: Choice | undefined
}

const cawgEntrySchema = /* @__PURE__ */ pure(() => z.strictObject({ use: z.enum(['allowed', 'notAllowed']) }))
export const projectionsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      content_usage: z
        .string()
        .nullable()
        .meta({ description: 'Value of the header `Content-Usage` (AI-Pref)', example: 'train-ai=n, search=y' }),
      content_signal: z
        .string()
        .nullable()
        .meta({ description: 'Value of a `Content-Signal` rule in robots.txt', example: 'search=yes, ai-train=no' }),
      tdm_reservation: z.literal(1).nullable().meta({
        description:
          'TDMRep: 1 if training is disallowed. Never 0, because allowing training does not allow other mining',
      }),
      x_robots_tag: z.literal('noai').nullable().meta({ description: '`noai` if training is disallowed' }),
      cawg: z
        .strictObject({
          'cawg.ai_training': cawgEntrySchema,
          'cawg.ai_generative_training': cawgEntrySchema,
        })
        .nullable()
        .meta({ description: 'Entries of the assertion `cawg.training-mining`, which has no term for search' }),
    })
    .meta({
      id: 'ConsentProjections',
      description: 'Values to publish with the content; null if there is nothing to say',
    }),
)
export type Projections = z.infer<typeof projectionsSchema>

const allowed = (choice: Choice | undefined) => (choice === undefined ? undefined : choice === 'allow')

/** The AI-Pref categories a record declares. */
function aiPrefOf({ ai_training, search }: Declared): AiPref {
  const [train, find] = [allowed(ai_training), allowed(search)]
  return {
    ...(train === undefined ? {} : { 'train-ai': train }),
    ...(find === undefined ? {} : { search: find }),
  }
}

/** The value of the `X-Svc-Consent` header. */
export function usageOf(declared: Declared): string {
  return writeAiPref(aiPrefOf(declared))
}

export function projectionsOf(declared: Declared): Projections {
  const { ai_training: training, search } = declared
  const signals = [
    ...(search === undefined ? [] : [`search=${search === 'allow' ? 'yes' : 'no'}`]),
    ...(training === undefined ? [] : [`ai-train=${training === 'allow' ? 'yes' : 'no'}`]),
  ]
  const entry = { use: training === 'allow' ? ('allowed' as const) : ('notAllowed' as const) }
  return {
    content_usage: usageOf(declared) || null,
    content_signal: signals.join(', ') || null,
    tdm_reservation: training === 'disallow' ? 1 : null,
    x_robots_tag: training === 'disallow' ? 'noai' : null,
    cawg: training === undefined ? null : { 'cawg.ai_training': entry, 'cawg.ai_generative_training': entry },
  }
}
