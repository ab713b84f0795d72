/**
 * The beacon (workers/docs/pages/developer/beacon.md): a small log in C2SP's form. Once a minute, one leaf lists the heads
 * of all logs that are open, so that public witnesses who cosign the beacon also keep these.
 *
 * It has the strength of SHA-256. Nothing of the platform trusts it alone, and its algorithms are no `alg` or `hashAlg`.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { jcs } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { logNameSchema } from './log-name.ts'

export const openHeadSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ log: logNameSchema, size: z.int().min(0), root: hashSchema })
    .meta({ id: 'OpenHead', description: 'Name, size and root of an open log, as the beacon saw it' }),
)
export type OpenHead = z.infer<typeof openHeadSchema>

/** One leaf of the beacon, as JSON. Later versions may have more members. */
export const headsEntrySchema = /* @__PURE__ */ pure(() =>
  z
    .looseObject({ kind: z.literal('heads'), at: z.int().min(0), heads: z.array(openHeadSchema) })
    .meta({ id: 'HeadsEntry', description: 'A leaf of the beacon: the heads of the open logs at a time' }),
)
export type HeadsEntry = z.infer<typeof headsEntrySchema>

/** A log that did not answer is not listed. */
export function headsEntry(at: number, heads: readonly OpenHead[]): string {
  const sorted = heads.map((head) => ({ ...head })).sort((a, b) => (a.log < b.log ? -1 : 1))
  return jcs({ kind: 'heads', at, heads: sorted })
}

/** The beacon's origin: the namespace without its scheme, which C2SP's names do not have. */
export function beaconOrigin(namespace: string, period: string): string {
  return `${namespace.replace(/^[a-z]+:\/\//, '')}/beacon/${period}`
}

/** What `GET /api/transparency/beacon` answers. */
export const beaconSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      origin: z
        .string()
        .meta({ description: 'The first line of its checkpoints', example: 'svc.example/beacon/2027a' }),
      verifierKeys: z
        .array(z.string())
        .meta({ description: 'Of the log, as `name+id+key`: Ed25519 and ML-DSA-44. Compare them with what you know' }),
      everySeconds: z.int().min(1),
      witnesses: z
        .array(z.strictObject({ url: z.string(), verifierKeys: z.array(z.string()) }))
        .meta({ description: 'Who is asked for cosignatures. You decide which of them to trust' }),
    })
    .meta({ id: 'Beacon', description: 'The beacon of this deployment. Without a log key there is none' }),
)
export type BeaconDescription = z.infer<typeof beaconSchema>
