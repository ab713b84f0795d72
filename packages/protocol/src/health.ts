/** The health bodies of the siblings (document 2 section 2.5); each service has its own. */
import * as z from 'zod'

const commit = z.string().meta({ description: '`unknown` is missing evidence' })

/** Consent, pay and docs: liveness and nothing more. */
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
  .meta({ id: 'ProvenanceHealth', description: 'One entry for each dependency that was asked' })
