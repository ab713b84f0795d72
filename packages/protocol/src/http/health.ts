/** Health bodies of all services but core; the shape differs per service. */
import * as z from 'zod'

const commit = z.string().meta({ description: '`unknown` when the build recorded no commit' })

/** Consent, pay and docs: liveness only. */
export const livenessSchema = z
  .strictObject({
    status: z.literal('ok'),
    service: z.string(),
    version: z.string(),
    commit,
    timestamp: z.number(),
  })
  .meta({ id: 'Liveness' })

export const signInHealthSchema = z
  .strictObject({ service: z.literal('auth'), version: z.string(), commit, environment: z.string() })
  .meta({ id: 'SignInHealth' })

export const directoryHealthSchema = z
  .strictObject({
    status: z.enum(['ok', 'degraded']),
    service: z.literal('keys'),
    version: z.string(),
    commit,
    bindings: z.record(z.string(), z.boolean()).meta({ description: 'Which bindings this deployment has' }),
    timestamp: z.number(),
  })
  .meta({ id: 'DirectoryHealth' })

export const provenanceHealthSchema = z
  .strictObject({
    service: z.literal('provenance'),
    version: z.string(),
    commit,
    checks: z.record(z.string(), z.strictObject({ ok: z.boolean(), milliseconds: z.number() })),
  })
  .meta({ id: 'ProvenanceHealth', description: 'One entry per dependency checked' })
