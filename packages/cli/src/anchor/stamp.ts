import * as z from 'zod'
import type { AnchorStamp, KeptBundle } from '#client'
import { anchorStampSchema } from '#client/functions'
import { shellWordOf } from '#client/text'
import { invalid } from '../cli-error.ts'
import type { Context } from '../context.ts'

/** A stamp whose proof is still to come, or a bundle. */
export type Stamp =
  | { readonly kind: 'pending'; readonly pending: AnchorStamp }
  | { readonly kind: 'complete'; readonly bundle: KeptBundle }

/** A bundle in the v1 format. It can only be upgraded. */
interface FormerStamp {
  readonly kind: 'former'
  readonly bundle: unknown
}

/** What is in the file of a stamp; null if it is none. The bundle is verified where it is used. */
export function stampOf(value: unknown): Stamp | FormerStamp | null {
  if (formerSchema.safeParse(value).success) return { kind: 'former', bundle: value }
  const parsed = anchorStampSchema.safeParse(value)
  if (parsed.success) return { kind: 'pending', pending: parsed.data }
  const bundle = shapeSchema.safeParse(value)
  return bundle.success ? { kind: 'complete', bundle: value as KeptBundle } : null
}

export async function readAnyStamp(context: Context, name: string): Promise<Stamp | FormerStamp> {
  const found = stampOf(await context.readJson(name))
  if (found) return found
  throw invalid('malformed', `${name} is not a stamp`, 'pass a file that svc anchor stamp wrote')
}

/** Throws for a v1 bundle. */
export async function readStamp(context: Context, name: string): Promise<Stamp> {
  const found = await readAnyStamp(context, name)
  if (found.kind !== 'former') return found
  throw invalid('malformed', `${name} has the first form of bundles`, `svc anchor upgrade ${shellWordOf(name)}`)
}

const formerSchema = z.looseObject({ format: z.literal('svc/anchor-bundle/v1') })

/** As much of a bundle as is shown. */
const shapeSchema = z.looseObject({
  format: z.literal('svc/anchor-bundle/v2'),
  record: z.looseObject({ anchorId: z.string(), root: z.string(), epoch: z.string(), owner: z.string() }),
  checkpoint: z.looseObject({
    statement: z.looseObject({ log: z.string(), size: z.int(), issuedAt: z.int() }),
  }),
  nonceB64u: z.string().optional(),
})
