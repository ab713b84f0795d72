import { logConfigFields, logConfigSchema } from '@svc/service'
import { parseVerifierKey } from '@svc/tlog/note-keys'
import * as z from 'zod'

/** Each is asked once a minute. */
const MAX_WITNESSES = 16
const verifierKey = z.string().refine((key) => parseVerifierKey(key) !== null, 'must be a verifier key')

export const beaconFields = {
  /** C2SP witnesses that are asked to cosign the beacon. */
  BEACON_WITNESSES: z
    .array(
      z.strictObject({
        /** `add-checkpoint` is below it. */
        url: z.url({ protocol: /^https?$/ }).regex(/[^/]$/, 'must not end with a slash'),
        verifierKeys: z.array(verifierKey).min(1).max(4),
      }),
    )
    .max(MAX_WITNESSES),
}

/** What the object of the beacon needs of the configuration. */
export const beaconConfigSchema = logConfigSchema.extend({
  ...logConfigFields,
  ...beaconFields,
})
export type BeaconConfig = z.infer<typeof beaconConfigSchema>
export type BeaconWitness = BeaconConfig['BEACON_WITNESSES'][number]
