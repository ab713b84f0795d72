/** Health bodies of all services but core; the shape differs per service. */
import * as z from 'zod'
import { pure } from '../base/pure.ts'

const commit = /* @__PURE__ */ pure(() =>
  z.string().meta({ description: '`unknown` when the build recorded no commit' }),
)

/** By the names on the page about observing. */
export const queuesSchema = /* @__PURE__ */ pure(() =>
  z
    .record(
      z.string(),
      z.strictObject({
        depth: z.number().meta({ description: 'How much waits' }),
        oldestAgeSeconds: z.number().meta({ description: 'How long the oldest has waited; 0 if nothing waits' }),
      }),
    )
    .meta({
      description:
        'What waits for delivery, at most a minute old. Absent while it cannot be read: that is not a failure',
    }),
)
export type QueueReport = z.infer<typeof queuesSchema>

/** Absent where nothing is verified. */
export const cryptographySchema = /* @__PURE__ */ pure(() =>
  z.enum(['native', 'noble']).meta({
    description:
      'Where ML-DSA-65 runs: `native` in the runtime, or `noble` in JavaScript, which gives the same results and takes ' +
      'some 13 times as long. A deployment that is not `native` is misconfigured',
  }),
)
export type Cryptography = z.infer<typeof cryptographySchema>

/** Consent, pay and docs: liveness only. */
export const livenessSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      status: z.literal('ok'),
      service: z.string(),
      version: z.string(),
      commit,
      cryptography: cryptographySchema.optional(),
      queues: queuesSchema.optional(),
      timestamp: z.number(),
    })
    .meta({ id: 'Liveness' }),
)

export const signInHealthSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ service: z.literal('auth'), version: z.string(), commit, environment: z.string() })
    .meta({ id: 'SignInHealth' }),
)

export const directoryHealthSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      status: z.enum(['ok', 'degraded']),
      service: z.literal('keys'),
      version: z.string(),
      commit,
      cryptography: cryptographySchema,
      queues: queuesSchema.optional(),
      bindings: z.record(z.string(), z.boolean()).meta({ description: 'Which bindings this deployment has' }),
      timestamp: z.number(),
    })
    .meta({ id: 'DirectoryHealth' }),
)

export const provenanceHealthSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      service: z.literal('provenance'),
      version: z.string(),
      commit,
      cryptography: cryptographySchema,
      queues: queuesSchema.optional(),
      checks: z.record(z.string(), z.strictObject({ ok: z.boolean(), milliseconds: z.number() })),
    })
    .meta({ id: 'ProvenanceHealth', description: 'One entry per dependency checked' }),
)

/** By the names of the bindings in `wrangler.jsonc`. */
export const objectCommitsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      service: z.string(),
      commit,
      objects: z.record(z.string(), z.string().nullable()).meta({
        description: 'The commit of the code that one object of each class runs; null if it did not answer',
      }),
    })
    .meta({ id: 'ObjectCommits' }),
)
export type ObjectCommitReport = z.infer<typeof objectCommitsSchema>['objects']
